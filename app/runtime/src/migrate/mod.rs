//! Applies, reverts and lists the migrations that a program carries, and tells whether a database
//! fits the program. Besides [`crate::sql`], the only place that speaks SQL.

mod error;
mod fit;
mod introspect;
mod params;
mod stamp;

use diesel::connection::SimpleConnection;
use diesel::migration::{Migration, MigrationSource, MigrationVersion};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel_migrations::MigrationHarness;

use crate::sql::{Conn, Db};

pub use error::MigrateError;
pub use fit::check_fits;
pub use params::{any_starts_with, ensure_system_tables, get_param, remove_param, set_param};
pub use stamp::stamp;

/// A migration as `status` lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The folder's name, or the bare version of one that the program doesn't know.
    pub name: String,
    /// Its state.
    pub state: State,
}

/// The state of a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// In the program and in the database.
    Applied,
    /// In the program only.
    Pending,
    /// In the database only, which therefore is from a newer program.
    Unknown,
}

/// What happens to a migration, for whoever shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// About to be applied.
    Applying,
    /// About to be reverted.
    Reverting,
}

type Migrations = Vec<Box<dyn Migration<Db>>>;

/// All migrations of the program and the database, in the order in which they run.
pub fn status(
    conn: &mut Conn,
    source: &impl MigrationSource<Db>,
) -> Result<Vec<Entry>, MigrateError> {
    let migrations = load(source)?;
    let applied = applied(conn)?;
    let mut entries: Vec<(String, Entry)> = migrations
        .iter()
        .map(|migration| {
            let version = migration.name().version();
            let state = if applied.contains(&version) {
                State::Applied
            } else {
                State::Pending
            };
            let name = migration.name().to_string();
            (version.to_string(), Entry { name, state })
        })
        .collect();
    for version in applied {
        let name = version.to_string();
        if !entries.iter().any(|(known, _)| *known == name) {
            let state = State::Unknown;
            entries.push((name.clone(), Entry { name, state }));
        }
    }
    entries.sort_by(|(left, _), (right, _)| left.cmp(right));
    Ok(entries.into_iter().map(|(_, entry)| entry).collect())
}

/// The names of the migrations that are still to be applied. Fails on a database from a newer
/// program.
pub fn pending(
    conn: &mut Conn,
    source: &impl MigrationSource<Db>,
) -> Result<Vec<String>, MigrateError> {
    let entries = status(conn, source)?;
    refuse_newer(&entries)?;
    Ok(entries
        .into_iter()
        .filter(|entry| entry.state == State::Pending)
        .map(|entry| entry.name)
        .collect())
}

/// Fails if there are pending migrations: for a server that must not change the tables itself.
pub fn refuse_pending(
    conn: &mut Conn,
    source: &impl MigrationSource<Db>,
) -> Result<(), MigrateError> {
    let pending = pending(conn, source)?;
    if pending.is_empty() {
        Ok(())
    } else {
        Err(MigrateError::Pending(pending))
    }
}

/// Fails if the program was built from a schema with changes that none of its migrations makes: the
/// types of its columns could be others than those of the database, and not all of that shows.
pub fn refuse_unmigrated(changes: &[&str]) -> Result<(), MigrateError> {
    if changes.is_empty() {
        return Ok(());
    }
    let changes = changes.iter().map(|change| (*change).to_owned());
    Err(MigrateError::Unmigrated(changes.collect()))
}

/// Applies all pending migrations, each in its own transaction, and gives their number. The first
/// failure ends it: what was applied before stays, the failed one leaves no trace.
pub fn run(
    conn: &mut Conn,
    source: &impl MigrationSource<Db>,
    mut progress: impl FnMut(Progress, &str),
) -> Result<usize, MigrateError> {
    let pending = pending(conn, source)?;
    let mut count = 0;
    for migration in load(source)? {
        let name = migration.name().to_string();
        if pending.contains(&name) {
            progress(Progress::Applying, &name);
            apply(conn, migration.as_ref(), Progress::Applying)?;
            count += 1;
        }
    }
    Ok(count)
}

/// Reverts the last `count` migrations (all, if there are fewer), the last one first, and gives
/// their number. Fails before it changes anything if one of them isn't in the program.
pub fn revert(
    conn: &mut Conn,
    source: &impl MigrationSource<Db>,
    count: usize,
    mut progress: impl FnMut(Progress, &str),
) -> Result<usize, MigrateError> {
    let migrations = last_applied(conn, source, count)?;
    for migration in &migrations {
        progress(Progress::Reverting, &migration.name().to_string());
        apply(conn, migration.as_ref(), Progress::Reverting)?;
    }
    Ok(migrations.len())
}

/// Reverts the last migration and applies it again, which tries out both of its directions. Gives
/// the number of migrations that this was done to: 1, or 0 if none was applied.
pub fn redo(
    conn: &mut Conn,
    source: &impl MigrationSource<Db>,
    mut progress: impl FnMut(Progress, &str),
) -> Result<usize, MigrateError> {
    let migrations = last_applied(conn, source, 1)?;
    for migration in &migrations {
        for step in [Progress::Reverting, Progress::Applying] {
            progress(step, &migration.name().to_string());
            apply(conn, migration.as_ref(), step)?;
        }
    }
    Ok(migrations.len())
}

fn load(source: &impl MigrationSource<Db>) -> Result<Migrations, MigrateError> {
    let mut migrations = source.migrations().map_err(MigrateError::source)?;
    migrations.sort_by_key(|migration| migration.name().version().as_owned());
    Ok(migrations)
}

fn applied(conn: &mut Conn) -> Result<Vec<MigrationVersion<'static>>, MigrateError> {
    conn.applied_migrations().map_err(MigrateError::source)
}

fn refuse_newer(entries: &[Entry]) -> Result<(), MigrateError> {
    let unknown: Vec<String> = entries
        .iter()
        .filter(|entry| entry.state == State::Unknown)
        .map(|entry| entry.name.clone())
        .collect();
    if unknown.is_empty() {
        Ok(())
    } else {
        Err(MigrateError::Newer(unknown))
    }
}

fn last_applied(
    conn: &mut Conn,
    source: &impl MigrationSource<Db>,
    count: usize,
) -> Result<Migrations, MigrateError> {
    let entries = status(conn, source)?;
    refuse_newer(&entries)?;
    let applied = |name: &str| {
        entries
            .iter()
            .any(|entry| entry.name == name && entry.state == State::Applied)
    };
    let mut migrations = load(source)?;
    migrations.retain(|migration| applied(&migration.name().to_string()));
    migrations.reverse();
    migrations.truncate(count);
    Ok(migrations)
}

/// Runs one direction of a migration. Foreign keys are off meanwhile, since a table is rebuilt by
/// dropping it, which would delete or empty what refers to its rows; SQLite can't turn them off
/// inside a transaction. Instead all of them are checked before the commit.
fn apply(
    conn: &mut Conn,
    migration: &dyn Migration<Db>,
    step: Progress,
) -> Result<(), MigrateError> {
    let were_on = foreign_keys(conn)?;
    conn.batch_execute("PRAGMA foreign_keys = OFF")?;
    let result = if migration.metadata().run_in_transaction() {
        conn.immediate_transaction(|conn| apply_and_check(conn, migration, step))
    } else {
        apply_and_check(conn, migration, step)
    };
    let restored = if were_on {
        conn.batch_execute("PRAGMA foreign_keys = ON")
    } else {
        Ok(())
    };
    result?;
    Ok(restored?)
}

fn apply_and_check(
    conn: &mut Conn,
    migration: &dyn Migration<Db>,
    step: Progress,
) -> Result<(), MigrateError> {
    let name = || migration.name().to_string();
    match step {
        Progress::Applying => conn.run_migration(migration),
        Progress::Reverting => conn.revert_migration(migration),
    }
    .map_err(|error| MigrateError::failed(name(), step, error))?;
    match violations(conn)?.first() {
        None => Ok(()),
        Some(first) => Err(MigrateError::ForeignKeys {
            name: name(),
            table: first.from_table.clone(),
            target: first.to_table.clone(),
            rows: first.rows,
        }),
    }
}

#[derive(QueryableByName)]
struct Setting {
    #[diesel(sql_type = BigInt)]
    foreign_keys: i64,
}

fn foreign_keys(conn: &mut Conn) -> QueryResult<bool> {
    let rows: Vec<Setting> = diesel::sql_query("PRAGMA foreign_keys").load(conn)?;
    Ok(rows.first().is_some_and(|row| row.foreign_keys != 0))
}

#[derive(QueryableByName)]
struct Violation {
    #[diesel(sql_type = Text)]
    from_table: String,
    #[diesel(sql_type = Text)]
    to_table: String,
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

fn violations(conn: &mut Conn) -> QueryResult<Vec<Violation>> {
    diesel::sql_query(
        "SELECT \"table\" AS from_table, parent AS to_table, count(*) AS \"rows\" \
         FROM pragma_foreign_key_check GROUP BY 1, 2",
    )
    .load(conn)
}
