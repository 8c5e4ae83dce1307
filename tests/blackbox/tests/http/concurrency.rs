//! Writes that arrive at the same time: none of them may be lost.

use basalt_blackbox::shortcuts::together;
use basalt_blackbox::{Client, Target, TestServer};
use serde_json::{Value, json};

use crate::support::{create, create_user, id, ok, record, records, server, texts};

fn user_with_permissions(root: &Client, count: usize) -> (String, Vec<String>) {
    let user = create_user(root, &id("user", 1), "alice");
    let permissions: Vec<_> = (0..count).map(|number| id("perm", number)).collect();
    for permission in &permissions {
        create(
            root,
            "permissions",
            json!({ "id": permission, "name": permission }),
        );
    }
    (record("users", user["id"].as_str().unwrap()), permissions)
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

#[test]
fn appended_relations_are_all_kept() {
    let server = server();
    let root = server.superuser().unwrap();
    let (user, permissions) = user_with_permissions(&root, 40);

    let answers = together(40, |number| {
        root.patch(&user, &json!({ "permissions+": permissions[number] }))
            .unwrap()
    });
    for (answer, permission) in answers.iter().zip(&permissions) {
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(
            texts(&answer.json()["permissions"]).contains(permission),
            "{answer:?}"
        );
    }
    let stored = ok(root.get(&user));
    assert_eq!(sorted(texts(&stored["permissions"])), permissions);
    for permission in &permissions {
        let filter = format!("?filter=permissions.id%3F%3D%22{permission}%22");
        let found = ok(root.get(&(records("users") + &filter)));
        assert_eq!(found["totalItems"], 1, "{permission} by filter");
    }

    let removed = together(20, |number| {
        root.patch(&user, &json!({ "permissions-": permissions[number] }))
            .unwrap()
    });
    assert!(
        removed.iter().all(|answer| answer.status == 200),
        "{removed:?}"
    );
    let stored = ok(root.get(&user));
    assert_eq!(sorted(texts(&stored["permissions"])), permissions[20..]);
}

#[test]
fn appended_choices_are_all_kept() {
    let server = server();
    let guest = server.guest();
    for round in 0..20 {
        let post = id("post", round);
        create(&guest, "posts", json!({ "id": post }));
        let path = record("posts", &post);
        together(3, |number| {
            let choice = ["a", "b", "c"][number];
            guest.patch(&path, &json!({ "type+": choice })).unwrap()
        });
        assert_eq!(
            sorted(texts(&ok(guest.get(&path))["type"])),
            ["a", "b", "c"]
        );
    }
}

#[test]
fn changes_of_different_fields_do_not_undo_each_other() {
    let server = server();
    let guest = server.guest();
    let path = record("posts", &id("post", 1));
    create(&guest, "posts", json!({ "id": id("post", 1) }));
    // Only one client writes each field, so it must always read back what it wrote last.
    together(2, |client| {
        let field = ["title", "description"][client];
        let mut last = guest.get(&path).unwrap();
        for number in 0..100 {
            let value = format!("{field} {number}");
            let written = ok(guest.patch(&path, &json!({ field: value })));
            assert_eq!(written[field], Value::from(value.clone()), "in the answer");
            last = guest.get(&path).unwrap();
            assert_eq!(last.json()[field], Value::from(value), "read back");
        }
        last
    });
    let stored = ok(guest.get(&path));
    assert_eq!(
        (&stored["title"], &stored["description"]),
        (&json!("title 99"), &json!("description 99"))
    );
}

#[test]
fn one_of_many_equal_names_wins() {
    let server = server();
    let root = server.superuser().unwrap();
    create(&root, "organizations", json!({ "id": id("org", 1) }));
    let answers = together(8, |number| {
        let username = if number % 2 == 0 { "Same" } else { "sAME" };
        let body = json!({
            "username": username, "organization": id("org", 1),
            "password": "correct horse", "passwordConfirm": "correct horse",
        });
        root.post(&records("users"), &body).unwrap()
    });
    let won = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(won, 1, "{answers:?}");
    for lost in answers.iter().filter(|answer| answer.status != 200) {
        assert_eq!(
            (lost.status, lost.text_at("/data/username/code").as_str()),
            (400, "validation_not_unique")
        );
    }
}

/// Needs a number field, which the demo schema lacks: `BLACKBOX_COUNTER=BINARY:COLLECTION:FIELD`
/// names an application that has one and lets superusers create records without other fields.
#[test]
fn concurrent_increments_add_up() {
    let Ok(setting) = std::env::var("BLACKBOX_COUNTER") else {
        eprintln!("skipped: BLACKBOX_COUNTER names no application with a number field");
        return;
    };
    let parts: Vec<_> = setting.split(':').collect();
    let [binary, collection, field] = parts[..] else {
        panic!("BLACKBOX_COUNTER={setting}")
    };
    let target = Target::application(binary);
    let server = TestServer::start(&target).unwrap();
    let root = server.superuser().unwrap();
    let made = create(&root, collection, json!({}));
    let path = record(collection, made["id"].as_str().unwrap());
    let answers = together(200, |_| {
        root.patch(&path, &json!({ format!("{field}+"): 1 }))
            .unwrap()
    });
    assert!(answers.iter().all(|answer| answer.status == 200));
    assert_eq!(ok(root.get(&path))[field].as_f64(), Some(200.0));
}
