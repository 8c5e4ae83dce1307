//! The condition of a partial index as SQL. Only the record's own columns and literals can occur:
//! an index has no request, and SQLite allows no sub-selects there.

use basalt_lang::eval::like_pattern;
use basalt_lang::plan::{Column, Op, Plan, Truth, Value};

use super::{ident, literal};
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
        Plan::Via { .. } | Plan::Each { .. } | Plan::Visible { .. } => {
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

/// `IS` and `IS NOT` compare NULL as a value, which is what rules mean; on a column that is never
/// NULL, `=` and `<>` say the same.
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

struct Operand {
    sql: String,
    equal: &'static str,
    not_equal: &'static str,
}

fn operand(fields: &[Field], column: &Column) -> Result<Operand, String> {
    let field = |id: &basalt_lang::schema::FieldId| fields.get(id.0).ok_or_else(unknown_field);
    let plain = |sql: String| Operand {
        sql,
        equal: "=",
        not_equal: "<>",
    };
    let nullable = |sql: String| Operand {
        sql,
        equal: "IS",
        not_equal: "IS NOT",
    };
    Ok(match column {
        Column::Field(id) => {
            let field = field(id)?;
            let name = ident(&field.name);
            match &field.kind {
                // Empty is NULL in the table and "" in a rule.
                Kind::Relation { many: false, .. } => plain(format!("coalesce({name}, '')")),
                _ if field.nullable => nullable(name),
                _ => plain(name),
            }
        }
        Column::Lower(id) => nullable(format!("lower({})", ident(&field(id)?.name))),
        Column::Length(id) => nullable(format!("json_array_length({})", ident(&field(id)?.name))),
        Column::Path(id, path) => nullable(format!(
            "json_extract({}, {})",
            ident(&field(id)?.name),
            literal(&json_path(path))
        )),
        Column::Item => return Err("looks at items; use whole columns only".to_owned()),
    })
}

fn json_path(path: &[String]) -> String {
    let mut text = "$".to_owned();
    for part in path {
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
            text.push_str(&format!("[{part}]"));
        } else {
            text.push_str(&format!(".\"{part}\""));
        }
    }
    text
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
