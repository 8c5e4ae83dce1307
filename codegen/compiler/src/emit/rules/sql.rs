//! The SQL form: a condition on stored rows, as nested calls of the runtime.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::super::{Unit, ident};
use super::outline::{FLAT_LIMIT, GROUP_LIMIT, JOINED_GROUP_LIMIT, JOINED_LIMIT, Outline, weight};
use super::request::{op, truth, value, without_row};
use super::{flat, joined};
use crate::ir::{Collection, CollectionId, FieldId, Plan};
use crate::needs;
use basalt_lang::plan::{Argument, Column, Join, Macro, Value};

/// What a function's condition is about.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    /// The collection whose row it is.
    pub collection: &'a Collection,
    /// The function, whose name those that are split off from it begin with.
    pub function: &'a str,
    /// The collections of the rows that are bound beside it, if there may be any.
    pub beside: Option<&'a [Option<CollectionId>]>,
    /// The list whose values the condition is put to, one after the other.
    pub list: Option<FieldId>,
}

/// Adds the rule's function and those that it was split into.
pub(super) fn rule(outline: &mut Outline<'_>, doc: String, plan: &Plan) {
    let row = Row {
        collection: outline.unit.collection,
        function: outline.action,
        beside: None,
        list: None,
    };
    let name = ident::ident(outline.action);
    whole(outline, doc, row, &name, plan);
    joined::tables(outline);
}

/// Adds a function and those that it was split into.
pub(super) fn whole(
    outline: &mut Outline<'_>,
    doc: String,
    row: Row<'_>,
    name: &Ident,
    plan: &Plan,
) {
    let body = match split_link(outline, row, plan) {
        Some(body) => body,
        None => condition(outline, row, plan),
    };
    function(outline, doc, row, name, &body);
}

/// A rule that one relation decides, which may be empty: that part stands aside where the rule is
/// counted by parts.
fn split_link(outline: &mut Outline<'_>, row: Row<'_>, plan: &Plan) -> Option<TokenStream> {
    let whole = row.function == outline.action && row.beside.is_none();
    let (_, true) = super::link(outline.unit, plan).filter(|_| whole)? else {
        return None;
    };
    let Plan::Any(items) = plan else {
        return None;
    };
    let parts = items.iter().map(|item| {
        let part = condition(outline, row, item);
        match item {
            Plan::Empty { .. } => quote! { predicate::aside(cx.form, #part) },
            _ => part,
        }
    });
    let parts: Vec<TokenStream> = parts.collect();
    Some(quote! { predicate::any([#(#parts),*]) })
}

fn function(
    outline: &mut Outline<'_>,
    doc: String,
    row: Row<'_>,
    name: &Ident,
    body: &TokenStream,
) {
    let table = ident::table(row.collection);
    let tokens = if row.beside.is_some() {
        quote! {
            fn #name(cx: &rules::Context<'_>, rows: &joined::Rows<'_>) -> joined::Condition {
                #body
            }
        }
    } else {
        quote! {
            fn #name(cx: &rules::Context<'_>) -> Predicate<#table::table> {
                #body
            }
        }
    };
    outline.push(doc, tokens);
}

/// The condition; a call of a new function if it is a large group.
fn part(outline: &mut Outline<'_>, row: Row<'_>, plan: &Plan) -> TokenStream {
    let group = matches!(plan, Plan::All(_) | Plan::Any(_));
    let limit = match row.beside {
        Some(_) => JOINED_GROUP_LIMIT,
        None => GROUP_LIMIT,
    };
    if !group || row.list.is_some() || weight(plan) <= limit {
        return condition(outline, row, plan);
    }
    let body = condition(outline, row, plan);
    split(outline, row, &body)
}

/// A call of a new function with this body.
fn split(outline: &mut Outline<'_>, row: Row<'_>, body: &TokenStream) -> TokenStream {
    let name = outline.name(&format!("part_of_{}", row.function));
    function(outline, "A part of the rule.".to_owned(), row, &name, body);
    if row.beside.is_some() {
        quote! { #name(cx, rows) }
    } else {
        quote! { #name(cx) }
    }
}

/// Conditions that hold together, or of which one must hold.
fn group(outline: &mut Outline<'_>, row: Row<'_>, plans: &[Plan], all: bool) -> TokenStream {
    let limit = if row.beside.is_some() {
        JOINED_LIMIT
    } else {
        FLAT_LIMIT
    };
    let parts: Vec<TokenStream> = if plans.len() > limit && row.list.is_none() {
        let size = plans.len().div_ceil(plans.len().div_ceil(limit));
        let chunks = plans.chunks(size.max(2));
        chunks
            .map(|chunk| match chunk {
                [one] => part(outline, row, one),
                several => {
                    let body = group(outline, row, several, all);
                    split(outline, row, &body)
                }
            })
            .collect()
    } else {
        plans.iter().map(|plan| part(outline, row, plan)).collect()
    };
    if all {
        quote! { predicate::all([#(#parts),*]) }
    } else {
        quote! { predicate::any([#(#parts),*]) }
    }
}

fn condition(outline: &mut Outline<'_>, row: Row<'_>, plan: &Plan) -> TokenStream {
    if let Some(decided) = without_row(plan) {
        return quote! { Predicate::from(#decided) };
    }
    if let (None, None, Some(list)) = (
        row.beside,
        row.list,
        needs::dictionary(row.collection, plan),
    ) {
        return listed(outline, row, list, plan);
    }
    match plan {
        Plan::Always => quote! { Predicate::Always },
        // Only clients' filters are bound to list rules.
        Plan::Never | Plan::Visible { .. } | Plan::Readable { .. } => quote! { Predicate::Never },
        Plan::All(parts) => group(outline, row, parts, true),
        Plan::Any(parts) => group(outline, row, parts, false),
        Plan::Via {
            field,
            target,
            inner,
            holds,
        } if row.beside.is_some() => {
            let schema = outline.unit.schema;
            let mut own = schema.collections.iter();
            let own = own.position(|it| it.name == row.collection.name);
            let flat = own.and_then(|own| {
                flat::via(schema, CollectionId(own), (*field, *target), inner, *holds)
            });
            match flat {
                Some(plan) => condition(outline, row, &plan),
                None => quote! { ::std::compile_error!("a relation beside joined rows") },
            }
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
            let list = column(outline.unit, row, &Column::Field(*field));
            let inner = condition(outline, row, inner);
            quote! { compare::each(#list, #inner, #holds) }
        }
        Plan::Joined {
            joins,
            inner,
            holds,
        } => joined(outline, row, plan, (joins, inner, *holds)),
        leaf => self::leaf(outline.unit, row, leaf),
    }
}

/// A condition that one list decides, whose values are few.
fn listed(outline: &mut Outline<'_>, row: Row<'_>, list: FieldId, plan: &Plan) -> TokenStream {
    let Some(field) = row.collection.fields.get(list.0) else {
        return quote! { ::std::compile_error!("an unknown field") };
    };
    let (path, name) = (module(outline.unit, row.collection), ident::column(field));
    let table = &row.collection.name.wire;
    let row = Row {
        list: Some(list),
        ..row
    };
    let inner = condition(outline, row, plan);
    quote! { compare::listed(cx.form, #table, &#path column::#name, &|list| #inner) }
}

/// A condition over joined rows.
fn joined(
    outline: &mut Outline<'_>,
    row: Row<'_>,
    plan: &Plan,
    (joins, inner, holds): (&[Join], &Plan, bool),
) -> TokenStream {
    let known = outline.inner(plan);
    let name = known.unwrap_or_else(|| outline.name(&format!("{}_joined", row.function)));
    let rows = joined::write(outline, &name, joins, inner);
    let word = ident::ident(if holds { "some" } else { "none" });
    if row.beside.is_some() {
        quote! { rows.#word(&#rows, &#name) }
    } else {
        let marker = ident::marker(row.collection);
        quote! { joined::#word::<#marker>(cx, &#rows, &#name) }
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
    let name = name.unwrap_or_else(|| outline.name(&ident::stem(row.function, field)));
    let text = name.to_string();
    let inner_row = Row {
        collection: target,
        function: &text,
        beside: None,
        list: None,
    };
    let doc = format!(
        "What must hold of a record that `{}` points to.",
        field.name.wire
    );
    whole(outline, doc, inner_row, &name, inner);
    quote! { #call(cx.form, #name(&cx.within()), #holds) }
}

/// A comparison.
fn leaf(unit: &Unit<'_>, row: Row<'_>, plan: &Plan) -> TokenStream {
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

fn column(unit: &Unit<'_>, row: Row<'_>, column: &Column) -> TokenStream {
    let own = |id: FieldId| match (row.beside, row.collection.fields.get(id.0)) {
        (Some(_), _) => joined::own_field(unit, id),
        _ if row.list == Some(id) => quote! { list() },
        (None, Some(field)) => {
            let column = ident::column(field);
            let path = module(unit, row.collection);
            quote! { #path column::#column() }
        }
        (None, None) => quote! { ::std::compile_error!("an unknown field") },
    };
    match column {
        Column::Item => quote! { items::item() },
        Column::Of(number, inner) => match (row.beside, &**inner) {
            (None, _) => quote! { ::std::compile_error!("not a column of the row") },
            (Some(_), Column::Item) => {
                let number = Literal::usize_unsuffixed(*number);
                quote! { rows.item(#number) }
            }
            (Some(beside), inner) => {
                let field = |id| joined::joined_field(unit, beside, *number, id);
                modified(inner, field)
            }
        },
        Column::Distance(arguments) => {
            let arguments = arguments.iter().map(|it| argument(unit, row, it));
            quote! { function::distance([#(#arguments),*]) }
        }
        Column::Time {
            format,
            time,
            modifiers,
        } => {
            let time = match time {
                Some(time) => argument(unit, row, time),
                None => argument(unit, row, &Argument::Value(Value::Macro(Macro::Now))),
            };
            quote! { function::time(#format, #time, &[#(#modifiers),*]) }
        }
        plain => modified(plain, own),
    }
}

/// A column that is made of a field.
fn modified(column: &Column, field: impl FnOnce(FieldId) -> TokenStream) -> TokenStream {
    match column {
        Column::Field(id) => field(*id),
        Column::Lower(id) => {
            let field = field(*id);
            quote! { compare::lower(#field) }
        }
        Column::Length(id) => {
            let field = field(*id);
            quote! { compare::length(#field) }
        }
        Column::Single(id) => {
            let field = field(*id);
            quote! { compare::single(#field) }
        }
        Column::Path(id, path) => {
            let field = field(*id);
            quote! { compare::json_path(#field, &[#(#path),*]) }
        }
        Column::Item | Column::Of(..) | Column::Distance(_) | Column::Time { .. } => {
            quote! { ::std::compile_error!("not a column of a record") }
        }
    }
}

/// What a function is applied to.
fn argument(unit: &Unit<'_>, row: Row<'_>, argument: &Argument) -> TokenStream {
    match argument {
        Argument::Column(it) => {
            let it = column(unit, row, it);
            quote! { #it.into() }
        }
        // A sign binds less than a call does.
        Argument::Value(Value::Number(number)) if *number < 0.0 => {
            let it = value(&Value::Number(*number));
            quote! { (#it).into() }
        }
        Argument::Value(it) => {
            let it = value(it);
            quote! { #it.into() }
        }
    }
}

fn in_module(unit: &Unit<'_>, collection: &Collection, name: &Ident) -> TokenStream {
    let path = module(unit, collection);
    quote! { #path #name }
}

/// The way to a collection's module: nothing for the own one.
pub(super) fn module(unit: &Unit<'_>, collection: &Collection) -> TokenStream {
    if collection.name == unit.collection.name {
        return TokenStream::new();
    }
    let module = ident::module(collection);
    quote! { super::#module:: }
}
