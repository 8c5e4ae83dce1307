//! Shortcuts for tests: a running server, records, answers that must be fine.

pub use basalt_blackbox::shortcuts::{create, id, ok, record, records};
use basalt_blackbox::{Client, Target, TestServer};
use serde_json::{Value, json};

/// Password of the users that the tests make.
pub const PASSWORD: &str = "correct horse";

/// The program under test.
pub fn target() -> Target {
    Target::find(option_env!("CARGO_BIN_EXE_basalt-under-test")).unwrap()
}

/// A fresh server.
pub fn server() -> TestServer {
    TestServer::start(&target()).unwrap()
}

/// Creates a user, and the organization that all users share.
#[track_caller]
pub fn create_user(client: &Client, id: &str, username: &str) -> Value {
    let organization = "org000000000001";
    let found = client.get(&record("organizations", organization)).unwrap();
    if found.status == 404 {
        create(
            client,
            "organizations",
            json!({ "id": organization, "name": "Acme" }),
        );
    }
    let body = json!({
        "id": id, "username": username, "email": format!("{username}@example.com"),
        "organization": organization, "password": PASSWORD, "passwordConfirm": PASSWORD,
    });
    create(client, "users", body)
}

/// The texts of an array.
pub fn texts(array: &Value) -> Vec<String> {
    let items = array.as_array().unwrap();
    items
        .iter()
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

/// All records of a collection, page by page.
#[track_caller]
pub fn all(client: &Client, collection: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for page in 1.. {
        let query = format!("?perPage=1000&skipTotal=1&sort=id&page={page}");
        let list = ok(client.get(&(records(collection) + &query)));
        let items = list["items"].as_array().unwrap();
        found.extend(items.iter().cloned());
        if items.len() < 1000 {
            break;
        }
    }
    found
}

/// A number from the environment.
pub fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}
