//! Answers are kept between requests, and yet show every write that was acknowledged; whoever has
//! an answer already is told so.

use std::time::{Duration, Instant};

use basalt_blackbox::client::encode;
use basalt_blackbox::{Client, Response};
use serde_json::{Value, json};

use crate::support::{PASSWORD, create, create_member, id, ok, record, records, server};

fn get(client: &Client, path: &str) -> Response {
    let answer = client.get(path).unwrap();
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer
}

/// Asks twice, so that the second answer is one that was kept.
#[track_caller]
fn kept(client: &Client, path: &str) -> Response {
    let (first, second) = (get(client, path), get(client, path));
    assert_ne!(first.etag, "", "{path}: {first:?}");
    assert_eq!((&first.etag, &first.text), (&second.etag, &second.text));
    second
}

fn total(client: &Client, path: &str) -> i64 {
    kept(client, path).json()["totalItems"].as_i64().unwrap()
}

fn filtered(collection: &str, filter: &str) -> String {
    let filter = encode(filter.as_bytes());
    format!("{}?filter={filter}", records(collection))
}

#[test]
fn every_write_changes_the_answer() {
    let server = server();
    let guest = server.guest();
    let trees = records("trees");
    assert_eq!(total(&guest, &trees), 0);
    create(
        &guest,
        "trees",
        json!({ "id": id("tree", 1), "name": "oak" }),
    );
    create(
        &guest,
        "trees",
        json!({ "id": id("tree", 2), "parent": id("tree", 1) }),
    );
    create(
        &guest,
        "leaves",
        json!({ "id": id("leaf", 1), "hard": id("tree", 2) }),
    );
    assert_eq!(total(&guest, &trees), 2);

    let leaf = format!("{}?expand=hard.parent", record("leaves", &id("leaf", 1)));
    let leaves = filtered("leaves", "hard.parent.name = 'ash'");
    let oak = "/expand/hard/expand/parent/name";
    assert_eq!(kept(&guest, &leaf).text_at(oak), "oak");
    assert_eq!(total(&guest, &leaves), 0);
    ok(guest.patch(&record("trees", &id("tree", 1)), &json!({ "name": "ash" })));
    assert_eq!(kept(&guest, &leaf).text_at(oak), "ash");
    assert_eq!(total(&guest, &leaves), 1);

    let back = format!("{trees}?expand=leaves_via_hard&sort=-parent.name");
    assert!(kept(&guest, &back).text.contains(&id("leaf", 1)));
    let root = record("trees", &id("tree", 1));
    assert_eq!(guest.delete(&root).unwrap().status, 204);
    assert!(!kept(&guest, &back).text.contains(&id("leaf", 1)));
    assert_eq!(guest.get(&leaf).unwrap().status, 404);
    assert_eq!((total(&guest, &trees), total(&guest, &leaves)), (0, 0));
}

#[test]
fn what_hooks_write_counts_and_what_is_rolled_back_does_not() {
    let server = server();
    let guest = server.guest();
    let journal = records("journal");
    assert_eq!(total(&guest, &journal), 0);
    create(&guest, "notes", json!({ "title": "a" }));
    assert_eq!(total(&guest, &journal), 1);
    let refused = guest.post(&records("notes"), &json!({ "title": "after create" }));
    assert_eq!(refused.unwrap().status, 422);
    assert_eq!(total(&guest, &journal), 1);
}

#[test]
fn an_answer_is_for_one_caller() {
    let server = server();
    let root = server.superuser().unwrap();
    create_member(&root, 1, "ann");
    create_member(&root, 2, "bob");
    let guest = server.guest();
    let ann = guest.log_in("members", "ann", PASSWORD).unwrap();
    let bob = guest.log_in("members", "bob", PASSWORD).unwrap();
    create(
        &root,
        "notes",
        json!({ "title": "hers", "owner": id("member", 1) }),
    );
    let notes = records("notes");
    let totals = [&root, &ann, &bob, &guest].map(|client| total(client, &notes));
    assert_eq!(totals, [1, 1, 0, 0]);
    let again = [&root, &ann, &bob, &guest].map(|client| total(client, &notes));
    assert_eq!(again, totals);
}

#[test]
fn the_callers_own_record_counts() {
    let server = server();
    let root = server.superuser().unwrap();
    create_member(&root, 1, "ann");
    create_member(&root, 2, "bob");
    let bob = record("members", &id("member", 2));
    let change = json!({ "email": "bob@example.com", "emailVisibility": false, "team": "red" });
    ok(root.patch(&bob, &change));
    let ann = server.guest().log_in("members", "ann", PASSWORD).unwrap();
    let shown = || kept(&ann, &bob).json().get("email").is_some();
    assert!(!shown());
    let path = record("members", &id("member", 1));
    ok(root.patch(&path, &json!({ "role": "chief", "team": "red" })));
    assert!(shown(), "a chief manages the members of the team");
    ok(root.patch(&path, &json!({ "team": "blue" })));
    assert!(!shown());
}

#[test]
fn what_looks_at_more_than_records_is_not_kept() {
    let server = server();
    let root = server.superuser().unwrap();
    let untold = |path: &str| assert_eq!(get(&root, path).etag, "", "{path}");
    untold(&filtered("things", "created < @now"));
    untold(&filtered("things", "strftime('%Y', created) = '2024'"));
    untold(&filtered("things", "text = @request.headers.x_key"));
    untold(&format!("{}?sort=@random", records("things")));
    let anew = root.with_header("Cache-Control", "max-age=0, no-cache");
    assert_eq!(get(&anew, &records("things")).etag, "");
    kept(
        &root,
        &filtered(
            "things",
            "text = 'a@now.example' || text = @request.query.k",
        ),
    );
    // With a body, for which rules may ask.
    let body = Some("application/json");
    let answer = root
        .send("GET", &records("things"), body, b"{\"a\":1}")
        .unwrap();
    assert_eq!((answer.status, answer.etag.as_str()), (200, ""));
}

#[test]
fn whoever_has_the_answer_gets_no_second_one() {
    let server = server();
    let guest = server.guest();
    create(
        &guest,
        "things",
        json!({ "id": id("thing", 1), "text": "a" }),
    );
    for path in [records("things"), record("things", &id("thing", 1))] {
        let tag = kept(&guest, &path).etag;
        for tags in [tag.clone(), format!("\"x\", W/{tag}"), "*".to_owned()] {
            let answer = guest
                .with_header("If-None-Match", &tags)
                .get(&path)
                .unwrap();
            assert_eq!((answer.status, answer.text.as_str()), (304, ""), "{tags}");
            assert_eq!(answer.etag, tag);
        }
        let other = guest.with_header("If-None-Match", "\"x\"");
        assert_eq!(get(&other, &path).etag, tag);
        let has = guest.with_header("If-None-Match", &tag);
        let body = json!({ "text": format!("{path} was asked") });
        ok(guest.patch(&record("things", &id("thing", 1)), &body));
        assert_ne!(get(&has, &path).etag, tag);
    }
}

#[test]
fn guesses_wait_for_kept_answers_too() {
    let server = server();
    let guest = server.guest();
    let path = filtered("notes", "title = 'nothing like it'");
    get(&guest, &path);
    let start = Instant::now();
    for _ in 0..12 {
        get(&guest, &path);
    }
    assert!(start.elapsed() > Duration::from_millis(200));
}

#[test]
fn errors_are_not_kept() {
    let server = server();
    let guest = server.guest();
    let path = record("things", &id("thing", 1));
    for _ in 0..2 {
        let missing = guest.get(&path).unwrap();
        assert_eq!((missing.status, missing.etag.as_str()), (404, ""));
    }
    let made: Value = create(&guest, "things", json!({ "id": id("thing", 1) }));
    assert_eq!(kept(&guest, &path).json(), made);
}
