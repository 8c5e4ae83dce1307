//! The one thread that writes. It takes all jobs that wait, runs each in a savepoint of one
//! transaction (or without, if it is a single statement), commits once, and only then answers.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use diesel::connection::{AnsiTransactionManager, SimpleConnection, TransactionManager};
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};

use super::checkpoint::Checkpoints;
use super::connect::{self, OpenError};
use super::generations::Generations;
use super::room::Room;
use super::savepoint::{alone, in_savepoint};
use super::tracker::Tracker;
use super::{statements, stopped};
use crate::error::ApiError;
use crate::sql::Conn;
use crate::workers::{Entrance, join};

/// Jobs that are committed together at most.
const BATCH: usize = 512;

/// Jobs that may wait before callers do.
const QUEUE: usize = 4096;

/// The handle to the writer thread.
pub(super) struct Writer {
    queue: Entrance<Box<dyn Job>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Writer {
    pub(super) fn start(path: &Path, generations: Arc<Generations>) -> Result<Self, OpenError> {
        let tracker = Tracker::default();
        let mut conn = connect::writer(path)?;
        tracker.follow(&mut conn);
        let mut state = State {
            path: path.to_owned(),
            conn: Some(conn),
            tracker,
            generations,
            checkpoints: Checkpoints::start(path)?,
        };
        let (sender, mut receiver) = mpsc::channel::<Box<dyn Job>>(QUEUE);
        let work = move || {
            let mut room = Room::new(&state.path);
            while let Some(first) = next(&mut receiver, &mut room) {
                let mut jobs = vec![first];
                while jobs.len() < BATCH
                    && let Ok(next) = receiver.try_recv()
                {
                    jobs.push(next);
                }
                state.run(jobs);
            }
            state.checkpoint();
        };
        let thread = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(work)
            .map_err(|error| OpenError::threads(path, &error))?;
        Ok(Writer {
            queue: Entrance::new(sender),
            threads: Mutex::new(vec![thread]),
        })
    }

    pub(super) async fn run<R: Send + 'static>(
        &self,
        extent: Extent,
        work: impl FnOnce(&mut Conn) -> Result<R, ApiError> + Send + 'static,
    ) -> Result<R, ApiError> {
        let (sender, receiver) = oneshot::channel();
        let reply = move |result| {
            // Nobody listens any more if the client has gone.
            let _ = sender.send(result);
        };
        let job = Box::new(Task {
            extent,
            work,
            reply,
        });
        self.queue.send(job).await.map_err(|_| stopped())?;
        receiver.await.unwrap_or_else(|_| Err(lost()))
    }

    pub(super) fn run_blocking<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> Result<R, ApiError> + Send + 'static,
    ) -> Result<R, ApiError> {
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        let reply = move |result| {
            let _ = sender.send(result);
        };
        let job = Box::new(Task {
            extent: Extent::Any,
            work,
            reply,
        });
        self.queue.send_blocking(job).map_err(|_| stopped())?;
        receiver.recv().unwrap_or_else(|_| Err(lost()))
    }

    pub(super) fn stop(&self) {
        self.queue.close();
        join(&self.threads);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn lost() -> ApiError {
    ApiError::internal("the writer thread ended")
}

/// The next job, once there is one; until then, room is made for it in the log's file.
fn next(
    receiver: &mut mpsc::Receiver<Box<dyn Job>>,
    room: &mut Option<Room>,
) -> Option<Box<dyn Job>> {
    while let Some(growing) = room {
        match receiver.try_recv() {
            Ok(job) => return Some(job),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) if growing.grow() => {}
            Err(TryRecvError::Empty) => *room = None,
        }
    }
    receiver.blocking_recv()
}

/// How much a job changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Whatever it likes, all or nothing.
    Any,
    /// What one statement changes, which is its last step.
    Statement,
}

/// A job in the queue.
trait Job: Send {
    /// Runs it, all or nothing.
    fn run(self: Box<Self>, conn: &mut Conn, tracker: &Tracker) -> Done;
    /// Answers without running it.
    fn refuse(self: Box<Self>, error: ApiError);
}

/// A job that ran.
struct Done {
    /// Is the transaction around it still good?
    intact: bool,
    /// Answers, once it is known whether the transaction was committed.
    answer: Box<dyn FnOnce(Result<(), ApiError>)>,
}

struct Task<W, A> {
    extent: Extent,
    work: W,
    reply: A,
}

impl<R, W, A> Job for Task<W, A>
where
    R: 'static,
    W: FnOnce(&mut Conn) -> Result<R, ApiError> + Send,
    A: FnOnce(Result<R, ApiError>) + Send + 'static,
{
    fn run(self: Box<Self>, conn: &mut Conn, tracker: &Tracker) -> Done {
        let Task {
            extent,
            work,
            reply,
        } = *self;
        let (result, intact) = match extent {
            Extent::Statement if tracker.undoes_statements() => {
                alone(conn, || tracker.changes(), work)
            }
            Extent::Any | Extent::Statement => in_savepoint(conn, work),
        };
        Done {
            intact,
            answer: Box::new(move |committed| {
                reply(result.and_then(|value| committed.map(|()| value)));
            }),
        }
    }

    fn refuse(self: Box<Self>, error: ApiError) {
        (self.reply)(Err(error));
    }
}

type Transactions = AnsiTransactionManager;

/// What the thread owns.
struct State {
    path: PathBuf,
    /// `None` after a failure, or when it kept too many statements, until the next job.
    conn: Option<Conn>,
    tracker: Tracker,
    generations: Arc<Generations>,
    checkpoints: Checkpoints,
}

impl State {
    /// Runs jobs in their order; those behind one that broke the transaction get a new one.
    fn run(&mut self, jobs: Vec<Box<dyn Job>>) {
        let mut waiting = jobs.into_iter();
        while waiting.len() > 0 {
            let mut conn = match self.begin() {
                Ok(conn) => conn,
                Err(error) => {
                    waiting.by_ref().for_each(|job| job.refuse(error.clone()));
                    return;
                }
            };
            let mut answers = Vec::new();
            let mut intact = true;
            while intact && let Some(job) = waiting.next() {
                let done = job.run(&mut conn, &self.tracker);
                intact = done.intact;
                answers.push(done.answer);
            }
            let committed = self.commit(conn, intact);
            let jobs = answers.len();
            for answer in answers {
                answer(committed.clone());
            }
            if let Some(conn) = &mut self.conn {
                self.checkpoints.after(jobs, conn);
            }
            if self.tracker.kept() > statements::MOST {
                self.conn = None;
            }
        }
    }

    /// A connection with a transaction.
    fn begin(&mut self) -> Result<Conn, ApiError> {
        const BEGIN: &str = "BEGIN IMMEDIATE";
        if let Some(mut conn) = self.conn.take() {
            match Transactions::begin_transaction_sql(&mut conn, BEGIN) {
                Ok(()) => {
                    self.tracker.refresh(&mut conn);
                    return Ok(conn);
                }
                Err(error) => tracing::error!(%error, "cannot begin to write; connecting again"),
            }
        }
        let mut conn = connect::writer(&self.path).map_err(ApiError::internal)?;
        self.tracker.follow(&mut conn);
        Transactions::begin_transaction_sql(&mut conn, BEGIN).map_err(ApiError::internal)?;
        Ok(conn)
    }

    /// Commits and raises the versions of what was changed, before anyone is answered. If that
    /// fails, whatever is still open goes with the connection. The versions are raised all the same:
    /// a job that ended the transaction by itself may have committed it.
    fn commit(&mut self, mut conn: Conn, intact: bool) -> Result<(), ApiError> {
        let committed = if intact {
            Transactions::commit_transaction(&mut conn).map_err(ApiError::internal)
        } else {
            Err(ApiError::internal(
                "a statement ended the whole transaction",
            ))
        };
        self.generations.raise(self.tracker.take());
        committed?;
        self.conn = Some(conn);
        Ok(())
    }

    fn checkpoint(&mut self) {
        self.checkpoints.stop();
        let Some(conn) = &mut self.conn else {
            return;
        };
        if let Err(error) = conn.batch_execute("PRAGMA wal_checkpoint(TRUNCATE);") {
            tracing::warn!(%error, "cannot move the log into the database file");
        }
    }
}
