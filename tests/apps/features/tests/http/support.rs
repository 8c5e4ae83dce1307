//! Shortcuts for tests: a running application (or a peer in its place), records, answers.

pub use basalt_blackbox::shortcuts::{create, id, ok, record, records, together};
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

/// Status and body of an answer.
pub fn answer(answer: anyhow::Result<Response>) -> (u16, Value) {
    let answer = answer.unwrap();
    (answer.status, answer.json())
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
