//! `ORDER BY` terms from columns.

use diesel::expression::BoxableExpression;
use diesel::prelude::*;
use diesel::sql_types::{Nullable, SingleValue, Text};

use super::fragment::{Fragment, Piece};
use super::{Boxed, Column, Db, Order};

/// Ascending or descending by a column.
pub fn by<T: 'static>(column: Column<T>, descending: bool) -> Order<T> {
    match column {
        Column::Missing { .. } => directed(missing(), descending),
        Column::Number(number) => directed(number, descending),
        Column::Bool(bool) => directed(bool, descending),
        Column::Count(count) => directed(count, descending),
        Column::Text(text)
        | Column::Key(text)
        | Column::Loose(text)
        | Column::Relation(text)
        | Column::List(text)
        | Column::Json(text)
        | Column::Point(text)
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

/// NULL, which changes nothing in an order.
fn missing<T: 'static>() -> Boxed<T, Nullable<Text>> {
    let (parts, pieces) = (Vec::new(), vec![Piece::Sql("NULL")]);
    Fragment { parts, pieces }.typed()
}
