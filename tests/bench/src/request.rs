//! Requests, as bytes that are made before the clock starts.

use std::net::SocketAddr;
use std::sync::Arc;

/// A whole request, ready to be written; cheap to share between many sends.
pub type Wire = Arc<[u8]>;

/// What a request is made of.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// GET, POST, PATCH, PUT or DELETE.
    pub method: &'a str,
    /// Path and query, already encoded.
    pub path: &'a str,
    /// The value of `Authorization`.
    pub token: Option<&'a str>,
    /// A JSON body.
    pub body: Option<&'a str>,
    /// Must the server work it out anew, whatever it has kept of earlier requests?
    pub cold: bool,
}

impl<'a> Request<'a> {
    /// A request without token and body.
    pub fn new(method: &'a str, path: &'a str) -> Self {
        Request {
            method,
            path,
            token: None,
            body: None,
            cold: false,
        }
    }

    /// The same with a token.
    pub fn token(self, token: &'a str) -> Self {
        Request {
            token: Some(token),
            ..self
        }
    }

    /// The same with a JSON body.
    pub fn body(self, body: &'a str) -> Self {
        Request {
            body: Some(body),
            ..self
        }
    }

    /// The same, answered from scratch: as HTTP has it, `no-cache` keeps a server from answering with
    /// what it has. (PocketBase keeps nothing, and takes no notice.)
    pub fn cold(self, cold: bool) -> Self {
        Request { cold, ..self }
    }

    /// The bytes that go over the connection.
    pub fn wire(&self, host: SocketAddr, close: bool) -> Wire {
        let mut text = format!("{} {} HTTP/1.1\r\nHost: {host}\r\n", self.method, self.path);
        if let Some(token) = self.token {
            text.push_str(&format!("Authorization: {token}\r\n"));
        }
        if self.cold {
            text.push_str("Cache-Control: no-cache\r\n");
        }
        if close {
            text.push_str("Connection: close\r\n");
        }
        let body = self.body.unwrap_or_default();
        if self.body.is_some() {
            text.push_str("Content-Type: application/json\r\n");
        }
        if self.body.is_some() || self.method != "GET" {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        text.push_str("\r\n");
        text.push_str(body);
        Arc::from(text.into_bytes())
    }
}
