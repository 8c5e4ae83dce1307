//! How ids are made.

use serde_json::json;

use crate::support::{answer, create, records, server};

#[test]
fn by_a_pattern_of_their_own() {
    let server = server();
    let made = create(&server.guest(), "codes", json!({ "name": "x" }));
    let id = made["id"].as_str().unwrap().as_bytes();
    assert_eq!(id.len(), 5, "{made}");
    assert!(id[..2].iter().all(u8::is_ascii_uppercase), "{made}");
    assert!(id[2..].iter().all(u8::is_ascii_digit), "{made}");
}

#[test]
fn uuids_sort_by_time() {
    let server = server();
    if is_peer() {
        return;
    }
    let guest = server.guest();
    let made: Vec<String> = (0..20)
        .map(|_| create(&guest, "tickets", json!({})))
        .map(|ticket| ticket["id"].as_str().unwrap().to_owned())
        .collect();
    for id in &made {
        let parts: Vec<_> = id.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12], "{id}");
        assert_eq!(id.as_bytes()[14], b'7', "{id}");
    }
    let mut sorted = made.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted, made);
}

#[test]
fn given_by_the_client() {
    let server = server();
    if is_peer() {
        return;
    }
    let guest = server.guest();
    let post = |body| answer(guest.post(&records("slugs"), &body));
    let code = |body| {
        let (status, answer) = post(body);
        (status, answer["data"]["id"]["code"].clone())
    };
    assert_eq!(post(json!({ "id": "Hello-World_1" })).0, 200);
    assert_eq!(code(json!({})), (400, json!("validation_required")));
    assert_eq!(
        code(json!({ "id": "" })),
        (400, json!("validation_required"))
    );
    assert_eq!(
        code(json!({ "id": "hello-world_1" })),
        (400, json!("validation_pk_invalid")),
        "case makes no difference"
    );
    assert_eq!(
        code(json!({ "id": "a b" })),
        (400, json!("validation_invalid_format"))
    );
    assert_eq!(
        code(json!({ "id": "con" })),
        (400, json!("validation_reserved_pk"))
    );
}

fn is_peer() -> bool {
    let peer = std::env::var_os("BLACKBOX_PEER").is_some();
    if peer {
        eprintln!("skipped: the peer has nothing like this");
    }
    peer
}
