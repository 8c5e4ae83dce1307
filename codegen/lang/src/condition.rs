//! One comparison on a path, and what becomes of it on the way: TRUE or FALSE of a row, or of no
//! row at all.

use std::borrow::Cow;

use crate::error::Error;
use crate::eval::{Affinity, Operand, Side, compare};
use crate::path::unsupported;
use crate::plan::{Column, Op, Plan, Truth, Value};
use crate::schema::{CollectionId, FieldId};
use crate::simplify::constant;
use crate::span::Span;
use crate::typed::{Hop, Step};

/// A comparison about the row where the hops end.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    pub hops: Vec<Hop>,
    pub test: Test,
    pub guard: Option<FieldId>,
    pub span: Span,
}

/// What is compared there.
#[derive(Debug, Clone)]
pub(crate) enum Test {
    Column {
        column: Column,
        strict: bool,
        op: Op,
        value: Value,
    },
    Within {
        value: Value,
        op: Op,
        column: Column,
    },
    Columns {
        left: Column,
        op: Op,
        right: Column,
        strict: bool,
    },
    /// The row satisfies its collection's list rule.
    Visible(CollectionId),
}

/// A condition of which `hops` are still to go, and the outcome that is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'c> {
    hops: &'c [Hop],
    condition: &'c Condition,
    when: Truth,
}

impl Condition {
    pub(crate) fn bound(&self, when: Truth) -> Bound<'_> {
        Bound {
            hops: &self.hops,
            condition: self,
            when,
        }
    }

    /// Up to the first hop that can yield several rows: what shares it, shares the row.
    pub(crate) fn outermost(&self) -> Option<&[Hop]> {
        let first = self.hops.iter().position(|hop| hop.is_multi())?;
        self.hops.get(..=first)
    }

    /// Of the row where the hops end.
    fn here(&self, when: Truth) -> Plan {
        let test = match &self.test {
            // NULL on one side is UNKNOWN for all but `=` and `!=`.
            Test::Column {
                op,
                value: Value::Null,
                ..
            } if !exact(*op) => Plan::Never,
            Test::Within {
                value: Value::Null, ..
            } => Plan::Never,
            Test::Column {
                column, op, value, ..
            } => Plan::Test {
                column: column.clone(),
                op: *op,
                value: value.clone(),
                when,
            },
            Test::Visible(collection) => Plan::Visible {
                collection: *collection,
                row: None,
            },
            Test::Within { value, op, column } => Plan::Within {
                value: value.clone(),
                op: *op,
                column: column.clone(),
                when,
            },
            Test::Columns {
                left, op, right, ..
            } => Plan::Columns {
                left: left.clone(),
                op: *op,
                right: right.clone(),
                when,
            },
        };
        let Some(guard) = self.guard else { return test };
        let visible = Plan::Test {
            column: Column::Field(guard),
            op: Op::Equal,
            value: Value::Bool(true),
            when: Truth::True,
        };
        // An email that isn't visible decides nothing: it neither makes the comparison true nor,
        // where every value counts, false, so that no guess can be confirmed.
        Plan::all([test, visible])
    }

    /// Of no row: every column is NULL, every length 0.
    fn nowhere(&self, when: Truth) -> Result<Plan, Error> {
        if self.guard.is_some() && when == Truth::True {
            return Ok(Plan::Never);
        }
        match &self.test {
            Test::Within {
                value,
                op,
                column: Column::Length(_),
            } => Ok(zero_items(value, *op, true, when)),
            Test::Within { .. } => Ok(Plan::Never),
            // What isn't there gives nothing away.
            Test::Visible(_) => Ok(constant(when == Truth::True)),
            Test::Columns {
                left,
                op,
                right,
                strict,
            } => {
                let (left, right) = (missing(left, *strict), missing(right, *strict));
                Ok(constant(outcome(compare(&left, *op, &right)) == Some(when)))
            }
            Test::Column {
                column: Column::Length(_),
                op,
                value,
                ..
            } => Ok(zero_items(value, *op, false, when)),
            Test::Column { op, .. } if !exact(*op) => Ok(Plan::Never),
            Test::Column {
                strict, op, value, ..
            } => {
                if *strict {
                    self.strictly_nowhere(*op, value, when)
                } else {
                    Ok(null_against(*op, value, when))
                }
            }
        }
    }

    /// `NULL IS value` is never UNKNOWN.
    fn strictly_nowhere(&self, op: Op, value: &Value, when: Truth) -> Result<Plan, Error> {
        let is_null = match content(value) {
            Content::Null => true,
            Content::Empty | Content::Given => false,
            Content::Unknown => {
                let message = "json behind a relation can't be compared with a value of the \
                               request yet";
                return Err(unsupported(self.span, message));
            }
        };
        let holds = is_null == (op == Op::Equal);
        Ok(constant(holds == (when == Truth::True)))
    }
}

/// The length of no list is 0, and not NULL.
fn zero_items(value: &Value, op: Op, value_first: bool, when: Truth) -> Plan {
    let zero = Side::column(Operand::Integer(0), Affinity::None);
    let found = literal(value).map(|value| {
        if value_first {
            compare(&value, op, &zero)
        } else {
            compare(&zero, op, &value)
        }
    });
    if let Some(found) = found {
        return constant(outcome(found) == Some(when));
    }
    let (zero, value) = (Value::Number(0.0), value.clone());
    let (left, right) = if value_first {
        (value, zero)
    } else {
        (zero, value)
    };
    Plan::Request {
        left,
        op,
        right,
        when,
    }
}

/// `NULL op value` for `=` and `!=`, where NULL and the empty text are alike. It is written so that
/// what remains for the run time is never UNKNOWN-or-FALSE, and can be negated.
fn null_against(op: Op, value: &Value, when: Truth) -> Plan {
    let asked = match (op, when) {
        (Op::Equal, Truth::True) | (Op::NotEqual, Truth::False) => Op::Equal,
        (Op::NotEqual, Truth::True) => Op::NotEqual,
        // Between columns `=` is never UNKNOWN.
        (Op::Equal, Truth::False) if value.may_be_column() => Op::NotEqual,
        // TRUE or UNKNOWN.
        _ => return Plan::Never,
    };
    match content(value) {
        Content::Null | Content::Empty => constant(asked == Op::Equal),
        Content::Given => constant(asked == Op::NotEqual),
        Content::Unknown => Plan::Request {
            left: Value::Null,
            op: asked,
            right: value.clone(),
            when: Truth::True,
        },
    }
}

/// What is known of a value before the request.
enum Content {
    Null,
    Empty,
    Given,
    Unknown,
}

fn content(value: &Value) -> Content {
    match value {
        Value::Null => Content::Null,
        Value::Text(text) if text.is_empty() => Content::Empty,
        Value::Bool(_)
        | Value::Number(_)
        | Value::Text(_)
        | Value::Macro(_)
        | Value::Method
        | Value::Context
        | Value::IsSet(_)
        | Value::Length(_) => Content::Given,
        Value::Auth(_)
        | Value::Body(_)
        | Value::Query(_)
        | Value::Header(_)
        | Value::Lower(_)
        | Value::Numeric(_)
        | Value::Each(..) => Content::Unknown,
    }
}

/// A value that is written out in the rule, ready to be compared.
pub(crate) fn literal(value: &Value) -> Option<Side<'_>> {
    let operand = match value {
        Value::Null => Operand::Null,
        Value::Bool(bool) => Operand::Bool(*bool),
        Value::Number(number) => Operand::Number(*number),
        Value::Text(text) => Operand::Text(Cow::Borrowed(text)),
        _ => return None,
    };
    Some(Side::value(operand))
}

/// A column of a row that isn't there.
fn missing(column: &Column, strict: bool) -> Side<'static> {
    let operand = match column {
        Column::Length(_) => Operand::Integer(0),
        _ => Operand::Null,
    };
    if strict {
        Side::strict(operand, Affinity::None)
    } else {
        Side::column(operand, Affinity::None)
    }
}

fn outcome(found: Option<bool>) -> Option<Truth> {
    found.map(|holds| if holds { Truth::True } else { Truth::False })
}

pub(crate) fn exact(op: Op) -> bool {
    matches!(op, Op::Equal | Op::NotEqual)
}

/// All conditions, of one row and of what it points to; those on the same path of the same row.
///
/// Each hop is a LEFT JOIN: either some row behind it satisfies the rest, or there is none, and the
/// rest is asked of NULLs.
pub(crate) fn of_row(bounds: &[Bound<'_>]) -> Result<Plan, Error> {
    let mut parts = Vec::new();
    let mut groups: Vec<(Hop, Vec<Bound<'_>>)> = Vec::new();
    for bound in bounds {
        let Some((hop, rest)) = bound.hops.split_first() else {
            parts.push(bound.condition.here(bound.when));
            continue;
        };
        let bound = Bound {
            hops: rest,
            ..*bound
        };
        match groups.iter_mut().find(|(known, _)| known == hop) {
            Some((_, group)) => group.push(bound),
            None => groups.push((*hop, vec![bound])),
        }
    }
    for (hop, group) in groups {
        let nowhere: Result<Vec<Plan>, Error> = group
            .iter()
            .map(|bound| bound.condition.nowhere(bound.when))
            .collect();
        let inner = Box::new(of_row(&group)?);
        let field = hop.field;
        let some = match hop.step {
            Step::One(target) | Step::Many(target) => Plan::Via {
                field,
                target,
                inner,
                holds: true,
            },
            Step::Items => Plan::Each {
                field,
                inner,
                holds: true,
            },
        };
        let none = Plan::all(
            [Plan::Empty { field, holds: true }]
                .into_iter()
                .chain(nowhere?),
        );
        parts.push(Plan::any([some.fold(), none]));
    }
    Ok(Plan::all(parts))
}
