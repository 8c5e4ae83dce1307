//! The identifiers of generated code. `name.rs` settles clashes between names of a schema; here
//! are those between a schema's names and what generated modules themselves use.

use proc_macro2::{Ident, Span};

use crate::ir::{Collection, CompiledRule, Field, SelectValue};

/// Modules and crates that each generated module names.
const MODULES: [&str; 23] = [
    "access",
    "alloc",
    "collection",
    "column",
    "compare",
    "core",
    "diesel",
    "field",
    "filter",
    "function",
    "hooks",
    "items",
    "joined",
    "memory",
    "meta",
    "predicate",
    "registry",
    "rocket",
    "rules",
    "schema",
    "sql",
    "std",
    "value",
];

/// Names that Diesel's `table!` takes for itself.
const TABLE_ITEMS: [&str; 7] = [
    "all_columns",
    "columns",
    "dsl",
    "star",
    "table",
    "SqlType",
    "BoxedQuery",
];

/// Types, traits and variants that each generated module names.
const TYPES: [&str; 27] = [
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Err",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "Hash",
    "Into",
    "Iterator",
    "Macro",
    "None",
    "Ok",
    "Op",
    "Option",
    "PartialEq",
    "Predicate",
    "Quantifier",
    "QueryResult",
    "Some",
    "String",
    "Truth",
    "Vec",
];

/// Any text as an identifier; what cannot be in one becomes an underscore.
pub(super) fn ident(text: &str) -> Ident {
    syn::parse_str(text).unwrap_or_else(|_| {
        let plain = text.replace(|c: char| !(c.is_ascii_alphanumeric() || c == '_'), "_");
        Ident::new(&format!("x_{plain}"), Span::call_site())
    })
}

/// The module of a collection.
pub(super) fn module(collection: &Collection) -> Ident {
    ident(&collection.name.rust)
}

/// The table of a collection, as a module inside `schema`.
pub(super) fn table(collection: &Collection) -> Ident {
    let name = &collection.name.rust;
    if MODULES.contains(&name.as_str()) || name.starts_with("link_") {
        ident(&format!("{name}_table"))
    } else {
        ident(name)
    }
}

/// The type that stands for a collection.
pub(super) fn marker(collection: &Collection) -> Ident {
    let name = &collection.name.camel;
    if TYPES.contains(&name.as_str()) {
        ident(&format!("{name}Collection"))
    } else {
        ident(name)
    }
}

/// The struct of a record.
pub(super) fn model(collection: &Collection) -> Ident {
    let name = &collection.model;
    if TYPES.contains(&name.as_str()) || *name == collection.name.camel {
        ident(&format!("{name}Record"))
    } else {
        ident(name)
    }
}

/// The enum of a select's values.
pub(super) fn choices(collection: &Collection, field: &Field) -> Ident {
    ident(&format!("{}{}", model(collection), field.name.camel))
}

/// A variant of such an enum.
pub(super) fn variant(value: &SelectValue) -> Ident {
    ident(&value.camel)
}

/// A field of the struct and column of the table.
pub(super) fn column(field: &Field) -> Ident {
    let name = &field.name.rust;
    if TABLE_ITEMS.contains(&name.as_str()) {
        ident(&format!("{name}_"))
    } else {
        ident(name)
    }
}

/// The constant that holds a field's place.
pub(super) fn constant(field: &Field) -> Ident {
    ident(&field.name.rust.to_uppercase())
}

/// The join table of a multiple relation.
pub(super) fn link(field: &Field) -> Ident {
    ident(&format!("link_{}", field.name.rust))
}

/// The function for conditions through a relation.
pub(super) fn via(field: &Field) -> Ident {
    ident(&format!("via_{}", field.name.rust))
}

/// Where a rule stands, as `path:line`.
pub(super) fn rule_place(rule: &CompiledRule) -> String {
    super::place(&rule.location)
}

/// How the name begins of a function that is split off from another, for what a relation points
/// to. Not every path has one of its own: a field may be called `aViaB`.
pub(super) fn stem(function: &str, field: &Field) -> String {
    format!("{function}_via_{}", field.name.rust.trim_end_matches('_'))
}
