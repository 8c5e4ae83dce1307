//! What answers hold.

use basalt_blackbox::Client;
use serde_json::{Value, json};

use crate::support::{World, list, ok, record, records, staff};

/// Those of the guarded fields that an answer holds.
fn shown(record: &Value) -> String {
    let fields = ["salary", "bonus", "code", "skills", "mentor", "notes"];
    let shown = fields.iter().filter(|name| record.get(name).is_some());
    shown.copied().collect::<Vec<_>>().join(" ")
}

const OWN: &str = "salary bonus code skills mentor";

#[track_caller]
fn check(client: &Client, name: &str, expected: &str) {
    let viewed = ok(client.get(&record("staff", &staff(name))));
    assert_eq!(shown(&viewed), expected, "view of {name}: {viewed}");
    let listed = list(client, "staff", &[]);
    let items = listed["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["nick"] == name).unwrap();
    assert_eq!(shown(item), expected, "list of {name}: {item}");
    assert_eq!(*item, viewed);
}

#[test]
fn lists_and_views_leave_out_what_may_not_be_read() {
    let world = World::new();
    for (who, client) in world.others() {
        println!("{who}");
        check(client, "boss", "");
        check(client, "ann", "");
        check(client, "bob", "mentor");
    }
    check(&world.ann, "ann", OWN);
    check(&world.ann, "boss", "");
    check(&world.boss, "boss", OWN);
    check(&world.boss, "ann", "salary");
    check(&world.boss, "bob", "salary mentor");
    check(
        &world.superuser,
        "ann",
        "salary bonus code skills mentor notes",
    );
}

#[test]
fn picking_a_field_shows_no_more() {
    let world = World::new();
    let path = format!(
        "{}?fields=salary,notes,nick",
        record("staff", &staff("ann"))
    );
    assert_eq!(ok(world.guest.get(&path)), json!({ "nick": "ann" }));
    assert_eq!(
        ok(world.ann.get(&path)),
        json!({ "nick": "ann", "salary": 100 })
    );
    let all = list(&world.guest, "staff", &[("fields", "*,salary:excerpt(2)")]);
    assert!(!all.to_string().contains("salary"), "{all}");
}

#[test]
fn answers_to_writes_say_no_more() {
    let world = World::new();
    let body = json!({ "title": "new", "open": false, "score": 7, "about": staff("ann") });
    let made = ok(world.guest.post(&records("reports"), &body));
    for field in ["score", "about", "readers", "made", "secret"] {
        assert_eq!(made.get(field), None, "{made}");
    }
    let path = record("reports", made["id"].as_str().unwrap());
    let made = ok(world.ann.patch(&path, &json!({ "title": "newer" })));
    assert_eq!(made["about"], staff("ann"));
    assert!(made["made"].is_string(), "{made}");
    assert_eq!(made.get("score"), None, "{made}");
    // Whoever may open it, may read it from then on: the answer is about what is stored now.
    let made = ok(world.guest.patch(&path, &json!({ "open": true })));
    assert_eq!(made["score"], 7);
    let picked = ok(world.guest.patch(
        &format!("{path}?fields=id,score"),
        &json!({ "open": false }),
    ));
    assert_eq!(picked.get("score"), None, "{picked}");
}

#[test]
fn logins_show_what_the_account_may_read() {
    let world = World::new();
    let body = json!({ "identity": "ann", "password": "correct horse" });
    let path = "/api/collections/staff/auth-with-password";
    let answer = ok(world.guest.post(path, &body));
    assert_eq!(shown(&answer["record"]), OWN, "{answer}");
    let answer = ok(world
        .guest
        .post(&format!("{path}?fields=record.notes,record.salary"), &body));
    assert_eq!(answer, json!({ "record": { "salary": 100 } }));
    let path = "/api/collections/staff/auth-refresh";
    let answer = ok(world.ann.post(path, &json!({})));
    assert_eq!(shown(&answer["record"]), OWN, "{answer}");
}

/// What a relation that doesn't exist expands to is nothing, but looking for it takes a reader: both
/// ways to an answer must lead to the same.
#[test]
fn fresh_logins_look_the_same_with_and_without_a_read() {
    let world = World::new();
    for (who, client, collection) in [
        ("client", &world.client, "clients"),
        ("superuser", &world.superuser, "_superusers"),
    ] {
        let path = format!("/api/collections/{collection}/auth-refresh");
        let ask = |query: &str| client.post(&format!("{path}?{query}"), &json!({}));
        // Tokens hold the second in which they end, so that two may differ.
        let parts = |query: &str| {
            let reply = ask(query).unwrap();
            let text = &reply.text;
            let (record, token) = text.split_once(r#","token":""#).unwrap();
            assert_eq!(token.matches('.').count(), 2, "{text}");
            (record.to_owned(), token.len())
        };
        assert_eq!(parts(""), parts("expand=nowhere"), "{who}");
        for fields in [
            "record.id,record.email",
            "*,record.nick:excerpt(2)",
            "record.none",
        ] {
            let cut = |more: &str| ok(ask(&format!("fields={fields}{more}")))["record"].clone();
            assert_eq!(cut(""), cut("&expand=nowhere"), "{who}: {fields}");
        }
    }
}

#[test]
fn a_fresh_login_shows_the_account_as_it_is_now() {
    let world = World::new();
    let path = "/api/collections/clients/auth-refresh";
    let refreshed = || ok(world.client.post(path, &json!({})));
    let id = refreshed()["record"]["id"].as_str().unwrap().to_owned();
    for nick in ["one", "two", "three"] {
        let body = json!({ "nick": nick });
        ok(world.superuser.patch(&record("clients", &id), &body));
        assert_eq!(refreshed()["record"]["nick"], nick);
    }
    ok(world.superuser.delete(&record("clients", &id)));
    let reply = world.client.post(path, &json!({})).unwrap();
    assert_eq!(reply.status, 401, "{}", reply.text);
}

#[test]
fn kept_answers_show_what_a_fields_rule_looks_at() {
    let world = World::new();
    let body = json!({ "title": "t", "open": false, "score": 7, "about": staff("ann") });
    let made = ok(world.superuser.post(&records("reports"), &body));
    let path = record("reports", made["id"].as_str().unwrap());
    let score = || {
        let (first, second) = (
            world.guest.get(&path).unwrap(),
            world.guest.get(&path).unwrap(),
        );
        assert_ne!(first.etag, "");
        assert_eq!(first, second);
        second.json().get("score").cloned()
    };
    let ann = record("staff", &staff("ann"));
    for (nick, seen) in [("ann", None), ("public", Some(json!(7))), ("ann", None)] {
        ok(world.superuser.patch(&ann, &json!({ "nick": nick })));
        assert_eq!(score(), seen, "of {nick}");
        let found = list(&world.guest, "reports", &[("filter", "score = 7")]);
        let count = usize::from(seen.is_some());
        assert_eq!(found["totalItems"], json!(count), "of {nick}: {found}");
        assert_eq!(found["items"].as_array().unwrap().len(), count, "{nick}");
    }
}
