//! What rules, filters and hooks can know of a request.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

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
    pub headers: BTreeMap<String, String>,
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

impl RequestInfo {
    /// Is the caller a superuser?
    pub fn is_superuser(&self) -> bool {
        self.auth.as_ref().is_some_and(|auth| auth.superuser)
    }
}
