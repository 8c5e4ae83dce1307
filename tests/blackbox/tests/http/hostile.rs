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
