//! Writes of an application's own code, say in a hook: no rule is asked, nothing is validated and
//! no hook runs. For reads there is [`Scope::system`](super::Scope::system).

use diesel::QueryResult;
use diesel::result::Error as DbError;

use super::{Permit, column_in};
use crate::collection::Collection;
use crate::sql::Conn;
use crate::sql::predicate::Predicate;

/// Inserts a record of `C`, and what its multiple relations hold.
pub fn insert<C: Collection>(conn: &mut Conn, record: &C::Record) -> QueryResult<()> {
    C::insert(Permit::change(conn, C::META.name), record)
}

/// Writes the columns of a record of `C` in which `new` differs from `old`.
pub fn update<C: Collection>(conn: &mut Conn, old: &C::Record, new: &C::Record) -> QueryResult<()> {
    C::update(Permit::change(conn, C::META.name), old, new)
}

/// Deletes the row with this id, without the cascades of the API; says how many rows there were.
pub fn delete<C: Collection>(conn: &mut Conn, id: &str) -> QueryResult<usize> {
    delete_where::<C>(conn, column_in::<C>(0, &[id.to_owned()]))
}

/// Deletes the rows that satisfy a condition, likewise.
pub(crate) fn delete_where<C: Collection>(
    conn: &mut Conn,
    condition: Predicate<C::Table>,
) -> QueryResult<usize> {
    match condition {
        Predicate::When(filter) => C::delete(Permit::delete(conn, C::META.name), filter),
        Predicate::Never => Ok(0),
        Predicate::Always => Err(DbError::QueryBuilderError(
            "a delete needs a condition".into(),
        )),
    }
}
