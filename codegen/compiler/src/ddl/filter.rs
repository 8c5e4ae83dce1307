//! The condition of a partial index as SQL. Only the record's own columns and literals can occur:
//! an index has no request, and SQLite allows no sub-selects there.

use basalt_lang::eval::like_pattern;
use basalt_lang::plan::{Column, Op, Plan, Truth, Value};

use super::{ident, literal, single_target};
use crate::snapshot::{Field, Kind};

/// The condition as SQL over the columns of `fields`. The error completes the sentence
/// "the condition of index … ".
pub fn condition(fields: &[Field], plan: &Plan) -> Result<String, String> {
    match plan {
        Plan::Always => Ok("TRUE".to_owned()),
        Plan::Never => Ok("FALSE".to_owned()),
        Plan::All(parts) => join(fields, parts, " AND ", "TRUE"),
        Plan::Any(parts) => join(fields, parts, " OR ", "FALSE"),
        Plan::Test {
            column,
            op,
            value,
            when,
        } => {
            if let Some(text) = emptiness(field_of(fields, column)?, *op, value, *when) {
                return Ok(text);
            }
            let left = operand(fields, column)?;
            let right = match (op, value) {
                (Op::Like | Op::NotLike, Value::Text(text)) => literal(&like_pattern(text)),
                _ => constant(value)?,
            };
            Ok(compare(&left, *op, &right, *when))
        }
        Plan::Columns {
            left,
            op,
            right,
            when,
        } => {
            let left = operand(fields, left)?;
            let right = operand(fields, right)?;
            Ok(compare(&left, *op, &right.sql, *when))
        }
        Plan::Empty { field, holds } => {
            let field = fields.get(field.0).ok_or_else(unknown_field)?;
            let column = ident(&field.name);
            Ok(match (&field.kind, holds) {
                (Kind::Relation { many: false, .. }, true) => format!("{column} IS NULL"),
                (Kind::Relation { many: false, .. }, false) => format!("{column} IS NOT NULL"),
                (_, true) => format!("{column} IS '[]'"),
                (_, false) => format!("{column} IS NOT '[]'"),
            })
        }
        Plan::Request { .. } | Plan::Within { .. } => {
            Err("depends on the request; use columns and literals only".to_owned())
        }
        Plan::Via { .. }
        | Plan::Each { .. }
        | Plan::Joined { .. }
        | Plan::Visible { .. }
        | Plan::Readable { .. } => {
            Err("looks at other rows; use the record's own columns only".to_owned())
        }
    }
}

fn join(fields: &[Field], parts: &[Plan], word: &str, none: &str) -> Result<String, String> {
    let parts: Vec<String> = parts
        .iter()
        .map(|part| {
            let text = condition(fields, part)?;
            Ok(match part {
                Plan::All(_) | Plan::Any(_) => format!("({text})"),
                _ => text,
            })
        })
        .collect::<Result<_, String>>()?;
    Ok(if parts.is_empty() {
        none.to_owned()
    } else {
        parts.join(word)
    })
}

fn compare(left: &Operand, op: Op, right: &str, when: Truth) -> String {
    let negated = when == Truth::False;
    let word = match (op, negated) {
        (Op::Equal, false) | (Op::NotEqual, true) => left.equal,
        (Op::NotEqual, false) | (Op::Equal, true) => left.not_equal,
        (Op::Greater, false) | (Op::LessOrEqual, true) => ">",
        (Op::GreaterOrEqual, false) | (Op::Less, true) => ">=",
        (Op::Less, false) | (Op::GreaterOrEqual, true) => "<",
        (Op::LessOrEqual, false) | (Op::Greater, true) => "<=",
        (Op::Like, false) | (Op::NotLike, true) => "LIKE",
        (Op::NotLike, false) | (Op::Like, true) => "NOT LIKE",
    };
    let escape = if matches!(op, Op::Like | Op::NotLike) {
        " ESCAPE '\\'"
    } else {
        ""
    };
    format!("{} {word} {right}{escape}", left.sql)
}

/// A column, with the words for "equal" that treat its NULL as rules do.
struct Operand {
    sql: String,
    equal: &'static str,
    not_equal: &'static str,
}

impl Operand {
    fn new(sql: String, equal: &'static str, not_equal: &'static str) -> Self {
        Operand {
            sql,
            equal,
            not_equal,
        }
    }
}

fn operand(fields: &[Field], column: &Column) -> Result<Operand, String> {
    let field = field_of(fields, column)?;
    let name = ident(&field.name);
    Ok(
        if is_text(field) && (field.nullable || is_relation(field)) {
            // In a rule, an empty relation is "", and a null text equals it.
            Operand::new(format!("coalesce({name}, '')"), "=", "<>")
        } else if field.nullable {
            Operand::new(name, "IS", "IS NOT")
        } else {
            Operand::new(name, "=", "<>")
        },
    )
}

/// `column = ''` and its like, where the general form would be longer or mean something else;
/// `null` is the empty text where the column holds texts.
fn emptiness(field: &Field, op: Op, value: &Value, when: Truth) -> Option<String> {
    let empty = match value {
        Value::Null => true,
        Value::Text(text) => text.is_empty() && is_text(field),
        _ => false,
    };
    let holds = match op {
        Op::Equal => when == Truth::True,
        Op::NotEqual => when == Truth::False,
        _ => return None,
    };
    let name = ident(&field.name);
    let not = if holds { "" } else { "NOT " };
    match empty {
        true if is_text(field) && !is_relation(field) => {
            let word = if holds { "=" } else { "<>" };
            Some(if field.nullable {
                format!("coalesce({name}, '') {word} ''")
            } else {
                format!("{name} {word} ''")
            })
        }
        true => Some(format!("{name} IS {not}NULL")),
        false => None,
    }
}

fn field_of<'a>(fields: &'a [Field], column: &Column) -> Result<&'a Field, String> {
    match column {
        Column::Field(id) => fields.get(id.0).ok_or_else(unknown_field),
        _ => Err("looks inside a value; use whole columns only".to_owned()),
    }
}

fn is_relation(field: &Field) -> bool {
    single_target(field).is_some()
}

fn is_text(field: &Field) -> bool {
    !matches!(field.kind, Kind::Number | Kind::Bool)
}

fn constant(value: &Value) -> Result<String, String> {
    match value {
        Value::Null => Ok("NULL".to_owned()),
        Value::Bool(true) => Ok("TRUE".to_owned()),
        Value::Bool(false) => Ok("FALSE".to_owned()),
        Value::Number(number) => Ok(format!("{number:?}")),
        Value::Text(text) => Ok(literal(text)),
        _ => Err("depends on the request or the time; use literals only".to_owned()),
    }
}

fn unknown_field() -> String {
    "names a field that doesn't exist".to_owned()
}
