//! Where an import goes: a database that is there, or a new one. Either all of it arrives or nothing.

use std::path::Path;

use diesel::connection::SimpleConnection;
use diesel_migrations::EmbeddedMigrations;

use crate::app::DATABASE_FILE;
use crate::migrate;
use crate::registry::Registry;
use crate::sql::Conn;
use crate::storage;

/// Runs an import in one transaction on the database in `dir`, which is made if there is none. The
/// job's result says whether what it wrote shall stay.
///
/// # Errors
/// The job's own, or one line that says what is wrong with the database; it is as before then.
pub fn fill<R>(
    dir: &Path,
    registry: &Registry,
    migrations: &EmbeddedMigrations,
    job: impl FnOnce(&mut Conn) -> anyhow::Result<(R, bool)>,
) -> anyhow::Result<R> {
    migrate::refuse_unmigrated(registry.unmigrated())?;
    let path = dir.join(DATABASE_FILE);
    let metas: Vec<_> = registry.metas().collect();
    if path.exists() {
        return storage::maintain(&path, |conn| {
            migrate::refuse_pending(conn, migrations)?;
            migrate::check_fits(conn, &metas)?;
            let done = run(conn, job);
            conn.batch_execute("PRAGMA wal_checkpoint(TRUNCATE);").ok();
            done
        });
    }
    storage::create(&path, |conn| {
        migrate::run(conn, migrations, |_, _| {})?;
        migrate::check_fits(conn, &metas)?;
        let mut keep = false;
        let result = run(conn, |conn| {
            let (result, kept) = job(conn)?;
            keep = kept;
            Ok((result, kept))
        })?;
        Ok((result, keep))
    })
}

/// Foreign keys are not in force meanwhile, since records come in any order; what they say is looked
/// at when all are there.
fn run<R>(
    conn: &mut Conn,
    job: impl FnOnce(&mut Conn) -> anyhow::Result<(R, bool)>,
) -> anyhow::Result<R> {
    conn.batch_execute("PRAGMA foreign_keys = OFF;")?;
    storage::in_transaction(conn, |conn| {
        migrate::ensure_system_tables(conn)?;
        job(conn)
    })
}
