//! One comparison on a path, and what becomes of it on the way: TRUE or FALSE of a row, or of no
//! row at all.

use std::borrow::Cow;

use crate::eval::{Affinity, Operand, Side, compare};
use crate::join::readable;
use crate::plan::{Column, Op, Plan, Truth, Value};
use crate::schema::CollectionId;
use crate::simplify::constant;
use crate::typed::{Guard, Guarded, Hop, Step};

/// A comparison about the row where the hops end.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    pub hops: Vec<Hop>,
    pub test: Test,
    pub guards: Vec<Guard>,
    /// The relations on the way that the caller may not be able to read: where that is so, the
    /// condition holds.
    pub links: Vec<Guard>,
}

/// One side of a comparison.
#[derive(Debug, Clone)]
pub(crate) enum Term {
    Value(Value),
    Column(Column),
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
    /// Two values beside a function's arguments: no row is needed after all.
    Values { left: Value, op: Op, right: Value },
    /// The row satisfies its collection's list rule.
    Visible(CollectionId),
}

impl Test {
    /// The column on the left, if there is one and the operator can be mirrored.
    pub(crate) fn new(left: Term, op: Op, right: Term, strict: bool) -> Self {
        match (left, right) {
            (Term::Column(column), Term::Value(value)) => Self::Column {
                column,
                strict,
                op,
                value,
            },
            (Term::Value(value), Term::Column(column)) if matches!(op, Op::Like | Op::NotLike) => {
                Self::Within { value, op, column }
            }
            (Term::Value(value), Term::Column(column)) => Self::Column {
                column,
                strict,
                op: op.mirrored(),
                value,
            },
            (Term::Column(left), Term::Column(right)) => Self::Columns {
                left,
                op,
                right,
                strict,
            },
            (Term::Value(left), Term::Value(right)) => Self::Values { left, op, right },
        }
    }

    /// Of the row whose columns they are.
    pub(crate) fn here(&self, when: Truth) -> Plan {
        match self {
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
            Test::Values { left, op, right } => Plan::Request {
                left: left.clone(),
                op: *op,
                right: right.clone(),
                when,
            },
        }
    }
}

/// A condition of which `hops` are still to go, and the outcome that is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'c> {
    hops: &'c [Hop],
    condition: &'c Condition,
    when: Truth,
}

impl Bound<'_> {
    /// What the row that has been reached must satisfy, lest the comparison tell what the caller
    /// can't see: such a value neither makes it true nor, where every value counts, false.
    fn guards(&self) -> impl Iterator<Item = Plan> {
        let done = self.condition.hops.len() - self.hops.len();
        let guards = self.condition.guards.iter();
        guards
            .filter(move |guard| guard.after == done)
            .map(|guard| match guard.what {
                Guarded::True(field) => Plan::Test {
                    column: Column::Field(field),
                    op: Op::Equal,
                    value: Value::Bool(true),
                    when: Truth::True,
                },
                Guarded::Readable { collection, field } => readable(collection, field, None, true),
            })
    }

    /// To a caller who may not read the next relation, nothing is behind it that could be kept back.
    fn unseen(&self) -> Option<Plan> {
        let done = self.condition.hops.len() - self.hops.len();
        self.condition
            .links
            .iter()
            .find_map(|link| match link.what {
                Guarded::Readable { collection, field } if link.after == done => {
                    Some(readable(collection, field, None, false))
                }
                _ => None,
            })
    }
}

impl Condition {
    pub(crate) fn bound(&self, when: Truth) -> Bound<'_> {
        Bound {
            hops: &self.hops,
            condition: self,
            when,
        }
    }

    /// Of no row: every column is NULL, every length 0. `None` where it can't be said.
    fn nowhere(&self, when: Truth) -> Option<Plan> {
        let hides = |guard: &Guard| matches!(guard.what, Guarded::True(_));
        if self.guards.iter().any(hides) && when == Truth::True {
            return Some(Plan::Never);
        }
        Some(match &self.test {
            Test::Within {
                value,
                op,
                column: Column::Length(_),
            } => zero_items(value, *op, true, when),
            Test::Within { .. } => Plan::Never,
            Test::Values { .. } => self.test.here(when),
            // What isn't there gives nothing away.
            Test::Visible(_) => constant(when == Truth::True),
            Test::Columns {
                left,
                op,
                right,
                strict,
            } => {
                let (left, right) = (missing(left, *strict), missing(right, *strict));
                constant(outcome(compare(&left, *op, &right)) == Some(when))
            }
            Test::Column {
                column: Column::Length(_),
                op,
                value,
                ..
            } => zero_items(value, *op, false, when),
            Test::Column { op, .. } if !exact(*op) => Plan::Never,
            Test::Column {
                strict: true,
                op,
                value,
                ..
            } => strictly_nowhere(*op, value, when)?,
            Test::Column { op, value, .. } => null_against(*op, value, when),
        })
    }
}

/// `NULL IS value` is never UNKNOWN; for a value of the request it can't be said.
fn strictly_nowhere(op: Op, value: &Value, when: Truth) -> Option<Plan> {
    let is_null = match content(value) {
        Content::Null => true,
        Content::Empty | Content::Given => false,
        Content::Unknown => return None,
    };
    let holds = is_null == (op == Op::Equal);
    Some(constant(holds == (when == Truth::True)))
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
        Value::Bool(bool) => Operand::Integer(i64::from(*bool)),
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
/// rest is asked of NULLs. `None` where that can't be said.
pub(crate) fn of_row(bounds: &[Bound<'_>]) -> Option<Plan> {
    let mut parts = Vec::new();
    let mut groups: Vec<(Hop, Vec<Bound<'_>>, Option<Plan>)> = Vec::new();
    for bound in bounds {
        let Some((hop, rest)) = bound.hops.split_first() else {
            parts.push(bound.condition.test.here(bound.when));
            parts.extend(bound.guards());
            continue;
        };
        parts.extend(bound.guards());
        let unseen = bound.unseen();
        let bound = Bound {
            hops: rest,
            ..*bound
        };
        match groups.iter_mut().find(|(known, ..)| known == hop) {
            Some((_, group, all)) => {
                group.push(bound);
                // What is compared must be readable.
                *all = all.take().and(unseen);
            }
            None => groups.push((*hop, vec![bound], unseen)),
        }
    }
    for (hop, group, unseen) in groups {
        let nowhere: Option<Vec<Plan>> = group
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
            Step::Back { .. } => return None,
        };
        let none = Plan::all(
            [Plan::Empty { field, holds: true }]
                .into_iter()
                .chain(nowhere?),
        );
        parts.push(Plan::any([some.fold(), none].into_iter().chain(unseen)));
    }
    Some(Plan::all(parts))
}
