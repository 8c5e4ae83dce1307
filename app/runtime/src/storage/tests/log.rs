//! The log: room in its file, where it stays at a start, and that it begins anew.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use diesel::prelude::*;

use super::super::*;
use super::{Work, batch, execute, insert, load, notes, open, options, texts};

#[test]
fn room_in_the_log_changes_nothing() {
    let (folder, db) = open();
    let long: Vec<Work> = (0..300)
        .map(|number| -> Work {
            Box::new(move |conn| insert(conn, &format!("{number}{}", "x".repeat(8000))))
        })
        .collect();
    assert!(batch(&db, long).iter().all(Result::is_ok));
    db.shutdown();
    drop(db);
    let options = options(folder.path());
    let log = options.path.with_file_name("data.db-wal");
    let db = Database::open(&options).unwrap();
    let due = options.path.metadata().unwrap().len();
    assert!(due > 2 << 20, "{due}");
    let patience = Instant::now() + Duration::from_secs(20);
    while log.metadata().unwrap().len() < due {
        assert!(Instant::now() < patience, "no room was made");
        std::thread::yield_now();
    }
    for text in ["one", "two"] {
        db.write_blocking(move |conn| insert(conn, text)).unwrap();
    }
    // As a killed process leaves them.
    let left = folder.path().join("left");
    std::fs::create_dir(&left).unwrap();
    for name in ["data.db", "data.db-wal"] {
        std::fs::copy(options.path.with_file_name(name), left.join(name)).unwrap();
    }
    let path = left.join("data.db");
    let again = Database::open(&Options { path, readers: 1 }).unwrap();
    let found = texts(&again);
    assert_eq!(found.len(), 302);
    assert!(found.ends_with(&["one".to_owned(), "two".to_owned()]));
}

#[test]
fn a_held_log_stays_where_it_is() {
    let (folder, db) = open();
    let path = options(folder.path()).path;
    let left = folder.path().join("data.db");
    db.write_blocking(|conn| insert(conn, "a")).unwrap();
    for suffix in ["", "-wal"] {
        let name = |path: &Path| PathBuf::from(format!("{}{suffix}", path.display()));
        std::fs::copy(name(&path), name(&left)).unwrap();
    }
    let log = folder.path().join("data.db-wal");
    let length = || log.metadata().map_or(0, |log| log.len());
    let before = length();
    assert!(before > 0);
    let held = hold(&left).unwrap();
    let found = || maintain(&left, |conn| Ok(load(conn))).unwrap().unwrap();
    assert_eq!(found(), ["a"]);
    assert_eq!(length(), before);
    drop(held);
    assert_eq!(found(), ["a"]);
    assert_eq!(length(), 0);
    assert!(hold(&folder.path().join("none.db")).is_none());
}

#[test]
fn the_log_begins_anew_while_writes_go_on() {
    let (folder, db) = open();
    for number in 0..120 {
        let job = |part: i32| -> Work {
            let text = format!("{number} {part} {}", "x".repeat(4000));
            Box::new(move |conn| insert(conn, &text))
        };
        let results = batch(&db, (0..32).map(job).collect());
        assert!(results.iter().all(Result::is_ok));
    }
    assert_eq!(texts(&db).len(), 120 * 32);
    // Three times as much was written.
    let log = folder.path().join("new").join("data.db-wal");
    let length = std::fs::metadata(log).unwrap().len();
    assert!(length < 48 << 20, "{length}");
}

const SLOW: &str =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
    SELECT count(*) FROM n";

/// Reads that hand over to each other: each ends when the next one has begun.
#[derive(Default)]
struct Relay {
    /// How many have begun, and whether no more shall.
    state: Mutex<(u64, bool)>,
    changed: Condvar,
}

impl Relay {
    fn run(self: &Arc<Self>, db: &Database) {
        while !self.state.lock().unwrap().1 {
            let relay = Arc::clone(self);
            let read = db.read_blocking(move |conn| {
                let begun = notes::table.limit(1).execute(conn);
                begun.map_err(ApiError::internal)?;
                let own = relay.begun();
                // What takes longer than the time between two commits.
                execute(conn, SLOW)?;
                let state = relay.state.lock().unwrap();
                let same = |state: &mut (u64, bool)| state.0 == own && !state.1;
                drop(relay.changed.wait_while(state, same).unwrap());
                Ok(())
            });
            read.unwrap();
        }
    }

    fn begun(&self) -> u64 {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        self.changed.notify_all();
        state.0
    }

    fn end(&self) {
        self.state.lock().unwrap().1 = true;
        self.changed.notify_all();
    }
}

/// At every moment somebody reads from the log.
#[test]
fn the_log_begins_anew_while_reads_overlap() {
    let (folder, db) = open();
    let relay = Arc::new(Relay::default());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| relay.run(&db));
        }
        let done = (0..300).all(|number| {
            let job = |part: i32| -> Work {
                let text = format!("{number} {part} {}", "x".repeat(4000));
                Box::new(move |conn| insert(conn, &text))
            };
            let results = batch(&db, (0..32).map(job).collect());
            results.iter().all(Result::is_ok)
        });
        relay.end();
        assert!(done);
    });
    let log = folder.path().join("new").join("data.db-wal");
    let length = std::fs::metadata(log).unwrap().len();
    // Without a wait it takes all that is written, 150 MB.
    assert!(length < 100 << 20, "{length}");
}
