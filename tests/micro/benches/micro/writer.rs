//! Creates that arrive together, each a job of its own, on a real file; acknowledged when they are
//! on the disk. The floor inserts as many rows by bare Diesel in one transaction, as durable.

use std::sync::atomic::{AtomicUsize, Ordering};

use basalt_micro::generated::posts::Posts;
use basalt_runtime::access::system;
use basalt_runtime::error::ApiError;
use diesel::connection::SimpleConnection;
use diesel::sql_types::Text;
use diesel::{Connection, RunQueryDsl, SqliteConnection, sql_query};
use divan::Bencher;
use divan::counter::ItemsCount;
use rocket::futures::future::join_all;
use rocket::tokio::runtime::Builder;

use crate::world::{World, post, text};

const TOGETHER: [usize; 3] = [1, 64, 256];

/// No two posts have an id in common.
static NEXT: AtomicUsize = AtomicUsize::new(1_000);

#[divan::bench(args = TOGETHER, sample_count = 50, sample_size = 1)]
fn group_commit(bencher: Bencher<'_, '_>, count: usize) {
    let world = World::new();
    let runtime = Builder::new_current_thread().build().unwrap();
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let jobs = (0..count).map(|_| {
            let post = post(NEXT.fetch_add(1, Ordering::Relaxed));
            world
                .app
                .db
                .write(move |conn| system::insert::<Posts>(conn, &post).map_err(ApiError::internal))
        });
        let done = runtime.block_on(join_all(jobs));
        assert!(done.iter().all(Result::is_ok));
    });
}

#[divan::bench(args = TOGETHER, sample_count = 50, sample_size = 1)]
fn floor_one_transaction(bencher: Bencher<'_, '_>, count: usize) {
    let world = World::new();
    let path = world.dir.path().join("data.db");
    world.app.db.shutdown();
    let mut conn = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    conn.batch_execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        .unwrap();
    let description = text(500);
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        conn.immediate_transaction(|conn| {
            for _ in 0..count {
                let number = NEXT.fetch_add(1, Ordering::Relaxed);
                let insert = sql_query(
                    "INSERT INTO posts (id, title, description, public, type, author) \
                     VALUES (?, ?, ?, 1, '[]', 'user00000000001')",
                );
                insert
                    .bind::<Text, _>(format!("post{number:011}"))
                    .bind::<Text, _>(format!("post {number}"))
                    .bind::<Text, _>(&description)
                    .execute(conn)?;
            }
            diesel::QueryResult::Ok(())
        })
        .unwrap();
    });
}
