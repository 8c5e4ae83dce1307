//! Totals, counted by parts.

use diesel::QueryResult;

use crate::access::Permit;
use crate::collection::Collection;
use crate::rules::Split;
use crate::sql::predicate::Predicate;
use crate::sql::{Conn, Form, compare};

/// Counts a condition in this form. All statements are of one transaction, and so of one state.
pub(super) fn count_parts<C: Collection>(
    conn: &mut Conn,
    condition: Predicate<C::Table>,
    form: Form,
    split: Split,
) -> QueryResult<i64> {
    let mut count = |condition| match condition {
        Predicate::Never => Ok(0),
        Predicate::Always => C::count(Permit::grant(conn), None),
        Predicate::When(condition) => C::count(Permit::grant(conn), Some(condition)),
    };
    let found = count(condition)?;
    let mut empty = |wanted: bool| match split {
        Split::Link { field, empty } if empty == wanted => match C::column(field) {
            Some(column) => count(compare::empty(column, true)),
            None => {
                let message = format!("{} has no field {field}", C::META.name);
                Err(diesel::result::Error::QueryBuilderError(message.into()))
            }
        },
        _ => Ok(0),
    };
    match form {
        Form::Rest => {
            let empty = empty(false)?;
            Ok(count(Predicate::Always)? - found - empty)
        }
        Form::Whole => Ok(found + empty(true)?),
        Form::In | Form::Exists => Ok(found),
    }
}
