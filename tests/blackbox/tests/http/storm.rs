//! Many logins at once: all are answered, requests that hash nothing don't wait for them, and the
//! server starts no thread for each.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use basalt_blackbox::TestServer;
use basalt_blackbox::process::until;
use basalt_blackbox::shortcuts::together;
use serde_json::json;

use crate::support::{PASSWORD, create, create_user, id, ok, records, server};

const LOGINS: usize = 32;
const LISTS: usize = 10;
const PATIENCE: Duration = Duration::from_secs(60);
const LOGIN: &str = "/api/collections/users/auth-with-password";

fn threads(server: &TestServer) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", server.pid().unwrap())).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("Threads:"));
    line.unwrap().trim().parse().unwrap()
}

#[test]
fn lists_are_answered_between_logins() {
    let server = server();
    let guest = server.guest();
    create_user(&server.superuser().unwrap(), &id("user", 1), "alice");
    create(&guest, "posts", json!({ "id": id("post", 1) }));
    let login = json!({ "identity": "alice", "password": PASSWORD });
    ok(guest.post(LOGIN, &login));
    let before = threads(&server);

    let (done, during) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let answers = together(LOGINS + 1, |number| {
        if number < LOGINS {
            let answer = guest.post(LOGIN, &login).unwrap();
            done.fetch_add(1, Ordering::SeqCst);
            return answer;
        }
        let begun = || (done.load(Ordering::SeqCst) > 0).then_some(());
        until(PATIENCE, begun).expect("no login was answered");
        // No two of the same page, so that none is answered from what was kept.
        let path = |page| format!("{}?page={page}", records("posts"));
        let lists = (1..=LISTS).map(|page| guest.get(&path(page)).unwrap());
        let mut lists: Vec<_> = lists.collect();
        assert!(lists.iter().all(|list| list.status == 200), "{lists:?}");
        let open = LOGINS - done.load(Ordering::SeqCst);
        assert!(open > 0, "all logins were answered before {LISTS} lists");
        during.store(threads(&server), Ordering::SeqCst);
        lists.pop().unwrap()
    });
    for answer in &answers[..LOGINS] {
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.text_at("/record/id"), id("user", 1));
    }
    let during = during.into_inner();
    assert!(during < before + LOGINS / 2, "{before}, then {during}");
}
