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
