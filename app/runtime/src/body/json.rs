//! Strict JSON: no key twice, nothing out of range, and only the first value is read.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value as JsonValue};

use super::Object;
use crate::error::ApiError;

/// Parses a body: an object, or null for an empty one. What follows the first value is ignored.
pub fn parse_object(bytes: &[u8]) -> Result<Object, ApiError> {
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    match Strict::deserialize(&mut parser) {
        Ok(Strict(JsonValue::Object(object))) => Ok(object),
        Ok(Strict(JsonValue::Null)) => Ok(Object::new()),
        _ => Err(ApiError::bad_request()),
    }
}

/// Parses a text that is one JSON value and nothing else.
pub fn parse_value(text: &str) -> Option<JsonValue> {
    serde_json::from_str::<Strict>(text)
        .ok()
        .map(|Strict(value)| value)
}

/// Any JSON value in which no object has a key twice. Nesting ends where the parser's own limit
/// of 128 levels does, since deeper values would endanger the stack.
struct Strict(JsonValue);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Build).map(Strict)
    }
}

struct Build;

impl<'de> Visitor<'de> for Build {
    type Value = JsonValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<JsonValue, E> {
        Ok(JsonValue::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<JsonValue, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<JsonValue, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<JsonValue, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<JsonValue, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("number out of range"))?;
        Ok(JsonValue::Number(number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<JsonValue, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<JsonValue, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<JsonValue, A::Error> {
        let mut array = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<JsonValue, A::Error> {
        let mut object = Map::new();
        while let Some((key, Strict(value))) = entries.next_entry::<String, Strict>()? {
            if object.insert(key, value).is_some() {
                return Err(A::Error::custom("a key occurs twice"));
            }
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn accepted() {
        for (body, keys) in [
            (&b"{\"t\":1} x"[..], 1),
            (b"null", 0),
            (b"{\"t\":1}}", 1),
            (b"{}", 0),
            (b"{\"a\":{\"b\":1},\"b\":[{}]}", 2),
        ] {
            assert_eq!(parse_object(body).unwrap().len(), keys);
        }
    }

    #[test]
    fn refused() {
        let deep = "[".repeat(100_000);
        let deep = format!("{{\"a\":{deep}");
        for body in [
            &b""[..],
            b" ",
            b"[]",
            b"5",
            b"\"x\"",
            b"{\"a\":1,\"a\":2}",
            b"{\"j\":{\"a\":1,\"a\":2}}",
            b"{\"t\":\"\xff\"}",
            b"{\"t\":\"\\ud800\"}",
            b"{\"n\":1e400}",
            b"\xef\xbb\xbf{}",
            b"{\"a\":1,}",
            b"{a:1}",
            deep.as_bytes(),
        ] {
            assert!(
                parse_object(body).is_err(),
                "{}",
                String::from_utf8_lossy(body)
            );
        }
    }
}
