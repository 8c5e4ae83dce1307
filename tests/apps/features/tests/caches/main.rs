//! What the server keeps between requests may never be seen: an answer from a cache is the answer
//! that the database would give. Clients write at random, together, with hooks, cascades and
//! writes that are rolled back, while others read the same pages, so that answers are kept at
//! every moment; each client must see what it wrote, and at rest each answer must be the same
//! whether it was kept or not.
//!
//! `CACHES_SEED` repeats a run's choices, `CACHES_ROUNDS` makes it longer.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod bounds;
mod callers;
mod model;
mod reader;
mod totals;
mod writer;

use std::thread;

use basalt_blackbox::Client;
use basalt_blackbox::shortcuts::{create, id, record};
use basalt_blackbox::{Random, Target, TestServer};
use serde_json::json;

use reader::{Pages, compare, watch};
use writer::Writer;

const PASSWORD: &str = "correct horse";
const WRITERS: usize = 4;
const READERS: usize = 2;
const WRITES: usize = 30;

fn server() -> TestServer {
    let target = Target::application(env!("CARGO_BIN_EXE_basalt-features-app"));
    let mut server = TestServer::prepare(&target).unwrap();
    server.launch().unwrap();
    server
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// Creates a member and logs in.
fn member(root: &Client, number: usize, name: &str) -> Client {
    let body = json!({
        "id": id("member", number), "username": name, "active": true, "role": "clerk",
        "password": PASSWORD, "passwordConfirm": PASSWORD,
    });
    create(root, "members", body);
    root.log_in("members", name, PASSWORD).unwrap()
}

#[test]
fn each_client_sees_what_it_wrote() {
    let seed = setting("CACHES_SEED", u64::from(std::process::id()));
    eprintln!("CACHES_SEED={seed}");
    let server = server();
    let root = server.superuser().unwrap();
    let pages = Pages::default();
    let shared = id("shared", 0);
    create(&root, "things", json!({ "id": shared, "n": 0 }));
    let mut writers: Vec<Writer> = (0..WRITERS)
        .map(|number| {
            let client = member(&root, number, &format!("writer{number}"));
            let random = Random::new(seed.wrapping_mul(31).wrapping_add(number as u64));
            Writer::new(number, client, root.clone(), random)
        })
        .collect();
    let callers: Vec<Client> = writers
        .iter()
        .take(2)
        .map(|writer| writer.client.clone())
        .chain([server.guest(), root.clone()])
        .collect();
    for _ in 0..setting("CACHES_ROUNDS", 3) {
        thread::scope(|scope| {
            for number in 0..READERS {
                let (pages, callers, path) = (&pages, &callers, record("things", &shared));
                scope.spawn(move || watch(number, callers, pages, &path));
            }
            let running: Vec<_> = writers
                .iter_mut()
                .map(|writer| scope.spawn(|| writer.run(WRITES, &shared, &pages)))
                .collect();
            // Readers end in any case, or a failure would never be told.
            let ended: Vec<_> = running.into_iter().map(|writer| writer.join()).collect();
            pages.close();
            assert!(ended.iter().all(Result::is_ok), "a writer failed");
        });
        let checked = compare(&callers, &pages.open());
        assert!(checked > 50, "{checked} answers");
    }
}
