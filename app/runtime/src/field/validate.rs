//! Whether a value satisfies its field's options: the first thing that is wrong with it.

use super::{address, generate};
use crate::error::FieldError;
use crate::meta::{FieldKind, FieldMeta, Generate};
use crate::value::{DateTime, ValueRef};
use crate::wire::number;

const DEFAULT_TEXT_MAX: u64 = 5000;
const DEFAULT_EDITOR_SIZE: u64 = 5 << 20;
const DEFAULT_JSON_SIZE: u64 = 1 << 20;
const DEFAULT_PASSWORD_MAX: u64 = 71;

/// The error of a missing value.
pub fn blank() -> FieldError {
    FieldError::new("validation_required", "Cannot be blank.")
}

/// What is wrong with a value, apart from what only the database can tell.
pub fn validate(field: &FieldMeta, value: ValueRef<'_>) -> Option<FieldError> {
    if is_zero(value) {
        let not_a_number = matches!(value, ValueRef::Number(number) if number.is_nan());
        if !not_a_number {
            return field.required.then(blank);
        }
    }
    match (&field.kind, value) {
        (
            FieldKind::Text {
                min, max, pattern, ..
            },
            ValueRef::Text(text),
        ) => check_text(text, *min, *max, pattern),
        (FieldKind::Editor { max_size }, ValueRef::Text(text)) => {
            let max = editor_size(*max_size);
            let message = format!("The maximum allowed content size is {max} bytes.");
            size_limit(text, max, "validation_content_size_limit", message)
        }
        (FieldKind::Number { min, max, only_int }, ValueRef::Number(number)) => {
            check_number(number, *min, *max, *only_int)
        }
        (
            FieldKind::Email {
                only_domains,
                except_domains,
            },
            ValueRef::Text(text),
        ) => check_email(text, only_domains, except_domains),
        (
            FieldKind::Url {
                only_domains,
                except_domains,
            },
            ValueRef::Text(text),
        ) => check_url(text, only_domains, except_domains),
        (FieldKind::Date { min, max }, ValueRef::Text(text)) => check_date(text, min, max),
        (FieldKind::Select { values, max_select }, value) => {
            check_select(&value.items(), values, *max_select)
        }
        (
            FieldKind::Relation {
                min_select,
                max_select,
                ..
            },
            value,
        ) => check_count(value.items().len(), *min_select, *max_select),
        (FieldKind::Json { max_size }, ValueRef::Json(text)) => {
            check_json(field, text, json_size(*max_size))
        }
        (FieldKind::GeoPoint, ValueRef::Json(text)) => check_point(text),
        _ => None,
    }
}

/// What is wrong with a password before it is hashed.
pub fn validate_password(field: &FieldMeta, plain: &str) -> Option<FieldError> {
    let FieldKind::Password { min, max, pattern } = &field.kind else {
        return None;
    };
    if plain.is_empty() {
        return field.required.then(blank);
    }
    let length = plain.chars().count() as u64;
    let max = or(*max, DEFAULT_PASSWORD_MAX);
    if length < *min {
        let message = format!("Must be at least {min} character(s).");
        return Some(FieldError::new("validation_min_text_constraint", message));
    }
    if length > max {
        let message = format!("Must be less than {max} character(s).");
        return Some(FieldError::new("validation_max_text_constraint", message));
    }
    check_pattern(plain, pattern)
}

/// What is wrong with an id, apart from what only the database can tell.
pub fn validate_id(field: &FieldMeta, id: &str) -> Option<FieldError> {
    let FieldKind::Text {
        min, max, pattern, ..
    } = &field.kind
    else {
        return None;
    };
    if id.is_empty() {
        return Some(blank());
    }
    let plain = check_text(id, *min, *max, pattern);
    if plain.is_some() || !has_own_id_pattern(field) {
        return plain;
    }
    let forbidden = |c: &char| "./\\|\"'`<>:?*%$\0\t\r\n ".contains(*c);
    if let Some(character) = id.chars().find(forbidden) {
        let message = format!("'{character}' is not a valid primary key character.");
        let error = FieldError::new("validation_forbidden_pk_character", message);
        return Some(error.with("ch", character.to_string()));
    }
    let upper = id.to_ascii_uppercase();
    if is_device(&upper) {
        let message = format!("The primary key '{upper}' is reserved and cannot be used.");
        let error = FieldError::new("validation_reserved_pk", message);
        return Some(error.with("reserved", upper));
    }
    None
}

/// Differs the pattern of the ids from the usual one, so that more must be checked?
pub fn has_own_id_pattern(field: &FieldMeta) -> bool {
    matches!(field.kind, FieldKind::Text { pattern, .. } if pattern != "^[a-z0-9]+$")
}

/// Names that some file systems keep for devices.
fn is_device(upper: &str) -> bool {
    let numbered = upper
        .strip_prefix("COM")
        .or_else(|| upper.strip_prefix("LPT"));
    matches!(upper, "CON" | "PRN" | "AUX" | "NUL")
        || numbered.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
}

/// May a missing value of this field be generated?
pub fn generation(field: &FieldMeta) -> Generate {
    match field.kind {
        FieldKind::Text { generate, .. } => generate,
        _ => Generate::Nothing,
    }
}

/// Greatest size of a json field in bytes.
pub fn json_size(option: u64) -> u64 {
    or(option, DEFAULT_JSON_SIZE)
}

/// Greatest size of an editor field in bytes.
pub fn editor_size(option: u64) -> u64 {
    or(option, DEFAULT_EDITOR_SIZE)
}

fn or(option: u64, default: u64) -> u64 {
    if option == 0 { default } else { option }
}

fn is_zero(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Null => true,
        ValueRef::Text(text) => text.is_empty(),
        ValueRef::Number(number) => number == 0.0 || number.is_nan(),
        ValueRef::Bool(value) => !value,
        ValueRef::List(json) => json == "[]",
        ValueRef::Json(json) => json == "null" || json == r#"{"lon":0,"lat":0}"#,
    }
}

fn check_text(text: &str, min: u64, max: u64, pattern: &'static str) -> Option<FieldError> {
    let length = text.chars().count() as u64;
    let max = or(max, DEFAULT_TEXT_MAX);
    if length < min {
        let message = format!("Must be at least {min} character(s).");
        let error = FieldError::new("validation_min_text_constraint", message);
        return Some(error.with("min", min));
    }
    if length > max {
        let message = format!("Must be no more than {max} character(s).");
        let error = FieldError::new("validation_max_text_constraint", message);
        return Some(error.with("max", max));
    }
    check_pattern(text, pattern)
}

fn check_pattern(text: &str, pattern: &'static str) -> Option<FieldError> {
    let fits = pattern.is_empty() || generate::matches(pattern, text);
    (!fits).then(|| FieldError::new("validation_invalid_format", "Invalid value format."))
}

fn size_limit(text: &str, max: u64, code: &'static str, message: String) -> Option<FieldError> {
    (text.len() as u64 > max).then(|| FieldError::new(code, message).with("maxSize", max))
}

fn check_number(
    value: f64,
    min: Option<f64>,
    max: Option<f64>,
    only_int: bool,
) -> Option<FieldError> {
    if !value.is_finite() {
        let message = "The submitted number is not properly formatted.";
        return Some(FieldError::new("validation_not_a_number", message));
    }
    if only_int && value.fract() != 0.0 {
        let message = "Decimal numbers are not allowed.";
        return Some(FieldError::new("validation_only_int_constraint", message));
    }
    if let Some(min) = min.filter(|min| value < *min) {
        let message = format!("Must be greater or equal than {}.", number::text(min));
        let error = FieldError::new("validation_min_number_constraint", message);
        return Some(error.with("min", min));
    }
    let max = max.filter(|max| value > *max)?;
    let message = format!("Must be less or equal than {}.", number::text(max));
    Some(FieldError::new("validation_max_number_constraint", message).with("max", max))
}

fn check_email(text: &str, only: &[&str], except: &[&str]) -> Option<FieldError> {
    if !address::is_email(text) {
        return Some(FieldError::new(
            "validation_is_email",
            "Must be a valid email address.",
        ));
    }
    (!domain_allowed(address::email_domain(text), only, except)).then(|| {
        FieldError::new(
            "validation_email_domain_not_allowed",
            "Email domain is not allowed.",
        )
    })
}

fn check_url(text: &str, only: &[&str], except: &[&str]) -> Option<FieldError> {
    if !address::is_url(text) {
        return Some(FieldError::new(
            "validation_invalid_url",
            "Must be a valid url.",
        ));
    }
    (!domain_allowed(address::url_host(text), only, except)).then(|| {
        FieldError::new(
            "validation_url_domain_not_allowed",
            "Url domain is not allowed.",
        )
    })
}

fn domain_allowed(domain: &str, only: &[&str], except: &[&str]) -> bool {
    (only.is_empty() || only.contains(&domain)) && !except.contains(&domain)
}

/// Stored dates sort as text. Bounds are inclusive.
fn check_date(text: &str, min: &str, max: &str) -> Option<FieldError> {
    if !min.is_empty() && text < min {
        let code = "validation_min_greater_equal_than_required";
        return Some(date_error(code, "no less than", min));
    }
    let late = !max.is_empty() && text > max;
    late.then(|| {
        date_error(
            "validation_max_less_equal_than_required",
            "no greater than",
            max,
        )
    })
}

fn date_error(code: &'static str, relation: &str, bound: &str) -> FieldError {
    // `2024-01-01 00:00:00.000Z`: zeros at the end of the milliseconds are not shown.
    let bound = DateTime::parse(bound).map_or(bound.to_owned(), |date| date.as_str().to_owned());
    let time = bound
        .trim_end_matches('Z')
        .trim_end_matches('0')
        .trim_end_matches('.');
    let whole = bound.get(..19).unwrap_or(&bound);
    let time = if time.len() < whole.len() {
        whole
    } else {
        time
    };
    let message = format!("Must be {relation} {time} +0000 UTC.");
    let threshold = format!("{}Z", time.replacen(' ', "T", 1));
    FieldError::new(code, message).with("threshold", threshold)
}

fn check_select(items: &[String], values: &[&str], max_select: u64) -> Option<FieldError> {
    if let Some(error) = check_count(items.len(), 0, max_select) {
        return Some(error);
    }
    let bad = items.iter().find(|item| !values.contains(&item.as_str()))?;
    let error = FieldError::new("validation_invalid_value", format!("Invalid value {bad}."));
    Some(error.with("value", bad.as_str()))
}

fn check_count(count: usize, min: u64, max: u64) -> Option<FieldError> {
    let (count, max) = (count as u64, max.max(1));
    if count < min {
        let message = format!("Select at least {min}.");
        let error = FieldError::new("validation_not_enough_values", message);
        return Some(error.with("minSelect", min));
    }
    (count > max).then(|| {
        let message = format!("Select no more than {max}.");
        FieldError::new("validation_too_many_values", message).with("maxSelect", max)
    })
}

fn check_json(field: &FieldMeta, text: &str, max: u64) -> Option<FieldError> {
    let message = format!("The maximum allowed JSON size is {max} bytes.");
    let too_large = size_limit(text, max, "validation_json_size_limit", message);
    let empty = matches!(text.trim(), "null" | "\"\"" | "[]" | "{}");
    too_large.or_else(|| (field.required && empty).then(blank))
}

fn check_point(text: &str) -> Option<FieldError> {
    let point: serde_json::Value = serde_json::from_str(text).ok()?;
    let part = |name: &str| {
        point
            .get(name)
            .and_then(serde_json::Value::as_f64)
            .unwrap_or_default()
    };
    if part("lat").abs() > 90.0 {
        let message = "Latitude must be between -90 and 90 degrees.";
        return Some(FieldError::new("validation_invalid_latitude", message));
    }
    (part("lon").abs() > 180.0).then(|| {
        let message = "Longitude must be between -180 and 180 degrees.";
        FieldError::new("validation_invalid_longitude", message)
    })
}

#[cfg(test)]
mod tests;
