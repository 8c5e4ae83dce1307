//! Shortcuts that every suite of tests over HTTP uses: paths, ids, answers that must be fine.
//! They panic where a test has failed.
#![allow(clippy::unwrap_used)]

use std::sync::Barrier;
use std::thread;

use serde_json::Value;

use crate::client::{Client, Response};

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

/// Creates a record.
#[track_caller]
pub fn create(client: &Client, collection: &str, body: Value) -> Value {
    ok(client.post(&records(collection), &body))
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
