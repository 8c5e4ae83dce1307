//! Conditions that hold together about the one record that a relation leads to become a single
//! condition about that record: one sub-select instead of several, which an index can answer.

use crate::plan::Plan;
use crate::schema::{CollectionId, FieldId};

/// Does this relation lead to one record at most?
pub type IsSingle<'a> = &'a dyn Fn(CollectionId, FieldId) -> bool;

impl Plan {
    /// The same meaning with fewer sub-selects; `self` is about rows of `collection`. For running,
    /// not for reading: `a.b = 1`, of every `b`, no longer looks like the pair that it was.
    #[must_use]
    pub fn gathered(&self, collection: CollectionId, is_single: IsSingle<'_>) -> Plan {
        match self {
            Plan::All(items) => {
                let mut items = together(collection, items, is_single);
                refusals_first(&mut items);
                let items = items.iter();
                Plan::all(items.map(|item| item.gathered(collection, is_single)))
            }
            Plan::Any(items) => {
                let items = alternatives(items);
                let items = items.iter();
                Plan::any(items.map(|item| item.gathered(collection, is_single)))
            }
            Plan::Via {
                field,
                target,
                inner,
                holds,
            } => Plan::Via {
                field: *field,
                target: *target,
                inner: Box::new(inner.gathered(*target, is_single)),
                holds: *holds,
            },
            other => other.clone(),
        }
    }

    /// The one relation that decides the plan by where it leads, with the collection there, and
    /// whether it may also lead nowhere. `None` if there is no such relation.
    pub fn only_link(&self) -> Option<(FieldId, CollectionId, bool)> {
        let via = |plan: &Plan| match plan {
            Plan::Via {
                field,
                target,
                holds: true,
                ..
            } => Some((*field, *target)),
            _ => None,
        };
        let Plan::Any(items) = self else {
            return via(self).map(|(field, target)| (field, target, false));
        };
        let [one, other] = items.as_slice() else {
            return None;
        };
        let (field, target) = via(one).or_else(|| via(other))?;
        let empty = Plan::Empty { field, holds: true };
        (*one == empty || *other == empty).then_some((field, target, true))
    }

    /// The one list that decides the plan by its value alone, besides the request: whatever holds
    /// of one row holds of every other whose list is the same. `None` if there is no such list.
    pub fn only_list(&self) -> Option<FieldId> {
        use crate::plan::{Column, Op};
        match self {
            Plan::Each { field, .. }
            | Plan::Empty { field, .. }
            | Plan::Test {
                column: Column::Length(field),
                ..
            }
            | Plan::Test {
                column: Column::Field(field),
                op: Op::Like | Op::NotLike,
                ..
            } => Some(*field),
            Plan::All(items) | Plan::Any(items) => {
                let mut open = items
                    .iter()
                    .filter(|item| !matches!(item, Plan::Request { .. }))
                    .map(Plan::only_list);
                let first = open.next()??;
                open.all(|other| other == Some(first)).then_some(first)
            }
            _ => None,
        }
    }
}

/// Brings those together that speak of the same single record, if one of them says that there is
/// such a record. One that can't be turned around stays apart.
fn together(collection: CollectionId, items: &[Plan], is_single: IsSingle<'_>) -> Vec<Plan> {
    let mut left: Vec<Plan> = Vec::new();
    for item in items {
        let Plan::Via {
            field,
            target,
            inner,
            holds,
        } = item
        else {
            left.push(item.clone());
            continue;
        };
        let known = left.iter_mut().find_map(|known| match known {
            Plan::Via {
                field: at,
                inner,
                holds: true,
                ..
            } if at == field => Some(inner),
            _ => None,
        });
        let more = if *holds {
            Some(inner.as_ref().clone())
        } else {
            inner.negate()
        };
        match (known, more) {
            (Some(known), Some(more)) if is_single(collection, *field) => {
                **known = Plan::all([(**known).clone(), more]);
            }
            _ => left.push(Plan::Via {
                field: *field,
                target: *target,
                inner: inner.clone(),
                holds: *holds,
            }),
        }
    }
    left
}

/// Some record is this or some record is that: some record is one of both.
fn alternatives(items: &[Plan]) -> Vec<Plan> {
    let mut left: Vec<Plan> = Vec::new();
    for item in items {
        let part = match item {
            Plan::Via {
                field,
                inner,
                holds: true,
                ..
            } => Some((field, inner)),
            _ => None,
        };
        let known = left.iter_mut().find_map(|known| match (known, part) {
            (
                Plan::Via {
                    field,
                    inner: known,
                    holds: true,
                    ..
                },
                Some((at, inner)),
            ) if field == at => Some((known, inner)),
            _ => None,
        });
        match known {
            Some((known, inner)) => **known = Plan::any([(**known).clone(), (**inner).clone()]),
            None => left.push(item.clone()),
        }
    }
    left
}

/// "None is otherwise" before "some is so": of rows where some are and some aren't, the first
/// question alone tells, and where it doesn't, both are asked anyway.
fn refusals_first(items: &mut [Plan]) {
    let via = |plan: &Plan| match plan {
        Plan::Via { field, holds, .. } => Some((*field, *holds)),
        _ => None,
    };
    for at in 0..items.len() {
        let Some(Some((field, true))) = items.get(at).map(via) else {
            continue;
        };
        let refusal = items.iter().skip(at + 1);
        let refusal = refusal.map(via).position(|it| it == Some((field, false)));
        if let Some(after) = refusal {
            items.swap(at, at + 1 + after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Column, Op, Truth, Value};

    fn is(field: usize, text: &str) -> Plan {
        Plan::Test {
            column: Column::Field(FieldId(field)),
            op: Op::Equal,
            value: Value::Text(text.to_owned()),
            when: Truth::True,
        }
    }

    fn via(field: usize, inner: Plan, holds: bool) -> Plan {
        Plan::Via {
            field: FieldId(field),
            target: CollectionId(1),
            inner: Box::new(inner),
            holds,
        }
    }

    /// Fields below 5 lead to one record.
    fn gathered(plan: &Plan) -> Plan {
        plan.gathered(CollectionId(0), &|_, field| field.0 < 5)
    }

    #[test]
    fn what_one_record_must_be_is_asked_at_once() {
        let (some, none) = (via(7, is(1, "a"), true), via(7, is(1, "b"), false));
        let every = Plan::All(vec![
            via(1, some.clone(), true),
            via(1, via(7, is(1, "b"), true), false),
        ]);
        let expected = via(1, Plan::All(vec![none.clone(), some.clone()]), true);
        assert_eq!(gathered(&every), expected);
        // Of several records, each condition may mean another one.
        let many = Plan::All(vec![some.clone(), via(7, is(2, "c"), true)]);
        assert_eq!(gathered(&many), many);
        // Without a record there is nothing to ask about.
        let nowhere = Plan::All(vec![via(1, is(1, "a"), false), via(1, is(1, "b"), false)]);
        assert_eq!(gathered(&nowhere), nowhere);
        // Neither TRUE nor FALSE: not the contrary of TRUE.
        let unsaid = Plan::All(vec![via(1, is(1, "a"), true), via(1, is(1, "b"), false)]);
        let parts = Plan::All(vec![via(1, is(1, "b"), false), via(1, is(1, "a"), true)]);
        assert_eq!(gathered(&unsaid), parts);
        // Of several records, too.
        let either = Plan::Any(vec![via(7, is(1, "a"), true), via(7, is(1, "b"), true)]);
        let one = via(7, Plan::Any(vec![is(1, "a"), is(1, "b")]), true);
        assert_eq!(gathered(&either), one);
        // Another field is another record.
        let two = Plan::All(vec![via(1, is(1, "a"), true), via(2, is(1, "b"), true)]);
        assert_eq!(gathered(&two), two);
    }

    #[test]
    fn the_link_that_decides_alone() {
        let empty = |field| Plan::Empty {
            field: FieldId(field),
            holds: true,
        };
        let some = via(1, is(1, "a"), true);
        let found = |empty| Some((FieldId(1), CollectionId(1), empty));
        assert_eq!(some.only_link(), found(false));
        let any = |items| Plan::Any(items).only_link();
        assert_eq!(any(vec![empty(1), some.clone()]), found(true));
        assert_eq!(any(vec![some.clone(), empty(1)]), found(true));
        assert_eq!(any(vec![some.clone(), empty(2)]), None);
        assert_eq!(any(vec![some.clone(), empty(1), is(1, "a")]), None);
        assert_eq!(via(1, is(1, "a"), false).only_link(), None);
        assert_eq!(Plan::All(vec![some]).only_link(), None);
    }

    #[test]
    fn the_list_that_decides_alone() {
        let each = |field| Plan::Each {
            field: FieldId(field),
            inner: Box::new(is(0, "a")),
            holds: true,
        };
        let empty = |field| Plan::Empty {
            field: FieldId(field),
            holds: true,
        };
        let request = Plan::Request {
            left: Value::Method,
            op: Op::Equal,
            right: Value::Null,
            when: Truth::True,
        };
        let list = |items| Plan::All(items).only_list();
        assert_eq!(
            list(vec![request.clone(), each(3), Plan::Any(vec![empty(3)])]),
            Some(FieldId(3))
        );
        assert_eq!(list(vec![each(3), each(4)]), None);
        assert_eq!(list(vec![each(3), is(3, "a")]), None);
        assert_eq!(list(vec![request]), None);
        assert_eq!(list(Vec::new()), None);
    }
}
