//! What can be asked of a plan, and done to it, without knowing the schema.

use crate::plan::{Op, Plan, Quantifier, Truth, Value};
use crate::walk::pruned;

/// What a plan needs in order to be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Nothing: always the same.
    Constant,
    /// The request only.
    Request,
    /// The row's own columns.
    Record,
    /// Rows of other collections.
    Relational,
}

impl Plan {
    /// All of them: flat, without what is always true; [`Plan::Never`] wins.
    pub fn all(items: impl IntoIterator<Item = Plan>) -> Plan {
        let mut flat = Vec::new();
        for item in items {
            match item {
                Plan::Always => {}
                Plan::Never => return Plan::Never,
                Plan::All(inner) => inner.into_iter().for_each(|item| push_new(&mut flat, item)),
                other => push_new(&mut flat, other),
            }
        }
        one_or(flat, Plan::Always, Plan::All)
    }

    /// One of them: flat, without what is never true; [`Plan::Always`] wins.
    pub fn any(items: impl IntoIterator<Item = Plan>) -> Plan {
        let mut flat = Vec::new();
        for item in items {
            match item {
                Plan::Never => {}
                Plan::Always => return Plan::Always,
                Plan::Any(inner) => inner.into_iter().for_each(|item| push_new(&mut flat, item)),
                other => push_new(&mut flat, other),
            }
        }
        one_or(flat, Plan::Never, Plan::Any)
    }

    /// The same meaning, in its simplest form.
    #[must_use]
    pub fn fold(self) -> Plan {
        match self {
            Plan::All(items) => Plan::all(items.into_iter().map(Plan::fold)),
            Plan::Any(items) => Plan::any(items.into_iter().map(Plan::fold)),
            Plan::Via {
                field,
                target,
                inner,
                holds,
            } => match inner.fold() {
                Plan::Never => constant(!holds),
                // Foreign keys hold, so a relation that isn't empty finds a row.
                Plan::Always => Plan::Empty {
                    field,
                    holds: !holds,
                },
                inner => Plan::Via {
                    field,
                    target,
                    inner: Box::new(inner),
                    holds,
                },
            },
            Plan::Each {
                field,
                inner,
                holds,
            } => match inner.fold() {
                Plan::Never => constant(!holds),
                Plan::Always => Plan::Empty {
                    field,
                    holds: !holds,
                },
                inner => Plan::Each {
                    field,
                    inner: Box::new(inner),
                    holds,
                },
            },
            // A choice of rows always exists, if only of missing ones.
            Plan::Joined {
                joins,
                inner,
                holds,
            } => match inner.fold() {
                Plan::Never => constant(!holds),
                Plan::Always => constant(holds),
                inner => pruned(joins, inner, holds),
            },
            other => other,
        }
    }

    /// The plan that holds of exactly the other rows. `None` where that can't be said: a
    /// comparison that isn't TRUE may be FALSE or UNKNOWN.
    pub fn negate(&self) -> Option<Plan> {
        let each = |items: &[Plan]| items.iter().map(Plan::negate).collect::<Option<Vec<_>>>();
        Some(match self {
            Plan::Always => Plan::Never,
            Plan::Never => Plan::Always,
            Plan::All(items) => Plan::any(each(items)?),
            Plan::Any(items) => Plan::all(each(items)?),
            Plan::Empty { field, holds } => Plan::Empty {
                field: *field,
                holds: !holds,
            },
            Plan::Via {
                field,
                target,
                inner,
                holds,
            } => Plan::Via {
                field: *field,
                target: *target,
                inner: inner.clone(),
                holds: !holds,
            },
            Plan::Each {
                field,
                inner,
                holds,
            } => Plan::Each {
                field: *field,
                inner: inner.clone(),
                holds: !holds,
            },
            Plan::Joined {
                joins,
                inner,
                holds,
            } => Plan::Joined {
                joins: joins.clone(),
                inner: inner.clone(),
                holds: !holds,
            },
            // NULL against a value: `=` is TRUE for an empty value, `!=` for all others.
            Plan::Request {
                left: Value::Null,
                op,
                right,
                when: Truth::True,
            } => Plan::Request {
                left: Value::Null,
                op: exchanged(*op)?,
                right: negated_value(*op, right)?,
                when: Truth::True,
            },
            Plan::Request { .. }
            | Plan::Test { .. }
            | Plan::Within { .. }
            | Plan::Columns { .. }
            | Plan::Visible { .. }
            | Plan::Readable { .. } => {
                return None;
            }
        })
    }

    /// What the plan needs in order to be decided.
    pub fn class(&self) -> Class {
        match self {
            Plan::Always | Plan::Never => Class::Constant,
            Plan::All(items) | Plan::Any(items) => items
                .iter()
                .map(Plan::class)
                .max()
                .unwrap_or(Class::Constant),
            Plan::Request { .. } => Class::Request,
            Plan::Test { .. }
            | Plan::Within { .. }
            | Plan::Columns { .. }
            | Plan::Empty { .. }
            | Plan::Each { .. } => Class::Record,
            // The rule may look anywhere.
            Plan::Via { .. }
            | Plan::Joined { .. }
            | Plan::Visible { .. }
            | Plan::Readable { .. } => Class::Relational,
        }
    }
}

/// [`Plan::Always`] or [`Plan::Never`].
pub(crate) fn constant(holds: bool) -> Plan {
    if holds { Plan::Always } else { Plan::Never }
}

fn exchanged(op: Op) -> Option<Op> {
    match op {
        Op::Equal => Some(Op::NotEqual),
        Op::NotEqual => Some(Op::Equal),
        _ => None,
    }
}

/// "No item is empty" is said by the match-all form; "not all are empty" can't be said, because
/// match-all ignores what is UNKNOWN.
fn negated_value(op: Op, value: &Value) -> Option<Value> {
    match (op, value) {
        (Op::Equal, Value::Each(inner, Quantifier::Some)) => {
            Some(Value::Each(inner.clone(), Quantifier::All))
        }
        (_, Value::Each(..)) => None,
        (_, other) => Some(other.clone()),
    }
}

fn push_new(items: &mut Vec<Plan>, item: Plan) {
    if !items.contains(&item) {
        items.push(item);
    }
}

fn one_or(mut items: Vec<Plan>, none: Plan, make: fn(Vec<Plan>) -> Plan) -> Plan {
    match items.len() {
        0 => none,
        1 => items.pop().unwrap_or(none),
        _ => make(items),
    }
}
