//! Comparing two values in memory, with exactly the outcome that SQLite has for the SQL form.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::plan::Op;

pub use crate::text::{like, like_pattern, number_text, sqlite_number_text, text_to_number};

/// A value. [`Operand::Integer`] and [`Operand::Bool`] turn into text without a point (`1`), a
/// [`Operand::Number`] as a REAL does (`1.0`), unless it stands in a numeric column.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand<'a> {
    /// NULL
    Null,
    /// 0 or 1. On the right of `~` a bool of the request is a word.
    Bool(bool),
    /// An integer: `true` and `false` in a rule's text, `:isset`, `:length`, `@year`, whole numbers
    /// inside json.
    Integer(i64),
    /// A number of the rule's text, of a body, or of a number field.
    Number(f64),
    /// Text; arrays and objects as compact JSON.
    Text(Cow<'a, str>),
}

/// What SQLite converts the other side to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Affinity {
    /// Literals, request values, json paths, `:each`, `:length`, `:lower`, and every value of a
    /// record that is about to be created.
    #[default]
    None,
    /// A column of text.
    Text,
    /// A column of numbers, bools, json or several values.
    Numeric,
}

/// Where a value comes from: it decides how NULL compares with `=` and `!=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Source {
    /// A literal, a macro or a value of the request.
    #[default]
    Value,
    /// A value of a record.
    Column,
    /// A json field, a place in a json or geoPoint field, `:changed`: NULL equals only NULL.
    Strict,
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Side<'a> {
    /// The value.
    pub operand: Operand<'a>,
    /// What it does to the other side.
    pub affinity: Affinity,
    /// Where it comes from.
    pub source: Source,
}

impl<'a> Side<'a> {
    /// A literal, a macro or a value of the request.
    pub fn value(operand: Operand<'a>) -> Self {
        Self {
            operand,
            affinity: Affinity::None,
            source: Source::Value,
        }
    }

    /// A value of a record.
    pub fn column(operand: Operand<'a>, affinity: Affinity) -> Self {
        Self {
            operand,
            affinity,
            source: Source::Column,
        }
    }

    /// A value where NULL equals only NULL.
    pub fn strict(operand: Operand<'a>, affinity: Affinity) -> Self {
        Self {
            operand,
            affinity,
            source: Source::Strict,
        }
    }

    fn is_null(&self) -> bool {
        self.operand == Operand::Null
    }

    /// NULL or the empty text.
    fn is_empty(&self) -> bool {
        match &self.operand {
            Operand::Null => true,
            Operand::Text(text) => text.is_empty(),
            _ => false,
        }
    }

    /// The value as SQLite turns it into text; `None` is NULL.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match &self.operand {
            Operand::Null => None,
            Operand::Bool(bool) => Some(Cow::Borrowed(if *bool { "1" } else { "0" })),
            Operand::Integer(integer) => Some(Cow::Owned(integer.to_string())),
            Operand::Number(number) if self.affinity == Affinity::Numeric => {
                Some(Cow::Owned(stored_text(*number)))
            }
            Operand::Number(number) => Some(Cow::Owned(sqlite_number_text(*number))),
            Operand::Text(text) => Some(Cow::Borrowed(text)),
        }
    }
}

/// A numeric column keeps whole numbers as integers.
fn stored_text(number: f64) -> String {
    // Up to here 64-bit integers go.
    if number.fract() == 0.0 && number.abs() < 9_223_372_036_854_775_807.0 {
        format!("{:.0}", number + 0.0)
    } else {
        sqlite_number_text(number)
    }
}

/// Compares as the SQL form does: `None` is UNKNOWN.
pub fn compare(left: &Side<'_>, op: Op, right: &Side<'_>) -> Option<bool> {
    match op {
        Op::Equal => equal(left, right),
        Op::NotEqual => not_equal(left, right),
        Op::Greater => order(left, right).map(Ordering::is_gt),
        Op::GreaterOrEqual => order(left, right).map(Ordering::is_ge),
        Op::Less => order(left, right).map(Ordering::is_lt),
        Op::LessOrEqual => order(left, right).map(Ordering::is_le),
        Op::Like => matches(left, right),
        Op::NotLike => matches(left, right).map(|found| !found),
    }
}

/// Which of the SQL forms for `=` and `!=` two sides get.
enum Form {
    /// `IS`
    Strict,
    /// `=` and `IS NOT`: one side is a value that is not empty.
    Plain,
    /// Both are values, both empty.
    BothEmpty,
    /// One side is an empty value, the other a column: is the column empty?
    Empty,
    /// `COALESCE(left, '') = COALESCE(right, '')`
    Columns,
}

fn form(left: &Side<'_>, right: &Side<'_>) -> Form {
    let given = |side: &Side<'_>| side.source == Source::Value;
    if left.source == Source::Strict || right.source == Source::Strict {
        return Form::Strict;
    }
    if given(left) && !left.is_empty() || given(right) && !right.is_empty() {
        return Form::Plain;
    }
    match (given(left), given(right)) {
        (true, true) => Form::BothEmpty,
        (false, false) => Form::Columns,
        _ => Form::Empty,
    }
}

fn equal(left: &Side<'_>, right: &Side<'_>) -> Option<bool> {
    match form(left, right) {
        Form::Strict => Some(is(left, right)),
        Form::Plain => order(left, right).map(Ordering::is_eq),
        Form::BothEmpty => Some(true),
        Form::Empty => Some(left.is_empty() && right.is_empty()),
        Form::Columns => Some(coalesced_equal(left, right)),
    }
}

fn not_equal(left: &Side<'_>, right: &Side<'_>) -> Option<bool> {
    Some(match form(left, right) {
        Form::Strict | Form::Plain => !is(left, right),
        Form::BothEmpty => false,
        Form::Empty => !(left.is_empty() && right.is_empty()),
        Form::Columns => !coalesced_equal(left, right),
    })
}

/// `left IS right`
fn is(left: &Side<'_>, right: &Side<'_>) -> bool {
    match (left.is_null(), right.is_null()) {
        (true, true) => true,
        (false, false) => order(left, right) == Some(Ordering::Equal),
        _ => false,
    }
}

/// COALESCE makes expressions of the columns, and so drops their affinity.
fn coalesced_equal(left: &Side<'_>, right: &Side<'_>) -> bool {
    if left.is_empty() && right.is_empty() {
        return true;
    }
    order(&bare(left), &bare(right)) == Some(Ordering::Equal)
}

fn bare<'a>(side: &'a Side<'_>) -> Side<'a> {
    match &side.operand {
        Operand::Null => Side::value(Operand::Text(Cow::Borrowed(""))),
        Operand::Text(text) => Side::value(Operand::Text(Cow::Borrowed(text))),
        other => Side::value(other.clone()),
    }
}

/// A value as SQLite orders it: all numbers before all text.
enum Key<'a> {
    Number(f64),
    Text(Cow<'a, str>),
}

fn order(left: &Side<'_>, right: &Side<'_>) -> Option<Ordering> {
    if left.is_null() || right.is_null() {
        return None;
    }
    let numeric = left.affinity == Affinity::Numeric || right.affinity == Affinity::Numeric;
    let textual = left.affinity == Affinity::Text || right.affinity == Affinity::Text;
    let convert = if numeric {
        Affinity::Numeric
    } else if textual {
        Affinity::Text
    } else {
        Affinity::None
    };
    Some(match (key(left, convert)?, key(right, convert)?) {
        (Key::Number(left), Key::Number(right)) => left.total_cmp(&right),
        (Key::Number(_), Key::Text(_)) => Ordering::Less,
        (Key::Text(_), Key::Number(_)) => Ordering::Greater,
        (Key::Text(left), Key::Text(right)) => left.as_bytes().cmp(right.as_bytes()),
    })
}

fn key<'a>(side: &'a Side<'_>, convert: Affinity) -> Option<Key<'a>> {
    // -0 and 0 are one number.
    let number = |number: f64| Key::Number(number + 0.0);
    if convert == Affinity::Text {
        return side.text().map(Key::Text);
    }
    match &side.operand {
        Operand::Null => None,
        Operand::Bool(bool) => Some(number(f64::from(u8::from(*bool)))),
        // Exact up to 2^53, which is all that JSON clients can send.
        Operand::Integer(integer) => Some(number(*integer as f64)),
        Operand::Number(value) => Some(number(*value)),
        Operand::Text(text) => {
            // A numeric column was converted when it was stored.
            let converted = (convert == Affinity::Numeric && side.affinity != Affinity::Numeric)
                .then(|| text_to_number(text))
                .flatten();
            Some(converted.map_or_else(|| Key::Text(Cow::Borrowed(text)), number))
        }
    }
}

/// What `~` looks for where the request gives a bool.
pub fn bool_word(bool: bool) -> &'static str {
    if bool { "true" } else { "false" }
}

/// The most bytes of a pattern. SQLite fails the whole query for a longer one, which would tell that
/// there is such a value; here nothing is known of it.
pub const MAX_PATTERN: usize = 50_000;

/// `left LIKE right ESCAPE '\'`
fn matches(left: &Side<'_>, right: &Side<'_>) -> Option<bool> {
    let text = left.text()?;
    let pattern = match (&right.operand, right.source) {
        (Operand::Null, _) => return None,
        (_, Source::Column | Source::Strict) => format!("%{}%", right.text()?),
        (Operand::Bool(bool), Source::Value) => like_pattern(bool_word(*bool)),
        (Operand::Text(text), Source::Value) => like_pattern(text),
        (Operand::Integer(integer), Source::Value) => like_pattern(&integer.to_string()),
        (Operand::Number(number), Source::Value) => like_pattern(&number_text(*number)),
    };
    (pattern.len() <= MAX_PATTERN).then(|| like(&text, &pattern))
}
