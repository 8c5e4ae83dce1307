//! Requests as examples: who asks, with values that say what they stand for.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context as _;
use basalt_lang::plan::{Argument, Column, Join, Plan, Value as PlanValue};
use basalt_runtime::collection::Record;
use basalt_runtime::meta::FieldKind;
use basalt_runtime::registry::Entry;
use basalt_runtime::request::{Auth, Body, RequestInfo};
use basalt_runtime::value::{DateTime, Value};
use serde_json::Value as JsonValue;

/// The instant of all examples.
const NOW: &str = "2026-01-02 03:04:05.000Z";

/// A request by a record of this collection, or by a guest, with an example of each value that the
/// plan asks the request for.
pub(super) fn request(
    caller: Option<&Entry>,
    superuser: bool,
    plan: &Plan,
) -> anyhow::Result<RequestInfo> {
    let now = DateTime::parse(NOW).and_then(|now| now.time());
    let mut request = RequestInfo {
        auth: caller.map(|entry| Auth {
            record: Arc::from(record(entry)),
            superuser,
            token: Arc::from(""),
            refreshable: false,
        }),
        method: "GET",
        context: "default",
        query: BTreeMap::new(),
        headers: BTreeMap::new().into(),
        body: Body::default(),
        now: now.context("the example of a time is none")?,
        client: None,
    };
    values(plan, &mut |value| match value {
        PlanValue::Query(name) => {
            request.query.insert(name.clone(), example(name, "query"));
        }
        PlanValue::Header(name) => {
            request
                .headers
                .insert(name.clone(), example(name, "headers"));
        }
        PlanValue::Body(path) => {
            if let Some(name) = path.first() {
                let value = JsonValue::from(example(name, "body"));
                request.body.raw.insert(name.clone(), value);
            }
        }
        _ => {}
    });
    Ok(request)
}

/// A text that says what it stands for.
fn example(name: &str, of: &str) -> String {
    format!("<{name} of {of}>")
}

/// A record that could ask.
fn record(entry: &Entry) -> Box<dyn Record> {
    let mut record = entry.blank();
    for (place, field) in entry.meta().fields.iter().enumerate() {
        let text = || example(field.name, "caller");
        let value = match &field.kind {
            FieldKind::Number { .. } => Value::Number(1.0),
            FieldKind::Bool => Value::Bool(true),
            FieldKind::Select { values, .. } => {
                let first = values.first().map(|value| (*value).to_owned());
                if field.kind.is_many() {
                    Value::List(first.into_iter().collect())
                } else {
                    Value::Text(first.unwrap_or_default())
                }
            }
            FieldKind::Relation { .. } if field.kind.is_many() => Value::List(vec![text()]),
            FieldKind::Date { .. } | FieldKind::Autodate { .. } => {
                Value::Text("2026-01-01 00:00:00.000Z".to_owned())
            }
            FieldKind::Json { .. } | FieldKind::GeoPoint => continue,
            _ => Value::Text(text()),
        };
        record.set(place, value);
    }
    record
}

/// Visits every value of the request or of the text that a plan compares with.
pub(super) fn values(plan: &Plan, visit: &mut dyn FnMut(&PlanValue)) {
    match plan {
        Plan::All(parts) | Plan::Any(parts) => parts.iter().for_each(|part| values(part, visit)),
        Plan::Request { left, right, .. } => {
            value(left, visit);
            value(right, visit);
        }
        Plan::Test {
            column: of,
            value: with,
            ..
        }
        | Plan::Within {
            column: of,
            value: with,
            ..
        } => {
            column(of, visit);
            value(with, visit);
        }
        Plan::Columns { left, right, .. } => {
            column(left, visit);
            column(right, visit);
        }
        Plan::Via { inner, .. } | Plan::Each { inner, .. } => values(inner, visit),
        Plan::Joined { joins, inner, .. } => {
            for join in joins {
                if let Join::Submitted { key, .. } = join {
                    visit(&PlanValue::Body(vec![key.clone()]));
                }
            }
            values(inner, visit);
        }
        Plan::Always
        | Plan::Never
        | Plan::Empty { .. }
        | Plan::Visible { .. }
        | Plan::Readable { .. } => {}
    }
}

fn value(of: &PlanValue, visit: &mut dyn FnMut(&PlanValue)) {
    visit(of);
    match of {
        PlanValue::IsSet(inner)
        | PlanValue::Length(inner)
        | PlanValue::Lower(inner)
        | PlanValue::Numeric(inner)
        | PlanValue::Each(inner, _) => value(inner, visit),
        _ => {}
    }
}

fn column(of: &Column, visit: &mut dyn FnMut(&PlanValue)) {
    let mut argument = |argument: &Argument| match argument {
        Argument::Column(inner) => column(inner, visit),
        Argument::Value(inner) => value(inner, visit),
    };
    match of {
        Column::Distance(arguments) => arguments.iter().for_each(argument),
        Column::Time {
            time: Some(time), ..
        } => argument(time),
        _ => {}
    }
}
