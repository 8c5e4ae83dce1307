//! Requests that are well formed and meant to cost the server more than they cost their sender.

use serde_json::json;

use crate::support::{create_user, id, ok, record, records, server};

#[test]
fn writes_answer_with_what_a_view_shows() {
    let server = server();
    let client = server.superuser().unwrap();
    let author = id("user", 1);
    create_user(&client, &author, "writer");
    let mut body =
        json!({ "id": id("post", 1), "author": author, "description": "<p>some words</p>" });
    for query in [
        "",
        "?expand=author.organization",
        "?fields=id,description:excerpt(4)",
        "?expand=author&fields=expand.author.username,title",
    ] {
        let view = record("posts", &id("post", 1)) + query;
        let created = ok(client.post(&(records("posts") + query), &body));
        assert_eq!(created, ok(client.get(&view)), "{query}");
        let updated = ok(client.patch(&view, &json!({ "title": query })));
        assert_eq!(updated, ok(client.get(&view)), "{query}");
        ok(client.delete(&view));
        body["title"] = query.into();
    }
}

#[test]
fn deep_and_long_fields_are_refused() {
    let mut server = server();
    let client = server.superuser().unwrap();
    create_user(&client, &id("user", 1), "reader");
    for fields in [
        ["a"; 15_000].join("."),
        (0..9_000).map(|name| format!("{name},")).collect(),
    ] {
        let query = format!("?fields={fields}");
        for path in [
            records("users"),
            record("users", &id("user", 1)),
            "/api/collections/users/auth-methods".to_owned(),
        ] {
            let answer = client.get(&(path + &query)).unwrap();
            assert_eq!(answer.status, 400, "{answer:?}");
        }
    }
    assert!(server.alive(), "{}", server.log());
}

#[test]
fn forms_that_repeat_a_key_are_read_at_once() {
    let server = server();
    let form = "type=a&".repeat(50_000);
    let kind = Some("application/x-www-form-urlencoded");
    let created = ok(server
        .guest()
        .send("POST", &records("posts"), kind, form.as_bytes()));
    assert_eq!(created["type"], json!(["a"]));
}
