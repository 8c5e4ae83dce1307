//! Accounts that come with bcrypt hashes and tokens.

use std::sync::Arc;

use basalt_runtime::auth::token::{self, Claims};
use basalt_runtime::auth::{password, secrets};
use basalt_runtime::import::Manner;
use basalt_runtime::{server, storage};
use rocket::http::{ContentType, Header};
use rocket::local::blocking::Client;
use serde_json::{Value, json};

use crate::peer::{Peer, SECRET, registry};

/// `1234567890`, as PocketBase hashes it.
const HASH: &str = "$2a$13$uULN32dHTkWQIALJP1N54.22HW/K9/qkXqcmsfz2hOA1wGeuUDbfG";
const KEY: &str = "tfYe7rCTX4D2KuWQY3pJjBifgsrMbecyXBatEPjrSfGEGS2jh6";
const COLUMNS: &[&str] = &[
    "id",
    "password",
    "tokenKey",
    "email",
    "emailVisibility BOOLEAN DEFAULT FALSE NOT NULL",
    "verified BOOLEAN DEFAULT FALSE NOT NULL",
    "username",
    "role",
    "team",
    "active BOOLEAN DEFAULT FALSE NOT NULL",
];

fn members() -> Peer {
    let mut peer = Peer::new().with("members", COLUMNS);
    peer.run(&format!(
        "INSERT INTO members VALUES ('member000000001', '{HASH}', '{KEY}', 'test@example.com', 0, 1, \
         'tester', 'chief', 'red', 1)"
    ));
    peer
}

fn client(peer: &Peer) -> Client {
    let address = "127.0.0.1:8090".parse().unwrap();
    Client::untracked(server::build(Arc::new(peer.app()), address)).unwrap()
}

fn login(client: &Client, identity: &str, password: &str) -> (u16, Value) {
    let body = json!({ "identity": identity, "password": password }).to_string();
    let request = client.post("/api/collections/members/auth-with-password");
    let answer = request.header(ContentType::JSON).body(body).dispatch();
    let status = answer.status().code;
    (status, answer.into_json().unwrap())
}

#[test]
fn a_session_goes_on_and_the_password_is_hashed_anew_at_the_next_login() {
    let peer = members();
    peer.imported();
    let meta = registry().find("members").unwrap().meta();
    let claims = Claims {
        id: "member000000001".to_owned(),
        kind: token::AUTH.to_owned(),
        collection_id: meta.id.to_owned(),
        exp: Some(4_102_444_800),
        refreshable: true,
    };
    let token = token::sign(&claims, KEY, SECRET).unwrap();
    let client = client(&peer);
    let refresh = || {
        let request = client.post("/api/collections/members/auth-refresh");
        let request = request.header(Header::new("Authorization", token.clone()));
        request.dispatch().status().code
    };
    assert_eq!(refresh(), 200);
    for (identity, wrong) in [
        ("tester", "123456789"),
        ("nobody", "1234567890"),
        ("tester", HASH),
    ] {
        assert_eq!(login(&client, identity, wrong).0, 400, "{identity} {wrong}");
    }
    assert_eq!(peer.look("SELECT password AS found FROM members"), HASH);
    let rest = "SELECT json_array(id, tokenKey, email, emailVisibility, verified, username, role, \
                team, active) AS found FROM members";
    let before = peer.look(rest);
    for _ in 0..2 {
        let (status, answer) = login(&client, "test@example.com", "1234567890");
        assert_eq!(status, 200, "{answer}");
        let hash = peer.look("SELECT password AS found FROM members");
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        assert!(password::verify_blocking("1234567890", &hash));
        assert_eq!(peer.look(rest), before);
        assert_eq!(refresh(), 200);
    }
}

/// Answers take the time of both kinds of hashes as long as there are both, and not any longer.
#[test]
fn it_is_known_whether_bcrypt_hashes_are_left() {
    let peer = members();
    peer.imported();
    let id = registry().find("members").unwrap().meta().id;
    assert_eq!(peer.app().secrets.bcrypt_cost(id), Some(13));
    let client = client(&peer);
    assert_eq!(login(&client, "tester", "1234567890").0, 200);
    drop(client);
    assert_eq!(peer.app().secrets.bcrypt_cost(id), None);
    let notes = "SELECT count(*) || '' AS found FROM _params WHERE key LIKE 'bcrypt%'";
    assert_eq!(peer.look(notes), "0");
}

#[test]
fn secrets_of_accounts_that_are_here_stay() {
    let mut peer = Peer::new().with("slugs", &["id", "name"]);
    peer.imported();
    let registry = registry();
    let meta = registry.find("members").unwrap().meta();
    let own = |peer: &Peer| peer.app().secrets.of(meta.id).map(str::to_owned);
    // Nobody has a token yet.
    let made = own(&peer).unwrap();
    assert_ne!(made, SECRET);
    peer.add(meta.id, "members", "auth", COLUMNS);
    peer.run(&format!(
        "INSERT INTO members VALUES ('member000000001', '{HASH}', '{KEY}', '', 0, 0, 'one', '', '', 1)"
    ));
    peer.imported();
    assert_eq!(own(&peer).as_deref(), Some(SECRET));
    // Now somebody has.
    let path = peer.to().join("data.db");
    let other = "x".repeat(50);
    storage::maintain(&path, |conn| {
        Ok(secrets::set_token_secret(conn, meta.id, &other)?)
    })
    .unwrap();
    let summary = peer.imported();
    assert_eq!(own(&peer), Some(other));
    assert_eq!(
        summary.notes,
        [
            "`members` has accounts here already, and keeps what its tokens are signed with: those \
          issued there are not valid here"
        ]
    );
}

#[test]
fn what_is_no_hash_is_refused() {
    let mut peer = members();
    peer.run("UPDATE members SET password = 'plain text'");
    for as_is in [false, true] {
        let manner = Manner {
            as_is,
            ..Manner::default()
        };
        let summary = peer.import(manner).unwrap();
        assert_eq!(
            summary.tallies[0].1.reasons,
            ["`member000000001`: password: no hash that a password can be checked against"]
        );
        assert!(!peer.to().exists());
    }
}

#[test]
fn a_hash_that_would_hold_up_all_logins_is_refused() {
    let mut peer = members();
    let costly = HASH.replace("$13$", "$17$");
    peer.run(&format!("UPDATE members SET password = '{costly}'"));
    let summary = peer.import(Manner::default()).unwrap();
    assert_eq!(
        summary.tallies[0].1.reasons,
        [
            "`member000000001`: password: a bcrypt hash of cost 17 takes too long to check: at most 16"
        ]
    );
}
