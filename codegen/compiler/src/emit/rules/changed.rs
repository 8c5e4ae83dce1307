//! `@request.body.x:changed`: it was sent, and it differs from the stored value. Written out as
//! that, both forms of a rule treat it like any other condition.

use crate::ir::{Collection, FieldId, Plan};
use basalt_lang::plan::{Column, Op, Truth, Value};

/// The plan without [`Value::Changed`] where it is compared with a bool.
pub(super) fn expand(collection: &Collection, plan: &Plan) -> Plan {
    match plan {
        Plan::All(parts) => Plan::All(expand_each(collection, parts)),
        Plan::Any(parts) => Plan::Any(expand_each(collection, parts)),
        Plan::Request {
            left,
            op,
            right,
            when,
        } => request(collection, left, *op, right, *when).unwrap_or_else(|| plan.clone()),
        other => other.clone(),
    }
}

fn expand_each(collection: &Collection, parts: &[Plan]) -> Vec<Plan> {
    parts.iter().map(|part| expand(collection, part)).collect()
}

fn request(
    collection: &Collection,
    left: &Value,
    op: Op,
    right: &Value,
    when: Truth,
) -> Option<Plan> {
    let (Value::Changed(name), Value::Bool(bool)) = (left, right) else {
        let (Value::Bool(_), Value::Changed(_)) = (left, right) else {
            return None;
        };
        return request(collection, right, op, left, when);
    };
    let equal = match op {
        Op::Equal => true,
        Op::NotEqual => false,
        _ => return None,
    };
    let field = collection
        .fields
        .iter()
        .position(|field| field.name.wire == *name)?;
    let changed = (*bool == equal) == (when == Truth::True);
    Some(differs(FieldId(field), name, changed))
}

fn differs(field: FieldId, name: &str, changed: bool) -> Plan {
    let body = Value::Body(vec![name.to_owned()]);
    let sent = Plan::Request {
        left: Value::IsSet(Box::new(body.clone())),
        op: Op::Equal,
        right: Value::Bool(changed),
        when: Truth::True,
    };
    let other = Plan::Test {
        column: Column::Field(field),
        op: Op::NotEqual,
        value: body,
        when: if changed { Truth::True } else { Truth::False },
    };
    if changed {
        Plan::All(vec![sent, other])
    } else {
        Plan::Any(vec![sent, other])
    }
}
