//! Diesel's tables: the collection's own and the join tables of its multiple relations.

use std::fmt::Write as _;

use quote::quote;

use super::relations::is_many;
use super::render::Item;
use super::{Unit, ident, place};
use crate::ir::{Collection, Field, FieldKind};

/// The `schema` module, which only sibling modules see, and the columns as the runtime takes them.
pub(super) fn emit(unit: &Unit<'_>) -> Vec<Item> {
    let collection = unit.collection;
    let mut text = "pub(super) mod schema {\n".to_owned();
    table(&mut text, collection);
    for field in collection.fields.iter().filter(|field| is_many(field)) {
        link(&mut text, collection, field);
    }
    text.push_str("}\n");
    let doc = format!("The tables of `{}`.", collection.name.wire);
    vec![Item::text(doc, text), columns(collection)]
}

/// Writes to a `String` cannot fail.
fn line(text: &mut String, indent: usize, content: &str) {
    let _ = writeln!(text, "{:1$}{content}", "", indent * 4);
}

fn table(text: &mut String, collection: &Collection) {
    let name = ident::table(collection);
    line(text, 1, "::diesel::table! {");
    line(text, 2, &format!("/// {}", place(&collection.location)));
    sql_name(text, 2, &collection.name.wire, &name.to_string());
    line(text, 2, &format!("{name} (id) {{"));
    line(text, 3, "/// The order of insertion.");
    line(text, 3, "_rowid_ -> BigInt,");
    for field in &collection.fields {
        let column = ident::column(field);
        line(text, 3, &format!("/// {}", place(&field.location)));
        sql_name(text, 3, &field.name.wire, &column.to_string());
        line(text, 3, &format!("{column} -> {},", sql_type(field)));
    }
    line(text, 2, "}");
    line(text, 1, "}");
}

fn link(text: &mut String, collection: &Collection, field: &Field) {
    let name = format!("_link_{}_{}", collection.name.wire, field.name.wire);
    text.push('\n');
    line(text, 1, "::diesel::table! {");
    line(text, 2, &format!("/// {}", place(&field.location)));
    sql_name(text, 2, &name, "");
    line(
        text,
        2,
        &format!("{} (owner, target) {{", ident::link(field)),
    );
    line(text, 3, "owner -> Text,");
    line(text, 3, "target -> Text,");
    line(text, 3, "position -> Integer,");
    line(text, 2, "}");
    line(text, 1, "}");
}

/// The name in the database, where it is another than the identifier.
fn sql_name(text: &mut String, indent: usize, wire: &str, ident: &str) {
    if wire != ident {
        line(text, indent, &format!("#[sql_name = {wire:?}]"));
    }
}

fn sql_type(field: &Field) -> &'static str {
    match (&field.kind, has_null(field)) {
        (FieldKind::Number { .. }, false) => "Double",
        (FieldKind::Number { .. }, true) => "Nullable<Double>",
        (FieldKind::Bool, false) => "Bool",
        (FieldKind::Bool, true) => "Nullable<Bool>",
        (_, false) => "Text",
        (_, true) => "Nullable<Text>",
    }
}

/// Can the column be NULL? Single relations are when they are empty.
fn has_null(field: &Field) -> bool {
    let single = matches!(field.kind, FieldKind::Relation { .. }) && !field.kind.is_many();
    field.nullable || single
}

/// One function for each column, so that conditions name columns in one word.
fn columns(collection: &Collection) -> Item {
    let table = ident::table(collection);
    let functions = collection.fields.iter().map(|field| {
        let name = ident::column(field);
        let kind = ident::ident(column_kind(&field.kind));
        let nullable = (!has_null(field)).then(|| quote! { .nullable() });
        quote! {
            pub fn #name() -> Column<#table::table> {
                Column::#kind(Box::new(#table::#name #nullable))
            }
        }
    });
    Item::new(
        format!("The columns of `{}`, for conditions.", collection.name.wire),
        quote! {
            pub(super) mod column {
                use super::schema::#table;
                use ::basalt_runtime::sql::Column;
                use ::diesel::prelude::*;
                #(#functions)*
            }
        },
    )
}

/// The variant of the runtime's `sql::Column`.
fn column_kind(kind: &FieldKind) -> &'static str {
    match kind {
        FieldKind::Number { .. } => "Number",
        FieldKind::Bool => "Bool",
        FieldKind::Json { .. } | FieldKind::GeoPoint => "Json",
        FieldKind::Select { .. } | FieldKind::Relation { .. } if kind.is_many() => "List",
        FieldKind::Relation { .. } => "Relation",
        FieldKind::Text { .. }
        | FieldKind::Editor { .. }
        | FieldKind::Email { .. }
        | FieldKind::Url { .. }
        | FieldKind::Date { .. }
        | FieldKind::Autodate { .. }
        | FieldKind::Select { .. }
        | FieldKind::Password { .. } => "Text",
    }
}
