//! What is kept has a bound: very many different requests don't make the server grow.

use basalt_blackbox::client::encode;
use basalt_blackbox::shortcuts::{create, id, ok, records, together};
use basalt_blackbox::{Client, TestServer};
use serde_json::json;

use crate::{server, setting};

const CLIENTS: usize = 4;

/// Records on a page, and bytes of each: a page is well below what is too large to keep.
const RECORDS: usize = 20;
const BYTES: usize = 5_000;

/// What may be kept at most, with the room that a program needs around it, in KiB.
const ROOM: u64 = 128 << 10;

/// The most memory that the server has used, in KiB.
fn peak(server: &TestServer) -> u64 {
    let pid = server.pid().expect("it runs");
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim()
        .strip_suffix("kB")
        .unwrap()
        .trim()
        .parse()
        .unwrap()
}

/// Each of these requests is another: its filter, or its page.
fn ask(client: &Client, from: usize, count: usize) {
    for number in from..from + count {
        let filter = encode(format!("n != {number} && html = 'full'").as_bytes());
        let path = format!("{}?filter={filter}&perPage={RECORDS}", records("things"));
        let found = ok(client.get(&path));
        assert_eq!(found["totalItems"], json!(RECORDS), "{path}");
    }
}

#[test]
fn many_requests_do_not_make_it_grow() {
    let requests = setting("CACHES_REQUESTS", 3_000) as usize;
    let server = server();
    let guest = server.guest();
    for number in 0..RECORDS {
        let body = json!({
            "id": id("full", number), "text": "x".repeat(BYTES), "html": "full", "n": -1,
        });
        create(&guest, "things", body);
    }
    ask(&guest, 0, 20);
    let before = peak(&server);
    together(CLIENTS, |client| {
        ask(&guest, client * requests, requests / CLIENTS);
        guest.get("/api/health").unwrap()
    });
    let after = peak(&server);
    let sent = requests * RECORDS * BYTES / 1024;
    assert!(sent as u64 > 2 * ROOM, "{sent} KiB are too few to show it");
    assert!(
        after < before + ROOM,
        "from {before} to {after} KiB after {sent} KiB"
    );
}
