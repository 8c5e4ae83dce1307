//! Rules of fields: functions like those of the collection's own rules, under names that begin
//! with what they guard.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::render::Item;
use super::super::{Unit, ident};
use super::memory;
use crate::ir::{Collection, Field, FieldId, Rule};
use basalt_lang::plan::Class;

/// The two rules of a field.
const KINDS: [&str; 2] = ["read", "write"];

/// The functions of all rules of fields.
pub(super) fn functions(unit: &Unit<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    for (at, field) in guarded(unit.collection) {
        for (kind, rule) in KINDS.into_iter().zip([&field.read, &field.write]) {
            if let Rule::When(rule) = rule {
                let name = function(unit.collection, at, kind, field);
                items.extend(super::functions(unit, &name, rule));
            }
        }
    }
    items
}

/// The rules of the fields as an array.
pub(super) fn table(unit: &Unit<'_>) -> TokenStream {
    let rules = guarded(unit.collection).map(|(at, field)| {
        let place = ident::constant(field);
        let [read, write] = KINDS.map(|kind| function(unit.collection, at, kind, field));
        let read = super::value(unit, &read, &field.read);
        let write = super::value(unit, &write, &field.write);
        let local = match &field.read {
            Rule::When(rule) => {
                rule.plan.class() < Class::Relational && !memory::has_function(&rule.plan)
            }
            Rule::Locked | Rule::Public => true,
        };
        quote! {
            rules::FieldRules {
                field: field::#place,
                read: #read,
                read_is_local: #local,
                write: #write,
            }
        }
    });
    quote! { &[#(#rules),*] }
}

/// The fields that have rules.
fn guarded(collection: &Collection) -> impl Iterator<Item = (FieldId, &Field)> {
    let fields = collection.fields.iter().enumerate();
    fields
        .filter(|(_, field)| field.read != Rule::Public || field.write != Rule::Public)
        .map(|(at, field)| (FieldId(at), field))
}

/// The function of a rule. Those that are split off from it have longer names, and so the field
/// needs its number where the name of another begins with its own.
fn function(collection: &Collection, at: FieldId, kind: &str, field: &Field) -> String {
    let name = field.name.rust.trim_end_matches('_');
    let mut others = guarded(collection).filter(|(other, _)| *other != at);
    let longer = format!("{name}_");
    if others.any(|(_, other)| other.name.rust.starts_with(&longer)) {
        format!("{kind}_{}_{name}", at.0)
    } else {
        format!("{kind}_{name}")
    }
}
