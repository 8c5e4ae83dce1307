//! Default values: each must be one that the field would accept.

use basalt_lang::pattern;
use serde_json::Value as JsonValue;

use super::dates;
use crate::ir::{Field, FieldKind};

type Checked = Result<JsonValue, String>;

/// The default in stored form.
///
/// # Errors
/// A short remark on what is wrong with the value.
pub(super) fn check(value: &JsonValue, field: &Field) -> Checked {
    if field.present {
        return Err("never used, since the field must be given (`present`)".to_owned());
    }
    let value = of_kind(value, &field.kind)?;
    if field.required && is_zero(&value, &field.kind) {
        return Err("the field is required, so it can't be the zero value".to_owned());
    }
    Ok(value)
}

fn of_kind(value: &JsonValue, kind: &FieldKind) -> Checked {
    match kind {
        FieldKind::Text {
            min, max, pattern, ..
        } => text(value, *min, *max, pattern),
        FieldKind::Editor { .. } => string(value).map(JsonValue::from),
        FieldKind::Email { .. } => {
            let email = string(value)?;
            match email.split_once('@') {
                Some((local, domain)) if !local.is_empty() && domain.contains('.') => {
                    Ok(value.clone())
                }
                _ => Err("not an email address".to_owned()),
            }
        }
        FieldKind::Url { .. } => {
            let url = string(value)?;
            if url.contains("://") && !url.contains(char::is_whitespace) {
                Ok(value.clone())
            } else {
                Err("not a URL".to_owned())
            }
        }
        FieldKind::Number { min, max, only_int } => number(value, *min, *max, *only_int),
        FieldKind::Bool if value.is_boolean() => Ok(value.clone()),
        FieldKind::Bool => Err("must be true or false".to_owned()),
        FieldKind::Date { min, max } => date(value, min, max),
        FieldKind::Select { values, max_select } => {
            let known: Vec<&str> = values.iter().map(|value| value.wire.as_str()).collect();
            items(value, *max_select, |item| match known.contains(&item) {
                true => Ok(()),
                false => Err(format!("`{item}` is none of the select's values")),
            })
        }
        FieldKind::Relation { max_select, .. } => items(value, *max_select, |_| Ok(())),
        FieldKind::Json { .. } => Ok(value.clone()),
        FieldKind::GeoPoint => geo_point(value),
        FieldKind::Autodate { .. } => Err("an autodate sets itself".to_owned()),
        FieldKind::Password { .. } => Err("all records would share a password".to_owned()),
    }
}

fn string(value: &JsonValue) -> Result<&str, String> {
    value.as_str().ok_or_else(|| "must be a string".to_owned())
}

fn text(value: &JsonValue, min: u64, max: u64, pattern: &str) -> Checked {
    let text = string(value)?;
    let length = text.chars().count() as u64;
    if length < min {
        return Err(format!("shorter than {min} characters"));
    }
    if max > 0 && length > max {
        return Err(format!("longer than {max} characters"));
    }
    // A pattern that does not compile was reported and is empty here.
    match pattern::compile(pattern) {
        Ok(regex) if !regex.is_match(text) => Err(format!("does not match `{pattern}`")),
        _ => Ok(value.clone()),
    }
}

fn number(value: &JsonValue, min: Option<f64>, max: Option<f64>, only_int: bool) -> Checked {
    let number = value
        .as_f64()
        .ok_or_else(|| "must be a number".to_owned())?;
    if only_int && number.fract() != 0.0 {
        return Err("must be a whole number".to_owned());
    }
    // Zero is accepted whatever the bounds, as it is from clients.
    let beyond = min.is_some_and(|min| number < min) || max.is_some_and(|max| number > max);
    if beyond && number != 0.0 {
        return Err("out of the field's range".to_owned());
    }
    Ok(value.clone())
}

fn date(value: &JsonValue, min: &str, max: &str) -> Checked {
    let text = string(value)?;
    let stored = dates::stored(text).ok_or_else(|| "not a date in UTC".to_owned())?;
    if !min.is_empty() && stored.as_str() < min || !max.is_empty() && stored.as_str() > max {
        return Err("out of the field's range".to_owned());
    }
    Ok(JsonValue::from(stored))
}

/// One string for a single field, a list of distinct ones for a multiple field.
fn items(
    value: &JsonValue,
    max_select: u64,
    check: impl Fn(&str) -> Result<(), String>,
) -> Checked {
    if max_select == 1 {
        check(string(value)?)?;
        return Ok(value.clone());
    }
    let items = value
        .as_array()
        .ok_or_else(|| "must be a list of strings".to_owned())?;
    if items.len() as u64 > max_select {
        return Err(format!("more than {max_select} items"));
    }
    for (at, item) in items.iter().enumerate() {
        check(string(item)?)?;
        if items.iter().take(at).any(|earlier| earlier == item) {
            return Err("lists an item twice".to_owned());
        }
    }
    Ok(value.clone())
}

fn geo_point(value: &JsonValue) -> Checked {
    let part = |key: &str| value.get(key).and_then(JsonValue::as_f64);
    let only_two = value.as_object().is_some_and(|object| object.len() == 2);
    match (part("lon"), part("lat")) {
        (Some(lon), Some(lat)) if only_two && lon.abs() <= 180.0 && lat.abs() <= 90.0 => {
            Ok(serde_json::json!({ "lon": lon, "lat": lat }))
        }
        _ => Err("must be a table such as `{ lon = 13.4, lat = 52.5 }`".to_owned()),
    }
}

fn is_zero(value: &JsonValue, kind: &FieldKind) -> bool {
    match value {
        JsonValue::Null => true,
        JsonValue::Bool(flag) => !flag && matches!(kind, FieldKind::Bool),
        JsonValue::Number(number) => {
            number.as_f64() == Some(0.0) && matches!(kind, FieldKind::Number { .. })
        }
        JsonValue::String(text) => text.is_empty(),
        JsonValue::Array(items) => items.is_empty(),
        JsonValue::Object(object) => match kind {
            FieldKind::GeoPoint => object.values().all(|part| part.as_f64() == Some(0.0)),
            _ => object.is_empty(),
        },
    }
}
