//! Looking into JSON text without building a tree, with the outcome that SQLite's functions have.

use std::borrow::Cow;
use std::fmt;

use basalt_lang::eval::Operand;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The path in SQLite's notation: `$."a"[0]`. A part of digits only is a place in an array.
pub(crate) fn sqlite_path(path: &[&str]) -> String {
    let mut text = "$".to_owned();
    for part in path {
        match index(part) {
            Some(index) => text.push_str(&format!("[{index}]")),
            None => text.push_str(&format!(".\"{part}\"")),
        }
    }
    text
}

/// The value at a place inside JSON text, as SQLite's `json_extract` gives it; NULL where there
/// is none. Arrays and objects are their JSON text.
pub(crate) fn extract<'a>(json: &'a str, path: &[&str]) -> Operand<'a> {
    let mut place = json;
    for part in path {
        let found = match index(part) {
            Some(index) => item(place, index),
            None => member(place, part),
        };
        match found {
            Some(found) => place = found,
            None => return Operand::Null,
        }
    }
    operand(place)
}

/// The text items of a JSON list; empty if it is none.
pub(crate) fn items(list: &str) -> Vec<Cow<'_, str>> {
    let raw: Vec<&RawValue> = serde_json::from_str(list).unwrap_or_default();
    raw.into_iter()
        .map(|item| match operand(item.get()) {
            Operand::Text(text) => text,
            _ => Cow::Borrowed(item.get()),
        })
        .collect()
}

/// An index; one that no array reaches if it is too great.
pub(crate) fn index(part: &str) -> Option<u32> {
    let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| part.parse().unwrap_or(u32::MAX))
}

fn item(json: &str, index: u32) -> Option<&str> {
    let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    Some(items.get(usize::try_from(index).ok()?)?.get())
}

/// The first member with this name, as in SQLite.
fn member<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    struct First<'n>(&'n str);

    impl<'a> Visitor<'a> for First<'_> {
        type Value = Option<&'a str>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = None;
            while let Some(key) = map.next_key::<String>()? {
                let value: &'a RawValue = map.next_value()?;
                if found.is_none() && key == self.0 {
                    found = Some(value.get());
                }
            }
            Ok(found)
        }
    }

    serde_json::Deserializer::from_str(json)
        .deserialize_map(First(name))
        .ok()
        .flatten()
}

fn operand(json: &str) -> Operand<'_> {
    let json = json.trim();
    match json.as_bytes().first() {
        Some(b'n') | None => Operand::Null,
        Some(b't') => Operand::Bool(true),
        Some(b'f') => Operand::Bool(false),
        Some(b'"') => {
            let plain = json
                .strip_prefix('"')
                .and_then(|rest| rest.strip_suffix('"'))
                .filter(|inner| !inner.contains('\\'));
            match plain {
                Some(plain) => Operand::Text(Cow::Borrowed(plain)),
                None => serde_json::from_str::<String>(json)
                    .map_or(Operand::Null, |text| Operand::Text(Cow::Owned(text))),
            }
        }
        Some(b'[' | b'{') => Operand::Text(Cow::Borrowed(json)),
        Some(_) => number(json),
    }
}

/// Whole numbers without a point are integers, as long as they fit.
fn number(json: &str) -> Operand<'static> {
    if let Ok(integer) = json.parse::<i64>() {
        return Operand::Integer(integer);
    }
    json.parse::<f64>().map_or(Operand::Null, Operand::Number)
}
