//! Columns of bound rows: by the alias of their table, or as the values of a record in memory.

use diesel::expression::TypedExpressionType;

use super::source::{Name, Source};
use super::{Bound, Column, broken};
use crate::meta::{FieldKind, FieldMeta};
use crate::sql::Boxed;
use crate::sql::fragment::{Fragment, Piece};
use crate::value::ValueRef;

/// A field of a row, which for `certain` exists.
pub(super) fn of(source: Source<'_>, field: usize, certain: bool) -> Column<Bound> {
    let Some(meta) = source.meta().and_then(|meta| meta.field(field)) else {
        return Column::Path(broken());
    };
    match source {
        Source::Table(name, _) => stored(name, field, meta, certain),
        Source::Record(record) => known(record.get(field), &meta.kind),
        Source::Draft(record) => draft(record.get(field)),
        Source::Missing(_) => Column::Missing {
            strict: is_json(&meta.kind),
        },
        Source::Items(_) | Source::Broken => Column::Path(broken()),
    }
}

/// An item of a list.
pub(super) fn item(row: usize) -> Column<Bound> {
    Column::Bare {
        expression: typed(vec![
            Piece::Alias(row),
            Piece::Sql("."),
            Piece::Name("value"),
        ]),
        strict: false,
    }
}

/// The column of a table.
pub(super) fn pieces(name: Name, column: &'static str) -> [Piece; 3] {
    let table = match name {
        Name::Outer(name) => Piece::Name(name),
        Name::Alias(number) => Piece::Alias(number),
    };
    [table, Piece::Sql("."), Piece::Name(column)]
}

fn is_json(kind: &FieldKind) -> bool {
    matches!(kind, FieldKind::Json { .. })
}

fn typed<S: TypedExpressionType + 'static>(pieces: Vec<Piece>) -> Boxed<Bound, S> {
    let parts = Vec::new();
    Fragment { parts, pieces }.typed()
}

fn stored(name: Name, place: usize, field: &FieldMeta, certain: bool) -> Column<Bound> {
    let column = pieces(name, field.name).to_vec();
    match field.kind {
        FieldKind::Number { .. } => Column::Number(typed(column)),
        FieldKind::Bool => Column::Bool(typed(column)),
        FieldKind::Json { .. } => Column::Json(typed(column)),
        FieldKind::GeoPoint => Column::Point(typed(column)),
        _ if field.kind.is_many() => Column::List(typed(column)),
        FieldKind::Relation { .. } if certain => Column::Relation(typed(column)),
        FieldKind::Relation { .. } => Column::Text(typed(relation(name, column))),
        _ if place == 0 && certain => Column::Key(typed(column)),
        _ => Column::Text(typed(column)),
    }
}

/// NULL only where the row is missing: an empty relation, which is NULL in the table, is "".
fn relation(name: Name, column: Vec<Piece>) -> Vec<Piece> {
    let mut all = vec![Piece::Sql("CAST(CASE WHEN ")];
    all.extend(pieces(name, "id"));
    all.push(Piece::Sql(" IS NOT NULL THEN coalesce("));
    all.extend(column);
    all.push(Piece::Sql(", '') END AS TEXT)"));
    all
}

/// A value of a stored record. A cast gives it the affinity of its column.
pub(in crate::sql) fn known(value: ValueRef<'_>, kind: &FieldKind) -> Column<Bound> {
    let cast = |value, end| vec![Piece::Sql("CAST("), value, Piece::Sql(end)];
    match value {
        ValueRef::Null => Column::Missing {
            strict: is_json(kind),
        },
        ValueRef::Text(text) => {
            Column::Text(typed(cast(Piece::Text(text.to_owned()), " AS TEXT)")))
        }
        ValueRef::Number(number) => Column::Number(typed(cast(whole(number), " AS NUMERIC)"))),
        ValueRef::Bool(bool) => {
            let number = Piece::Integer(i64::from(bool));
            Column::Bool(typed(cast(number, " AS NUMERIC)")))
        }
        ValueRef::List(list) => {
            Column::List(typed(cast(Piece::Text(list.to_owned()), " AS TEXT)")))
        }
        ValueRef::Json(json) => {
            let value = vec![Piece::Text(json.to_owned())];
            match kind {
                FieldKind::GeoPoint => Column::Point(typed(value)),
                _ => Column::Json(typed(value)),
            }
        }
    }
}

/// A value of a record that is in no column yet.
pub(in crate::sql) fn draft(value: ValueRef<'_>) -> Column<Bound> {
    let loose = |value| Column::Loose(typed(vec![value]));
    match value {
        ValueRef::Null => Column::Missing { strict: false },
        ValueRef::Text(text) => loose(Piece::Text(text.to_owned())),
        ValueRef::Number(number) => loose(Piece::Number(number)),
        ValueRef::Bool(bool) => loose(Piece::Integer(i64::from(bool))),
        ValueRef::List(list) => Column::List(typed(vec![Piece::Text(list.to_owned())])),
        ValueRef::Json(json) => Column::Json(typed(vec![Piece::Text(json.to_owned())])),
    }
}

/// A number as its column keeps it: whole ones as integers, as far as those go.
fn whole(number: f64) -> Piece {
    if number.fract() == 0.0 && number.abs() < 9_223_372_036_854_775_807.0 {
        Piece::Integer(number as i64)
    } else {
        Piece::Number(number)
    }
}
