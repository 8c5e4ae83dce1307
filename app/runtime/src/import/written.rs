//! Values as they stand in files of JSON lines and CSV. What is written is read again as the same
//! value.

use serde_json::value::RawValue;

use super::convert::{cut, to_date, to_point};
use crate::field::cast;
use crate::meta::{FieldKind, FieldMeta};
use crate::value::{Value, ValueRef};
use crate::wire::{self, number};

/// Appends a value as JSON.
pub fn write_json(out: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => out.extend_from_slice(b"null"),
        ValueRef::Text(text) => wire::write_text(out, text),
        ValueRef::Number(number) => number::write(out, number),
        ValueRef::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
        ValueRef::List(json) | ValueRef::Json(json) => out.extend_from_slice(json.as_bytes()),
    }
}

/// The value of a field from JSON.
///
/// # Errors
/// In a few words what the value is that the field can't hold.
pub fn from_json(field: &FieldMeta, raw: &RawValue) -> Result<Value, String> {
    let json = raw.get();
    if json == "null" {
        return Ok(nothing(field));
    }
    let no = |what: &str| format!("{} is {what}", cut(json));
    let text = || serde_json::from_str::<String>(json).map_err(|_| no("no text"));
    match &field.kind {
        FieldKind::Text { .. }
        | FieldKind::Editor { .. }
        | FieldKind::Email { .. }
        | FieldKind::Url { .. }
        | FieldKind::Password { .. } => text().map(Value::Text),
        FieldKind::Number { .. } => to_number(json).ok_or_else(|| no("no number")),
        FieldKind::Bool => match json {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(no("neither true nor false")),
        },
        FieldKind::Date { .. } | FieldKind::Autodate { .. } => to_date(text()?),
        kind @ (FieldKind::Select { .. } | FieldKind::Relation { .. }) if kind.is_many() => {
            to_list(json)
        }
        FieldKind::Select { .. } | FieldKind::Relation { .. } => text().map(Value::Text),
        FieldKind::Json { .. } => to_json(json),
        FieldKind::GeoPoint => to_point(json),
    }
}

/// A value as it stands in a cell: texts as they are, lists and JSON as JSON. Nothing at all is an
/// empty cell; where that is possible, an empty text is `""`, in quotes.
pub fn cell(field: &FieldMeta, value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Text(text) if field.nullable && is_mistakable(text) => {
            let mut quoted = Vec::with_capacity(text.len() + 2);
            wire::write_text(&mut quoted, text);
            String::from_utf8_lossy(&quoted).into_owned()
        }
        ValueRef::Text(text) => text.to_owned(),
        ValueRef::Number(number) => number::text(number),
        ValueRef::Bool(value) => value.to_string(),
        ValueRef::List(json) | ValueRef::Json(json) => json.to_owned(),
    }
}

/// The value of a field from a cell.
///
/// # Errors
/// In a few words what the value is that the field can't hold.
pub fn from_cell(field: &FieldMeta, cell: &str) -> Result<Value, String> {
    if cell.is_empty() {
        return Ok(nothing(field));
    }
    let no = |what: &str| format!("{} is {what}", cut(cell));
    let text = || {
        if field.nullable && cell.starts_with('"') {
            return serde_json::from_str(cell).map_err(|_| no("no text in quotes"));
        }
        Ok(cell.to_owned())
    };
    match &field.kind {
        FieldKind::Number { .. } => to_number(cell).ok_or_else(|| no("no number")),
        FieldKind::Bool => match cell {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(no("neither true nor false")),
        },
        FieldKind::Date { .. } | FieldKind::Autodate { .. } => to_date(text()?),
        kind @ (FieldKind::Select { .. } | FieldKind::Relation { .. }) if kind.is_many() => {
            to_list(cell)
        }
        FieldKind::Json { .. } => to_json(cell),
        FieldKind::GeoPoint => to_point(cell),
        _ => text().map(Value::Text),
    }
}

/// Would it be read as something else where nothing at all is possible?
fn is_mistakable(text: &str) -> bool {
    text.is_empty() || text.starts_with('"')
}

fn nothing(field: &FieldMeta) -> Value {
    if field.nullable {
        Value::Null
    } else {
        cast::zero(&field.kind)
    }
}

/// A number as JSON spells them, to the last bit.
fn to_number(text: &str) -> Option<Value> {
    let spelled = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    let number: f64 = text.parse().ok().filter(|_| spelled)?;
    number.is_finite().then_some(Value::Number(number))
}

fn to_list(json: &str) -> Result<Value, String> {
    let items = serde_json::from_str(json);
    let items = items.map_err(|_| format!("{} is no list of texts", cut(json)))?;
    Ok(Value::List(cast::unique(items)))
}

fn to_json(json: &str) -> Result<Value, String> {
    let compact = cast::compact(json).ok_or_else(|| format!("{} is no JSON", cut(json)))?;
    Ok(Value::Json(compact))
}
