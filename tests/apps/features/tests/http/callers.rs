//! Who asks is remembered between requests, and yet what changes about an account counts at once.

use std::sync::atomic::{AtomicBool, Ordering};

use basalt_blackbox::Client;
use serde_json::{Value, json};

use crate::support::{PASSWORD, answer, create_member, id, ok, record, records, server};

const REFRESH: &str = "/api/collections/members/auth-refresh";

fn refresh(client: &Client) -> u16 {
    answer(client.post(REFRESH, &Value::Null)).0
}

/// Members that this client may see; guests see none.
fn seen(client: &Client) -> usize {
    let list = ok(client.get(&records("members")));
    list["items"].as_array().unwrap().len()
}

#[test]
fn a_new_password_ends_every_session_with_the_next_request() {
    let server = server();
    let root = server.superuser().unwrap();
    create_member(&root, 1, "ann");
    let log_in = |password| server.guest().log_in("members", "ann", password);
    let (first, second) = (log_in(PASSWORD).unwrap(), log_in(PASSWORD).unwrap());
    for _ in 0..3 {
        assert_eq!((seen(&first), refresh(&second)), (1, 200));
    }
    let path = record("members", &id("member", 1));
    let change = json!({
        "oldPassword": PASSWORD, "password": "another horse", "passwordConfirm": "another horse",
    });
    ok(first.patch(&path, &change));
    assert_eq!((seen(&first), refresh(&first)), (0, 401));
    assert_eq!((seen(&second), refresh(&second)), (0, 401));
    assert_eq!(refresh(&log_in("another horse").unwrap()), 200);
}

#[test]
fn a_deleted_account_is_a_guest_with_the_next_request() {
    let server = server();
    let root = server.superuser().unwrap();
    create_member(&root, 1, "ann");
    create_member(&root, 2, "bob");
    let ann = server.guest().log_in("members", "ann", PASSWORD).unwrap();
    let bob = server.guest().log_in("members", "bob", PASSWORD).unwrap();
    assert_eq!((seen(&ann), seen(&bob)), (2, 2));
    assert_eq!(
        answer(root.delete(&record("members", &id("member", 1)))).0,
        204
    );
    assert_eq!((seen(&ann), refresh(&ann)), (0, 401));
    assert_eq!((seen(&bob), refresh(&bob)), (1, 200));
    // The same id again is another account.
    create_member(&root, 1, "ann");
    assert_eq!((seen(&ann), refresh(&ann)), (0, 401));
}

#[test]
fn rules_see_the_caller_as_the_account_is_now() {
    let server = server();
    let root = server.superuser().unwrap();
    create_member(&root, 1, "ann");
    create_member(&root, 2, "bob");
    let ann = server.guest().log_in("members", "ann", PASSWORD).unwrap();
    let (own, other) = (id("member", 1), id("member", 2));
    let rename =
        |team: &str| answer(ann.patch(&record("members", &other), &json!({ "team": team }))).0;
    assert_eq!(rename("red"), 404);
    for role in ["chief", "clerk", "chief", ""] {
        ok(root.patch(&record("members", &own), &json!({ "role": role })));
        let expected = if role == "chief" { 200 } else { 404 };
        assert_eq!(rename(role), expected, "{role}");
    }
}

/// One account's password changes again and again while others ask with its tokens: whoever was
/// told of a change must find the token dead.
#[test]
fn no_request_after_a_change_is_answered_from_before_it() {
    let server = server();
    let root = server.superuser().unwrap();
    create_member(&root, 1, "ann");
    let path = record("members", &id("member", 1));
    for round in 0..4 {
        let password = |round: i32| format!("{PASSWORD} {round}");
        let change = |number: i32| {
            let new = password(number);
            ok(root.patch(&path, &json!({ "password": new, "passwordConfirm": new })));
        };
        change(round);
        let ann = server
            .guest()
            .log_in("members", "ann", &password(round))
            .unwrap();
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let asker = ann.clone();
                scope.spawn(|| {
                    let asker = asker;
                    while !over.load(Ordering::SeqCst) {
                        seen(&asker);
                    }
                });
            }
            assert_eq!(seen(&ann), 1);
            change(round + 100);
            assert_eq!((seen(&ann), refresh(&ann)), (0, 401));
            over.store(true, Ordering::SeqCst);
        });
    }
}
