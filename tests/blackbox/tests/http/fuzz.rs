//! Nonsense as filter, sort, fields, expand and body: it may be refused, but never break anything.

use std::thread;

use basalt_blackbox::client::encode;
use basalt_blackbox::{Client, Random, Response};
use serde_json::json;

use crate::support::{create, create_user, id, record, records, server, setting};

const TOKENS: &[&str] = &[
    "title",
    "public",
    "type",
    "author",
    "author.permissions",
    "permissions",
    "posts_via_author",
    "id",
    "created",
    "@request.auth.id",
    "@collection.users.id",
    "@now",
    "@random",
    "@rowid",
    ":each",
    ":length",
    ":lower",
    ":isset",
    ":excerpt(5)",
    ".",
    ",",
    "(",
    ")",
    "=",
    "!=",
    "~",
    "?=",
    "?~",
    ">",
    "<=",
    "&&",
    "||",
    "&",
    "|",
    "'",
    "\"",
    "'x'",
    "\"y\"",
    "1",
    "-",
    "+",
    "1e999",
    "null",
    "true",
    "false",
    "//",
    "%",
    "_",
    "\\",
    " ",
    "\n",
    "\0",
    "{",
    "}",
    "[",
    "]",
    "*",
    "geoDistance(",
    "strftime('%Y',",
    "é",
    "\u{202e}",
    "😀",
];

const JSON_TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"title\"",
    "\"public\"",
    "\"type\"",
    "\"type+\"",
    "\"author\"",
    "\"id\"",
    "\"+type\"",
    "\"@jsonPayload\"",
    "\"a\"",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "\"",
    "1",
    "-1",
    "1e400",
    "0.1",
    "true",
    "null",
    "[]",
    "{}",
    " ",
    "\u{feff}",
    "é",
];

/// Random bytes, or a random row of pieces that the parser knows.
fn nonsense(random: &mut Random, pieces: &[&str]) -> Vec<u8> {
    if random.below(2) == 0 {
        return random.bytes(60);
    }
    let count = 1 + random.below(12);
    (0..count)
        .flat_map(|_| random.pick(pieces).bytes())
        .collect()
}

/// Runs `send` 1,000 times with different sources of randomness; no answer may be a server error.
fn bombard(salt: u64, send: impl Fn(&Client, &mut Random) -> anyhow::Result<Response> + Sync) {
    let seed = setting("BLACKBOX_SEED", 1) as u64;
    let count = setting("BLACKBOX_FUZZ", 1_000);
    let mut server = server();
    let root = server.superuser().unwrap();
    create_user(&root, &id("user", 1), "alice");
    create(
        &root,
        "posts",
        json!({ "id": id("post", 1), "title": "x", "type": ["a"], "author": id("user", 1) }),
    );
    let clients = [server.guest(), root];
    thread::scope(|scope| {
        for part in 0..4 {
            let (clients, send) = (&clients, &send);
            scope.spawn(move || {
                for number in (part..count).step_by(4) {
                    let state = (seed << 40) ^ (salt << 32) ^ number as u64;
                    let answer = send(&clients[number % 2], &mut Random::new(state));
                    let answer = answer
                        .unwrap_or_else(|error| panic!("seed {seed}, number {number}: {error:#}"));
                    check(&answer, &format!("seed {seed}, number {number}"));
                }
            });
        }
    });
    assert!(server.alive(), "the server ended\n{}", server.log());
    assert_eq!(server.guest().get("/api/health").unwrap().status, 200);
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

fn check(answer: &Response, what: &str) {
    assert!(answer.status < 500, "{what}: {answer:?}");
    if answer.status >= 400 {
        let body = answer.json();
        assert_eq!(body["status"], answer.status, "{what}: {answer:?}");
        assert!(
            body["data"].is_object() && body["message"].is_string(),
            "{what}: {answer:?}"
        );
    }
}

fn bombard_parameter(salt: u64, name: &str) {
    bombard(salt, |client, random| {
        let collection = random.pick(&["posts", "users", "organizations"]);
        let value = encode(&nonsense(random, TOKENS));
        client.get(&format!("{}?{name}={value}", records(collection)))
    });
}

#[test]
fn filters() {
    bombard_parameter(1, "filter");
}

#[test]
fn sorts() {
    bombard_parameter(2, "sort");
}

#[test]
fn fields() {
    bombard_parameter(3, "fields");
}

#[test]
fn expands() {
    bombard_parameter(4, "expand");
}

#[test]
fn bodies() {
    bombard(5, |client, random| {
        let types = [
            "application/json",
            "application/json",
            "multipart/form-data; boundary=x",
            "application/x-www-form-urlencoded",
            "text/plain",
        ];
        let content_type = random.pick(&types);
        let mut body = nonsense(random, JSON_TOKENS);
        if content_type.starts_with("multipart") && random.below(2) == 0 {
            let head = "--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\n";
            body = [head.as_bytes(), &body, b"\r\n--x--\r\n"].concat();
        }
        let (method, path) = match random.below(3) {
            0 => ("POST", records("posts")),
            1 => ("PATCH", record("posts", &id("post", 1))),
            _ => (
                "POST",
                "/api/collections/users/auth-with-password".to_owned(),
            ),
        };
        client.send(method, &path, Some(content_type), &body)
    });
}

#[test]
fn values_of_fields() {
    bombard(6, |client, random| {
        let field = random.pick(&[
            "title",
            "description",
            "public",
            "type",
            "author",
            "id",
            "type+",
            "author-",
        ]);
        let text = String::from_utf8_lossy(&nonsense(random, TOKENS)).into_owned();
        let value = match random.below(5) {
            0 => json!(text),
            1 => json!([text, text]),
            2 => json!({ text.clone(): [text] }),
            3 => json!(f64::from_bits(random.word())),
            _ => json!(random.word()),
        };
        client.patch(&record("posts", &id("post", 1)), &json!({ field: value }))
    });
}

#[test]
fn paths_and_tokens() {
    bombard(7, |client, random| {
        let piece = encode(&nonsense(random, TOKENS));
        let path = match random.below(4) {
            0 => format!("/api/collections/{piece}/records"),
            1 => record("posts", &piece),
            2 => format!("/api/{piece}"),
            _ => format!("{}?{piece}", records("posts")),
        };
        let token = encode(&random.bytes(40));
        client.with_token(Some(format!("e30.{token}.x"))).get(&path)
    });
}
