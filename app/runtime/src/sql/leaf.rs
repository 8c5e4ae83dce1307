//! What a comparison becomes in SQL: decided from the column's kind and the value, so that the
//! database never has to convert anything, and does not run at all where no row matters.
//!
//! This mirrors [`basalt_lang::eval::compare`] case by case; a test holds the two together.

use std::cmp::Ordering;

use basalt_lang::eval::{self, Affinity, Operand, Side, Source};
use basalt_lang::plan::{Op, Quantifier, Truth};

use super::contains;
use super::fragment::Piece;
use crate::rules::Given;

/// What a column holds, as far as comparisons care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text in a column of text.
    Text,
    /// The same, but NULL stands for the empty text.
    Relation,
    /// The same, but neither NULL nor empty.
    Key,
    /// A number in a NUMERIC column, which keeps whole numbers as integers.
    Number,
    /// 0 or 1.
    Bool,
    /// JSON text of a list.
    List,
    /// A computed text.
    Bare,
    /// A computed text where NULL equals only NULL.
    StrictBare,
    /// A number of items.
    Count,
    /// A value inside JSON: text or number, row by row; NULL equals only NULL.
    Dynamic,
    /// Text or number, row by row, which converts nothing.
    Loose,
    /// Always NULL.
    Missing,
    /// The same, and equals only NULL.
    StrictMissing,
}

/// A condition on a row, before it has a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// Every row.
    Always,
    /// No row.
    Never,
    /// The rows for which this SQL is true.
    When(Vec<Piece>),
}

/// A value after the conversion that the column asks for.
enum Key {
    Text(String),
    Number(f64),
}

/// A value as it stands in SQL.
struct Written {
    key: Key,
    /// What SQLite shall convert the row's value to.
    imposed: Affinity,
}

impl Written {
    fn pieces(self) -> Vec<Piece> {
        let value = match self.key {
            Key::Text(text) => Piece::Text(text),
            Key::Number(number) => Piece::Number(number),
        };
        // A cast changes nothing of the value; it gives the expression its affinity.
        let end = match self.imposed {
            Affinity::None => return vec![value],
            Affinity::Text => " AS TEXT)",
            Affinity::Numeric => " AS NUMERIC)",
        };
        vec![Piece::Sql("CAST("), value, Piece::Sql(end)]
    }
}

impl Kind {
    /// NULL equals only NULL.
    pub(crate) fn is_strict(self) -> bool {
        matches!(self, Kind::StrictBare | Kind::Dynamic | Kind::StrictMissing)
    }

    /// Are all values numbers?
    pub(crate) fn holds_numbers(self) -> bool {
        matches!(self, Kind::Number | Kind::Bool | Kind::Count)
    }

    /// Can no row be NULL, as comparisons see it?
    fn never_null(self) -> bool {
        matches!(self, Kind::Relation | Kind::Key | Kind::Count)
    }

    /// Is every row NULL?
    pub(crate) fn is_missing(self) -> bool {
        matches!(self, Kind::Missing | Kind::StrictMissing)
    }

    /// Text of a column, where `=` needs no conversion and can use an index.
    fn is_text(self) -> bool {
        matches!(self, Kind::Text | Kind::Relation | Kind::Key)
    }

    /// Is every row's value ordered against the key in the same way? Then how.
    fn fixed_order(self, written: &Written) -> Option<Ordering> {
        match (self, &written.key) {
            _ if written.imposed != Affinity::None => None,
            (Kind::Dynamic | Kind::Loose, _) => None,
            (kind, Key::Text(_)) if kind.holds_numbers() => Some(Ordering::Less),
            (kind, Key::Number(_)) if !kind.holds_numbers() => Some(Ordering::Greater),
            _ => None,
        }
    }

    /// The column's value as comparisons see it.
    pub(crate) fn value(self, part: usize) -> Vec<Piece> {
        match self {
            Kind::Relation => vec![
                Piece::Sql("CAST(coalesce("),
                Piece::Part(part),
                Piece::Sql(", '') AS TEXT)"),
            ],
            _ => vec![Piece::Part(part)],
        }
    }

    /// Is the column NULL or the empty text?
    pub(crate) fn is_empty(self, part: usize, wanted: bool) -> Outcome {
        let column = Piece::Part(part);
        Outcome::When(match (self, wanted) {
            (Kind::Count | Kind::Key, wanted) => return decided(!wanted),
            (Kind::Missing | Kind::StrictMissing, wanted) => return decided(wanted),
            (Kind::Number | Kind::Bool | Kind::Relation, true) => {
                vec![column, Piece::Sql(" IS NULL")]
            }
            (Kind::Number | Kind::Bool | Kind::Relation, false) => {
                vec![column, Piece::Sql(" IS NOT NULL")]
            }
            (_, true) => vec![
                Piece::Sql("("),
                column.clone(),
                Piece::Sql(" = '' OR "),
                column,
                Piece::Sql(" IS NULL)"),
            ],
            (_, false) => vec![column, Piece::Sql(" <> ''")],
        })
    }

    /// The rows that are not NULL (`wanted`), or those that are.
    pub(crate) fn known(self, part: usize, wanted: bool) -> Outcome {
        if self.is_missing() {
            return decided(!wanted);
        }
        let word = match (self.never_null(), wanted) {
            (true, true) => return Outcome::Always,
            (true, false) => return Outcome::Never,
            (false, true) => " IS NOT NULL",
            (false, false) => " IS NULL",
        };
        Outcome::When(vec![Piece::Part(part), Piece::Sql(word)])
    }
}

/// `column op value` has the truth value `when`.
pub(crate) fn test(kind: Kind, op: Op, given: &Given, when: Truth) -> Outcome {
    quantified(given, when, |side, when| test_one(kind, op, side, when))
}

/// `value ~ column` has the truth value `when`.
pub(crate) fn within(given: &Given, op: Op, kind: Kind, when: Truth) -> Outcome {
    quantified(given, when, |side, when| {
        let (Some(text), false) = (side.text(), kind.is_missing()) else {
            return Outcome::Never;
        };
        let mut pieces = vec![Piece::Text(text.into_owned()), like_word(op, when)];
        pieces.extend(pattern_of(kind, 0));
        Outcome::When(pieces)
    })
}

/// Two columns of one row compared: `when` is the outcome that is wanted.
pub(crate) fn columns(left: Kind, op: Op, right: Kind, when: Truth) -> Outcome {
    if left.is_missing() || right.is_missing() {
        return with_missing(left, op, right, when);
    }
    let keyed = left == Kind::Key || right == Kind::Key;
    let strict = left.is_strict() || right.is_strict();
    let (mut pieces, word, end) = match op {
        Op::Like | Op::NotLike => {
            let mut pieces = left.value(0);
            pieces.push(like_word(op, when));
            pieces.extend(pattern_of(right, 1));
            return Outcome::When(pieces);
        }
        // No text equals the key but its own.
        Op::Equal | Op::NotEqual if keyed && left.is_text() && right.is_text() => {
            let word = match is_word(op, when) {
                " IS " => " = ",
                word => word,
            };
            (vec![Piece::Part(0)], word, vec![Piece::Part(1)])
        }
        Op::Equal | Op::NotEqual if strict => (left.value(0), is_word(op, when), right.value(1)),
        Op::Equal | Op::NotEqual => (coalesced(0), is_word(op, when), coalesced(1)),
        _ => (left.value(0), order_word(op, when), right.value(1)),
    };
    pieces.push(Piece::Sql(word));
    pieces.extend(end);
    Outcome::When(pieces)
}

/// A column against one that is always NULL.
fn with_missing(left: Kind, op: Op, right: Kind, when: Truth) -> Outcome {
    let wanted = (op == Op::Equal) == (when == Truth::True);
    let (part, other) = if left.is_missing() {
        (1, right)
    } else {
        (0, left)
    };
    match op {
        Op::Equal | Op::NotEqual if left.is_strict() || right.is_strict() => {
            other.known(part, !wanted)
        }
        Op::Equal | Op::NotEqual => other.is_empty(part, wanted),
        _ => Outcome::Never,
    }
}

fn decided(holds: bool) -> Outcome {
    if holds {
        Outcome::Always
    } else {
        Outcome::Never
    }
}

/// Without NULL, and without the conversions that a column would cause.
fn coalesced(part: usize) -> Vec<Piece> {
    vec![
        Piece::Sql("coalesce("),
        Piece::Part(part),
        Piece::Sql(", '')"),
    ]
}

/// The most values for which a statement is kept: there is another one for each number of them.
const FEW_VALUES: usize = 8;

/// The most conditions in one chain of `OR` or `AND`: SQLite counts each as one level more, and
/// bounds these.
const CHAIN: usize = 8;

/// Some value has the outcome; for the peer's match-all, none may have the opposite one either.
fn quantified(given: &Given, when: Truth, one: impl Fn(&Side<'_>, Truth) -> Outcome) -> Outcome {
    let sides = given.sides();
    let some = any(sides.iter().map(|side| one(side, when)).collect());
    let outcome = if given.quantifier() == Quantifier::Some {
        some
    } else {
        let opposite = any(sides.iter().map(|side| one(side, opposite(when))).collect());
        all(vec![some, not(opposite)])
    };
    match outcome {
        Outcome::When(mut pieces) if sides.len() > FEW_VALUES => {
            pieces.push(Piece::Volatile);
            Outcome::When(pieces)
        }
        few => few,
    }
}

pub(crate) fn opposite(when: Truth) -> Truth {
    match when {
        Truth::True => Truth::False,
        Truth::False => Truth::True,
    }
}

fn any(parts: Vec<Outcome>) -> Outcome {
    joined(parts, " OR ", Outcome::Always, Outcome::Never)
}

fn all(parts: Vec<Outcome>) -> Outcome {
    joined(parts, " AND ", Outcome::Never, Outcome::Always)
}

/// Joins conditions; one that is `decisive` decides, and without any the answer is `none`.
fn joined(parts: Vec<Outcome>, word: &'static str, decisive: Outcome, none: Outcome) -> Outcome {
    let mut found: Vec<Vec<Piece>> = Vec::new();
    for part in parts {
        match part {
            part if part == decisive => return decisive,
            Outcome::When(pieces) => found.push(pieces),
            Outcome::Always | Outcome::Never => {}
        }
    }
    if found.len() < 2 {
        return found.pop().map_or(none, Outcome::When);
    }
    while found.len() > CHAIN {
        found = found.chunks(CHAIN).map(|part| chain(part, word)).collect();
    }
    Outcome::When(chain(&found, word))
}

/// `((a) OR (b) OR (c))`
fn chain(parts: &[Vec<Piece>], word: &'static str) -> Vec<Piece> {
    let mut pieces = vec![Piece::Sql("(")];
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            pieces.push(Piece::Sql(word));
        }
        pieces.push(Piece::Sql("("));
        pieces.extend(part.iter().cloned());
        pieces.push(Piece::Sql(")"));
    }
    pieces.push(Piece::Sql(")"));
    pieces
}

/// The rows for which the condition is false or NULL.
fn not(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Always => Outcome::Never,
        Outcome::Never => Outcome::Always,
        Outcome::When(pieces) => {
            let mut result = vec![Piece::Sql("(")];
            result.extend(pieces);
            result.push(Piece::Sql(") IS NOT TRUE"));
            Outcome::When(result)
        }
    }
}

fn test_one(kind: Kind, op: Op, side: &Side<'_>, when: Truth) -> Outcome {
    if kind.is_missing() {
        let source = if kind.is_strict() {
            Source::Strict
        } else {
            Source::Column
        };
        let missing = Side {
            operand: Operand::Null,
            affinity: Affinity::None,
            source,
        };
        return decided(eval::compare(&missing, op, side) == Some(when == Truth::True));
    }
    match op {
        Op::Like | Op::NotLike => like(kind, op, side, when),
        Op::Equal | Op::NotEqual => equality(kind, op, side, when),
        _ => order(kind, op, side, when),
    }
}

fn like(kind: Kind, op: Op, side: &Side<'_>, when: Truth) -> Outcome {
    let Some(pattern) = pattern(side) else {
        return Outcome::Never;
    };
    let positive = (op == Op::Like) == (when == Truth::True);
    if pattern.bytes().all(|byte| byte == b'%') && !pattern.is_empty() {
        return if positive {
            kind.known(0, true)
        } else {
            Outcome::Never
        };
    }
    Outcome::When(match contains::wanted(&pattern) {
        Some(wanted) => found_in(kind, wanted, positive),
        None => {
            let mut pieces = kind.value(0);
            pieces.push(like_word(op, when));
            pieces.push(Piece::Text(pattern));
            pieces.push(Piece::Sql(" ESCAPE '\\'"));
            pieces
        }
    })
}

/// The rows whose text contains this one (`positive`), or those where it doesn't.
fn found_in(kind: Kind, wanted: String, positive: bool) -> Vec<Piece> {
    let mut pieces = vec![
        Piece::Sql("contains("),
        Piece::Text(wanted),
        Piece::Sql(", "),
    ];
    pieces.extend(kind.value(0));
    pieces.push(Piece::Sql(if positive { ")" } else { ") = 0" }));
    pieces
}

fn order(kind: Kind, op: Op, side: &Side<'_>, when: Truth) -> Outcome {
    let Some(written) = written(kind, side, true) else {
        return Outcome::Never;
    };
    if let Some(fixed) = kind.fixed_order(&written) {
        return if holds(op, fixed) == (when == Truth::True) {
            kind.known(0, true)
        } else {
            Outcome::Never
        };
    }
    let mut pieces = kind.value(0);
    pieces.push(Piece::Sql(order_word(op, when)));
    pieces.extend(written.pieces());
    Outcome::When(pieces)
}

fn equality(kind: Kind, op: Op, side: &Side<'_>, when: Truth) -> Outcome {
    let wanted = (op == Op::Equal) == (when == Truth::True);
    let given = side.source == Source::Value;
    let strict = kind.is_strict() || side.source == Source::Strict;
    let empty = match &side.operand {
        Operand::Null => !strict,
        // NULL in a relation stands for the empty text.
        Operand::Text(text) => text.is_empty() && (!strict || kind == Kind::Relation),
        _ => false,
    };
    if empty {
        return kind.is_empty(0, wanted);
    }
    // Two columns are compared through COALESCE, which converts nothing.
    let Some(written) = written(kind, side, given || strict) else {
        return kind.known(0, !wanted);
    };
    // `=` is the only comparison that leaves NULL unknown, and only its "must be false" shows it.
    let unknown = op == Op::Equal && given && !strict && !kind.never_null();
    if kind.fixed_order(&written).is_some() {
        return match (wanted, unknown) {
            (true, _) => Outcome::Never,
            (false, true) => kind.known(0, true),
            (false, false) => Outcome::Always,
        };
    }
    let word = match (wanted, unknown) {
        (true, _) => " = ",
        (false, true) => " <> ",
        (false, false) => " IS NOT ",
    };
    let mut pieces = vec![Piece::Part(0), Piece::Sql(word)];
    pieces.extend(written.pieces());
    Outcome::When(pieces)
}

/// The value, converted as the row's column would convert it, or so that it converts the row's
/// value if it is a column itself; `None` is NULL.
fn written(kind: Kind, side: &Side<'_>, convert: bool) -> Option<Written> {
    let imposed = if convert {
        imposed(kind, side)
    } else {
        Affinity::None
    };
    let key = match imposed {
        Affinity::None => key(kind, &side.operand, convert),
        Affinity::Text => side.text().map(|text| Key::Text(text.into_owned())),
        Affinity::Numeric => key(kind, &side.operand, false),
    }?;
    Some(Written { key, imposed })
}

/// What a column of the caller's record converts the row's value to. Numeric columns hold texts
/// too, those of lists; they sort behind all that converts to a number, be it converted or not.
fn imposed(kind: Kind, side: &Side<'_>) -> Affinity {
    let is_text = matches!(side.operand, Operand::Text(_));
    match (side.affinity, kind) {
        (_, Kind::Number | Kind::Bool | Kind::List) => Affinity::None,
        (Affinity::Numeric, Kind::Count) => Affinity::None,
        (Affinity::Numeric, _) if !is_text => Affinity::Numeric,
        (Affinity::Text, Kind::Count | Kind::Dynamic | Kind::Loose) => Affinity::Text,
        _ => Affinity::None,
    }
}

/// The value, converted as the column would convert it; `None` is NULL.
fn key(kind: Kind, operand: &Operand<'_>, convert: bool) -> Option<Key> {
    if convert && kind.is_text() {
        return operand_text(operand).map(Key::Text);
    }
    let numeric = convert && matches!(kind, Kind::Number | Kind::Bool | Kind::List);
    Some(match operand {
        Operand::Null => return None,
        Operand::Bool(bool) => Key::Number(f64::from(u8::from(*bool))),
        // Exact up to 2^53, as everywhere.
        Operand::Integer(integer) => Key::Number(*integer as f64),
        Operand::Number(number) => Key::Number(*number),
        Operand::Text(text) => match numeric.then(|| eval::text_to_number(text)).flatten() {
            Some(number) => Key::Number(number),
            None => Key::Text(text.clone().into_owned()),
        },
    })
}

/// A value as SQLite turns it into text; `None` is NULL.
pub(crate) fn operand_text(operand: &Operand<'_>) -> Option<String> {
    Some(match operand {
        Operand::Null => return None,
        Operand::Bool(bool) => if *bool { "1" } else { "0" }.to_owned(),
        Operand::Integer(integer) => integer.to_string(),
        Operand::Number(number) => eval::sqlite_number_text(*number),
        Operand::Text(text) => text.clone().into_owned(),
    })
}

/// The pattern that `~` matches with; `None` is NULL, and too long a one.
fn pattern(side: &Side<'_>) -> Option<String> {
    let pattern = match (&side.operand, side.source) {
        (Operand::Text(text), Source::Value) => Some(eval::like_pattern(text)),
        (Operand::Bool(bool), Source::Value) => Some(eval::like_pattern(eval::bool_word(*bool))),
        (Operand::Integer(integer), Source::Value) => {
            Some(eval::like_pattern(&integer.to_string()))
        }
        (Operand::Number(number), Source::Value) => {
            Some(eval::like_pattern(&eval::number_text(*number)))
        }
        _ => side.text().map(|text| format!("%{text}%")),
    };
    pattern.filter(|pattern| pattern.len() <= eval::MAX_PATTERN)
}

/// The pattern "contains this column's text", with nothing escaped. NULL, if it is longer than
/// [`eval::MAX_PATTERN`].
fn pattern_of(kind: Kind, part: usize) -> Vec<Piece> {
    let mut pieces = vec![Piece::Sql("(CASE WHEN octet_length(")];
    pieces.extend(kind.value(part));
    pieces.push(Piece::Sql(") < 49999 THEN '%' || "));
    pieces.extend(kind.value(part));
    pieces.push(Piece::Sql(" || '%' END) ESCAPE '\\'"));
    pieces
}

fn like_word(op: Op, when: Truth) -> Piece {
    Piece::Sql(if (op == Op::Like) == (when == Truth::True) {
        " LIKE "
    } else {
        " NOT LIKE "
    })
}

fn is_word(op: Op, when: Truth) -> &'static str {
    if (op == Op::Equal) == (when == Truth::True) {
        " IS "
    } else {
        " IS NOT "
    }
}

/// The operator, or the one that is true exactly where it is false.
fn order_word(op: Op, when: Truth) -> &'static str {
    match (op, when) {
        (Op::Greater, Truth::True) | (Op::LessOrEqual, Truth::False) => " > ",
        (Op::GreaterOrEqual, Truth::True) | (Op::Less, Truth::False) => " >= ",
        (Op::Less, Truth::True) | (Op::GreaterOrEqual, Truth::False) => " < ",
        _ => " <= ",
    }
}

fn holds(op: Op, order: Ordering) -> bool {
    match op {
        Op::Greater => order.is_gt(),
        Op::GreaterOrEqual => order.is_ge(),
        Op::Less => order.is_lt(),
        _ => order.is_le(),
    }
}
