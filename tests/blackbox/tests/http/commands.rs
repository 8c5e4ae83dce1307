//! The command line when something is wrong: one clear line, exit code 1, data untouched.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use basalt_blackbox::TestServer;
use basalt_blackbox::process::Ended;
use basalt_blackbox::server::{ROOT_EMAIL, ROOT_PASSWORD, free_address};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use serde_json::json;

use crate::support::{all, create, id, target};

/// One line on stderr, exit code 1, and the line names what it is about.
#[track_caller]
fn refused(ended: &Ended, about: &str) {
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(ended.stderr.trim().lines().count(), 1, "{ended:?}");
    assert!(
        ended.stderr.contains(about),
        "no word of {about:?}: {ended:?}"
    );
    assert!(!ended.stderr.contains("panicked"), "{ended:?}");
    let causes: Vec<_> = ended.stderr.trim().split(": ").collect();
    let unique: std::collections::BTreeSet<_> = causes.iter().collect();
    assert_eq!(unique.len(), causes.len(), "said twice: {ended:?}");
}

/// Tries to serve a directory, which must end by itself.
fn serve(dir: &Path, logs: &Path) -> Ended {
    let address = free_address().unwrap();
    let dir = dir.to_string_lossy();
    target()
        .run(&["serve", "--http", &address, "--dir", &dir], logs)
        .unwrap()
}

/// A stopped server with one post in its database.
fn stopped() -> TestServer {
    let mut server = TestServer::start(&target()).unwrap();
    create(
        &server.guest(),
        "posts",
        json!({ "id": id("post", 1), "title": "kept" }),
    );
    assert!(server.stop().unwrap(), "{}", server.log());
    server
}

/// The database file that holds the collections.
fn database(server: &TestServer) -> PathBuf {
    let mut found: Vec<_> = fs::read_dir(server.data())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "db"))
        .filter(|path| {
            connect(path)
                .batch_execute("SELECT 1 FROM posts LIMIT 1")
                .is_ok()
        })
        .collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn connect(path: &Path) -> SqliteConnection {
    SqliteConnection::establish(&path.to_string_lossy()).unwrap()
}

/// The post is still there when the server runs again.
#[track_caller]
fn unharmed(server: &mut TestServer) {
    server.launch().unwrap();
    let posts = all(&server.guest(), "posts");
    assert_eq!(posts.len(), 1);
    assert_eq!(posts[0]["title"], "kept");
}

#[test]
fn a_locked_database_is_left_alone() {
    let mut server = stopped();
    let path = database(&server);
    let mut lock = connect(&path);
    lock.batch_execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;")
        .unwrap();
    refused(&serve(&server.data(), server.logs()), "locked");
    drop(lock);
    unharmed(&mut server);
}

#[test]
fn a_database_of_a_newer_program_is_left_alone() {
    let mut server = stopped();
    let path = database(&server);
    let newer = "99991231235959";
    let insert = format!("INSERT INTO __diesel_schema_migrations (version) VALUES ('{newer}')");
    let mut connection = connect(&path);
    connection.batch_execute(&insert).unwrap();
    connection
        .batch_execute("PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap();
    drop(connection);
    let before = fs::read(&path).unwrap();
    refused(&serve(&server.data(), server.logs()), newer);
    assert!(
        before == fs::read(&path).unwrap(),
        "the database was changed"
    );

    let delete = format!("DELETE FROM __diesel_schema_migrations WHERE version = '{newer}'");
    connect(&path).batch_execute(&delete).unwrap();
    unharmed(&mut server);
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let server = stopped();
    let path = database(&server);
    let garbage = "not a database ".repeat(1_000);
    fs::write(&path, &garbage).unwrap();
    refused(
        &serve(&server.data(), server.logs()),
        &path.to_string_lossy(),
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), garbage);
}

#[test]
fn a_directory_that_cannot_be_written_is_refused() {
    let logs = tempfile::tempdir().unwrap();
    let file = logs.path().join("file");
    fs::write(&file, "content").unwrap();
    let dir = file.join("data");
    refused(&serve(&dir, logs.path()), &dir.to_string_lossy());
    assert_eq!(fs::read_to_string(&file).unwrap(), "content");

    let dir = logs.path().join("read-only");
    fs::create_dir(&dir).unwrap();
    let mut permissions = fs::metadata(&dir).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&dir, permissions).unwrap();
    // For the system's administrator no directory is read-only; a kernel's own is, though.
    let writable = fs::write(dir.join("probe"), "").is_ok();
    let dir = if writable {
        PathBuf::from("/sys/kernel")
    } else {
        dir
    };
    if fs::write(dir.join("probe"), "").is_err() && dir.exists() {
        refused(&serve(&dir, logs.path()), &dir.to_string_lossy());
    }
}

#[test]
fn an_address_in_use_is_refused() {
    let mut server = stopped();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let dir = server.data_text();
    let args = ["serve", "--http", &address, "--dir", &dir];
    refused(&target().run(&args, server.logs()).unwrap(), &address);
    let nothing = server.logs().join("nothing");
    let dir = nothing.to_string_lossy();
    for http in [&address, "nonsense", "127.0.0.1:99999"] {
        let args = ["serve", "--http", http, "--dir", &dir];
        refused(&target().run(&args, server.logs()).unwrap(), http);
        assert!(!nothing.exists(), "{http}: a database was made");
    }
    drop(taken);
    unharmed(&mut server);
}

#[test]
fn superusers_need_a_valid_address_and_password() {
    let server = TestServer::prepare(&target()).unwrap();
    let dir = server.data_text();
    for (email, password, about) in [
        ("nowhere", ROOT_PASSWORD, "email"),
        (ROOT_EMAIL, "short", "password"),
    ] {
        let args = ["superuser", "upsert", email, password, "--dir", &dir];
        refused(&target().run(&args, server.logs()).unwrap(), about);
    }
}

#[test]
fn a_second_upsert_changes_the_password() {
    let mut server = TestServer::prepare(&target()).unwrap();
    let dir = server.data_text();
    let args = [
        "superuser",
        "upsert",
        ROOT_EMAIL,
        "another password",
        "--dir",
        &dir,
    ];
    let done = target().run(&args, server.logs()).unwrap();
    assert_eq!(done.code, Some(0), "{done:?}");
    server.launch().unwrap();
    assert!(server.superuser().is_err(), "the old password still works");
    server
        .guest()
        .log_in("_superusers", ROOT_EMAIL, "another password")
        .unwrap();
}

#[test]
fn help_has_examples_and_unknown_commands_are_refused() {
    let logs = tempfile::tempdir().unwrap();
    let help = target().run(&["--help"], logs.path()).unwrap();
    assert_eq!(help.code, Some(0), "{help:?}");
    for word in ["serve", "migrate", "superuser", "schema", "Examples"] {
        assert!(help.stdout.contains(word), "no {word}: {}", help.stdout);
    }
    let unknown = target().run(&["sevre"], logs.path()).unwrap();
    assert_ne!(unknown.code, Some(0), "{unknown:?}");
    assert!(
        unknown.stderr.contains("serve"),
        "no suggestion: {unknown:?}"
    );
}

#[test]
fn a_stopped_server_finishes_what_it_has_begun() {
    let mut server = TestServer::start(&target()).unwrap();
    let client = server.guest();
    let (sender, answers) = std::sync::mpsc::channel();
    let acknowledged = std::thread::scope(|scope| {
        for writer in 0..8 {
            let (client, sender) = (client.clone(), sender.clone());
            scope.spawn(move || {
                for number in 0.. {
                    let post = id("post", number * 8 + writer);
                    let body = json!({ "id": post });
                    let answer = client.post("/api/collections/posts/records", &body);
                    let Ok(answer) = answer else { return };
                    assert_eq!(answer.status, 200, "{answer:?}");
                    sender.send(post).unwrap();
                }
            });
        }
        drop(sender);
        let mut acknowledged: Vec<String> = answers.iter().take(100).collect();
        assert!(server.stop().unwrap(), "{}", server.log());
        acknowledged.extend(answers);
        acknowledged
    });
    server.launch().unwrap();
    let stored: Vec<_> = all(&server.guest(), "posts");
    let stored: std::collections::BTreeSet<_> = stored
        .iter()
        .map(|post| post["id"].as_str().unwrap())
        .collect();
    let lost: Vec<_> = acknowledged
        .iter()
        .filter(|post| !stored.contains(post.as_str()))
        .collect();
    assert!(lost.is_empty(), "acknowledged and gone: {lost:?}");
}
