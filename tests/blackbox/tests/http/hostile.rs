//! Requests that are well formed and meant to cost the server more than they cost their sender.

use std::time::{Duration, Instant};

use basalt_blackbox::TestServer;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use serde_json::{Value, json};

use crate::support::{create, create_user, id, ok, record, records, server};

const JSON: Option<&str> = Some("application/json");
const FORM: Option<&str> = Some("application/x-www-form-urlencoded");

/// Changes the database of a server that is stopped meanwhile: rows by thousands would take long
/// over HTTP.
fn insert(server: &mut TestServer, sql: &str) {
    assert!(server.stop().unwrap());
    let path = server.data().join("data.db");
    let mut connection = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    connection.batch_execute(sql).unwrap();
    drop(connection);
    server.launch().unwrap();
}

/// Inserts posts of an author.
fn posts(prefix: &str, count: usize, author: &str) -> String {
    format!(
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT {count})
         INSERT INTO posts (id, author) SELECT format('{prefix}%010d', n), '{author}' FROM n;"
    )
}

fn length(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

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
    let form = "type=a&".repeat(30_000);
    let kind = Some("application/x-www-form-urlencoded");
    let created = ok(server
        .guest()
        .send("POST", &records("posts"), kind, form.as_bytes()));
    assert_eq!(created["type"], json!(["a"]));
}

#[test]
fn large_bodies_of_each_kind_are_read() {
    let server = server();
    let text = "x".repeat(200_000);
    let multipart = format!(
        "--X\r\nContent-Disposition: form-data; name=\"description\"\r\n\r\n{text}\r\n--X--\r\n"
    );
    for (kind, body) in [
        (JSON, json!({ "description": text }).to_string()),
        (FORM, format!("description={text}")),
        (Some("multipart/form-data; boundary=X"), multipart),
    ] {
        let created = ok(server
            .guest()
            .send("POST", &records("posts"), kind, body.as_bytes()));
        assert_eq!(
            created["description"],
            Value::from(text.as_str()),
            "{kind:?}"
        );
    }
}

#[test]
fn bodies_of_too_many_values_are_refused() {
    let mut server = server();
    let zeros = format!("{{\"title\":[0{}]}}", ",0".repeat(10_000_000));
    let payloads = format!("@jsonPayload={}&", zeros[..1_000_000].to_owned() + "0]}").repeat(20);
    for (kind, body) in [
        (JSON, zeros),
        (FORM, "a&".repeat(10_000_000)),
        (FORM, payloads),
    ] {
        let answer = server
            .guest()
            .send("POST", &records("posts"), kind, body.as_bytes());
        assert_eq!(answer.unwrap().status, 413, "{kind:?}");
    }
    assert!(server.alive(), "{}", server.log());
    assert_eq!(ok(server.guest().get(&records("posts")))["totalItems"], 0);
}

/// All other writes would wait for it.
#[test]
fn more_items_at_once_than_can_be_looked_up_are_refused() {
    const MOST: usize = 32_766;
    let server = server();
    let client = server.superuser().unwrap();
    let author = id("user", 1);
    create_user(&client, &author, "writer");
    let path = record("users", &author);
    let ids: Vec<String> = (0..=MOST).map(|number| id("perm", number)).collect();
    let text = serde_json::to_string(&ids).unwrap();
    for (key, sent) in [
        ("permissions", json!(ids)),
        ("permissions", json!(text)),
        ("+permissions", json!(ids)),
        ("permissions+", json!(ids)),
        ("permissions-", json!(ids)),
        ("organization", json!(ids)),
    ] {
        let answer = client.patch(&path, &json!({ key: sent })).unwrap();
        assert_eq!(answer.status, 400, "{key}");
        let field = key.trim_matches(['+', '-']);
        let code = &answer.json()["data"][field]["code"];
        assert_eq!(code, "validation_too_many_values", "{key}");
    }
    let create = |count| {
        let body = json!({ "type": vec!["a"; count], "author": author });
        client.post(&records("posts"), &body).unwrap().status
    };
    assert_eq!((create(MOST), create(MOST + 1)), (200, 400));
}

#[test]
fn answers_that_grow_with_each_level_are_refused() {
    let mut server = server();
    let client = server.superuser().unwrap();
    let author = id("user", 1);
    create_user(&client, &author, "writer");
    insert(&mut server, &posts("posts", 300, &author));
    let client = server.superuser().unwrap();
    let path = |levels: &str| record("users", &author) + "?expand=" + levels;
    let once = ok(client.get(&path("posts_via_author.author")));
    assert_eq!(length(&once["expand"]["posts_via_author"]), 300);

    // 300 to the power of three.
    let levels = "posts_via_author.author.posts_via_author.author.posts_via_author.author";
    let answer = client.get(&path(levels)).unwrap();
    assert_eq!(answer.status, 400, "{}", answer.text.len());
    let list = records("users") + "?fields=id&expand=" + levels;
    assert_eq!(
        ok(client.get(&list))["totalItems"],
        1,
        "not picked, not written"
    );
    let list = records("users") + "?fields=expand.nothing&expand=" + levels;
    assert_eq!(ok(client.get(&list))["items"], json!([{ "expand": {} }]));
    let list = records("users") + "?fields=expand.posts_via_author&expand=" + levels;
    assert_eq!(client.get(&list).unwrap().status, 400);
    let picked = "&fields=expand.posts_via_author.expand.author.id";
    let picked = ok(client.get(&(path("posts_via_author.author") + picked)));
    let first = &picked["expand"]["posts_via_author"][0];
    assert_eq!(*first, json!({ "expand": { "author": { "id": author } } }));
    let cut = "?perPage=1&expand=author&fields=expand.author.collectionName:excerpt(3)";
    let cut = ok(client.get(&(records("posts") + cut)));
    let expected = json!([{ "expand": { "author": { "collectionName": "use" } } }]);
    assert_eq!(cut["items"], expected);

    // A write is done when this is found, so it answers with what fits.
    let changed = ok(client.patch(&path(levels), &json!({ "verified": true })));
    assert_eq!(changed["verified"], true);
    assert!(length(&changed["expand"]["posts_via_author"]) > 0);

    let many: String = (0..101)
        .map(|name| format!("posts_via_author.{name},"))
        .collect();
    assert_eq!(client.get(&path(&many)).unwrap().status, 400);
    assert!(server.alive(), "{}", server.log());
}

#[test]
fn back_relations_give_each_record_its_first_thousand() {
    let mut server = server();
    let client = server.superuser().unwrap();
    let (prolific, other) = (id("user", 1), id("user", 2));
    create_user(&client, &prolific, "prolific");
    create_user(&client, &other, "other");
    insert(
        &mut server,
        &(posts("first", 1_200, &prolific) + &posts("other", 5, &other)),
    );
    let counts = |server: &TestServer| {
        let list = records("users") + "?sort=id&expand=posts_via_author";
        let list = ok(server.superuser().unwrap().get(&list));
        let items = list["items"].as_array().unwrap();
        let count = |item: &Value| length(&item["expand"]["posts_via_author"]);
        items.iter().map(count).collect::<Vec<_>>()
    };
    assert_eq!(counts(&server), [1_000, 5]);
    // More than are read at once.
    insert(&mut server, &posts("later", 10_000, &prolific));
    assert_eq!(counts(&server), [1_000, 5]);
    let view = record("users", &prolific) + "?expand=posts_via_author";
    let view = ok(server.superuser().unwrap().get(&view));
    let last = &view["expand"]["posts_via_author"][999]["id"];
    assert_eq!(last, &Value::from("first0000001000"));
}

#[test]
fn a_whole_page_is_expanded_backwards() {
    let mut server = server();
    insert(
        &mut server,
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 1000)
         INSERT INTO permissions (id) SELECT format('right%010d', n) FROM n;",
    );
    let client = server.superuser().unwrap();
    create_user(&client, &id("user", 1), "ruler");
    let rights: Vec<String> = (1..=1000).map(|number| id("right", number)).collect();
    let user = record("users", &id("user", 1));
    ok(client.patch(&user, &json!({ "permissions": rights })));
    let list = records("permissions") + "?perPage=1000&expand=users_via_permissions";
    let list = ok(client.get(&list));
    for item in list["items"].as_array().unwrap() {
        assert_eq!(
            length(&item["expand"]["users_via_permissions"]),
            1,
            "{item}"
        );
    }
    assert_eq!(length(&list["items"]), 1000);
}

#[test]
fn other_writes_do_not_wait_for_an_answer() {
    let mut server = server();
    let client = server.superuser().unwrap();
    let author = id("user", 1);
    create_user(&client, &author, "writer");
    insert(&mut server, &posts("posts", 1_000, &author));
    let client = server.superuser().unwrap();
    let levels = "posts_via_author.author.posts_via_author.author.posts_via_author";
    let slow = record("users", &author) + "?expand=" + levels;
    let change = json!({ "verified": true });
    let start = Instant::now();
    ok(client.patch(&slow, &change));
    let alone = start.elapsed();
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| ok(client.patch(&slow, &change)));
        let mut writes = 0;
        while !slow.is_finished() {
            create(&client, "posts", json!({}));
            writes += 1;
        }
        // Were the answer built on the writer, two could get in: before and after it.
        assert!(writes > 4, "{writes} writes beside one of {alone:?}");
    });
}

#[test]
fn guessing_is_slowed_down() {
    let server = server();
    let root = server.superuser().unwrap();
    create_user(&root, &id("user", 1), "guesser");
    let guest = server.guest();
    let list = records("users") + "?filter=username='nobody'";
    let took = |client: &basalt_blackbox::Client, list: &str| {
        let start = Instant::now();
        for _ in 0..15 {
            assert_eq!(ok(client.get(list))["totalItems"], 0);
        }
        start.elapsed()
    };
    // 15 requests, of which at most six or so are free, wait for 250 ms on average.
    let guessing = took(&guest, &list);
    assert!(guessing > Duration::from_millis(500), "{guessing:?}");
    let permitted = took(&root, &list);
    assert!(permitted < guessing, "{permitted:?}, {guessing:?}");
    let public = took(&guest, &(records("posts") + "?filter=title='nothing'"));
    assert!(public < guessing, "{public:?}, {guessing:?}");
}
