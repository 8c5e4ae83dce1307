//! The order that a client's `sort` was compiled to.

use basalt_lang::plan::Column as PlanColumn;
use basalt_lang::{SortBy, SortKey};
use diesel::ExpressionMethods;

use super::{Boxed, Column, Order, compare};
use crate::collection::Collection;
use crate::rules::parts;

diesel::define_sql_function! {
    /// SQLite's source of random numbers.
    fn random() -> BigInt;
}

/// The `ORDER BY` terms of some sort keys; `None` if one of them doesn't fit the collection.
pub fn orders<C: Collection>(keys: &[SortKey]) -> Option<Vec<Order<C::Table>>> {
    keys.iter().map(order::<C>).collect()
}

fn order<C: Collection>(key: &SortKey) -> Option<Order<C::Table>> {
    let descending = key.descending;
    let column = match &key.by {
        SortBy::RowId => return Some(C::rowid(descending)),
        SortBy::Random => return Some(Box::new(random().asc())),
        SortBy::Column(PlanColumn::Field(field)) => return C::order(field.0, descending),
        SortBy::Column(PlanColumn::Lower(field)) => compare::lower(C::column(field.0)?),
        SortBy::Column(PlanColumn::Length(field)) => compare::length(C::column(field.0)?),
        SortBy::Column(PlanColumn::Path(field, path)) => {
            compare::json_path(C::column(field.0)?, &parts(path))
        }
        SortBy::Column(PlanColumn::Item) => return None,
    };
    Some(match column {
        Column::Text(expression)
        | Column::Relation(expression)
        | Column::List(expression)
        | Column::Json(expression)
        | Column::Path(expression)
        | Column::Bare { expression, .. } => directed(expression, descending),
        Column::Number(expression) => directed(expression, descending),
        Column::Bool(expression) => directed(expression, descending),
        Column::Count(expression) => directed(expression, descending),
    })
}

fn directed<T: 'static, S>(expression: Boxed<T, S>, descending: bool) -> Order<T>
where
    S: diesel::sql_types::SingleValue + 'static,
{
    if descending {
        Box::new(expression.desc())
    } else {
        Box::new(expression.asc())
    }
}
