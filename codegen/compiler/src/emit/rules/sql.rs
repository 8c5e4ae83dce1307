//! The SQL form: a condition on stored rows, as nested calls of the runtime.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::super::{Unit, ident};
use super::outline::{GROUP_LIMIT, Outline, weight};
use super::request::{op, truth, value, without_row};
use crate::ir::{Collection, CollectionId, FieldId, Plan};
use basalt_lang::plan::Column;

/// What a function's condition is about.
#[derive(Clone, Copy)]
struct Row<'a> {
    /// The collection whose row it is.
    collection: &'a Collection,
    /// The function, whose name those that are split off from it begin with.
    function: &'a str,
}

/// Adds the rule's function and those that it was split into.
pub(super) fn rule(outline: &mut Outline<'_>, doc: String, plan: &Plan) {
    let row = Row {
        collection: outline.unit.collection,
        function: outline.action,
    };
    let body = condition(outline, row, plan);
    let name = ident::ident(outline.action);
    function(outline, doc, row, &name, &body);
}

fn function(
    outline: &mut Outline<'_>,
    doc: String,
    row: Row<'_>,
    name: &Ident,
    body: &TokenStream,
) {
    let table = ident::table(row.collection);
    outline.push(
        doc,
        quote! {
            fn #name(cx: &rules::Context<'_>) -> Predicate<#table::table> {
                #body
            }
        },
    );
}

/// The condition; a call of a new function if it is a large group.
fn part(outline: &mut Outline<'_>, row: Row<'_>, plan: &Plan) -> TokenStream {
    let group = matches!(plan, Plan::All(_) | Plan::Any(_));
    if !group || weight(plan) <= GROUP_LIMIT {
        return condition(outline, row, plan);
    }
    let name = outline.name(&format!("part_of_{}", row.function));
    let body = condition(outline, row, plan);
    function(outline, "A part of the rule.".to_owned(), row, &name, &body);
    quote! { #name(cx) }
}

fn condition(outline: &mut Outline<'_>, row: Row<'_>, plan: &Plan) -> TokenStream {
    if let Some(decided) = without_row(plan) {
        return quote! { Predicate::from(#decided) };
    }
    match plan {
        Plan::Always => quote! { Predicate::Always },
        // Only clients' filters are bound to list rules.
        Plan::Never | Plan::Visible { .. } | Plan::Readable { .. } => quote! { Predicate::Never },
        Plan::All(parts) => {
            let parts = parts
                .iter()
                .map(|plan| part(outline, row, plan))
                .collect::<Vec<_>>();
            quote! { predicate::all([#(#parts),*]) }
        }
        Plan::Any(parts) => {
            let parts = parts
                .iter()
                .map(|plan| part(outline, row, plan))
                .collect::<Vec<_>>();
            quote! { predicate::any([#(#parts),*]) }
        }
        Plan::Via {
            field,
            target,
            inner,
            holds,
        } => {
            let name = outline.inner(plan);
            via(outline, row, name, (*field, *target), inner, *holds)
        }
        Plan::Each {
            field,
            inner,
            holds,
        } => {
            let list = column(outline.unit, row.collection, &Column::Field(*field));
            let inner = condition(outline, row, inner);
            quote! { compare::each(#list, #inner, #holds) }
        }
        leaf => self::leaf(outline.unit, row.collection, leaf),
    }
}

/// A condition through a relation: the inner one is a function of its own. One that the memory
/// form calls too has its name already.
fn via(
    outline: &mut Outline<'_>,
    row: Row<'_>,
    name: Option<Ident>,
    (field, target): (FieldId, CollectionId),
    inner: &Plan,
    holds: bool,
) -> TokenStream {
    let (Some(field), Some(target)) = (
        row.collection.fields.get(field.0),
        outline.unit.target(target),
    ) else {
        return quote! { ::std::compile_error!("a relation to nowhere") };
    };
    let call = in_module(outline.unit, row.collection, &ident::via(field));
    if *inner == Plan::Always {
        return quote! { #call(cx.form, Predicate::Always, #holds) };
    }
    let name = name.unwrap_or_else(|| outline.name(&ident::stem(row.function, field)));
    let text = name.to_string();
    let inner_row = Row {
        collection: target,
        function: &text,
    };
    let body = condition(outline, inner_row, inner);
    let doc = format!(
        "What must hold of a record that `{}` points to.",
        field.name.wire
    );
    function(outline, doc, inner_row, &name, &body);
    quote! { #call(cx.form, #name(cx), #holds) }
}

/// A comparison.
fn leaf(unit: &Unit<'_>, row: &Collection, plan: &Plan) -> TokenStream {
    match plan {
        Plan::Test {
            column: tested,
            op: operator,
            value: given,
            when,
        } => {
            let (tested, given) = (column(unit, row, tested), value(given));
            let (operator, when) = (op(*operator), truth(*when));
            quote! { compare::test(#tested, #operator, #given, #when) }
        }
        Plan::Within {
            value: given,
            op: operator,
            column: tested,
            when,
        } => {
            let (tested, given) = (column(unit, row, tested), value(given));
            let (operator, when) = (op(*operator), truth(*when));
            quote! { compare::within(#given, #operator, #tested, #when) }
        }
        Plan::Columns {
            left,
            op: operator,
            right,
            when,
        } => {
            let (left, right) = (column(unit, row, left), column(unit, row, right));
            let (operator, when) = (op(*operator), truth(*when));
            quote! { compare::columns(#left, #operator, #right, #when) }
        }
        Plan::Empty { field, holds } => {
            let field = column(unit, row, &Column::Field(*field));
            quote! { compare::empty(#field, #holds) }
        }
        Plan::Always
        | Plan::Never
        | Plan::Request { .. }
        | Plan::All(_)
        | Plan::Any(_)
        | Plan::Via { .. }
        | Plan::Each { .. }
        | Plan::Visible { .. }
        | Plan::Readable { .. }
        | Plan::Joined { .. } => quote! { ::std::compile_error!("not a comparison") },
    }
}

fn column(unit: &Unit<'_>, row: &Collection, column: &Column) -> TokenStream {
    let field = |id: &FieldId| match row.fields.get(id.0) {
        Some(field) => {
            let column = ident::column(field);
            let path = module(unit, row);
            quote! { #path column::#column() }
        }
        None => quote! { ::std::compile_error!("an unknown field") },
    };
    match column {
        Column::Field(id) => field(id),
        Column::Lower(id) => {
            let field = field(id);
            quote! { compare::lower(#field) }
        }
        Column::Length(id) => {
            let field = field(id);
            quote! { compare::length(#field) }
        }
        Column::Path(id, path) => {
            let field = field(id);
            quote! { compare::json_path(#field, &[#(#path),*]) }
        }
        Column::Item => quote! { items::item() },
        Column::Of(..) | Column::Distance(_) | Column::Time { .. } => {
            quote! { ::std::compile_error!("not a column of the row") }
        }
    }
}

fn in_module(unit: &Unit<'_>, collection: &Collection, name: &Ident) -> TokenStream {
    let path = module(unit, collection);
    quote! { #path #name }
}

/// The way to a collection's module: nothing for the own one.
fn module(unit: &Unit<'_>, collection: &Collection) -> TokenStream {
    if collection.name == unit.collection.name {
        return TokenStream::new();
    }
    let module = ident::module(collection);
    quote! { super::#module:: }
}
