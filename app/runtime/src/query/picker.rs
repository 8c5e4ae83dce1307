//! The `fields` parameter: which keys of an answer the caller wants.

use serde_json::{Map, Value as JsonValue};

use super::excerpt;
use crate::error::ApiError;
use crate::wire;

/// Keys of a path; deeper ones are refused, since paths are followed by recursion.
const MAX_DEPTH: usize = 128;
/// Different keys in all paths together: each key of each record is looked up among them.
const MAX_KEYS: usize = 1024;

/// A parsed `fields` parameter, or what of it lies below a key.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Picker {
    entries: Vec<(String, Node)>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Node {
    /// The path ends here: everything below is wanted.
    ends: bool,
    excerpt: Option<Excerpt>,
    below: Picker,
}

/// `:excerpt(max, withEllipsis?)`
#[derive(Debug, Clone, Copy, PartialEq)]
struct Excerpt {
    max: usize,
    ellipsis: bool,
}

/// What a picker wants of one key.
pub enum Picked<'a> {
    /// Nothing: leave the key out.
    Nothing,
    /// The value as it is.
    Whole,
    /// A part of the value, or a changed one.
    Part(Part<'a>),
}

/// How a value is cut down.
pub struct Part<'a>(&'a Node);

impl Picker {
    /// Parses the parameter; `None` if it names nothing. 400 for a bad modifier, and for more
    /// than any answer has.
    pub fn parse(text: &str) -> Result<Option<Self>, ApiError> {
        let mut root = Picker::default();
        let mut left = MAX_KEYS;
        for item in split_items(text)? {
            let (path, modifier) = match item.split_once(':') {
                Some((path, modifier)) => (path, Some(parse_modifier(modifier)?)),
                None => (item, None),
            };
            root.add(path.trim(), modifier, &mut left)?;
        }
        Ok((!root.entries.is_empty()).then_some(root))
    }

    /// Adds a path; `left` new keys may be made on the way.
    fn add(
        &mut self,
        path: &str,
        excerpt: Option<Excerpt>,
        left: &mut usize,
    ) -> Result<(), ApiError> {
        let too_much = || ApiError::new(400, "The fields parameter names too much.");
        if path.split('.').nth(MAX_DEPTH).is_some() {
            return Err(too_much());
        }
        let mut picker = self;
        let mut rest = Some(path);
        while let Some(path) = rest {
            let name;
            (name, rest) = match path.split_once('.') {
                Some((name, rest)) => (name, Some(rest)),
                None => (path, None),
            };
            let known = picker.entries.iter().position(|(known, _)| known == name);
            if known.is_none() {
                *left = left.checked_sub(1).ok_or_else(too_much)?;
                picker.entries.push((name.to_owned(), Node::default()));
            }
            let place = known.unwrap_or(picker.entries.len() - 1);
            let Some((_, node)) = picker.entries.get_mut(place) else {
                return Ok(());
            };
            if rest.is_none() {
                node.ends = true;
                node.excerpt = excerpt;
            }
            picker = &mut node.below;
        }
        Ok(())
    }

    /// What is wanted of this key.
    pub fn pick(&self, name: &str) -> Picked<'_> {
        let find = |wanted: &str| self.entries.iter().find(|(name, _)| name == wanted);
        // `*` stands for the keys that are not named; below it nothing can be picked.
        match find(name).or_else(|| find("*").filter(|(_, node)| node.ends)) {
            None => Picked::Nothing,
            Some((
                _,
                Node {
                    ends: true,
                    excerpt: None,
                    ..
                },
            )) => Picked::Whole,
            Some((_, node)) => Picked::Part(Part(node)),
        }
    }

    /// Is anything wanted of this key?
    pub fn wants(&self, name: &str) -> bool {
        !matches!(self.pick(name), Picked::Nothing)
    }

    /// Cuts an answer down: objects and, item by item, arrays of objects.
    pub fn apply(&self, value: JsonValue) -> JsonValue {
        match value {
            JsonValue::Object(entries) => JsonValue::Object(self.apply_object(entries)),
            JsonValue::Array(items) if items.first().is_some_and(JsonValue::is_object) => {
                JsonValue::Array(items.into_iter().map(|item| self.apply(item)).collect())
            }
            other => other,
        }
    }

    fn apply_object(&self, entries: Map<String, JsonValue>) -> Map<String, JsonValue> {
        let mut kept = Map::new();
        for (key, value) in entries {
            let value = match self.pick(&key) {
                Picked::Nothing => continue,
                Picked::Whole => value,
                Picked::Part(part) => part.of(value),
            };
            kept.insert(key, value);
        }
        kept
    }
}

impl<'a> Part<'a> {
    /// What is wanted below the key; `None` for all of it.
    pub fn below(&self) -> Option<&'a Picker> {
        (!self.0.ends).then_some(&self.0.below)
    }

    fn of(&self, value: JsonValue) -> JsonValue {
        if !self.0.ends {
            return self.0.below.apply(value);
        }
        match (value, self.0.excerpt) {
            (JsonValue::String(text), Some(Excerpt { max, ellipsis })) => {
                JsonValue::String(excerpt::excerpt(&text, max, ellipsis))
            }
            (other, _) => other,
        }
    }

    /// Cuts down a value that is already JSON text.
    pub fn rewrite(&self, json: &[u8], out: &mut Vec<u8>) {
        match serde_json::from_slice::<JsonValue>(json) {
            Ok(value) => wire::write_json(out, &self.of(value)),
            // Deeper than the parser goes: it stays whole.
            Err(_) => out.extend_from_slice(json),
        }
    }
}

/// The items of the list; commas inside parentheses belong to a modifier.
fn split_items(text: &str) -> Result<Vec<&str>, ApiError> {
    let mut items = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1).ok_or_else(ApiError::bad_request)?,
            b',' if depth == 0 => {
                items.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err(ApiError::bad_request());
    }
    items.push(text.get(start..).unwrap_or_default());
    Ok(items
        .into_iter()
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .collect())
}

fn parse_modifier(text: &str) -> Result<Excerpt, ApiError> {
    // What follows the closing parenthesis is ignored, as the peer does.
    let arguments = text
        .trim()
        .strip_prefix("excerpt(")
        .and_then(|rest| rest.split_once(')'))
        .map(|(arguments, _)| arguments)
        .ok_or_else(ApiError::bad_request)?;
    let mut arguments = arguments.split(',').map(str::trim);
    let max = arguments.next().and_then(|max| max.parse::<usize>().ok());
    let max = max
        .filter(|max| *max > 0)
        .ok_or_else(ApiError::bad_request)?;
    let flag = arguments.next();
    let ellipsis = matches!(flag, Some("true" | "1" | "t" | "T" | "TRUE" | "True"));
    if arguments.next().is_some() {
        return Err(ApiError::bad_request());
    }
    Ok(Excerpt { max, ellipsis })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn check(fields: &str, value: JsonValue, expected: JsonValue) {
        let picked = match Picker::parse(fields).unwrap() {
            Some(picker) => picker.apply(value),
            None => value,
        };
        assert_eq!(picked, expected, "{fields}");
    }

    #[test]
    fn picks() {
        let record =
            || json!({"id": "1", "js": {"a": {"b": [{"c": 1, "d": 2}, {"c": 3}]}, "x": 1}});
        check(
            "id,js.a.b.c",
            record(),
            json!({"id":"1","js":{"a":{"b":[{"c":1},{"c":3}]}}}),
        );
        check("nope", record(), json!({}));
        check(" , ", record(), record());
        check("*", record(), record());
        check("js.a.b.0", record(), json!({"js":{"a":{"b":[{},{}]}}}));
        check("id.x", record(), json!({"id":"1"}));
        check("*,js.x", record(), json!({"id":"1","js":{"x":1}}));
        check(
            "js.*,js.a.b.d",
            record(),
            json!({"js":{"a":{"b":[{"d":2},{}]},"x":1}}),
        );
        let body = || json!({"t": "<p>Hello <b>big</b> world</p>", "n": 1});
        check("t:excerpt(7,true)", body(), json!({"t":"Hello b..."}));
        check("*:excerpt(5)", body(), json!({"t":"Hello","n":1}));
    }

    #[test]
    fn wants() {
        let wants = |fields| Picker::parse(fields).unwrap().unwrap().wants("email");
        for fields in [
            "email",
            "id,email:excerpt(3)",
            "*",
            "email.x",
            "*:excerpt(3)",
        ] {
            assert!(wants(fields), "{fields}");
        }
        for fields in ["id", "expand.email", "*.email", "emailVisibility"] {
            assert!(!wants(fields), "{fields}");
        }
    }

    #[test]
    fn bounds() {
        let path = |keys: usize| vec!["a"; keys].join(".");
        assert!(Picker::parse(&path(MAX_DEPTH)).is_ok());
        for keys in [MAX_DEPTH + 1, 15_000, 1_000_000] {
            assert!(Picker::parse(&path(keys)).is_err(), "{keys}");
        }
        let names = |count| (0..count).map(|name| format!("{name}"));
        let list = |count| names(count).collect::<Vec<_>>().join(",");
        assert!(Picker::parse(&list(MAX_KEYS)).is_ok());
        assert!(Picker::parse(&list(MAX_KEYS + 1)).is_err());
        assert!(Picker::parse(&"a,".repeat(100_000)).is_ok(), "one key");
    }

    #[test]
    fn bad_modifiers() {
        for bad in [
            "t:nope(1)",
            "t:excerpt",
            "t:excerpt()",
            "t:excerpt(0)",
            "t:excerpt(1",
            "t:excerpt(1,2,3)",
            "t:excerpt('1')",
        ] {
            assert!(Picker::parse(bad).is_err(), "{bad}");
        }
    }
}
