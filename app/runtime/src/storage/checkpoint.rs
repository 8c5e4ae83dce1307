//! Moving the log into the database file while the writer goes on. The longer the log, the more
//! often its pages were written again meanwhile and are moved only once; but what is moved inside of
//! a commit makes everybody wait for it.
//!
//! The log begins anew only if nobody reads from it, and where slow reads overlap there is no such
//! moment. So the writer waits for those that are running, once the log has become too long.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use diesel::connection::SimpleConnection;
use diesel::sql_types::Integer;
use diesel::{QueryResult, QueryableByName, RunQueryDsl};

use super::connect::{self, OpenError};
use super::tracker::{About, Subject};
use crate::sql::Conn;

/// Pages in the log that are worth moving: 32 MiB of the usual size.
const MUCH: i32 = if cfg!(test) { 512 } else { 4096 };

/// Pages in the log that are too many. With more, SQLite would move them inside of each commit.
const TOO_MUCH: i32 = 2 * MUCH;

/// How long the writer waits for reads to end, in milliseconds. Those that begin meanwhile read from
/// the database file, so it never waits for them.
const WAIT: i32 = 250;

/// Jobs between two looks at the log.
const LOOK: usize = 32;

/// The thread that moves the log, and when to wake it. Belongs to the writer.
pub(super) struct Checkpoints {
    wake: Option<SyncSender<()>>,
    busy: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    /// Jobs since the last look.
    jobs: usize,
    /// As many pages in the log are worth waiting for reads. More after a wait that was in vain, so
    /// that a read without end costs little.
    too_much: i32,
}

/// How much there is in the log.
#[derive(Debug, QueryableByName)]
struct Log {
    /// Pages in it; -1 if there is none.
    #[diesel(sql_type = Integer)]
    log: i32,
    /// How many of them are in the database file too.
    #[diesel(sql_type = Integer)]
    checkpointed: i32,
}

/// Whether somebody was in the way.
#[derive(Debug, QueryableByName)]
struct Busy {
    #[diesel(sql_type = Integer)]
    busy: i32,
}

impl Log {
    fn look(conn: &mut Conn) -> QueryResult<Self> {
        diesel::sql_query("PRAGMA wal_checkpoint(NOOP)").get_result(conn)
    }

    fn shift(conn: &mut Conn) -> QueryResult<Self> {
        diesel::sql_query("PRAGMA wal_checkpoint(PASSIVE)").get_result(conn)
    }

    /// Moves all of it and waits until nobody reads from it. Is that so now?
    fn restart(conn: &mut Conn) -> QueryResult<bool> {
        conn.batch_execute(&format!("PRAGMA busy_timeout = {WAIT};"))?;
        let done = diesel::sql_query("PRAGMA wal_checkpoint(RESTART)").get_result(conn);
        let timeout = connect::BUSY_TIMEOUT;
        conn.batch_execute(&format!("PRAGMA busy_timeout = {timeout};"))?;
        done.map(|done: Busy| done.busy == 0)
    }
}

impl Checkpoints {
    pub(super) fn start(path: &Path) -> Result<Self, OpenError> {
        let (wake, woken) = sync_channel(1);
        let busy = Arc::new(AtomicBool::new(false));
        let conn = connect::reader(path)?;
        let work = {
            let busy = Arc::clone(&busy);
            move || follow(conn, &woken, &busy)
        };
        let thread = std::thread::Builder::new()
            .name("checkpoint".to_owned())
            .spawn(work)
            .map_err(|error| OpenError::threads(path, &error))?;
        Ok(Checkpoints {
            wake: Some(wake),
            busy,
            thread: Some(thread),
            jobs: 0,
            too_much: TOO_MUCH,
        })
    }

    /// After a commit of so many jobs, when all are answered.
    pub(super) fn after(&mut self, jobs: usize, writer: &mut Conn) {
        self.jobs += jobs;
        if self.jobs < LOOK || self.busy.load(Ordering::Acquire) {
            return;
        }
        self.jobs = 0;
        let _about = About::new(Subject::Reading);
        let done = Log::look(writer).and_then(|log| self.decide(&log, writer));
        if let Err(error) = done {
            tracing::warn!(%error, "cannot move the log into the database file");
        }
    }

    /// The log begins anew only if all of it was moved before the next commit, which the other
    /// thread can't achieve while writes go on: the writer moves the rest, which is little by then.
    fn decide(&mut self, log: &Log, writer: &mut Conn) -> QueryResult<()> {
        let left = log.log - log.checkpointed;
        if log.log >= self.too_much && left < TOO_MUCH {
            self.too_much = match Log::restart(writer)? {
                true => TOO_MUCH,
                false => log.log.saturating_add(MUCH),
            };
        } else if left >= MUCH {
            self.busy.store(true, Ordering::Release);
            let woken = self
                .wake
                .as_ref()
                .is_some_and(|wake| wake.try_send(()).is_ok());
            if !woken {
                self.busy.store(false, Ordering::Release);
            }
        } else if log.log >= MUCH {
            Log::shift(writer)?;
        } else {
            self.too_much = TOO_MUCH;
        }
        Ok(())
    }

    /// Ends the thread.
    pub(super) fn stop(&mut self) {
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            // It catches nothing and panics at nothing; were it otherwise, the writer moves the log.
            let _ = thread.join();
        }
    }
}

fn follow(mut conn: Conn, woken: &Receiver<()>, busy: &AtomicBool) {
    while woken.recv().is_ok() {
        if let Err(error) = Log::shift(&mut conn) {
            tracing::warn!(%error, "cannot move the log into the database file");
        }
        busy.store(false, Ordering::Release);
    }
}
