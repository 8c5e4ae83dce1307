//! Conditions over rows that are bound together: for each a table of joins and a function, which
//! both forms of the rule call.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::super::{Unit, ident};
use super::outline::Outline;
use super::sql::{self, Row};
use crate::ir::{Collection, CollectionId, FieldId, Plan};
use basalt_lang::plan::{Join, Origin};

/// Adds the function for what must hold of the rows; gives the name of their table.
pub(super) fn write(
    outline: &mut Outline<'_>,
    condition: &Ident,
    joins: &[Join],
    inner: &Plan,
) -> Ident {
    let text = condition.to_string();
    let collections = collections(joins);
    let row = Row {
        collection: outline.unit.collection,
        function: &text,
        beside: Some(&collections),
        list: None,
    };
    let doc = "What must hold of the record and these rows.".to_owned();
    sql::whole(outline, doc, row, condition, inner);
    outline.rows(joins)
}

/// Adds the tables of the rows that the rule's functions look at.
pub(super) fn tables(outline: &mut Outline<'_>) {
    for (joins, name) in outline.all_rows() {
        let collections = collections(&joins);
        let number = Literal::usize_unsuffixed(joins.len());
        let rows = joins.iter().map(|it| join(outline.unit, &collections, it));
        let rows = rows.collect::<Vec<_>>();
        outline.push(
            "Rows that are looked at together with the record.",
            quote! { static #name: [joined::Join; #number] = [#(#rows),*]; },
        );
    }
}

fn collections(joins: &[Join]) -> Vec<Option<CollectionId>> {
    joins.iter().map(Join::collection).collect()
}

fn join(unit: &Unit<'_>, collections: &[Option<CollectionId>], join: &Join) -> TokenStream {
    let field = |from: &Origin, field: &FieldId| {
        let collection = match from {
            Origin::Row => Some(unit.collection),
            Origin::Joined(row) => collection(unit, collections, *row),
        };
        place(unit, collection, *field)
    };
    match join {
        Join::One {
            from,
            field: by,
            target,
        } => {
            let (origin, by, target) = (origin(*from), field(from, by), meta(unit, *target));
            quote! { joined::Join::One { from: #origin, field: #by, target: #target } }
        }
        Join::Many {
            from,
            field: by,
            target,
        } => {
            let (origin, by, target) = (origin(*from), field(from, by), meta(unit, *target));
            quote! { joined::Join::Many { from: #origin, field: #by, target: #target } }
        }
        Join::Items { from, field: by } => {
            let (origin, by) = (origin(*from), field(from, by));
            quote! { joined::Join::Items { from: #origin, field: #by } }
        }
        Join::Back {
            from,
            source,
            field: by,
        } => {
            let by = place(unit, unit.target(*source), *by);
            let (origin, source) = (origin(*from), meta(unit, *source));
            quote! { joined::Join::Back { from: #origin, source: #source, field: #by } }
        }
        Join::Every { collection } => {
            let collection = meta(unit, *collection);
            quote! { joined::Join::Every { collection: #collection } }
        }
        Join::Caller { collection } => {
            let collection = meta(unit, *collection);
            quote! { joined::Join::Caller { collection: #collection } }
        }
        Join::Submitted { key, target } => {
            let target = meta(unit, *target);
            quote! { joined::Join::submitted(#key, #target) }
        }
    }
}

fn origin(origin: Origin) -> TokenStream {
    match origin {
        Origin::Row => quote! { joined::Origin::Row },
        Origin::Joined(row) => {
            let row = Literal::usize_unsuffixed(row);
            quote! { joined::Origin::Joined(#row) }
        }
    }
}

/// The collection of a joined row.
fn collection<'u>(
    unit: &Unit<'u>,
    collections: &[Option<CollectionId>],
    row: usize,
) -> Option<&'u Collection> {
    unit.target((*collections.get(row)?)?)
}

fn meta(unit: &Unit<'_>, id: CollectionId) -> TokenStream {
    match unit.target(id) {
        Some(target) => {
            let module = sql::module(unit, target);
            quote! { &#module META }
        }
        None => quote! { ::std::compile_error!("an unknown collection") },
    }
}

/// The constant with a field's place.
fn place(unit: &Unit<'_>, collection: Option<&Collection>, field: FieldId) -> TokenStream {
    let found = collection.and_then(|it| Some((it, it.fields.get(field.0)?)));
    match found {
        Some((collection, field)) => {
            let (module, constant) = (sql::module(unit, collection), ident::constant(field));
            quote! { #module field::#constant }
        }
        None => quote! { ::std::compile_error!("an unknown field") },
    }
}

/// A field of the record itself, among joined rows.
pub(super) fn own_field(unit: &Unit<'_>, field: FieldId) -> TokenStream {
    let place = place(unit, Some(unit.collection), field);
    quote! { rows.row(#place) }
}

/// A field of a joined row.
pub(super) fn joined_field(
    unit: &Unit<'_>,
    collections: &[Option<CollectionId>],
    row: usize,
    field: FieldId,
) -> TokenStream {
    let place = place(unit, collection(unit, collections, row), field);
    let row = Literal::usize_unsuffixed(row);
    quote! { rows.of(#row, #place) }
}
