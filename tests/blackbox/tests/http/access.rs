//! Every collection × operation × caller, compared with the committed table. A changed rule shows
//! as a changed line; `UPDATE_GOLDEN=1` writes the table anew.

use std::fmt::Write;
use std::path::Path;

use basalt_blackbox::{Client, TestServer};
use serde_json::{Value, json};

use crate::support::{PASSWORD, create, create_user, id, record, records, server};

const COLLECTIONS: &[&str] = &[
    "organizations",
    "permissions",
    "users",
    "posts",
    "_superusers",
];
const OPERATIONS: &[&str] = &["list", "view", "create", "update", "delete"];

struct Callers {
    guest: Client,
    user: Client,
    superuser: Client,
}

fn callers(server: &TestServer) -> Callers {
    let guest = server.guest();
    create_user(&guest, &id("caller", 1), "caller");
    let user = guest.log_in("users", "caller", PASSWORD).unwrap();
    Callers {
        user,
        superuser: server.superuser().unwrap(),
        guest,
    }
}

/// A body with which a record of the collection can be created.
fn body(collection: &str, id: &str) -> Value {
    let password = json!({ "id": id, "password": PASSWORD, "passwordConfirm": PASSWORD });
    let mut body = match collection {
        "users" | "_superusers" => password,
        _ => json!({ "id": id }),
    };
    match collection {
        "users" => {
            body["username"] = json!(id);
            body["organization"] = json!("org000000000001");
        }
        "_superusers" => body["email"] = json!(format!("{id}@example.com")),
        _ => {}
    }
    body
}

/// What a caller gets: the status, and for lists whether there is anything in it.
fn outcome(
    caller: &Client,
    superuser: &Client,
    collection: &str,
    operation: &str,
    id: &str,
) -> String {
    if operation != "create" {
        create(superuser, collection, body(collection, id));
    }
    let one = record(collection, id);
    let answer = match operation {
        "list" => caller.get(&format!("{}?filter=id%3D%22{id}%22", records(collection))),
        "view" => caller.get(&one),
        "create" => caller.post(&records(collection), &body(collection, id)),
        "update" => caller.patch(&one, &json!({ "emailVisibility": true })),
        _ => caller.delete(&one),
    };
    let answer = answer.unwrap();
    match answer.json()["items"].as_array() {
        Some(items) => format!("{} ({})", answer.status, items.len()),
        None => answer.status.to_string(),
    }
}

fn table() -> String {
    let server = server();
    let callers = callers(&server);
    let mut table = String::from(
        "# collection operation: guest, user, superuser; in parentheses the records listed\n",
    );
    let mut serial = 0;
    for collection in COLLECTIONS {
        for operation in OPERATIONS {
            let row = [&callers.guest, &callers.user, &callers.superuser].map(|caller| {
                serial += 1;
                outcome(
                    caller,
                    &callers.superuser,
                    collection,
                    operation,
                    &id("access", serial),
                )
            });
            writeln!(table, "{collection} {operation}: {}", row.join(", ")).unwrap();
        }
    }
    table
}

#[test]
fn everyone_gets_what_the_rules_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/http/tables/access.txt");
    let found = table();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    let different: Vec<_> = expected
        .lines()
        .zip(found.lines())
        .filter(|(expected, found)| expected != found)
        .map(|(expected, found)| format!("expected {expected}\n   found {found}"))
        .collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert_eq!(expected.lines().count(), found.lines().count());
}
