//! The storage as a whole: settings of connections, group commit, exact totals, and shutting down.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod kept;
mod log;

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;
use rocket::futures::future;
use tempfile::TempDir;

use super::*;

diesel::table! {
    notes (id) { id -> BigInt, text -> Text, }
}

type Work = Box<dyn FnOnce(&mut Conn) -> Result<(), ApiError> + Send>;

#[derive(QueryableByName)]
struct Setting {
    #[diesel(sql_type = Text)]
    value: String,
}

fn options(folder: &Path) -> Options {
    Options {
        path: folder.join("new").join("data.db"),
        readers: 2,
    }
}

fn open() -> (TempDir, Database) {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::open(&options(folder.path())).unwrap();
    db.write_blocking(|conn| {
        execute(
            conn,
            "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
             CREATE TABLE others (id INTEGER PRIMARY KEY);",
        )
    })
    .unwrap();
    (folder, db)
}

fn execute(conn: &mut Conn, sql: &str) -> Result<(), ApiError> {
    conn.batch_execute(sql).map_err(ApiError::internal)
}

fn insert(conn: &mut Conn, text: &str) -> Result<(), ApiError> {
    diesel::insert_into(notes::table)
        .values(notes::text.eq(text))
        .execute(conn)
        .map(|_| ())
        .map_err(ApiError::internal)
}

fn inserting(text: &'static str) -> Work {
    Box::new(move |conn| insert(conn, text))
}

fn load(conn: &mut Conn) -> Result<Vec<String>, ApiError> {
    notes::table
        .order(notes::id)
        .select(notes::text)
        .load(conn)
        .map_err(ApiError::internal)
}

fn texts(db: &Database) -> Vec<String> {
    db.read_blocking(load).unwrap()
}

fn setting(conn: &mut Conn, name: &str) -> String {
    let column = if name == "busy_timeout" {
        "timeout"
    } else {
        name
    };
    let query = format!("SELECT CAST({column} AS TEXT) AS value FROM pragma_{name}");
    let found: Setting = diesel::sql_query(query).get_result(conn).unwrap();
    found.value
}

/// Queues all jobs while the writer is kept busy, so that they become one batch.
fn batch(db: &Database, jobs: Vec<Work>) -> Vec<Result<(), ApiError>> {
    batch_of(db, Extent::Any, jobs)
}

fn batch_of(db: &Database, extent: Extent, jobs: Vec<Work>) -> Vec<Result<(), ApiError>> {
    let (started, begun) = mpsc::channel::<()>();
    let (go, wait) = mpsc::channel::<()>();
    let busy = db.write(move |_| {
        started.send(()).map_err(ApiError::internal)?;
        wait.recv().map_err(ApiError::internal)
    });
    // Polled in this order, so each waits for the one before.
    let all = async {
        begun.recv().unwrap();
        future::join_all(jobs.into_iter().map(|job| db.write_extent(extent, job))).await
    };
    let release = async { go.send(()).unwrap() };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let (busy, results, ()) = runtime.block_on(future::join3(busy, all, release));
    busy.unwrap();
    results
}

fn outcomes(results: &[Result<(), ApiError>]) -> Vec<bool> {
    results.iter().map(Result::is_ok).collect()
}

#[test]
fn the_settings_are_durable() {
    let (_folder, db) = open();
    let check = |conn: &mut Conn| {
        assert_eq!(setting(conn, "foreign_keys"), "1");
        assert_eq!(setting(conn, "busy_timeout"), "5000");
        assert_eq!(setting(conn, "journal_mode"), "wal");
    };
    db.write_blocking(move |conn| {
        check(conn);
        let known = ["OFF", "NORMAL", "FULL", "EXTRA"];
        let number = setting(conn, "synchronous");
        assert_eq!(known[number.parse::<usize>().unwrap()], SYNCHRONOUS);
        assert_eq!(SYNCHRONOUS, "FULL");
        Ok(())
    })
    .unwrap();
    db.read_blocking(move |conn| {
        check(conn);
        assert!(insert(conn, "x").is_err(), "a reader must not write");
        Ok(())
    })
    .unwrap();
    assert!(texts(&db).is_empty());
}

#[test]
fn a_batch_keeps_the_order() {
    let (_folder, db) = open();
    let names = ["c", "a", "d", "b", "e"];
    let results = batch(&db, names.iter().map(|name| inserting(name)).collect());
    assert_eq!(outcomes(&results), [true; 5]);
    assert_eq!(texts(&db), names);
}

#[test]
fn a_failing_job_harms_only_itself() {
    let (_folder, db) = open();
    let results = batch(
        &db,
        vec![
            inserting("a"),
            Box::new(|conn| {
                insert(conn, "lost")?;
                Err(ApiError::not_found())
            }),
            inserting("a"),
            inserting("b"),
        ],
    );
    assert_eq!(outcomes(&results), [true, false, false, true]);
    assert_eq!(results[1], Err(ApiError::not_found()));
    assert_eq!(results[2].as_ref().unwrap_err().status, 500);
    assert_eq!(texts(&db), ["a", "b"]);
}

#[test]
fn a_panic_harms_only_its_job() {
    let (_folder, db) = open();
    let results = batch(
        &db,
        vec![
            inserting("a"),
            Box::new(|conn| {
                insert(conn, "lost")?;
                panic!("on purpose")
            }),
            // In a transaction of its own, which is left open.
            Box::new(|conn| {
                insert(conn, "lost too")?;
                conn.transaction(|conn| -> QueryResult<()> {
                    insert(conn, "lost as well").unwrap();
                    panic!("on purpose")
                })
                .map_err(ApiError::internal)
            }),
            inserting("b"),
        ],
    );
    assert_eq!(outcomes(&results), [true, false, false, true]);
    assert_eq!(results[1].as_ref().unwrap_err().status, 500);
    assert_eq!(texts(&db), ["a", "b"]);
    assert_eq!(outcomes(&batch(&db, vec![inserting("c")])), [true]);
}

#[test]
fn a_lost_transaction_is_admitted_and_the_rest_goes_on() {
    let (_folder, db) = open();
    let before = db.generation("notes");
    let results = batch(
        &db,
        vec![
            inserting("a"),
            // What SQLite itself does when the disk is full.
            Box::new(|conn| execute(conn, "ROLLBACK")),
            inserting("b"),
        ],
    );
    assert_eq!(outcomes(&results), [false, false, true]);
    assert_eq!(results[0].as_ref().unwrap_err().status, 500);
    assert_eq!(texts(&db), ["b"]);
    assert!(db.generation("notes") > before);
}

/// Whoever does this is told of an error, but what is in the database is seen.
#[test]
fn what_a_job_commits_by_itself_is_no_secret_to_caches() {
    let (_folder, db) = open();
    let before = db.generation("notes");
    let results = batch(
        &db,
        vec![
            inserting("a"),
            Box::new(|conn| execute(conn, "COMMIT")),
            inserting("b"),
        ],
    );
    assert_eq!(outcomes(&results), [false, false, true]);
    assert_eq!(texts(&db), ["a", "b"]);
    let after = db.generation("notes");
    assert!(after > before);
    let alone = batch(
        &db,
        vec![Box::new(|conn| {
            insert(conn, "c")?;
            execute(conn, "COMMIT")
        })],
    );
    assert_eq!(outcomes(&alone), [false]);
    assert_eq!(texts(&db), ["a", "b", "c"]);
    assert!(db.generation("notes") > after);
}

#[test]
fn a_single_statement_needs_no_savepoint() {
    let (_folder, db) = open();
    let read_and_fail: Work = Box::new(|conn| {
        load(conn)?;
        Err(ApiError::not_found())
    });
    let jobs = ["a", "a", "b"].map(inserting).into_iter();
    let results = batch_of(
        &db,
        Extent::Statement,
        jobs.chain([read_and_fail]).collect(),
    );
    assert_eq!(outcomes(&results), [true, false, true, false]);
    assert_eq!(results[3], Err(ApiError::not_found()));
    assert_eq!(texts(&db), ["a", "b"]);
}

#[test]
fn a_statement_that_a_trigger_stops_midway_is_undone() {
    let (_folder, db) = open();
    db.write_blocking(|conn| {
        execute(
            conn,
            "CREATE TRIGGER stops AFTER INSERT ON notes WHEN new.text = 'stop'
             BEGIN SELECT raise(FAIL, 'stopped'); END;",
        )
    })
    .unwrap();
    let jobs = ["a", "stop", "b"].map(inserting).into_iter().collect();
    let results = batch_of(&db, Extent::Statement, jobs);
    assert_eq!(outcomes(&results), [true, false, true]);
    assert_eq!(texts(&db), ["a", "b"]);
}

#[test]
fn who_wrongly_goes_without_a_savepoint_spoils_the_transaction() {
    let failing: [Work; 3] = [
        Box::new(|conn| {
            insert(conn, "lost")?;
            Err(ApiError::not_found())
        }),
        Box::new(|conn| {
            insert(conn, "lost")?;
            panic!("on purpose")
        }),
        Box::new(|conn| {
            execute(conn, "ROLLBACK")?;
            Err(ApiError::not_found())
        }),
    ];
    for job in failing {
        let (_folder, db) = open();
        let jobs = vec![inserting("a"), job, inserting("b")];
        let results = batch_of(&db, Extent::Statement, jobs);
        assert_eq!(outcomes(&results), [false, false, true]);
        assert_eq!(results[0].as_ref().unwrap_err().status, 500);
        assert_eq!(texts(&db), ["b"]);
    }
}

#[test]
fn a_failed_commit_is_told_to_the_whole_batch() {
    let (_folder, db) = open();
    db.write_blocking(|conn| {
        execute(
            conn,
            "CREATE TABLE parts (note REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED)",
        )
    })
    .unwrap();
    let results = batch(
        &db,
        vec![
            inserting("a"),
            // Savepoints don't check deferred keys; the commit does.
            Box::new(|conn| execute(conn, "INSERT INTO parts VALUES (99)")),
            inserting("b"),
        ],
    );
    assert_eq!(outcomes(&results), [false; 3]);
    assert!(texts(&db).is_empty());
    assert_eq!(outcomes(&batch(&db, vec![inserting("c")])), [true]);
    assert_eq!(texts(&db), ["c"]);
}

#[test]
fn a_read_sees_one_state() {
    let (_folder, db) = open();
    db.write_blocking(|conn| insert(conn, "a")).unwrap();
    let (reading, written) = (mpsc::channel(), mpsc::channel());
    std::thread::scope(|scope| {
        let read = scope.spawn(|| {
            let (started, go_on) = (reading.0, written.1);
            db.read_blocking(move |conn| {
                let first = load(conn)?;
                started.send(()).unwrap();
                go_on.recv_timeout(Duration::from_secs(20)).unwrap();
                Ok((first, load(conn)?))
            })
        });
        reading.1.recv_timeout(Duration::from_secs(20)).unwrap();
        db.write_blocking(|conn| insert(conn, "b")).unwrap();
        written.0.send(()).unwrap();
        let (first, second) = read.join().unwrap().unwrap();
        assert_eq!((first.len(), second.len()), (1, 1));
    });
    assert_eq!(texts(&db).len(), 2);
}

#[tokio::test]
async fn statements_that_share_a_snapshot_see_one_state() {
    let (_folder, db) = open();
    db.write(|conn| insert(conn, "a")).await.unwrap();
    let db = std::sync::Arc::new(db);
    for (alone, text) in [(false, "b"), (true, "c")] {
        let (reading, written) = (mpsc::channel(), mpsc::channel());
        let reader = db.clone();
        let read = tokio::spawn(async move {
            let job = move |snapshot: &mut Snapshot<'_>| {
                let first = load(snapshot.shared().unwrap())?.len();
                reading.0.send(()).unwrap();
                written.1.recv_timeout(Duration::from_secs(20)).unwrap();
                let conn = if alone {
                    snapshot.last()
                } else {
                    snapshot.shared().unwrap()
                };
                Ok((first, load(conn)?.len()))
            };
            reader.look(job).await
        });
        while reading.1.try_recv().is_err() {
            tokio::task::yield_now().await;
        }
        db.write(move |conn| insert(conn, text)).await.unwrap();
        written.0.send(()).unwrap();
        let (first, second) = read.await.unwrap().unwrap();
        assert_eq!(first, second);
        let now = db.look(|snapshot| Ok(load(snapshot.last())?.len())).await;
        assert_eq!(now.unwrap(), first + 1);
    }
}

#[test]
fn a_panic_in_a_read_costs_one_answer() {
    let (_folder, db) = open();
    for _ in 0..5 {
        let failed = db.read_blocking(|conn| -> Result<(), ApiError> {
            load(conn)?;
            panic!("on purpose")
        });
        assert_eq!(failed.unwrap_err().status, 500);
    }
    assert!(texts(&db).is_empty());
}

#[test]
fn generations_follow_what_is_written() {
    let (_folder, db) = open();
    let (notes, others) = (db.generation("notes"), db.generation("others"));
    db.write_blocking(|conn| insert(conn, "a")).unwrap();
    assert_eq!(db.generation("notes"), notes + 1);
    assert_eq!(db.generation("others"), others);

    db.write_blocking(load).unwrap();
    assert_eq!(db.generation("notes"), notes + 1, "a look changes nothing");

    let delete = |conn: &mut Conn| {
        let deleted = diesel::delete(notes::table).execute(conn);
        deleted.map_err(ApiError::internal)
    };
    db.write_blocking(delete).unwrap();
    assert_eq!(db.generation("notes"), notes + 2);
    assert_eq!(db.generation("others"), others);

    // A deleted row may take others with it.
    let refer = "CREATE TABLE parts (note REFERENCES notes (id) ON DELETE CASCADE)";
    db.write_blocking(|conn| execute(conn, refer)).unwrap();
    let parts = db.generation("parts");
    db.write_blocking(delete).unwrap();
    assert_eq!(db.generation("parts"), parts + 1);

    // What can't be understood counts for all.
    let others = db.generation("others");
    let odd = "INSERT INTO notes (text) VALUES ('b')";
    db.write_blocking(|conn| execute(conn, odd)).unwrap();
    assert_eq!(db.generation("others"), others + 1);
}

#[test]
fn what_a_collection_writes_is_known_without_its_text() {
    let (_folder, db) = open();
    let (notes, others) = (db.generation("notes"), db.generation("others"));
    db.write_blocking(|conn| {
        let _about = About::new(Subject::Changing("notes"));
        insert(conn, "a")
    })
    .unwrap();
    assert_eq!(db.generation("notes"), notes + 1);
    db.write_blocking(|conn| insert(conn, "b")).unwrap();
    assert_eq!(db.generation("notes"), notes + 2, "the guard ended");
    assert_eq!(db.generation("others"), others);
    db.write_blocking(|conn| {
        let _about = About::new(Subject::Changing("nowhere"));
        insert(conn, "c")
    })
    .unwrap();
    assert_eq!(
        db.generation("others"),
        others + 1,
        "an unknown table counts for all"
    );
}

#[test]
fn totals_are_never_stale() {
    let (_folder, db) = open();
    let wrong = std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for number in 0..300 {
                db.write_blocking(move |conn| insert(conn, &number.to_string()))
                    .unwrap();
                // The writer's own count follows its own write.
                assert!(total(&db) > number);
            }
        });
        let mut last = 0;
        let mut wrong = 0;
        while !writing.is_finished() {
            let now = total(&db);
            wrong += usize::from(now < last);
            last = now;
        }
        writing.join().unwrap();
        wrong
    });
    assert_eq!(wrong, 0, "a total went back");
    assert_eq!(total(&db), 300);
}

fn total(db: &Database) -> i64 {
    let (totals, marks) = (db.totals(), db.marks(&["notes"]));
    db.read_blocking(move |conn| {
        totals
            .total("notes".to_owned(), marks, || {
                notes::table.count().get_result(conn)
            })
            .map_err(ApiError::internal)
    })
    .unwrap()
}

#[test]
fn what_was_answered_is_there_after_opening_again() {
    let (folder, db) = open();
    db.write_blocking(|conn| insert(conn, "a")).unwrap();
    db.shutdown();
    assert_eq!(
        db.write_blocking(|conn| insert(conn, "b"))
            .unwrap_err()
            .status,
        503
    );
    assert_eq!(db.read_blocking(load).unwrap_err().status, 503);
    drop(db);
    let log = folder.path().join("new/data.db-wal");
    assert!(!log.exists() || log.metadata().unwrap().len() == 0);
    let db = Database::open(&options(folder.path())).unwrap();
    assert_eq!(texts(&db), ["a"]);
}

#[track_caller]
fn refused(folder: &Path, expected: &str) {
    let Err(error) = Database::open(&options(folder)) else {
        panic!("it opened");
    };
    let text = error.to_string();
    assert!(text.contains(expected), "{text}");
    assert_eq!(text.lines().count(), 1);
}

#[test]
fn errors_of_opening_are_clear() {
    let (folder, db) = open();
    refused(folder.path(), "in use by another process");
    drop(db);
    Database::open(&options(folder.path())).unwrap();

    std::fs::write(folder.path().join("new/data.db"), "not a database at all").unwrap();
    refused(folder.path(), "is not a SQLite database");

    std::fs::remove_dir_all(folder.path().join("new")).unwrap();
    std::fs::write(folder.path().join("new"), "a file").unwrap();
    refused(folder.path(), "cannot write to the data folder");
}
