//! Strict JSON: no key twice, nothing out of range, and only the first value is read.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value as JsonValue};

use super::Object;
use crate::error::ApiError;

/// Values and keys that bodies may have in total: in memory, each takes many times its text.
pub const MAX_VALUES: usize = 1 << 20;

/// How many values may still be read.
pub struct Budget(Cell<usize>);

impl Default for Budget {
    fn default() -> Self {
        Budget(Cell::new(MAX_VALUES))
    }
}

impl Budget {
    fn spend(&self) -> bool {
        let left = self.0.get().checked_sub(1);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Parses a body: an object, or null for an empty one. What follows the first value is ignored.
/// 413 if it has more values than the budget.
pub fn parse_object(bytes: &[u8], budget: &Budget) -> Result<Object, ApiError> {
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    let strict = Strict { budget, keep: true };
    match strict.deserialize(&mut parser) {
        Ok(JsonValue::Object(object)) => Ok(object),
        Ok(JsonValue::Null) => Ok(Object::new()),
        Err(_) if budget.0.get() == 0 => Err(ApiError::too_large()),
        _ => Err(ApiError::bad_request()),
    }
}

/// Parses a text that is one JSON value and nothing else, and has no more values than bodies may.
pub fn parse_value(text: &str) -> Option<JsonValue> {
    let strict = Strict {
        budget: &Budget::default(),
        keep: true,
    };
    whole(text, strict)
}

/// Is the text one JSON value and nothing else?
pub fn is_valid(text: &str) -> bool {
    let strict = Strict {
        budget: &Budget(Cell::new(usize::MAX)),
        keep: false,
    };
    whole(text, strict).is_some()
}

fn whole(text: &str, strict: Strict<'_>) -> Option<JsonValue> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let value = strict.deserialize(&mut parser).ok()?;
    parser.end().ok()?;
    Some(value)
}

/// Reads any JSON value in which no object has a key twice. Nesting ends where the parser's own
/// limit of 128 levels does, since deeper values would endanger the stack.
#[derive(Clone, Copy)]
struct Strict<'a> {
    budget: &'a Budget,
    /// Build the value? Else only its keys are remembered, as far as needed.
    keep: bool,
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = JsonValue;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<JsonValue, D::Error> {
        if !self.budget.spend() {
            return Err(D::Error::custom("too many values"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
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
        Ok(if self.keep {
            value.into()
        } else {
            JsonValue::Null
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<JsonValue, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            if self.keep {
                array.push(item);
            }
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<JsonValue, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(self)?;
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

    fn parse(body: &[u8]) -> Result<Object, ApiError> {
        parse_object(body, &Budget::default())
    }

    #[test]
    fn values_are_counted() {
        let zeros = |count: usize| format!("{{\"a\":[0{}]}}", ",0".repeat(count - 1));
        // The object, the list and its items.
        assert!(parse(zeros(MAX_VALUES - 2).as_bytes()).is_ok());
        let refused = parse(zeros(MAX_VALUES - 1).as_bytes());
        assert_eq!(refused, Err(ApiError::too_large()));

        let budget = Budget::default();
        let half = zeros(MAX_VALUES / 2 + 1);
        assert!(parse_object(half.as_bytes(), &budget).is_ok());
        assert!(parse_object(half.as_bytes(), &budget).is_err());

        assert!(parse_value(&zeros(MAX_VALUES)).is_none());
        assert!(is_valid(&zeros(MAX_VALUES)));
        assert!(!is_valid("[0] 0"));
        assert!(!is_valid("{\"a\":0,\"a\":0}"));
    }

    #[test]
    fn accepted() {
        for (body, keys) in [
            (&b"{\"t\":1} x"[..], 1),
            (b"null", 0),
            (b"{\"t\":1}}", 1),
            (b"{}", 0),
            (b"{\"a\":{\"b\":1},\"b\":[{}]}", 2),
        ] {
            assert_eq!(parse(body).unwrap().len(), keys);
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
            assert!(parse(body).is_err(), "{}", String::from_utf8_lossy(body));
        }
    }
}
