//! Kept answers show every change on which they depend, in whichever collection it is made.

use basalt_blackbox::Client;
use serde_json::{Value, json};

use crate::support::{create, id, ok, record, records, server};

/// Asks until the answer is one that was kept.
#[track_caller]
fn kept(client: &Client, path: &str) -> Value {
    let (first, second) = (client.get(path).unwrap(), client.get(path).unwrap());
    assert_eq!((first.status, first.etag.is_empty()), (200, false));
    assert_eq!(first, second);
    second.json()
}

/// A list has so many records, by its total and in fact.
#[track_caller]
fn has(client: &Client, path: &str, count: usize) {
    let found = kept(client, path);
    assert_eq!(found["totalItems"], json!(count), "{path}");
    assert_eq!(found["items"].as_array().unwrap().len(), count, "{path}");
}

fn subject(number: usize) -> String {
    record("subjects", &id("subject", number))
}

#[test]
fn records_that_a_rule_looks_at() {
    let server = server();
    let (guest, root) = (server.guest(), server.superuser().unwrap());
    for number in 1..=2 {
        let body = json!({ "id": id("subject", number), "title": "x" });
        create(&root, "subjects", body);
    }
    let (first, second) = (id("subject", 1), id("subject", 2));
    create(&root, "rules_one", json!({ "one": first }));
    create(&root, "rules_many", json!({ "many": [first, second] }));
    let title = |number, title| ok(root.patch(&subject(number), &json!({ "title": title })));
    for rule in ["rules_one", "rules_many"] {
        let list = records(rule);
        has(&guest, &list, 1);
        title(1, "y");
        has(&guest, &list, 0);
        title(1, "x");
        has(&guest, &list, 1);
    }
    // The last of several, and one that goes.
    let many = records("rules_many");
    title(2, "y");
    has(&guest, &many, 0);
    assert_eq!(root.delete(&subject(2)).unwrap().status, 204);
    has(&guest, &many, 1);
}

#[test]
fn records_of_a_collection_that_a_rule_looks_through() {
    let server = server();
    let (guest, root) = (server.guest(), server.superuser().unwrap());
    let path = record("rules_back", &id("back", 1));
    create(
        &root,
        "rules_back",
        json!({ "id": id("back", 1), "t": "q" }),
    );
    assert_eq!(guest.get(&path).unwrap().status, 404);
    create(
        &root,
        "subjects",
        json!({ "id": id("subject", 1), "title": "q" }),
    );
    kept(&guest, &path);
    ok(root.patch(&subject(1), &json!({ "title": "r" })));
    assert_eq!(guest.get(&path).unwrap().status, 404);
}

#[test]
fn what_a_filter_asks_of_the_caller() {
    let server = server();
    let root = server.superuser().unwrap();
    create(&root, "things", json!({ "text": "a" }));
    let me = ok(root.get(&records("_superusers")))["items"][0]["id"].clone();
    let me = record("_superusers", me.as_str().unwrap());
    let filter = "filter=@request.auth.emailVisibility%20=%20true";
    let path = format!("{}?{filter}", records("things"));
    for (visible, count) in [(false, 0), (true, 1), (false, 0)] {
        ok(root.patch(&me, &json!({ "emailVisibility": visible })));
        has(&root, &path, count);
    }
}

#[test]
fn one_collection_is_not_taken_for_another() {
    let server = server();
    let guest = server.guest();
    create(
        &guest,
        "trees",
        json!({ "id": id("same", 1), "name": "oak" }),
    );
    create(
        &guest,
        "things",
        json!({ "id": id("same", 1), "text": "a" }),
    );
    create(&guest, "things", json!({ "text": "b" }));
    has(&guest, &records("trees"), 1);
    has(&guest, &records("things"), 2);
    let named = |collection| kept(&guest, &record(collection, &id("same", 1)))["name"].clone();
    assert_eq!(
        (named("trees"), named("things")),
        (json!("oak"), Value::Null)
    );
}
