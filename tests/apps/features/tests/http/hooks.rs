//! The application's own code: hooks of writes and logins, and a route.

use basalt_blackbox::Client;
use serde_json::{Value, json};

use crate::support::{PASSWORD, answer, create, create_member, id, ok, record, records, server};

/// What the hooks wrote down, in order.
fn journal(client: &Client) -> Vec<(String, String)> {
    let list = ok(client.get(&format!("{}?sort=@rowid", records("journal"))));
    let entries = list["items"].as_array().unwrap().iter();
    entries
        .map(|entry| (text(&entry["event"]), text(&entry["detail"])))
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn entries(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(event, detail): &(&str, &str)| ((*event).to_owned(), (*detail).to_owned());
    expected.iter().map(owned).collect()
}

fn refused(event: &str) -> (u16, Value) {
    let message = format!("Refused {event}.");
    (
        422,
        json!({ "data": {}, "message": message, "status": 422 }),
    )
}

#[test]
fn a_hook_changes_what_is_created() {
    let server = server();
    let guest = server.guest();
    let made = create(
        &guest,
        "notes",
        json!({ "id": id("note", 1), "title": "  hello ", "revision": 9 }),
    );
    assert_eq!(
        (&made["title"], &made["revision"]),
        (&json!("hello"), &json!(1))
    );
    assert_eq!(ok(guest.get(&record("notes", &id("note", 1)))), made);
    assert_eq!(journal(&guest), entries(&[("created", "hello")]));

    let long = json!({ "title": format!("  {}  ", "x".repeat(40)) });
    assert_eq!(
        answer(guest.post(&records("notes"), &long)).0,
        200,
        "validated after the hook"
    );
}

#[test]
fn a_hook_counts_updates() {
    let server = server();
    let guest = server.guest();
    create(
        &guest,
        "notes",
        json!({ "id": id("note", 1), "title": "a" }),
    );
    let path = record("notes", &id("note", 1));
    let changed = ok(guest.patch(&path, &json!({ "title": "b", "revision": 100 })));
    assert_eq!(changed["revision"], 2);
    assert_eq!(ok(guest.patch(&path, &json!({})))["revision"], 3);
    assert_eq!(
        journal(&guest),
        entries(&[("created", "a"), ("updated", "a > b"), ("updated", "b > b")])
    );
}

#[test]
fn a_refused_create_leaves_nothing() {
    let server = server();
    let guest = server.guest();
    for event in ["before create", "after create"] {
        let body = json!({ "id": id("note", 1), "title": event });
        assert_eq!(answer(guest.post(&records("notes"), &body)), refused(event));
        assert_eq!(
            guest.get(&record("notes", &id("note", 1))).unwrap().status,
            404
        );
    }
    assert_eq!(
        journal(&guest),
        [],
        "the entry of the hook that refused, too"
    );
    create(
        &guest,
        "notes",
        json!({ "id": id("note", 1), "title": "fine" }),
    );
}

#[test]
fn a_refused_update_changes_nothing() {
    let server = server();
    let guest = server.guest();
    let made = create(
        &guest,
        "notes",
        json!({ "id": id("note", 1), "title": "kept" }),
    );
    let path = record("notes", &id("note", 1));
    for event in ["before update", "after update"] {
        let body = json!({ "title": event });
        assert_eq!(answer(guest.patch(&path, &body)), refused(event));
        assert_eq!(ok(guest.get(&path)), made);
    }
    assert_eq!(journal(&guest), entries(&[("created", "kept")]));
}

#[test]
fn a_refused_delete_keeps_all() {
    let server = server();
    let guest = server.guest();
    for (number, event) in ["before delete", "after delete"].into_iter().enumerate() {
        let (parent, child) = (id("parent", number), id("child", number));
        create(&guest, "notes", json!({ "id": parent, "title": "parent" }));
        create(
            &guest,
            "notes",
            json!({ "id": child, "title": event, "parent": parent }),
        );
        let before = journal(&guest);
        assert_eq!(
            answer(guest.delete(&record("notes", &child))),
            refused(event)
        );
        let (status, _) = answer(guest.delete(&record("notes", &parent)));
        assert!(
            (400..500).contains(&status),
            "{event} in a cascade: {status}"
        );
        for kept in [&parent, &child] {
            ok(guest.get(&record("notes", kept)));
        }
        assert_eq!(journal(&guest), before);
    }
}

#[test]
fn a_cascade_runs_hooks() {
    let server = server();
    let guest = server.guest();
    create(
        &guest,
        "notes",
        json!({ "id": id("note", 1), "title": "parent" }),
    );
    create(
        &guest,
        "notes",
        json!({ "title": "child", "parent": id("note", 1) }),
    );
    assert_eq!(
        guest
            .delete(&record("notes", &id("note", 1)))
            .unwrap()
            .status,
        204
    );
    let mut events = journal(&guest).split_off(2);
    events.sort();
    assert_eq!(
        events,
        entries(&[("deleted", "child"), ("deleted", "parent")])
    );
}

#[test]
fn hooks_do_not_run_for_what_a_rule_refuses() {
    let server = server();
    let guest = server.guest();
    let body = json!({ "title": "forbidden by rule" });
    assert_eq!(answer(guest.post(&records("notes"), &body)).0, 400);
    let long = json!({ "title": "x".repeat(41) });
    assert_eq!(answer(guest.post(&records("notes"), &long)).0, 400);
    assert_eq!(journal(&guest), []);
}

#[test]
fn hooks_of_logins_allow_and_refuse() {
    let server = server();
    let root = server.superuser().unwrap();
    create_member(&root, 1, "ann");
    let login = "/api/collections/members/auth-with-password";
    let body = json!({ "identity": "ann", "password": PASSWORD });
    ok(server.guest().post(login, &body));
    assert_eq!(journal(&root), entries(&[("login", "ann")]));

    let wrong = json!({ "identity": "ann", "password": "wrong" });
    assert_eq!(answer(server.guest().post(login, &wrong)).0, 400);
    assert_eq!(
        journal(&root),
        entries(&[("login", "ann")]),
        "only after a right password"
    );

    for event in ["before login", "after login"] {
        let path = record("members", &id("member", 1));
        ok(root.patch(&path, &json!({ "team": event })));
        assert_eq!(answer(server.guest().post(login, &body)), refused(event));
    }
    assert_eq!(journal(&root), entries(&[("login", "ann")]));
}

#[test]
fn a_route_reads_through_the_rules() {
    let server = server();
    let root = server.superuser().unwrap();
    for (number, name) in ["ann", "bob"].into_iter().enumerate() {
        let member = create_member(&root, number, name);
        create(
            &root,
            "notes",
            json!({ "title": name, "owner": member["id"] }),
        );
    }
    create(&root, "notes", json!({ "title": "of nobody" }));
    let seen = |client: &Client| ok(client.get("/api/features/titles"));
    let ann = server.guest().log_in("members", "ann", PASSWORD).unwrap();
    assert_eq!(seen(&ann), json!({ "visible": ["ann"], "all": 3 }));
    assert_eq!(seen(&server.guest()), json!({ "visible": [], "all": 3 }));
    assert_eq!(
        seen(&root),
        json!({ "visible": ["ann", "bob", "of nobody"], "all": 3 })
    );
}
