//! A running application with the same few records in each test.

use basalt_blackbox::client::encode;
pub use basalt_blackbox::shortcuts::{create, id, ok, record, records};
use basalt_blackbox::{Client, Target, TestServer};
use serde_json::{Value, json};

/// Password of every account.
const PASSWORD: &str = "correct horse";

/// A server with records, and everyone who asks it.
pub struct World {
    pub guest: Client,
    pub boss: Client,
    pub ann: Client,
    pub bob: Client,
    /// An account of another collection, whose role is `boss` too.
    pub client: Client,
    pub superuser: Client,
    _server: TestServer,
}

/// The ids of the staff, in the order in which they were created.
pub const STAFF: [&str; 4] = ["boss", "ann", "bob", "open"];

/// Whose record of `staff` this is.
pub fn staff(name: &str) -> String {
    let number = STAFF.iter().position(|known| *known == name).unwrap();
    id("staff", number)
}

fn account(nick: &str, more: Value) -> Value {
    let mut body = json!({ "nick": nick, "password": PASSWORD, "passwordConfirm": PASSWORD });
    let more = more.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(more);
    body
}

impl World {
    /// A fresh one.
    pub fn new() -> Self {
        let target = Target::application(env!("CARGO_BIN_EXE_basalt-guards-app"));
        let mut server = TestServer::prepare(&target).unwrap();
        server.launch().unwrap();
        let (guest, superuser) = (server.guest(), server.superuser().unwrap());
        populate(&superuser);
        let log_in = |collection, nick| guest.log_in(collection, nick, PASSWORD).unwrap();
        World {
            boss: log_in("staff", "boss"),
            ann: log_in("staff", "ann"),
            bob: log_in("staff", "bob"),
            client: log_in("clients", "client"),
            guest,
            superuser,
            _server: server,
        }
    }

    /// Everyone whom rules bind and who is nobody's boss.
    pub fn others(&self) -> [(&'static str, &Client); 2] {
        [("guest", &self.guest), ("client", &self.client)]
    }
}

/// Salaries, scores, bonuses and addresses are neither in the order of the records nor in the
/// opposite one. The boss and Bob show their addresses.
fn populate(superuser: &Client) {
    let values = [
        (300, "c", "c"),
        (100, "d", "b"),
        (400, "a", "d"),
        (200, "b", "a"),
    ];
    for (number, (name, (salary, code, mail))) in STAFF.into_iter().zip(values).enumerate() {
        let role = if name == "boss" { "boss" } else { "clerk" };
        let more = json!({
            "id": id("staff", number), "role": role, "salary": salary, "bonus": salary,
            "code": code, "skills": ["rust", "sql"], "notes": "secret",
            "email": format!("{mail}@example.com"),
            "emailVisibility": name == "boss" || name == "bob",
        });
        create(superuser, "staff", account(name, more));
    }
    for (name, mentor) in [("ann", "boss"), ("bob", "open"), ("open", "ann")] {
        let body = json!({ "mentor": staff(mentor) });
        ok(superuser.patch(&record("staff", &staff(name)), &body));
    }
    create(
        superuser,
        "clients",
        account("client", json!({ "role": "boss" })),
    );
    for (number, (about, open, score)) in [
        ("ann", false, 3),
        ("ann", true, 1),
        ("bob", false, 4),
        ("bob", true, 2),
    ]
    .into_iter()
    .enumerate()
    {
        let body = json!({
            "id": id("report", number), "title": "same", "about": staff(about), "open": open,
            "readers": [staff("ann"), staff("bob")], "score": score, "secret": "secret",
        });
        create(superuser, "reports", body);
    }
}

/// A list with these parameters, which are encoded here.
#[track_caller]
pub fn list(client: &Client, collection: &str, parameters: &[(&str, &str)]) -> Value {
    let pairs = parameters
        .iter()
        .map(|(name, value)| format!("{name}={}", encode(value.as_bytes())));
    let query = pairs.collect::<Vec<_>>().join("&");
    ok(client.get(&format!("{}?{query}", records(collection))))
}

/// The last digits of the ids of a list, in its order; and its total must fit.
#[track_caller]
pub fn found(client: &Client, collection: &str, parameters: &[(&str, &str)]) -> String {
    let answer = list(client, collection, parameters);
    let items = answer["items"].as_array().unwrap();
    assert_eq!(answer["totalItems"], json!(items.len()), "{answer}");
    let ids = items.iter().map(|item| item["id"].as_str().unwrap());
    ids.map(|id| &id[id.len() - 1..]).collect()
}
