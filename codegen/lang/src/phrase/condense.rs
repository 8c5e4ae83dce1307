//! From the plans that comparisons were lowered to, back to comparisons: what the language says in
//! one operator, a plan says in up to four parts.

use std::borrow::Cow;

use crate::eval::{Affinity, Operand, Side, Source, compare};
use crate::plan::{Plan, Truth, Value};
use crate::schema::FieldId;

/// Parts that all must hold, with those that are one comparison of several values put together.
pub(super) enum Part {
    /// Every value compares: the operator as it is written plainly.
    Every(Plan),
    /// Anything else.
    One(Plan),
}

/// Finds the pairs "some value gives TRUE, and none gives FALSE".
pub(super) fn parts(items: &[Plan]) -> Vec<Part> {
    let whole: Vec<Plan> = items.iter().map(|item| condense(item, true)).collect();
    let negatives: Vec<Option<Plan>> = items.iter().map(positive).collect();
    let of_pair = |at: usize| {
        let it = negatives.get(at)?.as_ref()?;
        whole.iter().position(|other| other == it)
    };
    let pairs: Vec<Option<usize>> = (0..items.len()).map(of_pair).collect();
    let mut parts = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let is_negative = pairs.get(at).is_some_and(Option::is_some);
        match whole.get(at) {
            _ if is_negative => {}
            Some(whole) if pairs.contains(&Some(at)) => parts.push(Part::Every(whole.clone())),
            _ => parts.push(Part::One(condense(item, false))),
        }
    }
    parts
}

/// Of "none gives FALSE": "some gives TRUE".
fn positive(plan: &Plan) -> Option<Plan> {
    let turned = |inner: &Plan| Some(Box::new(turned(inner)?));
    Some(match plan {
        Plan::Via {
            field,
            target,
            inner,
            holds: false,
        } => Plan::Via {
            field: *field,
            target: *target,
            inner: turned(inner)?,
            holds: true,
        },
        Plan::Each {
            field,
            inner,
            holds: false,
        } => Plan::Each {
            field: *field,
            inner: turned(inner)?,
            holds: true,
        },
        Plan::Joined {
            joins,
            inner,
            holds: false,
        } => Plan::Joined {
            joins: joins.clone(),
            inner: turned(inner)?,
            holds: true,
        },
        _ => return None,
    })
}

/// The comparison behind some relations that must be FALSE, as one that must be TRUE.
fn turned(plan: &Plan) -> Option<Plan> {
    let mut plan = plan.clone();
    let mut place = &mut plan;
    loop {
        match place {
            Plan::Via {
                inner, holds: true, ..
            }
            | Plan::Each {
                inner, holds: true, ..
            } => place = inner,
            Plan::Test { when, .. } | Plan::Within { when, .. } | Plan::Columns { when, .. }
                if *when == Truth::False =>
            {
                *when = Truth::True;
                return Some(plan);
            }
            _ => return None,
        }
    }
}

/// The plan without the parts that speak of empty relations where a comparison goes along them: to
/// the language the missing record is one of NULLs. With `force`, without asking whether the
/// comparison holds of NULL.
pub(super) fn condense(plan: &Plan, force: bool) -> Plan {
    match plan {
        Plan::Any(items) => {
            let items: Vec<Plan> = items.iter().map(|item| condense(item, force)).collect();
            let implied = |item: &Plan| {
                items.iter().any(|other| {
                    field_of(other).is_some_and(|field| says_empty(item, field, other, force))
                })
            };
            Plan::any(items.iter().filter(|item| !implied(item)).cloned())
        }
        Plan::Via {
            field,
            target,
            inner,
            holds,
        } => Plan::Via {
            field: *field,
            target: *target,
            inner: Box::new(condense(inner, force)),
            holds: *holds,
        },
        other => other.clone(),
    }
}

/// The field that a condition on related records or items goes along.
fn field_of(plan: &Plan) -> Option<FieldId> {
    match plan {
        Plan::Via {
            field, holds: true, ..
        }
        | Plan::Each {
            field, holds: true, ..
        } => Some(*field),
        _ => None,
    }
}

/// Does the plan say that the relation is empty, where the comparison behind it holds of NULL?
fn says_empty(plan: &Plan, field: FieldId, comparison: &Plan, force: bool) -> bool {
    let empty = Plan::Empty { field, holds: true };
    match plan {
        it if *it == empty => force || holds_of_null(comparison),
        Plan::All(items) => match items.as_slice() {
            [
                first,
                Plan::Request {
                    left: Value::Null,
                    op,
                    right,
                    when: Truth::True,
                },
            ] => {
                *first == empty
                    && matches!(leaf(comparison), Some(Plan::Test { op: its, value, .. })
                    if its == op && value == right)
            }
            _ => false,
        },
        _ => false,
    }
}

/// The comparison behind relations.
fn leaf(plan: &Plan) -> Option<&Plan> {
    match plan {
        Plan::Via {
            inner, holds: true, ..
        }
        | Plan::Each {
            inner, holds: true, ..
        } => leaf(inner),
        Plan::Test { .. } => Some(plan),
        _ => None,
    }
}

fn holds_of_null(comparison: &Plan) -> bool {
    let Some(Plan::Test {
        op, value, when, ..
    }) = leaf(comparison)
    else {
        return false;
    };
    let operand = match value {
        Value::Null => Operand::Null,
        Value::Bool(bool) => Operand::Integer(i64::from(*bool)),
        Value::Number(number) => Operand::Number(*number),
        Value::Text(text) => Operand::Text(Cow::Borrowed(text)),
        _ => return false,
    };
    let null = Side {
        operand: Operand::Null,
        affinity: Affinity::None,
        source: Source::Column,
    };
    compare(&null, *op, &Side::value(operand)) == Some(*when == Truth::True)
}
