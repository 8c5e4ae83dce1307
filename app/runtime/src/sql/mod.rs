//! The only place that knows how conditions look in SQL: typed, boxed, generic over the table
//! alone, so that generated code stays small and quick to compile.

#[cfg(test)]
mod agreement;
pub(crate) mod among;
pub mod collate;
pub mod compare;
mod contains;
pub mod explain;
pub mod filter;
pub(crate) mod fragment;
pub mod function;
pub mod items;
pub mod joined;
mod leaf;
mod native;
pub mod order;
pub mod outer;
pub mod predicate;
pub mod rows;
pub mod sort;
pub mod via;
pub mod write;

pub(crate) use leaf::operand_text;

use diesel::expression::BoxableExpression;
use diesel::sql_types::{BigInt, Bool, Double, Nullable, Text};
use diesel::{Connection, ConnectionError, ConnectionResult};

/// The database that this build uses; a second implementation replaces this alias.
pub type Db = diesel::sqlite::Sqlite;
/// A connection to it.
pub type Conn = diesel::sqlite::SqliteConnection;

/// Opens a connection that knows the functions that conditions use and SQLite lacks.
///
/// # Errors
/// As those of Diesel's `establish`.
pub fn open(url: &str) -> ConnectionResult<Conn> {
    native::install();
    let mut conn = Conn::establish(url)?;
    function::register(&mut conn).map_err(ConnectionError::CouldntSetupConfiguration)?;
    Ok(conn)
}

/// A typed expression over a row of `T`.
pub type Boxed<T, S> = Box<dyn BoxableExpression<T, Db, SqlType = S>>;
/// A condition on a row of `T`. NULL counts as "no".
pub type Pred<T> = Boxed<T, Nullable<Bool>>;
/// An `ORDER BY` term.
pub type Order<T> = Boxed<T, diesel::expression::expression_types::NotSelectable>;

/// A column of `T`, with its type erased as far as comparisons need it.
pub enum Column<T> {
    /// Text, email, date, single select: text affinity.
    Text(Boxed<T, Nullable<Text>>),
    /// The id of a record that exists: neither NULL nor empty.
    Key(Boxed<T, Nullable<Text>>),
    /// A number.
    Number(Boxed<T, Nullable<Double>>),
    /// A bool.
    Bool(Boxed<T, Nullable<Bool>>),
    /// A single relation: NULL when empty, which compares like "".
    Relation(Boxed<T, Nullable<Text>>),
    /// JSON text of a multiple select or relation.
    List(Boxed<T, Nullable<Text>>),
    /// JSON text of a json field or geoPoint.
    Json(Boxed<T, Nullable<Text>>),
    /// JSON text of a geoPoint in a row that may be missing; as a whole it compares as text does.
    Point(Boxed<T, Nullable<Text>>),
    /// A computed text, or an item of a list: converts nothing that it is compared with.
    Bare {
        /// The text.
        expression: Boxed<T, Nullable<Text>>,
        /// NULL equals only NULL, not the empty text.
        strict: bool,
    },
    /// A number of items; never NULL.
    Count(Boxed<T, Nullable<BigInt>>),
    /// A place inside JSON: text or number, row by row.
    Path(Boxed<T, Nullable<Text>>),
    /// A value of a record that is in no table yet: text or number, converts nothing.
    Loose(Boxed<T, Nullable<Text>>),
    /// A value of a record that there isn't: NULL.
    Missing {
        /// NULL equals only NULL, not the empty text.
        strict: bool,
    },
}

/// The forms that a condition about related records can take (all mean the same, but the last).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `IN (SELECT …)`: quick for totals and rare matches.
    In,
    /// `EXISTS (SELECT …)`: quick for the first page when many records match.
    Exists,
    /// As [`Form::In`], of a condition that nothing is put beside: it may choose the index. For
    /// those that can be counted by parts (`rules::Split`), without records whose relation is empty.
    Whole,
    /// What [`Form::Whole`] leaves out, again without records whose relation is empty: if most
    /// records match, this is counted sooner.
    Rest,
}

impl Form {
    /// The form of what is inside a sub-select.
    #[must_use]
    pub fn within(self) -> Self {
        match self {
            Form::Exists => Form::Exists,
            Form::In | Form::Whole | Form::Rest => Form::In,
        }
    }

    /// The plain form, with what it says of a condition that holds or doesn't.
    #[must_use]
    pub fn turned(self, holds: bool) -> (Self, bool) {
        (self.within(), holds != (self == Form::Rest))
    }
}
