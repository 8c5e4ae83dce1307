//! `ORDER BY` terms from columns.

use diesel::expression::BoxableExpression;
use diesel::prelude::*;
use diesel::sql_types::SingleValue;

use super::{Boxed, Column, Db, Order};

/// Ascending or descending by a column.
pub fn by<T: 'static>(column: Column<T>, descending: bool) -> Order<T> {
    match column {
        Column::Number(number) => directed(number, descending),
        Column::Bool(bool) => directed(bool, descending),
        Column::Count(count) => directed(count, descending),
        Column::Text(text)
        | Column::Relation(text)
        | Column::List(text)
        | Column::Json(text)
        | Column::Path(text)
        | Column::Bare {
            expression: text, ..
        } => directed(text, descending),
    }
}

fn directed<T, S>(column: Boxed<T, S>, descending: bool) -> Order<T>
where
    T: 'static,
    S: SingleValue + 'static,
    Boxed<T, S>: BoxableExpression<T, Db, SqlType = S> + 'static,
{
    if descending {
        Box::new(column.desc())
    } else {
        Box::new(column.asc())
    }
}
