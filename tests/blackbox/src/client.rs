//! A blocking HTTP client that hands out every answer as it came, errors included.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::Request;

const TIMEOUT: Duration = Duration::from_secs(60);

/// Greatest answer that a test reads, in bytes.
const MAX_ANSWER: u64 = 256 << 20;

/// Talks to one server, with or without a token.
#[derive(Debug, Clone)]
pub struct Client {
    agent: Agent,
    base: String,
    token: Option<String>,
    headers: Vec<(&'static str, String)>,
}

/// An answer: what a test may want to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status code.
    pub status: u16,
    /// The content type, or an empty text when there was none.
    pub content_type: String,
    /// The `ETag`, or an empty text when there was none.
    pub etag: String,
    /// The body; bytes that are no UTF-8 are replaced.
    pub text: String,
}

impl Response {
    /// The body as JSON; `null` when it isn't JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// A text at a JSON pointer of the body; empty when there is none.
    pub fn text_at(&self, pointer: &str) -> String {
        let found = self.json();
        found
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    }
}

impl Client {
    /// A guest at the server that listens on `address`.
    pub fn guest(address: &str) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections_per_host(64)
            .timeout_global(Some(TIMEOUT))
            .build();
        Self {
            agent: config.into(),
            base: format!("http://{address}"),
            token: None,
            headers: Vec::new(),
        }
    }

    /// The same client with a token, or as a guest again.
    pub fn with_token(&self, token: Option<String>) -> Self {
        Self {
            token,
            ..self.clone()
        }
    }

    /// The same client, which sends one more header with each request.
    pub fn with_header(&self, name: &'static str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.push((name, value.to_owned()));
        client
    }

    /// Logs in and returns a client that carries the token.
    pub fn log_in(&self, collection: &str, identity: &str, password: &str) -> Result<Self> {
        let path = format!("/api/collections/{collection}/auth-with-password");
        let answer = self.post(
            &path,
            &json!({ "identity": identity, "password": password }),
        )?;
        let token = answer.text_at("/token");
        anyhow::ensure!(
            answer.status == 200 && !token.is_empty(),
            "login: {answer:?}"
        );
        Ok(self.with_token(Some(token)))
    }

    /// GET.
    pub fn get(&self, path: &str) -> Result<Response> {
        self.send("GET", path, None, &[])
    }

    /// DELETE.
    pub fn delete(&self, path: &str) -> Result<Response> {
        self.send("DELETE", path, None, &[])
    }

    /// POST with a JSON body.
    pub fn post(&self, path: &str, body: &Value) -> Result<Response> {
        self.send(
            "POST",
            path,
            Some("application/json"),
            body.to_string().as_bytes(),
        )
    }

    /// PATCH with a JSON body.
    pub fn patch(&self, path: &str, body: &Value) -> Result<Response> {
        self.send(
            "PATCH",
            path,
            Some("application/json"),
            body.to_string().as_bytes(),
        )
    }

    /// Any request. An `Err` means that no whole answer arrived.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<Response> {
        let what = || format!("{method} {path}");
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base));
        if let Some(content_type) = content_type {
            request = request.header("Content-Type", content_type);
        }
        if let Some(token) = &self.token {
            request = request.header("Authorization", token);
        }
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let answer = if content_type.is_none() && body.is_empty() {
            self.agent.run(request.body(()).with_context(what)?)
        } else {
            self.agent.run(request.body(body).with_context(what)?)
        };
        let mut answer = answer.with_context(what)?;
        let header = |name: &str| {
            let value = answer.headers().get(name).map(|value| value.as_bytes());
            String::from_utf8_lossy(value.unwrap_or_default()).into_owned()
        };
        let (content_type, etag) = (header("content-type"), header("etag"));
        let body = answer.body_mut().with_config().limit(MAX_ANSWER);
        let text = body.read_to_vec().with_context(what)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(Response {
            status: answer.status().as_u16(),
            content_type,
            etag,
            text,
        })
    }
}

/// Percent-encodes every byte that isn't a plain letter or digit.
pub fn encode(bytes: &[u8]) -> String {
    let mut encoded = String::with_capacity(bytes.len() * 3);
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
