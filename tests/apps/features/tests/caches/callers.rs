//! Who asks: what is known of a caller ends with the write that changes it.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use basalt_blackbox::shortcuts::{create, id, ok, record, records, together};
use basalt_blackbox::{Client, TestServer};
use serde_json::json;

use crate::{PASSWORD, member, server, setting};

const MEMBERS: usize = 4;

/// How many notes a client may list.
fn listed(client: &Client) -> u64 {
    let found = ok(client.get(&records("notes")));
    found["totalItems"].as_u64().unwrap()
}

#[test]
fn a_caller_changes_with_the_write() {
    let server = server();
    let root = server.superuser().unwrap();
    let callers: Vec<Client> = (0..MEMBERS)
        .map(|number| member(&root, number, &format!("member{number}")))
        .collect();
    for number in 0..MEMBERS {
        create(
            &root,
            "notes",
            json!({ "title": "mine", "owner": id("member", number) }),
        );
    }
    together(MEMBERS, |number| {
        let (me, before) = (&callers[number], &callers[number]);
        role_changes(&root, me, number);
        let after = password_changes(&server, &root, before, number);
        account_goes(&root, &after, number)
    });
}

/// Only a chief may change others.
fn role_changes(root: &Client, me: &Client, number: usize) {
    let my_path = record("members", &id("member", number));
    let other = record("members", &id("member", (number + 1) % MEMBERS));
    for round in 0..8 {
        for (role, status) in [("clerk", 404), ("chief", 200)] {
            ok(root.patch(&my_path, &json!({ "role": role })));
            let team = format!("{number} {round}");
            let answer = me.patch(&other, &json!({ "team": team })).unwrap();
            assert_eq!(answer.status, status, "as {role}: {answer:?}");
        }
    }
}

/// A new password ends the tokens that were given out before it.
fn password_changes(server: &TestServer, root: &Client, old: &Client, number: usize) -> Client {
    for _ in 0..3 {
        assert_eq!(listed(old), 1);
    }
    let path = record("members", &id("member", number));
    let body = json!({ "password": PASSWORD, "passwordConfirm": PASSWORD });
    ok(root.patch(&path, &body));
    assert_eq!(listed(old), 0, "the old token is a guest's");
    let name = format!("member{number}");
    let new = server.guest().log_in("members", &name, PASSWORD).unwrap();
    assert_eq!(listed(&new), 1);
    new
}

/// An account that is gone is a guest, though its note stays.
fn account_goes(root: &Client, me: &Client, number: usize) -> basalt_blackbox::Response {
    let refresh = "/api/collections/members/auth-refresh";
    let ask = || me.post(refresh, &json!({})).unwrap();
    assert_eq!(ask().status, 200);
    ok(root.delete(&record("members", &id("member", number))));
    assert_eq!(listed(me), 0, "the account is gone");
    let refused = ask();
    assert_eq!(refused.status, 401, "{refused:?}");
    refused
}

/// What an account may see is kept while the account itself is changed.
#[test]
fn answers_follow_the_caller() {
    let server = server();
    let root = server.superuser().unwrap();
    let me = member(&root, 0, "chief");
    let mine = record("members", &id("member", 0));
    let other = record("members", &id("member", 1));
    let body = json!({
        "id": id("member", 1), "username": "other", "team": "red", "email": "other@example.com",
        "password": PASSWORD, "passwordConfirm": PASSWORD,
    });
    create(&root, "members", body);
    ok(root.patch(&mine, &json!({ "role": "chief" })));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..MEMBERS {
            scope.spawn(|| {
                while !done.load(Relaxed) {
                    ok(me.get(&other));
                }
            });
        }
        let wrong = (0..setting("CACHES_CHANGES", 300)).find(|round| {
            let team = if round % 2 == 0 { "red" } else { "blue" };
            let changed = root.patch(&mine, &json!({ "team": team }));
            let seen = me.get(&other);
            // The others must end, whatever has happened here.
            let fine = changed.is_ok_and(|answer| answer.status == 200)
                && seen.is_ok_and(|seen| seen.text.contains("other@") == (team == "red"));
            !fine
        });
        done.store(true, Relaxed);
        assert_eq!(
            wrong, None,
            "the round that showed another team's address, or none"
        );
    });
}
