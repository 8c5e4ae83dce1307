//! Splits a rule into functions of readable size, with the same names in both forms.

use std::collections::BTreeSet;
use std::ptr;

use proc_macro2::{Ident, TokenStream};

use super::super::render::Item;
use super::super::{Unit, ident};
use crate::ir::Plan;
use basalt_lang::plan::Join;

/// A group inside a rule with more conditions than this becomes a function of its own.
pub(super) const GROUP_LIMIT: usize = 2;

/// The same, of conditions about joined rows, which are longer.
pub(super) const JOINED_GROUP_LIMIT: usize = 1;

/// A group with more conditions than this is split into functions.
pub(super) const FLAT_LIMIT: usize = 4;

/// The same, of conditions about joined rows, which are longer.
pub(super) const JOINED_LIMIT: usize = 2;

/// The functions of one form of a rule.
pub(super) struct Outline<'a> {
    /// The collection that the rule is about, among all.
    pub unit: &'a Unit<'a>,
    /// The rule: `list`, `view` ….
    pub action: &'a str,
    /// The conditions through relations of the rule's own record, and those over joined rows, each
    /// with the function for these other rows: the SQL form writes it, and both forms call it.
    inner: Vec<(&'a Plan, Ident)>,
    /// The tables of joins, each once.
    rows: Vec<(Vec<Join>, Ident)>,
    names: BTreeSet<String>,
    items: Vec<Item>,
}

impl<'a> Outline<'a> {
    /// No functions yet, but names for those that both forms of the plan call.
    pub fn new(unit: &'a Unit<'a>, action: &'a str, plan: &'a Plan) -> Self {
        let mut outline = Outline {
            unit,
            action,
            inner: Vec::new(),
            rows: Vec::new(),
            names: BTreeSet::new(),
            items: Vec::new(),
        };
        outline.name_inner(plan);
        outline
    }

    /// Before anything else has a name, so that what only one form splits off changes nothing.
    fn name_inner(&mut self, plan: &'a Plan) {
        match plan {
            Plan::All(parts) | Plan::Any(parts) => {
                parts.iter().for_each(|part| self.name_inner(part));
            }
            Plan::Via { field, .. } => {
                if let Some(field) = self.unit.collection.fields.get(field.0) {
                    let name = self.name(&ident::stem(self.action, field));
                    self.inner.push((plan, name));
                }
            }
            Plan::Joined { joins, .. } => {
                let name = self.name(&format!("{}_joined", self.action));
                self.inner.push((plan, name));
                self.rows(joins);
            }
            _ => {}
        }
    }

    /// The function that [`Outline::new`] named for this very condition of the plan.
    pub fn inner(&self, plan: &Plan) -> Option<Ident> {
        let found = self.inner.iter().find(|(known, _)| ptr::eq(*known, plan));
        found.map(|(_, name)| name.clone())
    }

    /// The name of the table of these joins.
    pub fn rows(&mut self, joins: &[Join]) -> Ident {
        if let Some((_, name)) = self.rows.iter().find(|(known, _)| known == joins) {
            return name.clone();
        }
        let name = self.name(&format!("{}_rows", self.action));
        let name = ident::ident(&name.to_string().to_uppercase());
        self.rows.push((joins.to_vec(), name.clone()));
        name
    }

    /// All tables of joins.
    pub fn all_rows(&self) -> Vec<(Vec<Join>, Ident)> {
        self.rows.clone()
    }

    /// A name that this rule has not used: the stem, or the stem with a number.
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
