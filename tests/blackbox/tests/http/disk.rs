//! A disk that is full while the server runs: requests are refused, nothing acknowledged is lost,
//! and once there is room again everything goes on.

use basalt_blackbox::server::{ROOT_EMAIL, ROOT_PASSWORD};
use serde_json::json;

use crate::support::{all, id, records, server, target};

/// Room for the tables and a few posts.
const BLOCKS: u32 = 4_096;

#[test]
fn a_full_disk_refuses_writes_and_keeps_what_is_there() {
    let mut server = server();
    server.stop().unwrap();
    server.limit_files(Some(BLOCKS));
    server.launch().unwrap();
    let guest = server.guest();

    let text = "x".repeat(100_000);
    let mut kept = Vec::new();
    let mut refused = 0;
    for number in 0..60 {
        let post = id("post", number);
        let answer = guest
            .post(
                &records("posts"),
                &json!({ "id": post, "description": text }),
            )
            .unwrap();
        if answer.status == 200 {
            kept.push(post);
        } else {
            refused += 1;
            assert!(
                answer.status >= 400 && answer.json()["message"].is_string(),
                "{answer:?}"
            );
        }
    }
    assert!(
        !kept.is_empty() && refused > 0,
        "{} kept, {refused} refused",
        kept.len()
    );
    assert!(server.alive(), "{}", server.log());
    let stored = |guest| -> Vec<_> {
        all(guest, "posts")
            .iter()
            .map(|post| post["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(stored(&guest), kept, "while the disk is full");

    server.kill().unwrap();
    server.limit_files(None);
    server.launch().unwrap();
    let guest = server.guest();
    assert_eq!(stored(&guest), kept, "after the restart");
    let more = guest
        .post(&records("posts"), &json!({ "description": text }))
        .unwrap();
    assert_eq!(more.status, 200, "{more:?}");
}

#[test]
fn a_command_on_a_full_disk_says_so() {
    let logs = tempfile::tempdir().unwrap();
    let data = logs.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let mut target = target();
    // Enough for what the command prints, too little for a database.
    target.program.file_blocks = Some(16);
    let dir = data.to_string_lossy();
    let args = [
        "superuser",
        "upsert",
        ROOT_EMAIL,
        ROOT_PASSWORD,
        "--dir",
        &dir,
    ];
    let done = target.run(&args, logs.path()).unwrap();
    assert_eq!(done.code, Some(1), "{done:?}");
    assert_eq!(done.stderr.trim().lines().count(), 1, "{done:?}");

    // Nothing half-made stays behind that would hinder the next try.
    target.program.file_blocks = None;
    let done = target.run(&args, logs.path()).unwrap();
    assert_eq!(done.code, Some(0), "{done:?}");
}
