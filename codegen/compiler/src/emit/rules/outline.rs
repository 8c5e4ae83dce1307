//! Splits a rule into functions of readable size, with the same names in both forms.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};

use super::super::render::Item;
use super::super::{Unit, ident};
use crate::ir::Plan;

/// A group inside a rule with more conditions than this becomes a function of its own.
pub(super) const GROUP_LIMIT: usize = 2;

/// The functions of one form of a rule.
pub(super) struct Outline<'a> {
    /// The collection that the rule is about, among all.
    pub unit: &'a Unit<'a>,
    /// The rule: `list`, `view` ….
    pub action: &'a str,
    names: BTreeSet<String>,
    items: Vec<Item>,
}

impl<'a> Outline<'a> {
    /// No functions yet.
    pub fn new(unit: &'a Unit<'a>, action: &'a str) -> Self {
        Outline {
            unit,
            action,
            names: BTreeSet::new(),
            items: Vec::new(),
        }
    }

    /// A name that this rule has not used: the stem, or the stem with a number. Both forms walk
    /// the plan in the same order, so the names of the one are those of the other.
    pub fn name(&mut self, stem: &str) -> Ident {
        let mut name = stem.to_owned();
        let mut count = 1;
        while !self.names.insert(name.clone()) {
            count += 1;
            name = format!("{stem}_{count}");
        }
        ident::ident(&name)
    }

    /// Adds a function.
    pub fn push(&mut self, doc: impl Into<String>, tokens: TokenStream) {
        self.items.push(Item::new(doc, tokens));
    }

    /// The functions, the rule's own first.
    pub fn items(self) -> Vec<Item> {
        self.items.into_iter().rev().collect()
    }
}

/// How many conditions a plan has in one function.
pub(super) fn weight(plan: &Plan) -> usize {
    match plan {
        Plan::All(parts) | Plan::Any(parts) => parts.iter().map(weight).sum(),
        Plan::Each { inner, .. } => 1 + weight(inner),
        _ => 1,
    }
}
