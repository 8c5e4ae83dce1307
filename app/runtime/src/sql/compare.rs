//! Conditions on one column, which generated rules and clients' filters are made of. Each is
//! generic over the table only; what it becomes is decided by the column's kind and the value.

use basalt_lang::plan::{Op, Truth};
use diesel::sql_types::{BigInt, Nullable, Text};

use super::fragment::{Fragment, Part, Piece};
use super::leaf::{self, Kind, Outcome};
use super::predicate::{self, Predicate};
use super::{Boxed, Column, Form, items};
use crate::json;
use crate::rules::Given;

/// `column op value` comes out as `when`.
pub fn test<T: 'static>(
    column: Column<T>,
    op: Op,
    value: impl Into<Given>,
    when: Truth,
) -> Predicate<T> {
    let (kind, part) = column.erase();
    predicate(leaf::test(kind, op, &value.into(), when), vec![part])
}

/// `value op column` comes out as `when`, for `~` and `!~`, which cannot be mirrored.
pub fn within<T: 'static>(
    value: impl Into<Given>,
    op: Op,
    column: Column<T>,
    when: Truth,
) -> Predicate<T> {
    let (kind, part) = column.erase();
    predicate(leaf::within(&value.into(), op, kind, when), vec![part])
}

/// Two columns of the same row compare as `when`.
pub fn columns<T: 'static>(left: Column<T>, op: Op, right: Column<T>, when: Truth) -> Predicate<T> {
    let (left, left_part) = left.erase();
    let (right, right_part) = right.erase();
    predicate(
        leaf::columns(left, op, right, when),
        vec![left_part, right_part],
    )
}

/// The column has no item (`holds`), or it has some.
pub fn empty<T: 'static>(column: Column<T>, holds: bool) -> Predicate<T> {
    let (kind, part) = column.erase();
    let outcome = match (kind, holds) {
        (Kind::List, true) => Outcome::When(vec![
            Piece::Sql("("),
            Piece::Part(0),
            Piece::Sql(" = '[]' OR "),
            Piece::Part(0),
            Piece::Sql(" IS NULL)"),
        ]),
        (Kind::List, false) => Outcome::When(vec![Piece::Part(0), Piece::Sql(" <> '[]'")]),
        (kind, holds) => kind.is_empty(0, holds),
    };
    predicate(outcome, vec![part])
}

/// `:lower`, for ASCII letters.
pub fn lower<T: 'static>(column: Column<T>) -> Column<T> {
    bare(column, "lower(")
}

/// What SQL makes of a column's value; it has no column's type.
fn bare<T: 'static>(column: Column<T>, function: &'static str) -> Column<T> {
    if let Column::Missing { .. } = column {
        return column;
    }
    let (kind, part) = column.erase();
    let mut pieces = vec![Piece::Sql(function)];
    pieces.extend(kind.value(0));
    pieces.push(Piece::Sql(")"));
    Column::Bare {
        expression: expression(pieces, part),
        strict: kind.is_strict(),
    }
}

/// `:each` of a single value: that value, without the column's type.
pub fn single<T: 'static>(column: Column<T>) -> Column<T> {
    bare(column, "+(")
}

/// `:length`: the number of items of a list; of a single value 0 or 1.
pub fn length<T: 'static>(column: Column<T>) -> Column<T> {
    let (kind, part) = column.erase();
    let (before, after) = match kind {
        Kind::Missing | Kind::StrictMissing => ("coalesce(", ", 0)"),
        Kind::List => ("json_array_length(", ") ELSE 0 END)"),
        _ => ("(coalesce(", ", '') <> '')"),
    };
    let mut pieces = vec![Piece::Sql(before), Piece::Part(0), Piece::Sql(after)];
    if kind == Kind::List {
        // Where the column must equal a text besides, SQLite puts the text in its place here, and
        // would fail on what is no JSON.
        let checked = [
            Piece::Sql("(CASE WHEN json_valid("),
            Piece::Part(0),
            Piece::Sql(") THEN "),
        ];
        pieces.splice(0..0, checked);
    }
    Column::Count(
        Fragment {
            parts: vec![part],
            pieces,
        }
        .typed::<T, Nullable<BigInt>>(),
    )
}

/// A place inside a json field; NULL where there is none, and in any other column.
pub fn json_path<T: 'static>(column: Column<T>, path: &[&str]) -> Column<T> {
    let part: Part = match column {
        Column::Missing { .. } => return Column::Missing { strict: true },
        Column::Json(column) | Column::Point(column) => column,
        other => other.erase().1,
    };
    let pieces = vec![
        Piece::Sql("json_extract("),
        Piece::Part(0),
        Piece::Sql(", "),
        Piece::Text(json::sqlite_path(path)),
        Piece::Sql(")"),
    ];
    Column::Path(expression(pieces, part))
}

/// Some item of the list satisfies `inner` (`holds`), or none does.
pub fn each<T: 'static>(
    column: Column<T>,
    inner: Predicate<items::table>,
    holds: bool,
) -> Predicate<T> {
    let inner: Part = match inner {
        Predicate::Never => return Predicate::from(!holds),
        _ if matches!(column, Column::Missing { .. }) => return Predicate::from(!holds),
        // A single value is an item even if it is empty; NULL is none.
        Predicate::Always if !matches!(column, Column::List(_)) => {
            let (kind, part) = column.erase();
            return predicate(kind.known(0, holds), vec![part]);
        }
        Predicate::Always => return empty(column, !holds),
        Predicate::When(inner) => inner,
    };
    let (kind, part) = column.erase();
    let mut pieces = vec![Piece::Sql("EXISTS (SELECT 1 FROM json_each(")];
    if kind == Kind::List {
        pieces.push(Piece::Part(0));
    } else {
        pieces.push(Piece::Sql("CASE WHEN "));
        pieces.extend(kind.value(0));
        pieces.push(Piece::Sql(" IS NOT NULL THEN json_array("));
        pieces.extend(kind.value(0));
        pieces.push(Piece::Sql(") END"));
    }
    pieces.extend([Piece::Sql(") WHERE "), Piece::Part(1), Piece::Sql(")")]);
    if !holds {
        pieces.insert(0, Piece::Sql("NOT "));
    }
    predicate(Outcome::When(pieces), vec![part, inner])
}

/// A condition about a column, which it is given as often as it needs it.
pub type OfColumn<'a, T> = dyn Fn(&dyn Fn() -> Column<T>) -> Predicate<T> + 'a;

/// A condition that one list of a row decides, in a column of `table` whose lists are few and
/// indexed: asked of each list that occurs, and not of each row. An index on the column finds the
/// rows, unless other conditions stand beside it, which may have a better one.
pub fn listed<T: 'static>(
    form: Form,
    table: &'static str,
    column: &dyn Fn() -> Column<T>,
    condition: &OfColumn<'_, T>,
) -> Predicate<T> {
    if form == Form::Exists {
        return condition(column);
    }
    let known = || Column::List(expression(vec![Piece::Sql("`_d`.`list`")], constant("")));
    let inner: Part = match condition(&known) {
        Predicate::When(inner) => inner,
        trivial if form == Form::Rest => return predicate::none(trivial),
        trivial => return trivial,
    };
    let (own, name, sql) = (Piece::Part(0), Piece::Name(table), Piece::Sql);
    // Each list is the next one in the index behind the one before.
    let pieces = vec![
        sql(if form == Form::In { "+" } else { "" }),
        own.clone(),
        sql(" IN (WITH RECURSIVE `_d` (`list`) AS (SELECT min("),
        own.clone(),
        sql(") FROM "),
        name.clone(),
        sql(" UNION ALL SELECT (SELECT min("),
        own.clone(),
        sql(") FROM "),
        name,
        sql(" WHERE "),
        own,
        sql(
            " > `_d`.`list`) FROM `_d` WHERE `_d`.`list` IS NOT NULL) SELECT `_d`.`list` FROM `_d`",
        ),
        sql(" WHERE `_d`.`list` IS NOT NULL AND ("),
        Piece::Part(1),
        sql(if form == Form::Rest {
            ") IS NOT TRUE)"
        } else {
            "))"
        }),
    ];
    let (_, own) = column().erase();
    predicate(Outcome::When(pieces), vec![own, inner])
}

impl<T: 'static> Column<T> {
    /// Forgets the table: the kind, and the value that conditions speak of.
    pub(crate) fn erase(self) -> (Kind, Part) {
        match self {
            Column::Text(part) => (Kind::Text, part),
            Column::Key(part) => (Kind::Key, part),
            Column::Loose(part) => (Kind::Loose, part),
            Column::Missing { strict } => {
                let kind = if strict {
                    Kind::StrictMissing
                } else {
                    Kind::Missing
                };
                (kind, constant("NULL"))
            }
            Column::Number(part) => (Kind::Number, part),
            Column::Bool(part) => (Kind::Bool, part),
            Column::Relation(part) => (Kind::Relation, part),
            Column::List(part) => (Kind::List, part),
            Column::Json(part) => (Kind::Dynamic, whole(part)),
            Column::Point(part) => (Kind::Loose, whole(part)),
            Column::Bare { expression, strict } => {
                let kind = if strict { Kind::StrictBare } else { Kind::Bare };
                (kind, expression)
            }
            Column::Count(part) => (Kind::Count, part),
            Column::Path(part) => (Kind::Dynamic, part),
        }
    }
}

pub(super) fn constant(text: &'static str) -> Part {
    Box::new(Fragment {
        parts: Vec::new(),
        pieces: vec![Piece::Sql(text)],
    })
}

/// The value of a json column: its scalars are text and numbers, not JSON text.
fn whole(part: Part) -> Part {
    Box::new(Fragment {
        parts: vec![part],
        pieces: vec![
            Piece::Sql("json_extract("),
            Piece::Part(0),
            Piece::Sql(", '$')"),
        ],
    })
}

fn expression<T: 'static>(pieces: Vec<Piece>, part: Part) -> Boxed<T, Nullable<Text>> {
    Fragment {
        parts: vec![part],
        pieces,
    }
    .typed()
}

fn predicate<T: 'static>(outcome: Outcome, parts: Vec<Part>) -> Predicate<T> {
    match outcome {
        Outcome::Always => Predicate::Always,
        Outcome::Never => Predicate::Never,
        Outcome::When(mut pieces) => {
            // Conditions are put together with AND and OR.
            pieces.insert(0, Piece::Sql("("));
            pieces.push(Piece::Sql(")"));
            Predicate::When(Fragment { parts, pieces }.typed())
        }
    }
}
