//! The memory form: the same plan over a record, as plain `&&` and `||`. Only what looks at other
//! records asks the database, by the inner functions of the SQL form.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::ident;
use super::outline::{FLAT_LIMIT, GROUP_LIMIT, Outline, weight};
use super::request::{op, truth, value, without_row};
use super::sql::{self, Row};
use crate::ir::{CollectionId, FieldId, Plan};
use basalt_lang::plan::Column;

/// Adds the rule's function and those that it was split into.
pub(super) fn rule(outline: &mut Outline<'_>, plan: &Plan) {
    let name = format!("{}_in_memory", outline.action);
    let body = condition(outline, plan);
    function(outline, "The same over a record in memory.", &name, &body);
}

fn function(outline: &mut Outline<'_>, doc: &str, name: &str, body: &TokenStream) {
    let (name, model) = (ident::ident(name), ident::model(outline.unit.collection));
    outline.push(
        doc,
        quote! {
            fn #name(
                cx: &rules::Context<'_>,
                record: &#model,
                conn: &mut sql::Conn,
            ) -> QueryResult<bool> {
                Ok(#body)
            }
        },
    );
}

/// The condition as an operand of `&&` or `||`.
fn part(outline: &mut Outline<'_>, plan: &Plan) -> TokenStream {
    let group = matches!(plan, Plan::All(_) | Plan::Any(_));
    if !group {
        return condition(outline, plan);
    }
    let body = condition(outline, plan);
    if weight(plan) <= GROUP_LIMIT {
        return quote! { (#body) };
    }
    split(outline, &body)
}

/// A call of a new function with this body.
fn split(outline: &mut Outline<'_>, body: &TokenStream) -> TokenStream {
    let name = outline.name(&format!("part_of_{}_in_memory", outline.action));
    function(outline, "A part of the rule.", &name.to_string(), body);
    quote! { #name(cx, record, conn)? }
}

/// Conditions that hold together, or of which one must hold.
fn group(outline: &mut Outline<'_>, plans: &[Plan], all: bool) -> TokenStream {
    let parts: Vec<TokenStream> = if plans.len() > FLAT_LIMIT {
        let size = plans.len().div_ceil(plans.len().div_ceil(FLAT_LIMIT));
        let chunks = plans.chunks(size.max(2));
        chunks
            .map(|chunk| match chunk {
                [one] => part(outline, one),
                several => {
                    let body = group(outline, several, all);
                    split(outline, &body)
                }
            })
            .collect()
    } else {
        plans.iter().map(|plan| part(outline, plan)).collect()
    };
    if all {
        quote! { #(#parts)&&* }
    } else {
        quote! { #(#parts)||* }
    }
}

fn condition(outline: &mut Outline<'_>, plan: &Plan) -> TokenStream {
    if let Some(decided) = without_row(plan) {
        return decided;
    }
    match plan {
        Plan::Always => quote! { true },
        // Only clients' filters are bound to list rules.
        Plan::Never | Plan::Visible { .. } | Plan::Readable { .. } => quote! { false },
        Plan::All(parts) => group(outline, parts, true),
        Plan::Any(parts) => group(outline, parts, false),
        Plan::Via {
            field,
            target,
            holds,
            ..
        } => {
            let inner = match outline.inner(plan) {
                Some(name) => quote! { #name(cx) },
                None => quote! { ::std::compile_error!("a relation without a function") },
            };
            via(outline, *field, *target, &inner, *holds)
        }
        Plan::Each {
            field,
            inner,
            holds,
        } => {
            let list = field_value(outline, *field);
            let inner = condition(outline, inner);
            negate(!holds, &quote! { memory::each(#list, |item| #inner) })
        }
        Plan::Joined { joins, holds, .. } => match outline.inner(plan) {
            Some(name) => {
                let (rows, ask) = (outline.rows(joins), ask(outline));
                negate(!holds, &quote! { #ask(conn, cx, record, &#rows, &#name)? })
            }
            None => quote! { ::std::compile_error!("joined rows without a function") },
        },
        leaf if has_function(leaf) => asked(outline, leaf),
        leaf => self::leaf(outline, leaf),
    }
}

/// What the database computes, from the record's values.
fn asked(outline: &mut Outline<'_>, plan: &Plan) -> TokenStream {
    let name = outline.name(&format!("{}_computed_in_memory", outline.action));
    let text = name.to_string();
    let row = Row {
        collection: outline.unit.collection,
        function: &text,
        beside: Some(&[]),
        list: None,
    };
    let doc = "A condition that the database computes.".to_owned();
    sql::whole(outline, doc, row, &name, plan);
    let ask = ask(outline);
    quote! { #ask(conn, cx, record, &[], &#name)? }
}

/// Does SQLite have to compute something for it? For an item of a select it never has to: a
/// comparison of items with what a function gives is one of joined rows.
pub(super) fn has_function(plan: &Plan) -> bool {
    let computed = |column: &Column| matches!(column, Column::Distance(_) | Column::Time { .. });
    match plan {
        Plan::Test { column, .. } | Plan::Within { column, .. } => computed(column),
        Plan::Columns { left, right, .. } => computed(left) || computed(right),
        Plan::All(parts) | Plan::Any(parts) => parts.iter().any(has_function),
        _ => false,
    }
}

/// How the database is asked about the record.
fn ask(outline: &Outline<'_>) -> TokenStream {
    if outline.action == "create" {
        quote! { joined::draft }
    } else {
        quote! { joined::stored }
    }
}

/// A condition through a relation; `inner` is that of the SQL form.
fn via(
    outline: &Outline<'_>,
    field: FieldId,
    target: CollectionId,
    inner: &TokenStream,
    holds: bool,
) -> TokenStream {
    let own = outline.unit.collection;
    let Some(target) = outline.unit.target(target) else {
        return quote! { ::std::compile_error!("a relation to nowhere") };
    };
    let (module, marker) = (ident::module(target), ident::marker(target));
    let path = if target.name == own.name {
        quote! { #marker }
    } else {
        quote! { super::#module::#marker }
    };
    let ids = field_value(outline, field);
    negate(
        !holds,
        &quote! { memory::related::<#path>(conn, #ids, #inner)? },
    )
}

fn negate(negate: bool, condition: &TokenStream) -> TokenStream {
    if negate {
        quote! { !#condition }
    } else {
        condition.clone()
    }
}

/// A comparison.
fn leaf(outline: &Outline<'_>, plan: &Plan) -> TokenStream {
    match plan {
        Plan::Test {
            column,
            op: operator,
            value: given,
            when,
        } => {
            let (tested, given) = (computed(outline, column), value(given));
            let (operator, when) = (op(*operator), truth(*when));
            quote! { memory::test(#tested, #operator, #given, #when) }
        }
        Plan::Within {
            value: given,
            op: operator,
            column,
            when,
        } => {
            let (tested, given) = (computed(outline, column), value(given));
            let (operator, when) = (op(*operator), truth(*when));
            quote! { memory::within(#given, #operator, #tested, #when) }
        }
        Plan::Columns {
            left,
            op: operator,
            right,
            when,
        } => {
            let (left, right) = (computed(outline, left), computed(outline, right));
            let (operator, when) = (op(*operator), truth(*when));
            quote! { memory::columns(#left, #operator, #right, #when) }
        }
        Plan::Empty { field, holds } => {
            let field = field_value(outline, *field);
            negate(!holds, &quote! { memory::is_empty(#field) })
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

fn computed(outline: &Outline<'_>, column: &Column) -> TokenStream {
    match column {
        Column::Field(id) => stored(outline, *id),
        Column::Lower(id) => {
            let field = stored(outline, *id);
            quote! { memory::lower(#field) }
        }
        Column::Length(id) => {
            let field = field_value(outline, *id);
            quote! { memory::length(#field) }
        }
        Column::Single(id) => {
            let field = stored(outline, *id);
            quote! { memory::single(#field) }
        }
        Column::Path(id, path) => {
            let field = field_value(outline, *id);
            quote! { memory::json_path(#field, &[#(#path),*]) }
        }
        Column::Item => quote! { item },
        Column::Of(..) | Column::Distance(_) | Column::Time { .. } => {
            quote! { ::std::compile_error!("not a column of the record") }
        }
    }
}

/// A field as an operand. The record of a create rule is in no column yet.
fn stored(outline: &Outline<'_>, id: FieldId) -> TokenStream {
    let field = field_value(outline, id);
    if outline.action == "create" {
        quote! { memory::draft(#field) }
    } else {
        field
    }
}

fn field_value(outline: &Outline<'_>, id: FieldId) -> TokenStream {
    match outline.unit.collection.fields.get(id.0) {
        Some(field) => {
            let field = ident::column(field);
            quote! { record.#field.get() }
        }
        None => quote! { ::std::compile_error!("an unknown field") },
    }
}
