//! Conditions that are only known at run time: what a client's `filter` was compiled to, over the
//! same columns and relations that generated rules use.

use std::marker::PhantomData;
use std::sync::Arc;

use basalt_lang::plan::{
    Argument as PlanArgument, Column as PlanColumn, Join as PlanJoin, Macro, Plan,
};
use basalt_lang::schema::CollectionId;

use super::fragment::{self, Fragment, Piece, Shapes};
use super::joined::{self, Condition, Join, Rows};
use super::predicate::{self, Predicate};
use super::{Column, compare, function, items};
use crate::access::fields;
use crate::collection::Collection;
use crate::meta::{CollectionMeta, FieldKind};
use crate::registry::Entry;
use crate::rules::{Context, Filter, Rule, Split, parts};

/// Forms of filters whose statements are kept.
static SHAPES: Shapes = Shapes::new(128);

/// The condition that a plan about rows of `C` states.
pub fn dynamic<C: Collection>(filter: &Filter<'_>) -> Predicate<C::Table> {
    match build(filter, &Of::<C>(PhantomData)) {
        Predicate::When(condition) => {
            // What has no text fails when it runs, and is not kept either.
            let text = fragment::sql(&*condition).ok();
            Predicate::When(SHAPES.admit((C::META.name, text), condition))
        }
        trivial => trivial,
    }
}

/// The condition on the other side of a relation.
pub fn related<C: Collection>(filter: &Filter<'_>) -> Predicate<C::Table> {
    let filter = Filter {
        context: &filter.context.within(),
        ..*filter
    };
    build(&filter, &Of::<C>(PhantomData))
}

/// How records of `C` that satisfy the plan can be counted by parts.
pub fn split<C: Collection>(plan: &Plan) -> Split {
    if dictionary::<C>(plan).is_some() {
        return Split::List;
    }
    let Some((field, _, empty)) = plan.only_link() else {
        return Split::None;
    };
    let field = field.0;
    match C::META.fields.get(field).map(|field| &field.kind) {
        Some(kind @ FieldKind::Relation { collection, .. })
            if !kind.is_many() && *collection != C::META.name =>
        {
            Split::Link { field, empty }
        }
        _ => Split::None,
    }
}

/// The list that alone decides the plan, if conditions on it are put to each list that occurs.
fn dictionary<C: Collection>(plan: &Plan) -> Option<usize> {
    let list = plan.only_list()?.0;
    let field = C::META.fields.get(list)?;
    (field.dictionary && C::column(list).is_some()).then_some(list)
}

/// What a plan can speak of in a table.
trait Row<T> {
    /// A field of the row.
    fn field(&self, field: usize) -> Option<Column<T>>;
    /// The item, if the row is one.
    fn item(&self) -> Option<Column<T>> {
        None
    }
    /// A column of a row that is bound beside this one.
    fn of(&self, _row: usize, _column: &PlanColumn) -> Option<Column<T>> {
        None
    }
    /// The whole condition, if one list decides it that has a dictionary.
    fn listed(&self, _filter: &Filter<'_>) -> Option<Predicate<T>> {
        None
    }
    fn via(&self, field: usize, inner: &Filter<'_>, holds: bool) -> Option<Predicate<T>>;
    /// What the collection's own list rule asks of the row, or of one that is bound beside it.
    fn visible(&self, filter: &Filter<'_>, row: Option<Bound>) -> Option<Predicate<T>>;
    /// What a field's own read rule asks of the row, or of one that is bound beside it.
    fn readable(
        &self,
        filter: &Filter<'_>,
        field: usize,
        row: Option<Bound>,
    ) -> Option<Predicate<T>>;
    /// Some choice of rows satisfies the plan, or none does.
    fn joined(&self, joins: &[Join], inner: &Filter<'_>, holds: bool) -> Option<Predicate<T>>;
}

/// A row that is bound beside the one that a rule is about.
#[derive(Clone, Copy)]
struct Bound {
    row: usize,
    collection: CollectionId,
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
        PlanColumn::Single(field) => compare::single(plain(field.0)?),
        PlanColumn::Path(field, path) => compare::json_path(plain(field.0)?, &parts(path)),
        PlanColumn::Item
        | PlanColumn::Of(..)
        | PlanColumn::Distance(_)
        | PlanColumn::Time { .. } => return None,
    })
}

/// Any column of a plan.
fn any_column<T: 'static>(
    row: &dyn Row<T>,
    column: &PlanColumn,
    context: &Context<'_>,
) -> Option<Column<T>> {
    let argument = |argument: &PlanArgument| {
        Some(match argument {
            PlanArgument::Column(column) => any_column(row, column, context)?.into(),
            PlanArgument::Value(value) => context.value(value).into(),
        })
    };
    match column {
        PlanColumn::Item => row.item(),
        PlanColumn::Of(number, column) => row.of(*number, column),
        PlanColumn::Distance(arguments) => {
            let [a, b, c, d] = &**arguments;
            let arguments = [argument(a)?, argument(b)?, argument(c)?, argument(d)?];
            Some(function::distance(arguments))
        }
        PlanColumn::Time {
            format,
            time,
            modifiers,
        } => {
            let time = match time {
                Some(time) => argument(time)?,
                None => context.macro_value(Macro::Now).into(),
            };
            Some(function::time(format, time, &parts(modifiers)))
        }
        PlanColumn::Field(_)
        | PlanColumn::Lower(_)
        | PlanColumn::Length(_)
        | PlanColumn::Single(_)
        | PlanColumn::Path(..) => modified(column, |field| row.field(field)),
    }
}

impl<C: Collection> Row<C::Table> for Of<C> {
    fn field(&self, field: usize) -> Option<Column<C::Table>> {
        C::column(field)
    }

    fn listed(&self, filter: &Filter<'_>) -> Option<Predicate<C::Table>> {
        let list = dictionary::<C>(filter.plan)?;
        let column = || C::column(list).unwrap_or(Column::Missing { strict: true });
        let inner = Filter {
            context: &filter.context.within(),
            ..*filter
        };
        let condition = |list: &dyn Fn() -> Column<C::Table>| build(&inner, &Listed { list });
        let form = filter.context.form;
        Some(compare::listed(form, C::META.name, &column, &condition))
    }

    fn via(&self, field: usize, inner: &Filter<'_>, holds: bool) -> Option<Predicate<C::Table>> {
        C::via(field, inner, holds)
    }

    fn visible(&self, filter: &Filter<'_>, row: Option<Bound>) -> Option<Predicate<C::Table>> {
        if row.is_some() {
            return None;
        }
        Some(match &C::rules().list {
            Rule::Locked => Predicate::Never,
            Rule::Public => Predicate::Always,
            Rule::When(rule) => (rule.sql)(filter.context),
        })
    }

    fn joined(
        &self,
        joins: &[Join],
        inner: &Filter<'_>,
        holds: bool,
    ) -> Option<Predicate<C::Table>> {
        let condition = |_: &Context<'_>, rows: &Rows<'_>| about::<C>(inner, rows);
        Some(if holds {
            joined::some::<C>(inner.context, joins, &condition)
        } else {
            joined::none::<C>(inner.context, joins, &condition)
        })
    }

    fn readable(
        &self,
        filter: &Filter<'_>,
        field: usize,
        row: Option<Bound>,
    ) -> Option<Predicate<C::Table>> {
        let readable = || fields::readable::<C>(filter.context, field);
        row.is_none().then(readable)
    }
}

/// A row of which nothing but one list is looked at.
struct Listed<'a, T> {
    list: &'a dyn Fn() -> Column<T>,
}

impl<T> Row<T> for Listed<'_, T> {
    fn field(&self, _: usize) -> Option<Column<T>> {
        Some((self.list)())
    }

    fn via(&self, _: usize, _: &Filter<'_>, _: bool) -> Option<Predicate<T>> {
        None
    }

    fn visible(&self, _: &Filter<'_>, _: Option<Bound>) -> Option<Predicate<T>> {
        None
    }

    fn joined(&self, _: &[Join], _: &Filter<'_>, _: bool) -> Option<Predicate<T>> {
        None
    }

    fn readable(&self, _: &Filter<'_>, _: usize, _: Option<Bound>) -> Option<Predicate<T>> {
        None
    }
}

/// An item of a list.
struct Item;

impl Row<items::table> for Item {
    fn field(&self, _: usize) -> Option<Column<items::table>> {
        None
    }

    fn item(&self) -> Option<Column<items::table>> {
        Some(items::item())
    }

    fn via(&self, _: usize, _: &Filter<'_>, _: bool) -> Option<Predicate<items::table>> {
        None
    }

    fn visible(&self, _: &Filter<'_>, _: Option<Bound>) -> Option<Predicate<items::table>> {
        None
    }

    fn joined(&self, _: &[Join], _: &Filter<'_>, _: bool) -> Option<Predicate<items::table>> {
        None
    }

    fn readable(
        &self,
        _: &Filter<'_>,
        _: usize,
        _: Option<Bound>,
    ) -> Option<Predicate<items::table>> {
        None
    }
}

/// A row of `C` with others that are bound beside it.
struct Beside<'a, C> {
    rows: &'a Rows<'a>,
    collection: PhantomData<C>,
}

fn about<C: Collection>(filter: &Filter<'_>, rows: &Rows<'_>) -> Condition {
    let row = Beside::<C> {
        rows,
        collection: PhantomData,
    };
    build(filter, &row)
}

impl<C: Collection> Row<joined::Bound> for Beside<'_, C> {
    fn field(&self, field: usize) -> Option<Column<joined::Bound>> {
        Some(self.rows.row(field))
    }

    fn of(&self, row: usize, column: &PlanColumn) -> Option<Column<joined::Bound>> {
        match column {
            PlanColumn::Item => Some(self.rows.item(row)),
            column => modified(column, |field| Some(self.rows.of(row, field))),
        }
    }

    fn via(&self, field: usize, inner: &Filter<'_>, holds: bool) -> Option<Condition> {
        self.rows.same_row(|| C::via(field, inner, holds))
    }

    fn visible(&self, filter: &Filter<'_>, row: Option<Bound>) -> Option<Condition> {
        let Some(Bound { row, collection }) = row else {
            let own = Of::<C>(PhantomData);
            return self.rows.same_row(|| own.visible(filter, None));
        };
        let entry = filter.registry?.entries().get(collection.0)?;
        let ids = || entry.listable_ids(filter.context);
        Some(self.rows.missing_or(row, &ids))
    }

    fn readable(&self, filter: &Filter<'_>, field: usize, row: Option<Bound>) -> Option<Condition> {
        let Some(Bound { row, collection }) = row else {
            let seen = || Some(fields::readable::<C>(filter.context, field));
            return self.rows.same_row(seen);
        };
        let entry = filter.registry?.entries().get(collection.0)?;
        let ids = || entry.readable_ids(filter.context, field);
        Some(self.rows.missing_or(row, &ids))
    }

    fn joined(&self, joins: &[Join], inner: &Filter<'_>, holds: bool) -> Option<Condition> {
        let condition = |_: &Context<'_>, rows: &Rows<'_>| about::<C>(inner, rows);
        Some(if holds {
            self.rows.some(joins, &condition)
        } else {
            self.rows.none(joins, &condition)
        })
    }
}

/// The joins of a plan with what they need to know of their collections.
pub(super) fn joins(
    plan: &[PlanJoin],
    meta: &dyn Fn(CollectionId) -> Option<&'static CollectionMeta>,
    guarded: &dyn Fn(CollectionId, usize) -> Option<Arc<Entry>>,
) -> Option<Vec<Join>> {
    let join = |join: &PlanJoin| {
        Some(match join {
            PlanJoin::One {
                from,
                field,
                target,
            } => Join::One {
                from: *from,
                field: field.0,
                target: meta(*target)?,
            },
            PlanJoin::Many {
                from,
                field,
                target,
            } => Join::Many {
                from: *from,
                field: field.0,
                target: meta(*target)?,
            },
            PlanJoin::Items { from, field } => Join::Items {
                from: *from,
                field: field.0,
            },
            PlanJoin::Back {
                from,
                source,
                field,
            } => match guarded(*source, field.0) {
                Some(source) => Join::Seen {
                    from: *from,
                    source,
                    field: field.0,
                },
                None => Join::Back {
                    from: *from,
                    source: meta(*source)?,
                    field: field.0,
                },
            },
            PlanJoin::Every { collection } => Join::Every {
                collection: meta(*collection)?,
            },
            PlanJoin::Caller { collection } => Join::Caller {
                collection: meta(*collection)?,
            },
            PlanJoin::Submitted { key, target } => Join::Submitted {
                key: key.clone().into(),
                target: meta(*target)?,
            },
        })
    };
    plan.iter().map(join).collect()
}

fn build<T: 'static>(filter: &Filter<'_>, row: &dyn Row<T>) -> Predicate<T> {
    if let Some(condition) = row.listed(filter) {
        return condition;
    }
    let inner = |plan| build(&filter.with(plan), row);
    leaf(filter, row).unwrap_or_else(|| match filter.plan {
        Plan::Always => Predicate::Always,
        Plan::Never => Predicate::Never,
        Plan::All(plans) => predicate::all(plans.iter().map(inner)),
        Plan::Any(plans) => predicate::any(plans.iter().map(inner)),
        other => broken(other),
    })
}

/// A comparison; `None` for all else.
fn comparison<T: 'static>(filter: &Filter<'_>, row: &dyn Row<T>) -> Option<Predicate<T>> {
    let context = filter.context;
    let column = |column| any_column(row, column, context);
    Some(match filter.plan {
        Plan::Request {
            left,
            op,
            right,
            when,
        } => context
            .request(context.value(left), *op, context.value(right), *when)
            .into(),
        Plan::Test {
            column: tested,
            op,
            value,
            when,
        } => compare::test(column(tested)?, *op, context.value(value), *when),
        Plan::Within {
            value,
            op,
            column: tested,
            when,
        } => compare::within(context.value(value), *op, column(tested)?, *when),
        Plan::Columns {
            left,
            op,
            right,
            when,
        } => compare::columns(column(left)?, *op, column(right)?, *when),
        // Inside of sub-selects the form is a plain one.
        Plan::Empty { field, holds } => {
            predicate::aside(context.form, compare::empty(row.field(field.0)?, *holds))
        }
        _ => return None,
    })
}

/// A node without others of the same row below it; `None` for the rest, and for a column or
/// relation that the row doesn't have.
fn leaf<T: 'static>(filter: &Filter<'_>, row: &dyn Row<T>) -> Option<Predicate<T>> {
    Some(match filter.plan {
        Plan::Each {
            field,
            inner,
            holds,
        } => {
            let column = row.field(field.0)?;
            compare::each(column, build(&filter.with(inner), &Item), *holds)
        }
        Plan::Via {
            field,
            inner,
            holds,
            ..
        } => row.via(field.0, &filter.with(inner), *holds)?,
        Plan::Visible {
            collection,
            row: other,
        } => {
            let collection = *collection;
            row.visible(filter, other.map(|row| Bound { row, collection }))?
        }
        Plan::Joined {
            joins: ways,
            inner,
            holds,
        } => {
            let meta = |collection: CollectionId| filter.registry?.meta(collection);
            let guarded = |collection, field| {
                fields::guarded(filter.registry?, filter.context, collection, field)
            };
            let ways = joins(ways, &meta, &guarded)?;
            row.joined(&ways, &filter.with(inner), *holds)?
        }
        Plan::Readable {
            collection,
            field,
            row: other,
            holds,
        } => {
            let collection = *collection;
            let other = other.map(|row| Bound { row, collection });
            let readable = row.readable(filter, field.0, other)?;
            match holds {
                true => readable,
                false => predicate::none(readable),
            }
        }
        Plan::Always | Plan::Never | Plan::All(_) | Plan::Any(_) => return None,
        _ => comparison(filter, row)?,
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
