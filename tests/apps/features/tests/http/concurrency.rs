//! Writes that arrive at the same time: none of them may be lost.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{create, id, ok, record, server, together};

#[test]
fn increments_add_up() {
    let server = server();
    let guest = server.guest();
    let path = record("things", &id("thing", 1));
    create(&guest, "things", json!({ "id": id("thing", 1) }));
    let answers = together(200, |_| guest.patch(&path, &json!({ "n+": 1 })).unwrap());
    let seen: BTreeSet<u64> = answers
        .iter()
        .map(|answer| answer.json()["n"].as_u64().unwrap())
        .collect();
    assert_eq!(seen, (1..=200).collect(), "each answer is another sum");
    assert_eq!(ok(guest.get(&path))["n"], 200);

    let up_and_down = together(40, |number| {
        let key = if number % 2 == 0 { "n+" } else { "n-" };
        guest.patch(&path, &json!({ key: 3 })).unwrap()
    });
    assert!(up_and_down.iter().all(|answer| answer.status == 200));
    assert_eq!(ok(guest.get(&path))["n"], 200);
}

#[test]
fn appended_relations_are_all_kept() {
    let server = server();
    let guest = server.guest();
    let path = record("things", &id("thing", 0));
    for number in 0..=40 {
        create(&guest, "things", json!({ "id": id("thing", number) }));
    }
    let answers = together(40, |number| {
        let target = id("thing", number + 1);
        guest.patch(&path, &json!({ "refs+": target })).unwrap()
    });
    assert!(answers.iter().all(|answer| answer.status == 200));
    let stored = ok(guest.get(&path));
    let kept: BTreeSet<String> = serde_json::from_value(stored["refs"].clone()).unwrap();
    let all: BTreeSet<String> = (1..=40).map(|number| id("thing", number)).collect();
    assert_eq!(kept, all);

    let filter = format!(
        "/api/collections/things/records?filter=refs.id%3F%3D%22{}%22",
        id("thing", 40)
    );
    assert_eq!(ok(guest.get(&filter))["totalItems"], 1, "the join rows too");
}

#[test]
fn two_clients_change_different_fields() {
    let server = server();
    let guest = server.guest();
    let path = record("things", &id("thing", 1));
    create(&guest, "things", json!({ "id": id("thing", 1) }));
    together(2, |client| {
        let field = ["text", "html"][client];
        let mut last = guest.get(&path).unwrap();
        for number in 0..50 {
            let value = format!("{field} {number}");
            last = guest.patch(&path, &json!({ field: value })).unwrap();
            assert_eq!(last.json()[field], Value::from(value));
        }
        last
    });
    let stored = ok(guest.get(&path));
    assert_eq!(
        (&stored["text"], &stored["html"]),
        (&json!("text 49"), &json!("html 49"))
    );
}

#[test]
fn a_bound_holds_for_concurrent_increments() {
    let server = server();
    let guest = server.guest();
    let path = record("limits", &id("limit", 1));
    create(&guest, "limits", json!({ "id": id("limit", 1) }));
    let answers = together(30, |_| guest.patch(&path, &json!({ "whole+": 1 })).unwrap());
    let accepted = answers.iter().filter(|answer| answer.status == 200).count();
    let refused = answers.iter().filter(|answer| answer.status == 400).count();
    assert_eq!((accepted, refused), (10, 20), "whole is at most 10");
    assert_eq!(ok(guest.get(&path))["whole"], 10);
}
