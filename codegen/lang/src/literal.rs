//! Does a comparison suit the types of its sides? Asked of rules only: at run time the peer lets
//! such things pass, and so do we.

use crate::ast::Comparison;
use crate::check::{Checked, is_literal};
use crate::error::{Code, Error};
use crate::eval::{sqlite_number_text, text_to_number};
use crate::plan::{Column, Op, Value};
use crate::scope::{did_you_mean, nearest};
use crate::span::Span;
use crate::typed::{Node, Operand, Type};

/// Judges `side` against `other`; called once for each side.
pub(crate) fn check(
    side: &Checked<'_>,
    other: &Checked<'_>,
    comparison: &Comparison,
    findings: &mut Vec<Error>,
) {
    if is_literal(&side.operand.node) {
        return;
    }
    let name = &side.operand.text;
    if side.operand.ty == Type::Bool && !matches!(comparison.op, Op::Equal | Op::NotEqual) {
        // Two bools on both sides of one operator are one mistake.
        let reported = findings
            .last()
            .is_some_and(|it| it.code == Code::Operator && it.span == comparison.op_span);
        if !reported {
            let message = format!(
                "`{}` can't compare the bool `{name}`",
                comparison.op.as_str()
            );
            let error = Error::new(Code::Operator, comparison.op_span, message, "not for bools");
            findings.push(error.with_help("bools compare with `=` and `!=`"));
        }
        return;
    }
    let like = matches!(comparison.op, Op::Like | Op::NotLike);
    let finding = match &other.operand.node {
        Node::Value(literal) if is_literal(&other.operand.node) => {
            against(side, literal, other.operand.span, comparison.op)
        }
        _ if like => None,
        _ => several(&side.operand, other),
    };
    findings.extend(finding);
}

fn against(side: &Checked<'_>, literal: &Value, span: Span, op: Op) -> Option<Error> {
    let like = matches!(op, Op::Like | Op::NotLike);
    let exact = matches!(op, Op::Equal | Op::NotEqual);
    let name = &side.operand.text;
    let wrong =
        |message: String, label: &str| Some(Error::new(Code::Literal, span, message, label));
    match (side.operand.ty, literal) {
        (_, Value::Null) if !exact => None,
        (Type::Bool, Value::Text(text)) if !text.is_empty() => {
            wrong(format!("the bool `{name}` never equals a text"), "a text")
                .map(|error| error.with_help("compare it with `true` or `false`"))
        }
        (Type::Bool, Value::Number(number)) if *number != 0.0 && *number != 1.0 => wrong(
            format!("the bool `{name}` is never {number}"),
            "neither 0 nor 1",
        )
        .map(|error| error.with_help("compare it with `true` or `false`")),
        (Type::Number, Value::Text(text)) if !like && !text.is_empty() => {
            number(side, text, op, span)
        }
        (Type::Bool | Type::Number, Value::Null | Value::Text(_)) if !like && !side.nullable => {
            empty_number(side, literal, span)
        }
        (Type::Choice, Value::Text(text)) if exact => choice(side, text, span),
        (Type::Choices | Type::Records, literal) if !like => json_text(side, literal, span),
        (Type::Date, Value::Number(_) | Value::Bool(_)) => wrong(
            format!("the date `{name}` can't be compared with this"),
            "not a date",
        )
        .map(|error| error.with_help("write dates as '2024-01-31 12:00:00.000Z'")),
        (Type::Date, Value::Text(text)) if !like => date(name, text, op, span),
        (Type::Text | Type::Record | Type::Choice, Value::Number(_) | Value::Bool(_)) if !like => {
            as_text(&side.operand, literal, span)
        }
        _ => None,
    }
}

/// A column of numbers converts the text that it is compared with, if it can; other numbers sort
/// before every text.
fn number(side: &Checked<'_>, text: &str, op: Op, span: Span) -> Option<Error> {
    let converts = match &side.operand.node {
        Node::Path(path) | Node::Submitted(path) => !matches!(path.column, Column::Length(_)),
        Node::Value(Value::Auth(_)) => true,
        Node::Value(_) | Node::Changed { .. } | Node::Call(_) => false,
        // A column where the caller is of the collection.
        Node::Caller(_) => true,
    };
    let is_number = text_to_number(text).is_some();
    if converts && is_number {
        return None;
    }
    let name = &side.operand.text;
    let message = if matches!(op, Op::Equal | Op::NotEqual) {
        format!("the number `{name}` never equals the text `{text}`")
    } else {
        format!("the number `{name}` sorts before every text, also before `{text}`")
    };
    let label = if is_number { "a text" } else { "no number" };
    let error = Error::new(Code::Literal, span, message, label);
    Some(if is_number {
        error.with_help("write the number without quotes: all numbers sort before all texts here")
    } else {
        error
    })
}

/// Number and bool fields hold 0 and false where nothing was given.
fn empty_number(side: &Checked<'_>, literal: &Value, span: Span) -> Option<Error> {
    let empty = *literal == Value::Null || *literal == Value::Text(String::new());
    empty.then(|| {
        let Operand { ty, text, .. } = &side.operand;
        let message = format!("the {ty} `{text}` is never empty");
        let zero = if *ty == Type::Bool { "false" } else { "0" };
        Error::new(Code::OddLiteral, span, message, "never equal")
            .with_help(format!("where nothing was given it is `{zero}`"))
    })
}

fn choice(side: &Checked<'_>, text: &str, span: Span) -> Option<Error> {
    let known = text.is_empty() || side.values.iter().any(|value| value == text);
    if known || side.values.is_empty() {
        return None;
    }
    let message = format!("`{text}` is no value of `{}`", side.operand.text);
    let near = nearest(text, side.values.iter().map(String::as_str));
    let listed = side
        .values
        .iter()
        .take(12)
        .map(|value| format!("`{value}`"));
    let values = format!("the values are {}", listed.collect::<Vec<_>>().join(", "));
    let error = Error::new(Code::Literal, span, message, "not a value of the select");
    Some(error.with_help(values).with_maybe_help(did_you_mean(near)))
}

/// Several values, without `:each`, are compared as the text of a JSON array.
fn json_text(side: &Checked<'_>, literal: &Value, span: Span) -> Option<Error> {
    if matches!(literal, Value::Text(text) if text.starts_with('[')) {
        return None;
    }
    let Operand { ty, text, .. } = &side.operand;
    let message = format!("`{text}` is compared as the text of a JSON array");
    // A rule that compares a relation with an id is a common slip that the peer accepts.
    let code = if *ty == Type::Choices {
        Code::Literal
    } else {
        Code::JsonText
    };
    Some(Error::new(code, span, message, "never equals an array").with_help(items_help(text)))
}

fn items_help(text: &str) -> String {
    format!(
        "use `{text}:each ?=` to look at the items, `{text}:length = 0` to ask if there are none"
    )
}

/// Several values against something that is known only at run time.
fn several(side: &Operand, other: &Checked<'_>) -> Option<Error> {
    let several = |ty| matches!(ty, Type::Choices | Type::Records);
    if !several(side.ty) || several(other.operand.ty) || other.operand.ty == Type::Unknown {
        return None;
    }
    let message = format!("`{}` is compared as the text of a JSON array", side.text);
    let error = Error::new(Code::JsonText, side.span, message, "several values");
    Some(error.with_help(items_help(&side.text)))
}

/// Dates are text, compared byte by byte.
fn date(name: &str, text: &str, op: Op, span: Span) -> Option<Error> {
    const SHAPE: &str = "0000-00-00 00:00:00.000Z";
    let fits = text.len() <= SHAPE.len()
        && text
            .chars()
            .zip(SHAPE.chars())
            .all(|(found, shape)| match shape {
                '0' => found.is_ascii_digit(),
                other => found == other,
            });
    let whole = text.len() == SHAPE.len() || text.is_empty();
    let exact = matches!(op, Op::Equal | Op::NotEqual);
    if fits && (whole || !exact) {
        return None;
    }
    let message = if fits {
        format!("the date `{name}` never equals `{text}`, which is only a part of a date")
    } else {
        format!("`{text}` is not how dates are stored, and they are compared as text")
    };
    Some(
        Error::new(Code::OddLiteral, span, message, "compared byte by byte")
            .with_help("write dates as '2024-01-31 12:00:00.000Z'"),
    )
}

fn as_text(side: &Operand, literal: &Value, span: Span) -> Option<Error> {
    // What a function gives converts nothing.
    if matches!(side.node, Node::Call(_)) {
        return None;
    }
    let text = match literal {
        Value::Bool(bool) => u8::from(*bool).to_string(),
        Value::Number(number) if number.fract() == 0.0 => sqlite_number_text(*number),
        _ => return None,
    };
    let message = format!(
        "the {} `{}` is compared with the text `{text}`",
        side.ty, side.text
    );
    Some(
        Error::new(Code::OddLiteral, span, message, "becomes a text")
            .with_help("put the value in quotes"),
    )
}
