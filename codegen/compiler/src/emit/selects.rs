//! The enums of selects.

use std::fmt::Write as _;

use quote::quote;

use super::render::Item;
use super::{Unit, ident, place};
use crate::diagnostic::visible;
use crate::ir::{Field, FieldKind, SelectValue};

/// An enum for each select.
pub(super) fn emit(unit: &Unit<'_>) -> Vec<Item> {
    let fields = unit.collection.fields.iter();
    fields
        .filter_map(|field| match &field.kind {
            FieldKind::Select { values, .. } => Some(select(unit, field, values)),
            _ => None,
        })
        .flatten()
        .collect()
}

fn select(unit: &Unit<'_>, field: &Field, values: &[SelectValue]) -> [Item; 2] {
    let name = ident::choices(unit.collection, field);
    let variants = values.iter().map(|value| {
        let (doc, variant) = (
            format!(" `{}`", visible(&value.wire)),
            ident::variant(value),
        );
        quote! {
            #[doc = #doc]
            #variant,
        }
    });
    let mut table = format!("::basalt_runtime::select_value!({name} {{\n");
    for value in values {
        // Writing to a `String` cannot fail.
        let _ = writeln!(table, "    {} = {:?},", ident::variant(value), value.wire);
    }
    table.push_str("});\n");
    [
        Item::new(
            format!(
                "The values of `{}`, {}.",
                field.name.wire,
                place(&field.location)
            ),
            quote! {
                #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
                pub enum #name { #(#variants)* }
            },
        ),
        Item::text("", table),
    ]
}
