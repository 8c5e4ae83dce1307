//! What generated code names of other crates: declared here once, at the head of each module.
//! The compiled goldens prove that all of it exists.

use std::collections::BTreeSet;

use quote::quote;

use super::render::Item;
use super::{Unit, ident};
use crate::ir::{FieldKind, Plan, Rule};
use basalt_lang::schema::CollectionId;

/// The imports of a module. Modules rather than types, so that a collection can have any name.
pub(super) fn imports(unit: &Unit<'_>) -> Vec<Item> {
    let own = ident::table(unit.collection);
    let tables = foreign_tables(unit).into_iter().filter_map(|id| {
        let target = unit.target(id)?;
        let (module, table) = (ident::module(target), ident::table(target));
        Some(quote! { use super::#module::schema::#table; })
    });
    let links = unit.collection.fields.iter().filter_map(|field| {
        let link = ident::link(field);
        super::relations::is_many(field).then(|| quote! { use schema::#link; })
    });
    vec![Item::new(
        "",
        quote! {
            use ::basalt_runtime::lang::plan::{Macro, Op, Quantifier, Truth};
            use ::basalt_runtime::sql::predicate::{self, Predicate};
            use ::basalt_runtime::sql::{self, compare, filter, function, items, joined};
            use ::basalt_runtime::value::FieldValue as _;
            use ::basalt_runtime::{access, collection, hooks, memory, meta, rules, value};
            use ::diesel::prelude::*;
            #(#tables)*
            use schema::#own;
            #(#links)*
        },
    )]
}

/// The tables of other collections that this module speaks of: targets of its relations, and
/// whatever its rules walk through.
fn foreign_tables(unit: &Unit<'_>) -> BTreeSet<CollectionId> {
    let mut found = BTreeSet::new();
    for field in &unit.collection.fields {
        if let FieldKind::Relation { target, .. } = field.kind {
            found.insert(target);
        }
    }
    for rule in super::rules::of_all(unit.collection) {
        if let Rule::When(rule) = rule {
            visit(&rule.plan, &mut found);
        }
    }
    found.retain(|id| !unit.is_self(*id));
    found
}

fn visit(plan: &Plan, found: &mut BTreeSet<CollectionId>) {
    match plan {
        Plan::All(parts) | Plan::Any(parts) => parts.iter().for_each(|part| visit(part, found)),
        Plan::Via { target, inner, .. } => {
            found.insert(*target);
            visit(inner, found);
        }
        _ => {}
    }
}
