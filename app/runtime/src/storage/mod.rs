//! The database: many readers, one writer with group commit. All that is particular to SQLite's
//! way of running transactions is in this module.

mod answers;
mod checkpoint;
mod connect;
mod create;
mod generations;
mod room;
mod savepoint;
mod snapshot;
mod statements;
mod tables;
mod totals;
mod tracker;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use diesel::Connection;
use diesel::connection::{AnsiTransactionManager, SimpleConnection, TransactionManager};

use crate::error::ApiError;
use crate::sql::Conn;
use crate::workers::{Failure, Workers};

pub use answers::{Answer, Answers};
pub use connect::{MAGIC, OpenError, SYNCHRONOUS};
pub use create::create;
pub use generations::{Marks, Watch};
pub use snapshot::Snapshot;
pub use totals::{Totals, key};
pub(crate) use tracker::{About, Subject};
pub(crate) use writer::Extent;

use connect::Lock;
use generations::Generations;
use statements::Statements;
use writer::Writer;

/// Reads that may wait before callers do.
const READ_QUEUE: usize = 4096;

/// How the database is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// The database file.
    pub path: PathBuf,
    /// Reader threads, one connection each.
    pub readers: usize,
}

/// An open database: this process is the only one that uses it.
pub struct Database {
    readers: Workers<Reader>,
    writer: Writer,
    generations: Arc<Generations>,
    totals: Totals,
    // Dropped last: the next process may have the file when all threads have ended.
    _lock: Lock,
}

/// A reader thread's connection; `None` until the next job where it was given up.
struct Reader {
    path: PathBuf,
    open: Option<Open>,
}

/// A connection with what it keeps.
struct Open {
    conn: Conn,
    statements: Statements,
}

impl Open {
    fn new(path: &Path) -> Result<Self, OpenError> {
        let mut conn = connect::reader(path)?;
        let statements = Statements::of(&mut conn);
        Ok(Open { conn, statements })
    }
}

/// Runs a job on the only connection to a database, before a server opens it: migrations need one
/// without a transaction of ours around it.
///
/// # Errors
/// The job's own, or one line that says why the database can't be opened.
pub fn maintain<R>(
    path: &Path,
    job: impl FnOnce(&mut Conn) -> anyhow::Result<R>,
) -> anyhow::Result<R> {
    let _lock = Lock::take(path)?;
    job(&mut connect::writer(path)?)
}

/// Keeps a database in use for as long as it lives.
pub struct Held(#[allow(dead_code)] Conn);

/// Keeps the log as it is while other connections come and go: whenever the last one closes, SQLite
/// moves all of it into the database file, for which a start would have to wait. `None` if there is
/// no log to keep.
pub fn hold(path: &Path) -> Option<Held> {
    let mut conn = connect::look(path).ok()?;
    // Only what was read once is in use.
    conn.batch_execute("PRAGMA schema_version").ok()?;
    Some(Held(conn))
}

/// A database in memory with these tables, set up as every connection of a server is.
///
/// # Errors
/// One line: the statements are refused.
pub fn in_memory(tables: &str) -> anyhow::Result<Conn> {
    let mut conn = connect::in_memory()?;
    conn.batch_execute(tables)?;
    Ok(conn)
}

/// A connection to a database that a server may be using meanwhile. Nothing can be written by it,
/// and nothing is made if there is no such file.
///
/// # Errors
/// One line that says what is wrong with the file.
pub fn look(path: &Path) -> anyhow::Result<Conn> {
    Ok(connect::look(path)?)
}

/// A connection to a database of another program's, which nothing is written to, nor beside it. If
/// it is `logged`, that program may be using it meanwhile.
///
/// # Errors
/// One line that says what is wrong with the file.
pub fn foreign(path: &Path, logged: bool) -> anyhow::Result<Conn> {
    Ok(connect::foreign(path, logged)?)
}

/// Is there a log beside the database, so that another process may be using it?
pub fn has_log(path: &Path) -> bool {
    connect::has_log(path)
}

/// Runs a job in one transaction of a connection that has none. Its result says whether the changes
/// shall stay; they don't if it fails.
///
/// # Errors
/// The job's own, or what the database says.
pub fn in_transaction<R>(
    conn: &mut Conn,
    job: impl FnOnce(&mut Conn) -> anyhow::Result<(R, bool)>,
) -> anyhow::Result<R> {
    Transactions::begin_transaction_sql(conn, "BEGIN IMMEDIATE")?;
    match job(conn) {
        Ok((result, true)) => {
            Transactions::commit_transaction(conn)?;
            Ok(result)
        }
        Ok((result, false)) => {
            Transactions::rollback_transaction(conn)?;
            Ok(result)
        }
        Err(error) => {
            // What can't be rolled back goes with the connection.
            Transactions::rollback_transaction(conn).ok();
            Err(error)
        }
    }
}

type Transactions = AnsiTransactionManager;

impl Database {
    /// Opens the database; makes the folder and the file if there are none.
    ///
    /// # Errors
    /// With one line that says what is wrong with which file.
    pub fn open(options: &Options) -> Result<Self, OpenError> {
        let path = &options.path;
        let lock = Lock::take(path)?;
        let generations = Arc::new(Generations::default());
        let writer = Writer::start(path, generations.clone())?;
        let mut readers = Vec::new();
        for _ in 0..options.readers.max(1) {
            readers.push(Reader {
                path: path.clone(),
                open: Some(Open::new(path)?),
            });
        }
        let readers = Workers::start("reader", readers, READ_QUEUE, Reader::reopen)
            .map_err(|error| OpenError::threads(path, &error))?;
        Ok(Database {
            readers,
            writer,
            generations,
            totals: Totals::default(),
            _lock: lock,
        })
    }

    /// Runs a job in one read transaction: all its statements see the same state.
    ///
    /// # Errors
    /// The job's own, or 500 if the database fails or the job panics.
    pub async fn read<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Conn) -> Result<R, ApiError> + Send + 'static,
    ) -> Result<R, ApiError> {
        let done = self.readers.run(|reader| reader.read(job)).await;
        done.map_err(refused)?
    }

    /// Runs a job that says of each statement whether others follow: a single one needs no
    /// transaction.
    ///
    /// # Errors
    /// As [`Database::read`].
    pub async fn look<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Snapshot<'_>) -> Result<R, ApiError> + Send + 'static,
    ) -> Result<R, ApiError> {
        let done = self.readers.run(|reader| reader.look(job)).await;
        done.map_err(refused)?
    }

    /// [`Database::read`] for callers outside async code; blocks the thread.
    ///
    /// # Errors
    /// As [`Database::read`].
    pub fn read_blocking<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Conn) -> Result<R, ApiError> + Send + 'static,
    ) -> Result<R, ApiError> {
        let done = self.readers.run_blocking(|reader| reader.read(job));
        done.map_err(refused)?
    }

    /// Runs a job on the writer's connection, all or nothing, and returns when what it wrote is on
    /// the disk. Jobs run one after the other, in the order in which they came.
    ///
    /// # Errors
    /// The job's own, or 500 if the database fails or the job panics; then nothing was written.
    pub async fn write<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Conn) -> Result<R, ApiError> + Send + 'static,
    ) -> Result<R, ApiError> {
        self.write_extent(Extent::Any, job).await
    }

    /// [`Database::write`], cheaper for a job that changes something by its last step only, which is
    /// a single statement.
    pub(crate) async fn write_extent<R: Send + 'static>(
        &self,
        extent: Extent,
        job: impl FnOnce(&mut Conn) -> Result<R, ApiError> + Send + 'static,
    ) -> Result<R, ApiError> {
        self.writer.run(extent, job).await
    }

    /// [`Database::write`] for callers outside async code; blocks the thread.
    ///
    /// # Errors
    /// As [`Database::write`].
    pub fn write_blocking<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Conn) -> Result<R, ApiError> + Send + 'static,
    ) -> Result<R, ApiError> {
        self.writer.run_blocking(job)
    }

    /// Which version a collection is at: another number after every commit that changed it.
    pub fn generation(&self, collection: &str) -> u64 {
        self.generations.of(collection)
    }

    /// The versions of some collections, for [`Totals::total`]. Take them before the read.
    pub fn marks(&self, collections: &[&str]) -> Marks {
        self.generations.marks(collections)
    }

    /// Some collections, so that it costs little to ask whether one of them changed.
    pub fn watch<'n>(&self, collections: impl Iterator<Item = &'n str>) -> Watch {
        self.generations.watch(collections)
    }

    /// A number that is the same twice only if no commit changed a version between; `None` in the
    /// midst of one.
    pub fn changes(&self) -> Option<u64> {
        self.generations.changes()
    }

    /// The totals of lists that were counted before. Cheap to clone into a job.
    pub fn totals(&self) -> Totals {
        self.totals.clone()
    }

    /// Takes no more jobs, finishes those in the queues, and moves the log into the database file.
    pub fn shutdown(&self) {
        self.readers.stop();
        self.writer.stop();
    }
}

impl Reader {
    /// The connection, opened again if it was given up.
    fn conn(&mut self) -> Result<&mut Conn, ApiError> {
        if self.open.is_none() {
            self.open = Some(Open::new(&self.path).map_err(ApiError::internal)?);
        }
        let missing = || ApiError::internal("no connection");
        self.open
            .as_mut()
            .map(|open| &mut open.conn)
            .ok_or_else(missing)
    }

    fn read<R>(
        &mut self,
        job: impl FnOnce(&mut Conn) -> Result<R, ApiError>,
    ) -> Result<R, ApiError> {
        let conn = self.conn()?;
        let done = conn.transaction(|conn| job(conn).map_err(Abort::Job));
        let done = done.map_err(|abort| match abort {
            Abort::Job(error) => error,
            Abort::Database(error) => {
                // The transaction could not be begun or ended: start afresh.
                self.open = None;
                ApiError::internal(error)
            }
        });
        self.tidy();
        done
    }

    fn look<R>(
        &mut self,
        job: impl FnOnce(&mut Snapshot<'_>) -> Result<R, ApiError>,
    ) -> Result<R, ApiError> {
        let mut snapshot = Snapshot::new(self.conn()?);
        let done = job(&mut snapshot);
        if let Err(error) = snapshot.end() {
            self.open = None;
            return done.and(Err(ApiError::internal(error)));
        }
        self.tidy();
        done
    }

    /// Gives the connection up if it keeps too much.
    fn tidy(&mut self) {
        let full = |open: &Open| open.statements.are_too_many();
        if self.open.as_ref().is_some_and(full) {
            self.open = None;
        }
    }

    /// After a panic, the connection may stand in the middle of anything.
    fn reopen(&mut self) {
        self.open = None;
    }
}

/// Why a transaction was given up.
enum Abort {
    Job(ApiError),
    Database(diesel::result::Error),
}

impl From<diesel::result::Error> for Abort {
    fn from(error: diesel::result::Error) -> Self {
        Abort::Database(error)
    }
}

fn refused(failure: Failure) -> ApiError {
    match failure {
        Failure::Panicked => ApiError::internal("a read panicked"),
        Failure::Stopped => stopped(),
    }
}

fn stopped() -> ApiError {
    ApiError::new(503, "The server is shutting down.")
}

#[cfg(test)]
mod tests;
