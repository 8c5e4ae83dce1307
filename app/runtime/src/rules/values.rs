//! What rules read from a request: `@request.*` and the macros, as values to compare with.

use std::borrow::Cow;

use basalt_lang::eval::{Operand, Side, compare};
use basalt_lang::plan::{self, Macro, Op, Quantifier, Truth, is_auth_column};
use serde_json::Value as JsonValue;

use super::given::own;
use super::{Context, Given, macros};
use crate::json;
use crate::memory::Computed;
use crate::sql::operand_text;
use crate::value::Value;

impl Context<'_> {
    /// `@request.auth.NAME`: a field of the caller's record, or `collectionId` and
    /// `collectionName`; NULL for guests and unknown names. Most fields compare as the columns
    /// that they are ([`is_auth_column`]).
    pub fn auth(&self, name: &str) -> Given {
        let Some(auth) = &self.request.auth else {
            return Given::null();
        };
        let meta = auth.record.meta();
        if let Some(field) = meta.field_index(name) {
            let side = Computed::from(auth.record.get(field)).side();
            let operand = own(side.operand);
            return if is_auth_column(name) {
                Given::One(Side { operand, ..side })
            } else {
                Given::value(operand)
            };
        }
        match name {
            "collectionId" => Given::text(meta.id),
            "collectionName" => Given::text(meta.name),
            _ => Given::null(),
        }
    }

    /// `@request.body.NAME.PATH…`: the field as it was cast, or what was sent under that name.
    pub fn body(&self, path: &[&str]) -> Given {
        let Some((name, rest)) = path.split_first() else {
            return Given::null();
        };
        let body = &self.request.body;
        Given::value(match body.fields.get(*name) {
            Some(value) => field_at(value, rest),
            None => body
                .raw
                .get(*name)
                .and_then(|value| descend(value, rest))
                .map_or(Operand::Null, json_operand),
        })
    }

    /// `@request.query.NAME`: the first value; NULL if there is none.
    pub fn query(&self, name: &str) -> Given {
        text_or_null(self.request.query.get(name))
    }

    /// `@request.headers.NAME`: the first value; NULL if there is none.
    pub fn header(&self, name: &str) -> Given {
        text_or_null(self.request.headers.get(name))
    }

    /// `@request.method`
    pub fn method(&self) -> Given {
        Given::text(self.request.method)
    }

    /// `@request.context`
    pub fn context(&self) -> Given {
        Given::text(self.request.context)
    }

    /// `@now` and the like, at the instant of this request.
    pub fn macro_value(&self, name: Macro) -> Given {
        macros::value(name, self.request.now)
    }

    /// `@request.body.NAME.PATH…:isset`: was the key sent, even as null?
    pub fn body_is_set(&self, path: &[&str]) -> Given {
        let Some((name, rest)) = path.split_first() else {
            return Given::bool(false);
        };
        let body = &self.request.body;
        let sent = match body.raw.get(*name) {
            Some(value) => descend(value, rest).is_some(),
            None => rest.is_empty() && body.fields.contains_key(*name),
        };
        Given::bool(sent)
    }

    /// `@request.query.NAME:isset`
    pub fn query_is_set(&self, name: &str) -> Given {
        Given::bool(self.request.query.contains_key(name))
    }

    /// `@request.headers.NAME:isset`
    pub fn header_is_set(&self, name: &str) -> Given {
        Given::bool(self.request.headers.contains_key(name))
    }

    /// `@request.body.NAME:length`: the number of items; of a single value 0 or 1.
    pub fn body_length(&self, path: &[&str]) -> Given {
        let count = self.body_items(path).len();
        Given::integer(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// `@request.body.NAME:each`: the items, of which some or all must compare.
    pub fn body_each(&self, path: &[&str], quantifier: Quantifier) -> Given {
        Given::Each(self.body_items(path), quantifier)
    }

    /// The ids of the records that a relation field of the body names.
    pub(crate) fn body_ids(&self, key: &str) -> Vec<String> {
        let items = self.body_items(&[key]);
        items.iter().filter_map(operand_text).collect()
    }

    /// A comparison of values that do not depend on any row.
    pub fn request(
        &self,
        left: impl Into<Given>,
        op: Op,
        right: impl Into<Given>,
        when: Truth,
    ) -> bool {
        let (left, right) = (left.into(), right.into());
        let wanted = when == Truth::True;
        let found = |wanted: bool| {
            left.sides().iter().any(|left| {
                right
                    .sides()
                    .iter()
                    .any(|right| compare(left, op, right) == Some(wanted))
            })
        };
        let all = [&left, &right]
            .iter()
            .any(|given| given.quantifier() == Quantifier::All);
        found(wanted) && !(all && found(!wanted))
    }

    /// A value of a plan, for filters that are compiled at run time.
    pub(crate) fn value(&self, value: &plan::Value) -> Given {
        match value {
            plan::Value::Null => Given::null(),
            plan::Value::Bool(bool) => Given::bool(*bool),
            plan::Value::Number(number) => Given::number(*number),
            plan::Value::Text(text) => Given::text(text.clone()),
            plan::Value::Macro(name) => self.macro_value(*name),
            plan::Value::Auth(name) => self.auth(name),
            plan::Value::Body(path) => self.body(&parts(path)),
            plan::Value::Query(name) => self.query(name),
            plan::Value::Header(name) => self.header(name),
            plan::Value::Method => self.method(),
            plan::Value::Context => self.context(),
            plan::Value::Lower(inner) => Given::lower(self.value(inner)),
            plan::Value::Numeric(inner) => Given::numeric(self.value(inner)),
            plan::Value::IsSet(inner) => self.is_set(inner),
            plan::Value::Length(inner) => match &**inner {
                plan::Value::Body(path) => self.body_length(&parts(path)),
                _ => Given::null(),
            },
            plan::Value::Each(inner, quantifier) => match &**inner {
                plan::Value::Body(path) => self.body_each(&parts(path), *quantifier),
                other => self.value(other),
            },
        }
    }

    fn is_set(&self, value: &plan::Value) -> Given {
        match value {
            plan::Value::Body(path) => self.body_is_set(&parts(path)),
            plan::Value::Query(name) => self.query_is_set(name),
            plan::Value::Header(name) => self.header_is_set(name),
            other => self.value(other),
        }
    }

    fn body_items(&self, path: &[&str]) -> Vec<Operand<'static>> {
        let Some((name, rest)) = path.split_first() else {
            return Vec::new();
        };
        let body = &self.request.body;
        if rest.is_empty()
            && let Some(value) = body.fields.get(*name)
        {
            return field_items(value);
        }
        match body.raw.get(*name).and_then(|value| descend(value, rest)) {
            Some(JsonValue::Array(items)) => items.iter().map(json_operand).collect(),
            None | Some(JsonValue::Null) => Vec::new(),
            Some(JsonValue::String(text)) if text.is_empty() => Vec::new(),
            Some(other) => vec![json_operand(other)],
        }
    }
}

/// A path as the methods of [`Context`] take it.
pub(crate) fn parts(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

fn text_or_null(text: Option<&String>) -> Given {
    text.map_or_else(Given::null, |text| Given::text(text.clone()))
}

/// A place inside a field's value.
fn field_at(value: &Value, path: &[&str]) -> Operand<'static> {
    match value {
        Value::Json(text) => own(json::extract(text, path)),
        Value::List(items) => match path {
            [] => Operand::Text(Cow::Owned(list_text(items))),
            [place] => json::index(place)
                .and_then(|place| items.get(usize::try_from(place).ok()?))
                .map_or(Operand::Null, |item| text(item)),
            _ => Operand::Null,
        },
        _ if !path.is_empty() => Operand::Null,
        Value::Null => Operand::Null,
        Value::Text(value) => text(value),
        Value::Number(number) => Operand::Number(*number),
        Value::Bool(bool) => Operand::Bool(*bool),
    }
}

fn field_items(value: &Value) -> Vec<Operand<'static>> {
    match value {
        Value::List(items) => items.iter().map(|item| text(item)).collect(),
        Value::Null => Vec::new(),
        Value::Text(text) if text.is_empty() => Vec::new(),
        single => vec![field_at(single, &[])],
    }
}

fn list_text(items: &[String]) -> String {
    JsonValue::from(items.to_vec()).to_string()
}

fn text(text: &str) -> Operand<'static> {
    Operand::Text(Cow::Owned(text.to_owned()))
}

/// A place inside what was sent: members by name, items by number.
fn descend<'a>(value: &'a JsonValue, path: &[&str]) -> Option<&'a JsonValue> {
    path.iter().try_fold(value, |value, part| match value {
        JsonValue::Object(members) => members.get(*part),
        JsonValue::Array(items) => items.get(usize::try_from(json::index(part)?).ok()?),
        _ => None,
    })
}

fn json_operand(value: &JsonValue) -> Operand<'static> {
    match value {
        JsonValue::Null => Operand::Null,
        JsonValue::Bool(bool) => Operand::Bool(*bool),
        JsonValue::Number(number) => number.as_f64().map_or(Operand::Null, Operand::Number),
        JsonValue::String(value) => text(value),
        JsonValue::Array(_) | JsonValue::Object(_) => Operand::Text(Cow::Owned(value.to_string())),
    }
}
