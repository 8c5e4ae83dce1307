//! Form bodies, urlencoded and multipart: texts whose types are guessed.

use std::convert::Infallible;

use multer::Multipart;
use multer::bytes::Bytes;
use rocket::futures::stream;
use serde_json::Value as JsonValue;
use serde_json::map::Entry;

use super::{Object, json};
use crate::error::ApiError;
use crate::wire::number;

/// Pairs of a form: in memory, each takes many times its text.
const MAX_PAIRS: usize = 1 << 16;

/// The form key whose values are JSON objects that are laid over the other keys.
const JSON_PAYLOAD: &str = "@jsonPayload";

/// The pairs of a query string. Pairs with bad escapes or `;` are left out.
pub fn pairs(text: &str) -> Vec<(String, String)> {
    parts(text).filter_map(pair).collect()
}

/// The pairs of what a form consists of. 400 for bad escapes or `;`, 413 for too many.
pub fn strict_pairs(text: &str) -> Result<Vec<(String, String)>, ApiError> {
    if parts(text).nth(MAX_PAIRS).is_some() {
        return Err(ApiError::too_large());
    }
    let whole = |part| pair(part).ok_or_else(ApiError::bad_request);
    parts(text).map(whole).collect()
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split('&').filter(|part| !part.is_empty())
}

fn pair(part: &str) -> Option<(String, String)> {
    if part.contains(';') {
        return None;
    }
    let (name, value) = part.split_once('=').unwrap_or((part, ""));
    Some((unescape(name)?, unescape(value)?))
}

/// Undoes `+` and `%XX`; `None` for a broken escape.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => 16 * hex(rest.next()?)? + hex(rest.next()?)?,
            other => other,
        });
    }
    Some(
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    )
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

/// The text parts of a multipart body, in order. Files are left out: no field takes them.
pub async fn multipart(
    content_type: &str,
    body: Vec<u8>,
) -> Result<Vec<(String, String)>, ApiError> {
    let bad = |_: multer::Error| ApiError::bad_request();
    let boundary = multer::parse_boundary(content_type).map_err(bad)?;
    let body = stream::iter([Ok::<Bytes, Infallible>(Bytes::from(body))]);
    let mut parts = Multipart::new(body, boundary);
    let mut pairs = Vec::new();
    while let Some(part) = parts.next_field().await.map_err(bad)? {
        let name = part.name().unwrap_or_default().to_owned();
        let is_file = part.file_name().is_some();
        let bytes = part.bytes().await.map_err(bad)?;
        if !is_file && !name.is_empty() {
            if pairs.len() == MAX_PAIRS {
                return Err(ApiError::too_large());
            }
            pairs.push((name, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(pairs)
}

/// One object from the pairs of a form: repeated keys become arrays.
pub fn merge(pairs: impl Iterator<Item = (String, String)>) -> Result<Object, ApiError> {
    let mut object = Object::new();
    let mut payloads = Vec::new();
    for (name, value) in pairs {
        if name == JSON_PAYLOAD {
            payloads.push(value);
            continue;
        }
        let value = infer(&value);
        match object.entry(name) {
            Entry::Vacant(entry) => {
                entry.insert(value);
            }
            Entry::Occupied(mut entry) => match entry.get_mut() {
                JsonValue::Array(items) => items.push(value),
                first => *first = JsonValue::Array(vec![first.take(), value]),
            },
        }
    }
    let budget = json::Budget::default();
    for payload in payloads {
        object.extend(json::parse_object(payload.as_bytes(), &budget)?);
    }
    Ok(object)
}

/// The type that a form's text most likely had: only what reads back as the same text changes.
fn infer(text: &str) -> JsonValue {
    match text {
        "true" => return true.into(),
        "false" => return false.into(),
        _ => {}
    }
    let numeric = text
        .bytes()
        .all(|byte| matches!(byte, b'-' | b'.' | b'0'..=b'9'))
        && text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    if numeric
        && let Ok(value) = text.parse::<f64>()
        && number::decimal(value) == text
    {
        // Whole numbers stay integers as far as a float holds them exactly.
        return match text.parse::<i64>() {
            Ok(whole) if whole.unsigned_abs() <= 1 << 53 => whole.into(),
            _ => value.into(),
        };
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inference() {
        for (text, expected) in [("-1.5", -1.5), ("0.1", 0.1)] {
            assert_eq!(infer(text), JsonValue::from(expected), "{text}");
        }
        assert_eq!(infer("5"), JsonValue::from(5));
        assert_eq!(infer("0"), JsonValue::from(0));
        for text in [
            "",
            "01",
            "1.10",
            "1e3",
            "12345678901234567890",
            "-",
            "True",
            "+1",
            "1-2",
            "-0",
        ] {
            assert_eq!(infer(text), JsonValue::from(text));
        }
        assert_eq!(infer("true"), JsonValue::from(true));
    }

    #[test]
    fn repeated_keys_cost_no_more_than_others() {
        let pairs = (0..500_000).map(|number: u32| ("a".to_owned(), number.to_string()));
        let start = std::time::Instant::now();
        let object = merge(pairs).unwrap_or_default();
        // Were the list copied for each value, this would take hours.
        assert!(start.elapsed() < std::time::Duration::from_secs(60));
        let items = object.get("a").and_then(JsonValue::as_array);
        assert_eq!(items.map(Vec::len), Some(500_000));
    }

    #[test]
    fn queries() {
        let cases: &[(&str, &[(&str, &str)])] = &[
            ("a=1&b=%20+x&a=2", &[("a", "1"), ("b", "  x"), ("a", "2")]),
            ("a=%zz&b=1;c=2&&d", &[("d", "")]),
            ("%C3%A9=%ff", &[("é", "\u{fffd}")]),
        ];
        for (text, expected) in cases {
            let found = pairs(text);
            let found: Vec<(&str, &str)> = found
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            assert_eq!(&found, expected, "{text}");
        }
    }

    #[test]
    fn forms_are_refused_as_a_whole() {
        assert!(strict_pairs("a=1&&b").is_ok_and(|pairs| pairs.len() == 2));
        for text in ["a=%zz", "a=1&%4=b", "a=1&b=2;c=3"] {
            assert_eq!(strict_pairs(text), Err(ApiError::bad_request()), "{text}");
        }
        let many = "a=1&".repeat(MAX_PAIRS);
        assert!(strict_pairs(&many).is_ok());
        let more = strict_pairs(&(many + "a"));
        assert_eq!(more, Err(ApiError::too_large()));
    }
}
