//! Conditions that are only known at run time: what a client's `filter` was compiled to, over the same columns and relations that generated rules use.

use std::marker::PhantomData;

use basalt_lang::plan::{Column as PlanColumn, Plan};

use super::fragment::{self, Fragment, Piece, Shapes};
use super::predicate::{self, Predicate};
use super::{Column, compare, items};
use crate::access::fields;
use crate::collection::Collection;
use crate::rules::{Context, Filter, Rule, parts};

/// Forms of filters whose statements are kept.
static SHAPES: Shapes = Shapes::new(128);

/// The condition that a plan about rows of `C` states.
pub fn dynamic<C: Collection>(filter: &Filter<'_>) -> Predicate<C::Table> {
    match build(filter.plan, filter.context, &Of::<C>(PhantomData)) {
        Predicate::When(condition) => {
            // What has no text fails when it runs, and is not kept either.
            let text = fragment::sql(&*condition).ok();
            Predicate::When(SHAPES.admit((C::META.name, text), condition))
        }
        trivial => trivial,
    }
}

/// What a plan can speak of in a table.
trait Row<T> {
    fn column(&self, column: &PlanColumn) -> Option<Column<T>>;
    fn via(&self, field: usize, inner: &Filter<'_>, holds: bool) -> Option<Predicate<T>>;
    /// What the collection's own list rule asks of the row.
    fn visible(&self, context: &Context<'_>) -> Option<Predicate<T>>;
    /// What a field's own read rule asks of the row.
    fn readable(&self, context: &Context<'_>, field: usize) -> Option<Predicate<T>>;
}

/// A row of a collection.
struct Of<C>(PhantomData<C>);

/// The column that a plan names; `None` if the collection has none such.
pub(super) fn column<C: Collection>(column: &PlanColumn) -> Option<Column<C::Table>> {
    modified(column, C::column)
}

/// The column that a plan names, made from the one of its field.
pub(super) fn modified<T: 'static>(
    column: &PlanColumn,
    plain: impl FnOnce(usize) -> Option<Column<T>>,
) -> Option<Column<T>> {
    Some(match column {
        PlanColumn::Field(field) => plain(field.0)?,
        PlanColumn::Lower(field) => compare::lower(plain(field.0)?),
        PlanColumn::Length(field) => compare::length(plain(field.0)?),
        PlanColumn::Path(field, path) => compare::json_path(plain(field.0)?, &parts(path)),
        PlanColumn::Item
        | PlanColumn::Of(..)
        | PlanColumn::Distance(_)
        | PlanColumn::Time { .. } => return None,
    })
}

impl<C: Collection> Row<C::Table> for Of<C> {
    fn column(&self, name: &PlanColumn) -> Option<Column<C::Table>> {
        column::<C>(name)
    }

    fn via(&self, field: usize, inner: &Filter<'_>, holds: bool) -> Option<Predicate<C::Table>> {
        C::via(field, inner, holds)
    }

    fn visible(&self, context: &Context<'_>) -> Option<Predicate<C::Table>> {
        Some(match &C::rules().list {
            Rule::Locked => Predicate::Never,
            Rule::Public => Predicate::Always,
            Rule::When(rule) => (rule.sql)(context),
        })
    }

    fn readable(&self, context: &Context<'_>, field: usize) -> Option<Predicate<C::Table>> {
        Some(fields::readable::<C>(context, field))
    }
}

/// An item of a list.
struct Item;

impl Row<items::table> for Item {
    fn column(&self, column: &PlanColumn) -> Option<Column<items::table>> {
        matches!(column, PlanColumn::Item).then(items::item)
    }

    fn via(&self, _: usize, _: &Filter<'_>, _: bool) -> Option<Predicate<items::table>> {
        None
    }

    fn visible(&self, _: &Context<'_>) -> Option<Predicate<items::table>> {
        None
    }

    fn readable(&self, _: &Context<'_>, _: usize) -> Option<Predicate<items::table>> {
        None
    }
}

fn build<T: 'static>(plan: &Plan, context: &Context<'_>, row: &dyn Row<T>) -> Predicate<T> {
    let inner = |plan| build(plan, context, row);
    leaf(plan, context, row).unwrap_or_else(|| match plan {
        Plan::Always => Predicate::Always,
        Plan::Never => Predicate::Never,
        Plan::All(plans) => predicate::all(plans.iter().map(inner)),
        Plan::Any(plans) => predicate::any(plans.iter().map(inner)),
        other => broken(other),
    })
}

/// A node without others of the same row below it; `None` for the rest, and for a column or
/// relation that the row doesn't have.
fn leaf<T: 'static>(plan: &Plan, context: &Context<'_>, row: &dyn Row<T>) -> Option<Predicate<T>> {
    Some(match plan {
        Plan::Request {
            left,
            op,
            right,
            when,
        } => context
            .request(context.value(left), *op, context.value(right), *when)
            .into(),
        Plan::Test {
            column,
            op,
            value,
            when,
        } => compare::test(row.column(column)?, *op, context.value(value), *when),
        Plan::Within {
            value,
            op,
            column,
            when,
        } => compare::within(context.value(value), *op, row.column(column)?, *when),
        Plan::Columns {
            left,
            op,
            right,
            when,
        } => compare::columns(row.column(left)?, *op, row.column(right)?, *when),
        Plan::Empty { field, holds } => {
            compare::empty(row.column(&PlanColumn::Field(*field))?, *holds)
        }
        Plan::Each {
            field,
            inner,
            holds,
        } => {
            let column = row.column(&PlanColumn::Field(*field))?;
            compare::each(column, build(inner, context, &Item), *holds)
        }
        Plan::Via {
            field,
            inner,
            holds,
            ..
        } => {
            let plan = &**inner;
            row.via(field.0, &Filter { plan, context }, *holds)?
        }
        Plan::Visible { .. } => row.visible(context)?,
        Plan::Readable {
            field, row: None, ..
        } => row.readable(context, field.0)?,
        Plan::Always
        | Plan::Never
        | Plan::All(_)
        | Plan::Any(_)
        | Plan::Readable { .. }
        | Plan::Joined { .. } => return None,
    })
}

/// Fails the query: a plan that doesn't fit its collection must be neither a yes nor a no.
fn broken<T: 'static>(plan: &Plan) -> Predicate<T> {
    let message = format!("the condition does not fit its collection: {plan:?}");
    Predicate::When(
        Fragment {
            parts: Vec::new(),
            pieces: vec![Piece::Broken(message)],
        }
        .typed(),
    )
}
