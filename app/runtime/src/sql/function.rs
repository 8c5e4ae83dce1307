//! The functions of the rule language, as columns that conditions compare.

use diesel::sql_types::{Double, Nullable};
use diesel::{QueryResult, define_sql_function};

use super::compare::constant;
use super::fragment::{Fragment, Part, Piece};
use super::leaf::Kind;
use super::{Column, Conn};
use crate::rules::Given;
use basalt_lang::eval::Operand;

/// The mean radius of the earth in km.
const RADIUS: f64 = 6371.0;

/// How the words begin by which SQLite means its own clock. No time does.
const CLOCK: [&str; 2] = ["now", "sub"];

/// The length of these.
const CLOCK_LENGTH: usize = 3;

/// What a function is applied to.
pub enum Argument<T> {
    /// A column.
    Column(Column<T>),
    /// A value that the rule or the request gives.
    Given(Given),
}

impl<T> From<Column<T>> for Argument<T> {
    fn from(column: Column<T>) -> Self {
        Argument::Column(column)
    }
}

impl<T, G: Into<Given>> From<G> for Argument<T> {
    fn from(given: G) -> Self {
        Argument::Given(given.into())
    }
}

impl<T: 'static> Argument<T> {
    /// The value with the kind that it compares as.
    fn erase(self) -> (Kind, Part) {
        let given = match self {
            Argument::Column(column) => return column.erase(),
            Argument::Given(given) => given,
        };
        // Functions take no `:each` of the body.
        let piece = match given.sides().into_iter().next().map(|side| side.operand) {
            None | Some(Operand::Null) => return (Kind::Missing, constant("NULL")),
            Some(Operand::Bool(bool)) => Piece::Integer(i64::from(bool)),
            Some(Operand::Integer(integer)) => Piece::Integer(integer),
            Some(Operand::Number(number)) => Piece::Number(number),
            Some(Operand::Text(text)) => Piece::Text(text.into_owned()),
        };
        let fragment = Fragment {
            parts: Vec::new(),
            pieces: vec![piece],
        };
        (Kind::Loose, Box::new(fragment))
    }
}

/// `strftime(format, time, modifiers…)` as SQLite has it: a text, or NULL, which equals the empty
/// text. The words by which SQLite means its own clock (`now`, `subsec`) are no times here: totals are
/// remembered under the values of their condition, and would outlive such a one. A rule that names
/// no time, or `now`, gets that of the request.
pub fn time<T: 'static>(format: &str, time: Argument<T>, modifiers: &[&str]) -> Column<T> {
    let by_the_clock = match &time {
        Argument::Given(given) => given.sides().iter().any(|side| {
            let text = side.text().unwrap_or_default();
            let start = text.get(..CLOCK_LENGTH).unwrap_or_default();
            CLOCK.iter().any(|word| start.eq_ignore_ascii_case(word))
        }),
        Argument::Column(_) => false,
    };
    let is_column = matches!(time, Argument::Column(_));
    let (kind, part) = time.erase();
    if kind.is_missing() || by_the_clock {
        return Column::Missing { strict: false };
    }
    let mut pieces = vec![
        Piece::Sql("strftime("),
        Piece::Text(format.to_owned()),
        Piece::Sql(", "),
    ];
    if is_column && !kind.holds_numbers() {
        pieces.push(Piece::Sql("CASE lower(substr("));
        pieces.extend(kind.value(0));
        pieces.push(Piece::Sql(
            ", 1, 3)) WHEN 'now' THEN NULL WHEN 'sub' THEN NULL ELSE ",
        ));
        pieces.extend(kind.value(0));
        pieces.push(Piece::Sql(" END"));
    } else {
        pieces.extend(kind.value(0));
    }
    for modifier in modifiers {
        pieces.extend([Piece::Sql(", "), Piece::Text((*modifier).to_owned())]);
    }
    pieces.push(Piece::Sql(")"));
    let parts = vec![part];
    Column::Bare {
        expression: Fragment { parts, pieces }.typed(),
        strict: false,
    }
}

/// `geoDistance(lonA, latA, lonB, latB)`: the way over the earth in km. NULL if one of them is no
/// number, and that equals only NULL.
pub fn distance<T: 'static>(arguments: [Argument<T>; 4]) -> Column<T> {
    let mut pieces = vec![Piece::Sql("geo_distance(")];
    let mut parts = Vec::new();
    for (number, argument) in arguments.into_iter().enumerate() {
        let (kind, part) = argument.erase();
        if kind.is_missing() {
            return Column::Missing { strict: true };
        }
        if number > 0 {
            pieces.push(Piece::Sql(", "));
        }
        // The number that a text is; what is none differs from its cast.
        pieces.push(Piece::Sql("CASE WHEN CAST("));
        pieces.extend(kind.value(number));
        pieces.push(Piece::Sql(" AS NUMERIC) = "));
        pieces.extend(kind.value(number));
        pieces.push(Piece::Sql(" THEN CAST("));
        pieces.extend(kind.value(number));
        pieces.push(Piece::Sql(" AS NUMERIC) END"));
        parts.push(part);
    }
    pieces.push(Piece::Sql(")"));
    Column::Path(Fragment { parts, pieces }.typed())
}

define_sql_function! {
    /// The distance of two points in km.
    fn geo_distance(
        lon_a: Nullable<Double>,
        lat_a: Nullable<Double>,
        lon_b: Nullable<Double>,
        lat_b: Nullable<Double>,
    ) -> Nullable<Double>;
}

/// Makes the functions known that SQLite lacks.
pub(super) fn register(conn: &mut Conn) -> QueryResult<()> {
    geo_distance_utils::register_impl(
        conn,
        |lon_a: Option<f64>, lat_a: Option<f64>, lon_b: Option<f64>, lat_b: Option<f64>| {
            kilometres((lon_a?, lat_a?), (lon_b?, lat_b?))
        },
    )
}

/// By the spherical law of cosines; `None` where rounding leaves its domain.
fn kilometres((lon_a, lat_a): (f64, f64), (lon_b, lat_b): (f64, f64)) -> Option<f64> {
    let (from, to) = (lat_a.to_radians(), lat_b.to_radians());
    let across = lon_b.to_radians() - lon_a.to_radians();
    let angle = (from.cos() * to.cos() * across.cos() + from.sin() * to.sin()).acos();
    (!angle.is_nan()).then_some(RADIUS * angle)
}
