//! Conditions over rows that are bound together: `EXISTS (SELECT 1 FROM … LEFT JOIN … WHERE …)`.
//! They follow relations in any direction and compare values of different records. The row that a
//! rule is about is a row of the enclosing query, or a record in memory, whose values are bound.

mod column;
mod query;
mod source;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

pub use basalt_lang::plan::Origin;
use diesel::QueryResult;
use diesel::expression::TypedExpressionType;

use super::fragment::{Fragment, Part, Piece};
use super::predicate::Predicate;
use super::{Boxed, Column, Conn};
use crate::access::fields::Readable;
use crate::collection::{Collection, Record};
use crate::meta::CollectionMeta;
use crate::registry::Entry;
use crate::rules::Context;
#[cfg(test)]
pub(super) use column::{draft as draft_value, known as stored_value};
use source::{Name, Source};

/// How a row is found. One that isn't found has NULL in all its columns.
#[derive(Debug, Clone)]
pub enum Join {
    /// The record that a single relation of `from` points to.
    One {
        /// The row that has the field.
        from: Origin,
        /// The place of a single relation.
        field: usize,
        /// Where it points.
        target: &'static CollectionMeta,
    },
    /// The records that a multiple relation of `from` points to.
    Many {
        /// The row that has the field.
        from: Origin,
        /// The place of a multiple relation.
        field: usize,
        /// Where it points.
        target: &'static CollectionMeta,
    },
    /// The items of a multiple select of `from`.
    Items {
        /// The row that has the field.
        from: Origin,
        /// The place of a multiple select.
        field: usize,
    },
    /// The records of `source` whose relation points to `from`.
    Back {
        /// The row that is pointed to.
        from: Origin,
        /// The collection whose records point.
        source: &'static CollectionMeta,
        /// The place of a relation of `source`, single or multiple.
        field: usize,
    },
    /// The same, but only records of which the caller may read the relation, as if there were no
    /// others: what a client asks must not tell that there are.
    Seen {
        /// The row that is pointed to.
        from: Origin,
        /// The collection whose records point.
        source: Arc<Entry>,
        /// The place of a relation of `source`, single or multiple.
        field: usize,
    },
    /// All records of a collection.
    Every {
        /// The collection.
        collection: &'static CollectionMeta,
    },
    /// The caller's own record, if it is of this collection.
    Caller {
        /// The collection.
        collection: &'static CollectionMeta,
    },
    /// The records whose ids a field of the request's body holds.
    Submitted {
        /// The key of the body.
        key: Cow<'static, str>,
        /// The collection of the records.
        target: &'static CollectionMeta,
    },
}

impl Join {
    /// [`Join::Submitted`], of a key that is known at build time.
    pub const fn submitted(key: &'static str, target: &'static CollectionMeta) -> Self {
        Join::Submitted {
            key: Cow::Borrowed(key),
            target,
        }
    }
}

/// Stands for the table in the types of conditions over bound rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound;

/// What must hold of bound rows.
pub type Condition = Predicate<Bound>;

/// Makes the condition for rows. It is asked several times, to learn what becomes of it without
/// one row or another, and so must do nothing else.
pub type Wanted<'a> = &'a dyn Fn(&Context<'_>, &Rows<'_>) -> Condition;

/// The rows that a condition can speak of.
pub struct Rows<'a> {
    context: &'a Context<'a>,
    own: Source<'a>,
    joins: &'a [Join],
    /// What each join finds.
    found: Vec<Source<'a>>,
    /// Which joins must find a row, or else the condition can't hold.
    certain: Vec<bool>,
    /// Which joins must be looked at.
    needed: Vec<bool>,
    /// Does the condition look at the row that the rule is about?
    looks_at_own: Cell<bool>,
    /// Are these not for a query, but to learn what becomes of the condition?
    trial: bool,
}

/// Rows of `C` for which some choice of the joined rows satisfies the condition.
pub fn some<C: Collection>(
    context: &Context<'_>,
    joins: &[Join],
    condition: Wanted<'_>,
) -> Predicate<C::Table> {
    let own = Source::Table(Name::Outer(C::META.name), C::META);
    query::exists(context, own, joins, condition, true)
}

/// Rows of `C` for which no choice of the joined rows satisfies the condition.
pub fn none<C: Collection>(
    context: &Context<'_>,
    joins: &[Join],
    condition: Wanted<'_>,
) -> Predicate<C::Table> {
    let own = Source::Table(Name::Outer(C::META.name), C::META);
    query::exists(context, own, joins, condition, false)
}

/// Does some choice of the joined rows satisfy the condition about this record? Its values compare
/// as the columns do that they are stored in.
pub fn stored(
    conn: &mut Conn,
    context: &Context<'_>,
    record: &dyn Record,
    joins: &[Join],
    condition: Wanted<'_>,
) -> QueryResult<bool> {
    holds(conn, context, Source::Record(record), joins, condition)
}

/// The same about a record that is about to be created: its values convert nothing.
pub fn draft(
    conn: &mut Conn,
    context: &Context<'_>,
    record: &dyn Record,
    joins: &[Join],
    condition: Wanted<'_>,
) -> QueryResult<bool> {
    holds(conn, context, Source::Draft(record), joins, condition)
}

fn holds(
    conn: &mut Conn,
    context: &Context<'_>,
    own: Source<'_>,
    joins: &[Join],
    condition: Wanted<'_>,
) -> QueryResult<bool> {
    decide(conn, query::exists(context, own, joins, condition, true))
}

/// Does the condition hold, of values that are bound?
pub(super) fn decide(conn: &mut Conn, condition: Condition) -> QueryResult<bool> {
    match condition {
        Predicate::Never => Ok(false),
        Predicate::Always => Ok(true),
        Predicate::When(condition) => query::ask(conn, condition),
    }
}

/// A value of the first choice of rows, in the order in which a record holds its relations and
/// otherwise in that of insertion: a sub-select that yields NULL if there is none, or if that choice
/// is not `visible`.
pub(crate) fn first<C: Collection>(
    context: &Context<'_>,
    joins: &[Join],
    value: &dyn Fn(&Rows<'_>) -> Option<Column<Bound>>,
    visible: &dyn Fn(&Rows<'_>) -> Condition,
) -> Option<(Vec<Piece>, Vec<Part>)> {
    let own = Source::Table(Name::Outer(C::META.name), C::META);
    query::first(context, own, joins, (value, visible))
}

impl Rows<'_> {
    /// A field of the row that the rule is about.
    pub fn row(&self, field: usize) -> Column<Bound> {
        self.looks_at_own.set(true);
        column::of(self.own, field, true)
    }

    /// A field of a joined row.
    pub fn of(&self, row: usize, field: usize) -> Column<Bound> {
        let certain = self.certain.get(row).copied().unwrap_or(false);
        match self.found.get(row) {
            Some(source) => column::of(*source, field, certain),
            None => Column::Path(broken()),
        }
    }

    /// An item of a select, where [`Join::Items`] found it.
    pub fn item(&self, row: usize) -> Column<Bound> {
        match self.found.get(row) {
            Some(Source::Items(row)) => column::item(*row),
            Some(Source::Missing(_)) => Column::Missing { strict: false },
            _ => Column::Path(broken()),
        }
    }

    /// Some choice of other rows satisfies another condition about the same record.
    pub fn some(&self, joins: &[Join], condition: Wanted<'_>) -> Condition {
        self.nested(joins, condition, true)
    }

    /// No choice of other rows satisfies another condition about the same record.
    pub fn none(&self, joins: &[Join], condition: Wanted<'_>) -> Condition {
        self.nested(joins, condition, false)
    }

    fn nested(&self, joins: &[Join], condition: Wanted<'_>, holds: bool) -> Condition {
        if self.trial {
            // What other rows decide doesn't depend on these.
            return undecided();
        }
        self.looks_at_own.set(true);
        query::exists(self.context, self.own, joins, condition, holds)
    }

    /// A condition on the row that the rule is about, as its table has it.
    pub(in crate::sql) fn same_row<T: 'static>(
        &self,
        condition: impl FnOnce() -> Option<Predicate<T>>,
    ) -> Option<Condition> {
        if self.trial {
            // What the row's own table decides doesn't depend on the joined ones.
            return Some(undecided());
        }
        Some(match condition()? {
            Predicate::Always => Predicate::Always,
            Predicate::Never => Predicate::Never,
            Predicate::When(condition) => {
                self.looks_at_own.set(true);
                let (parts, pieces): (Vec<Part>, _) = (vec![condition], vec![Piece::Part(0)]);
                Predicate::When(Fragment { parts, pieces }.typed())
            }
        })
    }

    /// A joined row is missing, or it is one of those that the caller may see.
    pub(in crate::sql) fn missing_or(&self, row: usize, seen: &dyn Fn() -> Readable) -> Condition {
        let ids = match self.found.get(row) {
            Some(Source::Missing(_)) => return Predicate::Always,
            Some(Source::Table(..)) if self.trial => return undecided(),
            Some(Source::Table(..)) => seen(),
            _ => return Predicate::When(broken()),
        };
        let id = || column::pieces(Name::Alias(row), "id");
        let mut pieces = vec![Piece::Sql("(")];
        pieces.extend(id());
        pieces.push(Piece::Sql(" IS NULL"));
        let mut parts = Vec::new();
        match ids {
            Readable::Always => return Predicate::Always,
            Readable::Never => {}
            Readable::Among(ids) => {
                pieces.push(Piece::Sql(" OR "));
                pieces.extend(ids.contains(id(), &mut parts));
            }
        }
        pieces.push(Piece::Sql(")"));
        Predicate::When(Fragment { parts, pieces }.typed())
    }
}

/// A condition that may hold or not.
fn undecided() -> Condition {
    let pieces = vec![Piece::Sql("1")];
    let parts = Vec::new();
    Predicate::When(Fragment { parts, pieces }.typed())
}

/// Fails the query: a condition that doesn't fit its rows must be neither a yes nor a no.
fn broken<S: TypedExpressionType + 'static>() -> Boxed<Bound, S> {
    let message = "the condition speaks of a row or field that there isn't".to_owned();
    let pieces = vec![Piece::Broken(message)];
    let parts = Vec::new();
    Fragment { parts, pieces }.typed()
}
