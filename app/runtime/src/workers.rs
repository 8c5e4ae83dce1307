//! A fixed number of threads with a bounded queue, for work that would block the async threads:
//! reads of the database, hashing of passwords. A panic ends one job, never a thread.

mod queue;

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use self::queue::Queue;

type Job<S> = Box<dyn FnOnce(&mut S) + Send>;

/// Threads that work on a queue; each owns a state `S`, such as a connection.
pub struct Workers<S: 'static> {
    queue: Arc<Queue<Job<S>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// Why a job has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// It panicked; the panic's message is on stderr.
    Panicked,
    /// The workers were stopped before they took it.
    Stopped,
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Failure::Panicked => "a job panicked",
            Failure::Stopped => "the server is shutting down",
        })
    }
}

impl std::error::Error for Failure {}

impl<S: Send + 'static> Workers<S> {
    /// Starts a thread for each state. After a panic, `mend` puts the thread's state in order.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(
        name: &str,
        states: Vec<S>,
        capacity: usize,
        mend: impl Fn(&mut S) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let queue: Arc<Queue<Job<S>>> = Arc::new(Queue::new(capacity));
        let mend = Arc::new(mend);
        let mut threads = Vec::with_capacity(states.len());
        for (number, mut state) in states.into_iter().enumerate() {
            let (queue, mend) = (queue.clone(), mend.clone());
            let work = move || {
                while let Some(job) = queue.next() {
                    if catch_unwind(AssertUnwindSafe(|| job(&mut state))).is_err() {
                        mend(&mut state);
                    }
                }
            };
            let thread = std::thread::Builder::new().name(format!("{name}-{number}"));
            threads.push(thread.spawn(work)?);
        }
        Ok(Workers {
            queue,
            threads: Mutex::new(threads),
        })
    }

    /// Runs a job on one of the threads; waits while the queue is full.
    ///
    /// # Errors
    /// When the job panicked or the workers are stopped.
    pub async fn run<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut S) -> R + Send + 'static,
    ) -> Result<R, Failure> {
        let (sender, receiver) = oneshot::channel();
        let job: Job<S> = Box::new(move |state| {
            // Nobody listens any more if the client has gone.
            let _ = sender.send(job(state));
        });
        self.queue.send(job).await.map_err(|_| Failure::Stopped)?;
        receiver.await.map_err(|_| Failure::Panicked)
    }

    /// The same for callers outside async code; blocks the thread.
    ///
    /// # Errors
    /// As [`Workers::run`].
    pub fn run_blocking<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut S) -> R + Send + 'static,
    ) -> Result<R, Failure> {
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        let job: Job<S> = Box::new(move |state| {
            let _ = sender.send(job(state));
        });
        self.queue
            .send_blocking(job)
            .map_err(|_| Failure::Stopped)?;
        receiver.recv().map_err(|_| Failure::Panicked)
    }

    /// Takes no more jobs, finishes those in the queue, and ends the threads.
    pub fn stop(&self) {
        self.queue.close();
        join(&self.threads);
    }
}

impl<S: 'static> Drop for Workers<S> {
    fn drop(&mut self) {
        self.queue.close();
        join(&self.threads);
    }
}

/// Waits for threads to end; a thread does not wait for itself.
pub(crate) fn join(threads: &Mutex<Vec<JoinHandle<()>>>) {
    let threads = std::mem::take(&mut *threads.lock().unwrap_or_else(PoisonError::into_inner));
    for thread in threads {
        if thread.thread().id() != std::thread::current().id() {
            // Jobs are caught one by one, so a thread's own end carries no news.
            let _ = thread.join();
        }
    }
}

/// The sending end of a bounded queue, which can be closed.
pub(crate) struct Entrance<J>(Mutex<Option<mpsc::Sender<J>>>);

/// The queue is closed.
pub(crate) struct Closed;

impl<J> Entrance<J> {
    pub(crate) fn new(sender: mpsc::Sender<J>) -> Self {
        Entrance(Mutex::new(Some(sender)))
    }

    fn sender(&self) -> Result<mpsc::Sender<J>, Closed> {
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sender.clone().ok_or(Closed)
    }

    pub(crate) async fn send(&self, job: J) -> Result<(), Closed> {
        self.sender()?.send(job).await.map_err(|_| Closed)
    }

    /// Without tokio's blocking call, which refuses to work anywhere inside async code.
    pub(crate) fn send_blocking(&self, mut job: J) -> Result<(), Closed> {
        let sender = self.sender()?;
        loop {
            match sender.try_send(job) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Closed(_)) => return Err(Closed),
                Err(TrySendError::Full(back)) => job = back,
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Jobs that are already in the queue stay there.
    pub(crate) fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_one_job_and_the_state_is_mended() {
        let workers = Workers::start("test", vec![0], 4, |state| *state = 100).unwrap();
        assert_eq!(workers.run_blocking(|state| *state += 1), Ok(()));
        let failed = workers.run_blocking(|_| -> i32 { panic!("on purpose") });
        assert_eq!(failed, Err(Failure::Panicked));
        assert_eq!(workers.run_blocking(|state| *state), Ok(100));
    }

    #[test]
    fn stopping_finishes_the_queue_and_refuses_more() {
        let workers = Arc::new(Workers::start("test", vec![Vec::new()], 64, |_| ()).unwrap());
        let (sender, receiver) = std::sync::mpsc::channel();
        let threads: Vec<_> = (0..20)
            .map(|number| {
                let (workers, sender) = (workers.clone(), sender.clone());
                std::thread::spawn(move || {
                    let done = workers.run_blocking(move |state: &mut Vec<i32>| {
                        std::thread::yield_now();
                        state.push(number);
                        state.len()
                    });
                    sender.send(done).unwrap();
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        workers.stop();
        drop(sender);
        assert_eq!(receiver.iter().filter(Result::is_ok).count(), 20);
        assert_eq!(workers.run_blocking(|_| ()), Err(Failure::Stopped));
    }

    #[tokio::test]
    async fn a_full_queue_makes_async_callers_wait() {
        let workers = Arc::new(Workers::start("test", vec![0_u32], 1, |_| ()).unwrap());
        let jobs: Vec<_> = (0..50)
            .map(|_| {
                let workers = workers.clone();
                tokio::spawn(async move { workers.run(|state| *state += 1).await })
            })
            .collect();
        for job in jobs {
            assert_eq!(job.await.unwrap(), Ok(()));
        }
        assert_eq!(workers.run(|state| *state).await, Ok(50));
    }
}
