//! Shortcuts for tests: a running application (or a peer in its place), records, answers.

use std::sync::Barrier;
use std::thread;

use basalt_blackbox::{Client, Response, Target, TestServer};
use serde_json::{Value, json};

/// The same collections for the peer, without those that it can't have.
const PEER: &str = include_str!("peer.json");

/// Password of the members that the tests make.
pub const PASSWORD: &str = "correct horse";

/// The program under test: this application, or the peer that `BLACKBOX_PEER` names.
pub fn target() -> Target {
    match std::env::var_os("BLACKBOX_PEER") {
        Some(_) => Target::find(None).unwrap(),
        None => Target::application(env!("CARGO_BIN_EXE_basalt-features-app")),
    }
}

/// A fresh server.
pub fn server() -> TestServer {
    let target = target();
    let mut server = TestServer::prepare(&target).unwrap();
    server.launch().unwrap();
    if target.peer {
        let collections: Value = serde_json::from_str(PEER).unwrap();
        let body = json!({ "collections": collections, "deleteMissing": true }).to_string();
        let root = server.superuser().unwrap();
        let path = "/api/collections/import";
        let json = Some("application/json");
        let answer = root.send("PUT", path, json, body.as_bytes()).unwrap();
        assert_eq!(answer.status, 204, "{answer:?}");
    }
    server
}

/// Path of a collection's records.
pub fn records(collection: &str) -> String {
    format!("/api/collections/{collection}/records")
}

/// Path of one record.
pub fn record(collection: &str, id: &str) -> String {
    format!("/api/collections/{collection}/records/{id}")
}

/// An id of 15 characters that starts with `prefix`.
pub fn id(prefix: &str, number: usize) -> String {
    let width = 15 - prefix.len();
    format!("{prefix}{number:0width$}")
}

/// The body of an answer that must be a success.
#[track_caller]
pub fn ok(answer: anyhow::Result<Response>) -> Value {
    let answer = answer.unwrap();
    assert!((200..300).contains(&answer.status), "{answer:?}");
    answer.json()
}

/// Status and body of an answer.
pub fn answer(answer: anyhow::Result<Response>) -> (u16, Value) {
    let answer = answer.unwrap();
    (answer.status, answer.json())
}

/// Creates a record.
#[track_caller]
pub fn create(client: &Client, collection: &str, body: Value) -> Value {
    ok(client.post(&records(collection), &body))
}

/// Creates a member who may log in.
#[track_caller]
pub fn create_member(root: &Client, number: usize, username: &str) -> Value {
    let body = json!({
        "id": id("member", number), "username": username, "active": true,
        "password": PASSWORD, "passwordConfirm": PASSWORD,
    });
    create(root, "members", body)
}

/// Sends `count` requests at the same moment and returns their answers in order.
pub fn together(count: usize, send: impl Fn(usize) -> Response + Sync) -> Vec<Response> {
    let start = Barrier::new(count);
    thread::scope(|scope| {
        let (start, send) = (&start, &send);
        let run = move |number| {
            start.wait();
            send(number)
        };
        let threads: Vec<_> = (0..count)
            .map(|number| scope.spawn(move || run(number)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}
