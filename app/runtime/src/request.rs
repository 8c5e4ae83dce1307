//! What rules, filters and hooks can know of a request.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value as JsonValue};

use crate::collection::Record;
use crate::value::Value;

/// The request, as rules see it.
#[derive(Clone)]
pub struct RequestInfo {
    /// Who asks; `None` for guests.
    pub auth: Option<Auth>,
    /// `GET`, `POST`, `PATCH`, `DELETE`.
    pub method: &'static str,
    /// `default`, `expand`, `batch`, `realtime`, `protectedFile`, `oauth2`, `otp`, `password`.
    pub context: &'static str,
    /// The first value of each query parameter.
    pub query: BTreeMap<String, String>,
    /// The first value of each header: names in lower case, `-` as `_`.
    pub headers: Headers,
    /// The body.
    pub body: Body,
    /// The instant that all macros of this request refer to.
    pub now: time::OffsetDateTime,
    /// Who sent it.
    pub client: Option<IpAddr>,
}

/// An authenticated caller.
#[derive(Clone)]
pub struct Auth {
    /// The caller's own record.
    pub record: Arc<dyn Record>,
    /// A record of `_superusers`: rules do not apply.
    pub superuser: bool,
    /// The token that was presented.
    pub token: Arc<str>,
    /// Does the token say that it may be refreshed?
    pub refreshable: bool,
}

/// The body, as `@request.body.*` sees it.
#[derive(Clone, Default)]
pub struct Body {
    /// What was sent, minus the hidden fields that this caller may not send.
    pub raw: Map<String, JsonValue>,
    /// The collection's own fields among it, after modifiers and casting (create and update).
    pub fields: BTreeMap<String, Value>,
}

/// The headers of a request: a map that is made when somebody looks, which few rules and hooks do.
#[derive(Clone, Default)]
pub struct Headers {
    /// Names and values in turn, each with a line end, which neither can have.
    lines: String,
    map: OnceLock<BTreeMap<String, String>>,
}

impl Headers {
    /// None yet, with room for what clients usually send.
    pub(crate) fn with_room() -> Self {
        Headers {
            lines: String::with_capacity(512),
            map: OnceLock::new(),
        }
    }

    /// Adds one as it came. Only before anybody looks.
    pub(crate) fn push(&mut self, name: &str, value: &str) {
        for part in [name, value] {
            self.lines.push_str(part);
            self.lines.push('\n');
        }
    }

    fn map(&self) -> &BTreeMap<String, String> {
        self.map.get_or_init(|| {
            let mut map = BTreeMap::new();
            let mut lines = self.lines.split('\n');
            while let (Some(name), Some(value)) = (lines.next(), lines.next()) {
                let name = name.to_ascii_lowercase().replace('-', "_");
                map.entry(name).or_insert_with(|| value.to_owned());
            }
            map
        })
    }

    /// Sets the value of a name.
    pub fn insert(&mut self, name: String, value: String) {
        let mut map = self.map().clone();
        map.insert(name, value);
        self.map = OnceLock::from(map);
    }
}

impl Deref for Headers {
    type Target = BTreeMap<String, String>;
    fn deref(&self) -> &Self::Target {
        self.map()
    }
}

impl From<BTreeMap<String, String>> for Headers {
    fn from(map: BTreeMap<String, String>) -> Self {
        Headers {
            lines: String::new(),
            map: OnceLock::from(map),
        }
    }
}

impl RequestInfo {
    /// Is the caller a superuser?
    pub fn is_superuser(&self) -> bool {
        self.auth.as_ref().is_some_and(|auth| auth.superuser)
    }
}

#[cfg(test)]
mod tests {
    use super::Headers;

    #[test]
    fn of_each_header_the_first_counts() {
        let sent = [("X-Key", "a: b"), ("x-key", "c"), ("Empty", ""), ("Z", "1")];
        let mut headers = Headers::with_room();
        for (name, value) in sent {
            headers.push(name, value);
        }
        let known = |headers: &Headers| -> Vec<String> {
            headers
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect()
        };
        assert_eq!(known(&headers), ["empty=", "x_key=a: b", "z=1"]);
        headers.insert("z".to_owned(), "2".to_owned());
        assert_eq!(headers.get("z").map(String::as_str), Some("2"));
        assert_eq!(known(&headers.clone()), ["empty=", "x_key=a: b", "z=2"]);
        assert!(Headers::default().is_empty());
    }
}
