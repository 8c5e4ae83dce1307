//! Tables: requests one after the other against one fresh server, each with the answer below it.
//!
//! ```text
//! # a comment
//! POST /things?fields=n {"n":"1e3"}
//! 200 {"n":1000}
//! ann GET /members?filter={username = 'ann'}
//! 200 …
//! ```
//!
//! A path starts at the collection, unless it starts with `/api`; what stands in braces is
//! percent-encoded. A name before the method is who asks: `root`, or a member by username.
//! Times, ids of collections and tokens are masked by `*`.
//!
//! `BLACKBOX_PEER=POCKETBASE` asks the peer, and `UPDATE_TABLES=1` writes what was answered.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use basalt_blackbox::client::encode;
use basalt_blackbox::{Client, Response, TestServer};
use serde_json::Value;

use crate::support::{PASSWORD, server};

const METHODS: &[&str] = &["GET", "POST", "PATCH", "DELETE"];
const MASKED: &[&str] = &["collectionId", "created", "updated", "changed", "token"];

/// Sends the requests of a table and compares the answers. `peer` tells whether the peer has such
/// collections at all.
#[track_caller]
pub fn check(name: &str, peer: bool) {
    if !peer && std::env::var_os("BLACKBOX_PEER").is_some() {
        eprintln!("skipped: the peer has nothing like this");
        return;
    }
    let file = format!("tests/http/tables/{name}.txt");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(&file);
    let table = std::fs::read_to_string(&path).unwrap();
    let found = run(&table);
    if std::env::var_os("UPDATE_TABLES").is_some() {
        std::fs::write(&path, &found).unwrap();
        return;
    }
    let pairs = table.lines().zip(found.lines()).enumerate();
    let wrong: Vec<_> = pairs
        .filter(|(_, (expected, found))| expected != found)
        .map(|(at, (expected, found))| {
            let request = table.lines().nth(at.saturating_sub(1)).unwrap_or_default();
            format!(
                "{file}:{}\n  {request}\n  - {expected}\n  + {found}",
                at + 1
            )
        })
        .collect();
    let complete = table.lines().count() == found.lines().count();
    assert!(
        wrong.is_empty() && complete,
        "{} answers differ\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The table with the answers that the server gives.
fn run(table: &str) -> String {
    let server = server();
    let mut callers = Callers {
        known: BTreeMap::new(),
        server: &server,
    };
    let mut found = String::new();
    for line in table.lines() {
        let request = Request::parse(line);
        let is_answer = line.starts_with(|first: char| first.is_ascii_digit());
        if request.is_some() || !is_answer {
            writeln!(found, "{line}").unwrap();
        }
        if let Some(request) = request {
            let client = callers.get(request.caller);
            let answer = request.send(client);
            writeln!(found, "{}", shown(&answer)).unwrap();
        }
    }
    found
}

/// Who asks, logged in when they first do.
struct Callers<'a> {
    known: BTreeMap<String, Client>,
    server: &'a TestServer,
}

impl Callers<'_> {
    fn get(&mut self, name: &str) -> &Client {
        let server = self.server;
        let log_in = || match name {
            "" => server.guest(),
            "root" => server.superuser().unwrap(),
            member => server.guest().log_in("members", member, PASSWORD).unwrap(),
        };
        self.known.entry(name.to_owned()).or_insert_with(log_in)
    }
}

struct Request<'a> {
    caller: &'a str,
    method: &'a str,
    path: String,
    body: &'a str,
}

impl<'a> Request<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (first, rest) = line.split_once(' ')?;
        let (caller, method, rest) = if METHODS.contains(&first) {
            ("", first, rest)
        } else {
            let (second, rest) = rest.split_once(' ')?;
            (first, second, rest)
        };
        if line.starts_with('#') || !METHODS.contains(&method) {
            return None;
        }
        let end = end_of_path(rest);
        let (path, body) = rest.split_at(end);
        Some(Self {
            caller,
            method,
            path: full_path(path),
            body: body.trim_start(),
        })
    }

    fn send(&self, client: &Client) -> Response {
        let json = (!self.body.is_empty()).then_some("application/json");
        let body = self.body.as_bytes();
        client.send(self.method, &self.path, json, body).unwrap()
    }
}

/// The first space outside braces.
fn end_of_path(text: &str) -> usize {
    let mut inside = false;
    for (at, c) in text.char_indices() {
        match c {
            '{' => inside = true,
            '}' => inside = false,
            ' ' if !inside => return at,
            _ => {}
        }
    }
    text.len()
}

fn full_path(path: &str) -> String {
    let mut full = String::new();
    let mut rest = path;
    while let Some((plain, inner)) = rest.split_once('{') {
        let (inner, after) = inner.split_once('}').unwrap();
        full.push_str(plain);
        full.push_str(&encode(inner.as_bytes()));
        rest = after;
    }
    full.push_str(rest);
    if full.starts_with("/api/") {
        return full;
    }
    let end = full[1..].find(['/', '?']).map_or(full.len(), |at| at + 1);
    let (collection, rest) = full.split_at(end);
    format!("/api/collections{collection}/records{rest}")
}

/// Made by the pattern `c-[0-9]{4}`.
fn is_generated(text: &str) -> bool {
    let digits = text.strip_prefix("c-").unwrap_or_default();
    digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_digit())
}

fn shown(answer: &Response) -> String {
    if answer.text.is_empty() {
        return answer.status.to_string();
    }
    let mut body = answer.json();
    mask(&mut body);
    format!("{} {body}", answer.status)
}

/// Replaces what differs from run to run. Keys come out in order, since `?fields=` of the peer
/// shuffles them.
fn mask(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (key, value) in object.iter_mut() {
                let text = value.as_str().unwrap_or_default();
                let varies = MASKED.contains(&key.as_str()) && !text.is_empty();
                if varies || key == "auto" && is_generated(text) {
                    *value = Value::from("*");
                }
                mask(value);
            }
            object.sort_keys();
        }
        Value::Array(items) => items.iter_mut().for_each(mask),
        _ => {}
    }
}
