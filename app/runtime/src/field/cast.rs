//! From JSON to a field's type. A value that doesn't fit becomes the zero value, silently, as
//! existing clients rely on.

use serde_json::Value as JsonValue;

use super::date;
use super::validate::json_size;
use crate::body::json;
use crate::meta::{FieldKind, FieldMeta};
use crate::value::Value;
use crate::wire::{self, number};

/// A value that was sent for a field.
pub fn cast(field: &FieldMeta, value: &JsonValue) -> Value {
    if field.nullable && value.is_null() {
        return Value::Null;
    }
    match &field.kind {
        FieldKind::Text { .. }
        | FieldKind::Editor { .. }
        | FieldKind::Email { .. }
        | FieldKind::Url { .. }
        | FieldKind::Password { .. } => Value::Text(text(value)),
        FieldKind::Number { .. } => Value::Number(to_number(value)),
        FieldKind::Bool => Value::Bool(to_bool(value)),
        FieldKind::Date { .. } | FieldKind::Autodate { .. } => {
            let text = value.as_str().unwrap_or_default();
            Value::Text(date::parse(text).unwrap_or_default())
        }
        FieldKind::Select { .. } | FieldKind::Relation { .. } => {
            from_items(&field.kind, items(value))
        }
        FieldKind::Json { max_size } => Value::Json(json_text(value, json_size(*max_size))),
        FieldKind::GeoPoint => Value::Json(geo_point(value)),
    }
}

/// The value of a field that nobody gave: its declared default, or the zero value.
pub fn initial(field: &FieldMeta) -> Value {
    match field.default.and_then(json::parse_value) {
        Some(default) => cast(field, &default),
        None if field.nullable => Value::Null,
        None => zero(&field.kind),
    }
}

/// The zero value of a type.
pub fn zero(kind: &FieldKind) -> Value {
    match kind {
        FieldKind::Number { .. } => Value::Number(0.0),
        FieldKind::Bool => Value::Bool(false),
        FieldKind::Json { .. } => Value::Json("null".to_owned()),
        FieldKind::GeoPoint => Value::Json(point(0.0, 0.0)),
        kind if kind.is_many() => Value::List(Vec::new()),
        _ => Value::Text(String::new()),
    }
}

/// Text from any scalar; arrays and objects have none.
pub fn text(value: &JsonValue) -> String {
    match value {
        JsonValue::String(text) => text.clone(),
        JsonValue::Bool(value) => value.to_string(),
        JsonValue::Number(number) => number::decimal(number.as_f64().unwrap_or_default()),
        JsonValue::Null | JsonValue::Array(_) | JsonValue::Object(_) => String::new(),
    }
}

/// A number; `NaN` and infinities can be spelled out, and are refused later.
pub fn to_number(value: &JsonValue) -> f64 {
    match value {
        JsonValue::Number(number) => number.as_f64().unwrap_or_default(),
        JsonValue::Bool(value) => f64::from(u8::from(*value)),
        JsonValue::String(text) => text.parse().unwrap_or_default(),
        _ => 0.0,
    }
}

fn to_bool(value: &JsonValue) -> bool {
    match value {
        JsonValue::Bool(value) => *value,
        JsonValue::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        JsonValue::String(text) => {
            matches!(text.as_str(), "1" | "t" | "T" | "TRUE" | "true" | "True")
        }
        _ => false,
    }
}

/// The items of a select or relation: no empty ones, none twice.
pub fn items(value: &JsonValue) -> Vec<String> {
    let all = match value {
        JsonValue::Array(items) => items.iter().map(text).collect(),
        JsonValue::String(text) if text.contains('[') => {
            serde_json::from_str::<Vec<String>>(text).unwrap_or_else(|_| vec![text.clone()])
        }
        scalar => vec![text(scalar)],
    };
    unique(all)
}

/// Without empty items and repetitions; the first of each stays where it is.
pub fn unique(items: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let fresh = |item: &String| !item.is_empty() && seen.insert(item.clone());
    items.into_iter().filter(fresh).collect()
}

/// What a select or relation keeps of some items: all, or the last.
pub fn from_items(kind: &FieldKind, mut items: Vec<String>) -> Value {
    if kind.is_many() {
        Value::List(items)
    } else {
        Value::Text(items.pop().unwrap_or_default())
    }
}

/// A json field's text. Strings are read once more: those that look like JSON are JSON, unless
/// they have more than `max` bytes, which are refused later.
fn json_text(value: &JsonValue, max: u64) -> String {
    let JsonValue::String(text) = value else {
        return wire::json_text(value);
    };
    let looks_like = matches!(text.as_str(), "null" | "true" | "false")
        || text.starts_with(|first: char| {
            first.is_ascii_digit() || matches!(first, '-' | '"' | '[' | '{')
        });
    let looks_like = looks_like && text.len() as u64 <= max;
    match looks_like.then(|| compact(text)).flatten() {
        Some(json) => json,
        None => wire::json_text(value),
    }
}

/// JSON text without white space, all else as it was written; `None` if it isn't valid.
pub(crate) fn compact(text: &str) -> Option<String> {
    if !json::is_valid(text) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    for character in text.chars() {
        if quoted {
            quoted = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if character.is_ascii_whitespace() {
            continue;
        } else {
            quoted = character == '"';
        }
        out.push(character);
    }
    Some(out)
}

/// A point: numbers under exactly these names, or the zero point.
pub(crate) fn geo_point(value: &JsonValue) -> String {
    let parsed = value.as_str().and_then(json::parse_value);
    let Some(object) = parsed.as_ref().unwrap_or(value).as_object() else {
        return point(0.0, 0.0);
    };
    let part = |name: &str| match object.get(name) {
        None | Some(JsonValue::Null) => Some(0.0),
        Some(number) => number.as_f64(),
    };
    match (part("lon"), part("lat")) {
        (Some(lon), Some(lat)) => point(lon, lat),
        _ => point(0.0, 0.0),
    }
}

fn point(lon: f64, lat: f64) -> String {
    format!(
        "{{\"lon\":{},\"lat\":{}}}",
        number::text(lon),
        number::text(lat)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers() {
        for (sent, expected) in [
            (json!(1.5), 1.5),
            (json!(true), 1.0),
            (json!("1e3"), 1000.0),
            (json!("01"), 1.0),
            (json!(" 1 "), 0.0),
            (json!("abc"), 0.0),
            (json!("0x10"), 0.0),
            (json!("1,5"), 0.0),
            (json!(null), 0.0),
            (json!([1]), 0.0),
        ] {
            assert_eq!(to_number(&sent), expected, "{sent}");
        }
        assert!(to_number(&json!("NaN")).is_nan());
        assert!(to_number(&json!("Infinity")).is_infinite());
    }

    #[test]
    fn bools_and_texts() {
        for yes in [json!(true), json!(2), json!("1"), json!("t"), json!("True")] {
            assert!(to_bool(&yes), "{yes}");
        }
        for no in [
            json!("yes"),
            json!("on"),
            json!(0),
            json!(null),
            json!([1]),
            json!({}),
        ] {
            assert!(!to_bool(&no), "{no}");
        }
        assert_eq!(text(&json!(1e21)), "1000000000000000000000");
        assert_eq!(text(&json!(1.0)), "1");
        assert_eq!(text(&json!(false)), "false");
        assert_eq!(text(&json!([1])), "");
    }

    #[test]
    fn lists() {
        for (sent, expected) in [
            (json!(null), &[][..]),
            (json!(""), &[]),
            (json!(["a", "", "b", "a", 1]), &["a", "b", "1"]),
            (json!("[\"a\",\"b\"]"), &["a", "b"]),
            (json!("[x"), &["[x"]),
            (json!("a"), &["a"]),
            (json!({"a": 1}), &[]),
        ] {
            assert_eq!(items(&sent), expected, "{sent}");
        }
    }

    #[test]
    fn json_strings_are_read_again() {
        for (sent, expected) in [
            (json!("1"), "1"),
            (json!("[1, 2.50]"), "[1,2.50]"),
            (json!("\"5\""), "\"5\""),
            (json!("null"), "null"),
            (json!("abc"), "\"abc\""),
            (json!("{a"), "\"{a\""),
            (json!(""), "\"\""),
            (
                json!("{\"b\": \" \\\" \", \"a\":1}"),
                "{\"b\":\" \\\" \",\"a\":1}",
            ),
            (json!({"b": 1.0, "a": 1e21}), "{\"a\":1e+21,\"b\":1}"),
        ] {
            assert_eq!(json_text(&sent, 100), expected, "{sent}");
        }
    }

    #[test]
    fn points() {
        for (sent, expected) in [
            (
                json!({"lon": 1.5, "lat": -2, "x": 1}),
                r#"{"lon":1.5,"lat":-2}"#,
            ),
            (json!("{\"lon\": 1}"), r#"{"lon":1,"lat":0}"#),
            (json!({"lon": "1"}), r#"{"lon":0,"lat":0}"#),
            (json!([1, 2]), r#"{"lon":0,"lat":0}"#),
        ] {
            assert_eq!(geo_point(&sent), expected, "{sent}");
        }
    }
}
