//! Conditions through relations, which compose from collection to collection.

use quote::quote;

use super::render::Item;
use super::{Unit, ident, place};
use crate::ir::{Collection, Field, FieldKind};

/// Is it a relation with a join table?
pub(super) fn is_many(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Relation { .. }) && field.kind.is_many()
}

/// A function for each relation: the condition on this collection's rows that a condition on the
/// other side amounts to.
pub(super) fn emit(unit: &Unit<'_>) -> Vec<Item> {
    let fields = unit.collection.fields.iter();
    fields
        .filter_map(|field| match field.kind {
            FieldKind::Relation { target, .. } => Some(via(unit, field, unit.target(target)?)),
            _ => None,
        })
        .collect()
}

fn via(unit: &Unit<'_>, field: &Field, target: &Collection) -> Item {
    let own = ident::table(unit.collection);
    let (name, column, link) = (ident::via(field), ident::column(field), ident::link(field));
    let other = ident::table(target);
    let to_self = target.name == unit.collection.name;
    let call = match (is_many(field), to_self) {
        (false, false) => quote! {
            ::basalt_runtime::via_one!(form, inner, holds, #own::#column => #other)
        },
        (false, true) => quote! { ::basalt_runtime::via_self!(form, inner, holds, #own::#column) },
        (true, false) => quote! {
            ::basalt_runtime::via_many!(form, inner, holds, #own[#link] => #other)
        },
        (true, true) => {
            quote! { ::basalt_runtime::via_many_self!(form, inner, holds, #own[#link]) }
        }
    };
    let quantity = if is_many(field) {
        "Some record"
    } else {
        "The record"
    };
    Item::new(
        format!(
            "{quantity} that `{}` points to satisfies `inner`, or none does. {}",
            field.name.wire,
            place(&field.location)
        ),
        quote! {
            pub(super) fn #name(
                form: sql::Form,
                inner: Predicate<#other::table>,
                holds: bool,
            ) -> Predicate<#own::table> {
                #call
            }
        },
    )
}
