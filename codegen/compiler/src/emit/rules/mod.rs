//! Rules: for each the SQL form and the memory form, from the same plan, and the table that names
//! them all.

mod fields;
mod flat;
mod joined;
mod memory;
mod outline;
mod request;
mod sql;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::render::Item;
use super::{Unit, ident};
use crate::ir::{Collection, CollectionId, CompiledRule, FieldId, FieldKind, Plan, Rule};
use crate::needs;
use outline::Outline;

/// The functions of the rules and the `RULES` table.
pub(super) fn emit(unit: &Unit<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    for (action, rule) in unit.collection.rules.named() {
        if let Rule::When(rule) = rule {
            items.extend(functions(unit, action, rule));
        }
    }
    items.extend(fields::functions(unit));
    items.push(table(unit));
    items
}

/// Every rule of a collection, those of its fields included.
pub(super) fn of_all(collection: &Collection) -> impl Iterator<Item = &Rule> {
    let own = collection.rules.named().into_iter().map(|(_, rule)| rule);
    let fields = collection.fields.iter();
    own.chain(fields.flat_map(|field| [&field.read, &field.write]))
}

/// Both forms of a rule, each with the functions that it was split into.
fn functions(unit: &Unit<'_>, action: &str, rule: &CompiledRule) -> Vec<Item> {
    let doc = format!("{}: `{}`", ident::rule_place(rule), one_line(&rule.text));
    let plan = gathered(unit, &rule.plan);
    let mut items = sql_form(unit, action, doc, &plan);
    items.extend(memory_form(unit, action, &plan));
    items
}

/// The plan as it is run, with as few sub-selects as it takes.
pub(super) fn gathered(unit: &Unit<'_>, plan: &Plan) -> Plan {
    let is_single = |collection: CollectionId, field: FieldId| {
        let field = unit
            .target(collection)
            .and_then(|it| it.fields.get(field.0));
        field.is_some_and(|it| is_single(&it.kind))
    };
    let mut all = unit.schema.collections.iter();
    match all.position(|it| it.name == unit.collection.name) {
        Some(own) => plan.gathered(CollectionId(own), &is_single),
        None => plan.clone(),
    }
}

/// A relation to one record.
fn is_single(kind: &FieldKind) -> bool {
    matches!(kind, FieldKind::Relation { .. }) && !kind.is_many()
}

/// How the rule's total can be counted by parts.
fn split(unit: &Unit<'_>, plan: &Plan) -> TokenStream {
    if needs::dictionary(unit.collection, plan).is_some() {
        return quote! { rules::Split::List };
    }
    match link(unit, plan)
        .and_then(|(field, empty)| Some((unit.collection.fields.get(field.0)?, empty)))
    {
        Some((field, empty)) => {
            let field = ident::constant(field);
            quote! { rules::Split::Link { field: field::#field, empty: #empty } }
        }
        None => quote! { rules::Split::None },
    }
}

/// The relation to one record of another collection that alone decides the plan, and whether it may
/// be empty.
pub(super) fn link(unit: &Unit<'_>, plan: &Plan) -> Option<(FieldId, bool)> {
    let (field, target, empty) = plan.only_link()?;
    let known = unit.collection.fields.get(field.0)?;
    (is_single(&known.kind) && !unit.is_self(target)).then_some((field, empty))
}

/// The functions of the SQL form.
pub(super) fn sql_form(unit: &Unit<'_>, action: &str, doc: String, plan: &Plan) -> Vec<Item> {
    let mut outline = Outline::new(unit, action, plan);
    sql::rule(&mut outline, doc, plan);
    outline.items()
}

/// The functions of the memory form. Through relations it calls those of the SQL form.
pub(super) fn memory_form(unit: &Unit<'_>, action: &str, plan: &Plan) -> Vec<Item> {
    let mut outline = Outline::new(unit, action, plan);
    memory::rule(&mut outline, plan);
    outline.items()
}

fn table(unit: &Unit<'_>) -> Item {
    let marker = ident::marker(unit.collection);
    let rules = unit.collection.rules.named().map(|(action, rule)| {
        let (name, rule) = (ident::ident(action), value(unit, action, rule));
        quote! { #name: #rule, }
    });
    let fields = fields::table(unit);
    Item::new(
        format!("The rules of `{}`.", unit.collection.name.wire),
        quote! {
            static RULES: rules::Rules<#marker> = rules::Rules { #(#rules)* fields: #fields };
        },
    )
}

/// A rule whose functions bear this name.
fn value(unit: &Unit<'_>, function: &str, rule: &Rule) -> TokenStream {
    let rule = match rule {
        Rule::Locked => return quote! { rules::Rule::Locked },
        Rule::Public => return quote! { rules::Rule::Public },
        Rule::When(rule) => rule,
    };
    let name = ident::ident(function);
    let memory = format_ident!("{name}_in_memory");
    let (text, source) = (&rule.text, ident::rule_place(rule));
    let reads = rule.reads.iter().filter_map(|id| unit.target(*id));
    let reads = reads.map(|collection| &collection.name.wire);
    let split = split(unit, &gathered(unit, &rule.plan));
    quote! {
        rules::Rule::When(rules::CompiledRule {
            sql: #name,
            memory: #memory,
            text: #text,
            source: #source,
            reads: &[#(#reads),*],
            split: #split,
        })
    }
}

/// A rule's text on one line, as fits into a doc comment.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
