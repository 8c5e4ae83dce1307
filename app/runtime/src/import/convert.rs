//! From a stored value to a field's type: only what is the same value there and here. Anything that
//! would have to be bent is refused, with what it is.

use serde_json::Value as JsonValue;

use super::raw::Raw;
use crate::body::json;
use crate::field::{cast, date};
use crate::meta::{FieldKind, FieldMeta};
use crate::value::Value;
use crate::wire::number;

/// As much of a value as a report shows.
const SHOWN: usize = 40;

/// The value of a field.
///
/// # Errors
/// In a few words what the value is that the field can't hold.
pub fn value(field: &FieldMeta, raw: Raw) -> Result<Value, String> {
    if raw == Raw::Null {
        return Ok(if field.nullable {
            Value::Null
        } else {
            cast::zero(&field.kind)
        });
    }
    match &field.kind {
        FieldKind::Text { .. }
        | FieldKind::Editor { .. }
        | FieldKind::Email { .. }
        | FieldKind::Url { .. }
        | FieldKind::Password { .. } => text(raw).map(Value::Text),
        FieldKind::Number { .. } => match raw {
            Raw::Integer(number) => Ok(Value::Number(number as f64)),
            Raw::Real(number) => Ok(Value::Number(number)),
            other => Err(format!("{} is no number", shown(&other))),
        },
        FieldKind::Bool => match raw {
            Raw::Integer(number) => Ok(Value::Bool(number != 0)),
            Raw::Real(number) => Ok(Value::Bool(number != 0.0)),
            other => Err(format!("{} is neither true nor false", shown(&other))),
        },
        FieldKind::Date { .. } | FieldKind::Autodate { .. } => to_date(text(raw)?),
        FieldKind::Select { .. } | FieldKind::Relation { .. } => to_items(&field.kind, text(raw)?),
        FieldKind::Json { .. } => to_json(raw),
        FieldKind::GeoPoint => to_point(&text(raw)?),
    }
}

fn text(raw: Raw) -> Result<String, String> {
    match raw {
        Raw::Text(text) => Ok(text),
        Raw::Null => Ok(String::new()),
        other => Err(format!("{} is no text", shown(&other))),
    }
}

pub(super) fn to_date(text: String) -> Result<Value, String> {
    if text.is_empty() {
        return Ok(Value::Text(text));
    }
    let date = date::parse(&text).ok_or_else(|| format!("{} is no date", cut(&text)))?;
    Ok(Value::Text(date))
}

/// Several items are a JSON array of texts, a single one stands for itself.
fn to_items(kind: &FieldKind, text: String) -> Result<Value, String> {
    let list = text.starts_with('[').then(|| serde_json::from_str(&text));
    let items = if let Some(Ok(items)) = list {
        cast::unique(items)
    } else if list.is_some() && kind.is_many() {
        return Err(format!("{} is no list of texts", cut(&text)));
    } else {
        Some(text)
            .filter(|text| !text.is_empty())
            .into_iter()
            .collect()
    };
    if !kind.is_many() && items.len() > 1 {
        let count = items.len();
        return Err(format!("{count} values where there is place for one"));
    }
    Ok(cast::from_items(kind, items))
}

fn to_json(raw: Raw) -> Result<Value, String> {
    let json = match raw {
        // A column for JSON turns texts that look like numbers into numbers.
        Raw::Integer(number) => number.to_string(),
        Raw::Real(number) => number::text(number),
        Raw::Text(text) if text.is_empty() => "null".to_owned(),
        Raw::Text(text) => {
            cast::compact(&text).ok_or_else(|| format!("{} is no JSON", cut(&text)))?
        }
        other => return Err(format!("{} is no JSON", shown(&other))),
    };
    Ok(Value::Json(json))
}

pub(super) fn to_point(text: &str) -> Result<Value, String> {
    let wrong = || format!("{} is no point", cut(text));
    let parsed = json::parse_value(text).ok_or_else(wrong)?;
    let part = |name: &str| match parsed.get(name) {
        None | Some(JsonValue::Null) => true,
        Some(part) => part.is_number(),
    };
    if !parsed.is_object() || !part("lon") || !part("lat") {
        return Err(wrong());
    }
    Ok(Value::Json(cast::geo_point(&parsed)))
}

fn shown(raw: &Raw) -> String {
    match raw {
        Raw::Null => "nothing".to_owned(),
        Raw::Integer(number) => number.to_string(),
        Raw::Real(number) => number::text(*number),
        Raw::Text(text) => cut(text),
        Raw::Garbled => "a text that isn't valid UTF-8".to_owned(),
        Raw::Blob => "binary data".to_owned(),
    }
}

/// The start of a text on one line.
pub(super) fn cut(text: &str) -> String {
    let mut start: String = text.chars().take(SHOWN).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    format!("`{}`", start.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SINGLE: FieldKind = FieldKind::Select {
        values: &["a", "b"],
        max_select: 1,
    };
    const MANY: FieldKind = FieldKind::Select {
        values: &["a", "b"],
        max_select: 2,
    };

    #[track_caller]
    fn check(kind: FieldKind, raw: Raw, expected: Result<Value, &str>) {
        let found = value(&FieldMeta::new("field", kind), raw);
        assert_eq!(found, expected.map_err(str::to_owned));
    }

    fn raw(text: &str) -> Raw {
        Raw::Text(text.to_owned())
    }

    fn text(text: &str) -> Result<Value, &str> {
        Ok(Value::Text(text.to_owned()))
    }

    fn json(text: &str) -> Result<Value, &str> {
        Ok(Value::Json(text.to_owned()))
    }

    #[test]
    fn texts_and_dates() {
        let plain = || FieldKind::Editor { max_size: 0 };
        check(plain(), raw("ü\0"), text("ü\0"));
        check(plain(), Raw::Null, text(""));
        check(plain(), Raw::Integer(1), Err("1 is no text"));
        check(plain(), Raw::Blob, Err("binary data is no text"));
        let garbled = "a text that isn't valid UTF-8 is no text";
        check(plain(), Raw::Garbled, Err(garbled));
        let date = || FieldKind::Date { min: "", max: "" };
        let stored = "2024-01-31 12:30:00.123Z";
        check(date(), raw(stored), text(stored));
        check(date(), raw("2024-01-31T12:30:00.123456Z"), text(stored));
        check(date(), raw(""), text(""));
        check(date(), raw("yesterday"), Err("`yesterday` is no date"));
    }

    #[test]
    fn numbers_and_bools() {
        let number = || FieldKind::Number {
            min: None,
            max: None,
            only_int: false,
        };
        check(number(), Raw::Integer(-7), Ok(Value::Number(-7.0)));
        check(number(), Raw::Real(0.1), Ok(Value::Number(0.1)));
        check(number(), Raw::Null, Ok(Value::Number(0.0)));
        check(number(), raw("7 apples"), Err("`7 apples` is no number"));
        check(FieldKind::Bool, Raw::Integer(1), Ok(Value::Bool(true)));
        check(FieldKind::Bool, Raw::Integer(0), Ok(Value::Bool(false)));
        let neither = "`yes` is neither true nor false";
        check(FieldKind::Bool, raw("yes"), Err(neither));
    }

    #[test]
    fn lists() {
        let list = |items: &[&str]| {
            let items = items.iter().map(|item| (*item).to_owned());
            Ok(Value::List(items.collect()))
        };
        check(MANY, raw(r#"["b", "a"]"#), list(&["b", "a"]));
        check(MANY, raw(r#"["b","b",""]"#), list(&["b"]));
        check(MANY, raw("a"), list(&["a"]));
        check(MANY, raw(""), list(&[]));
        check(MANY, raw(r#"["a""#), Err(r#"`[\"a\"` is no list of texts"#));
        check(MANY, raw("[1]"), Err("`[1]` is no list of texts"));
        check(SINGLE, raw("a"), text("a"));
        check(SINGLE, raw(r#"["b"]"#), text("b"));
        check(SINGLE, raw("[b"), text("[b"));
        let two = "2 values where there is place for one";
        check(SINGLE, raw(r#"["a","b"]"#), Err(two));
    }

    #[test]
    fn json_and_points() {
        let any = || FieldKind::Json { max_size: 0 };
        check(any(), raw("[\n 1,\n \" 2\"]"), json("[1,\" 2\"]"));
        check(any(), Raw::Integer(5), json("5"));
        check(any(), Raw::Real(1.5), json("1.5"));
        check(any(), Raw::Null, json("null"));
        check(any(), raw("{"), Err("`{` is no JSON"));
        let point = r#"{"lon":1.5,"lat":-2}"#;
        check(
            FieldKind::GeoPoint,
            raw(r#"{"lat":-2,"lon":1.5}"#),
            json(point),
        );
        check(
            FieldKind::GeoPoint,
            raw("[1,2]"),
            Err("`[1,2]` is no point"),
        );
        let word = r#"{"lat":"x"}"#;
        check(
            FieldKind::GeoPoint,
            raw(word),
            Err(r#"`{\"lat\":\"x\"}` is no point"#),
        );
    }

    #[test]
    fn long_values_are_shown_in_part() {
        let shown = cut(&"ü\n".repeat(30));
        assert_eq!(shown, format!("`{}…`", "ü\\n".repeat(20)));
    }
}
