//! A bounded queue between async callers and the threads that serve them. A thread is woken only
//! if one sleeps, and only one for each job: what wakes too many costs more than a small read.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, TryAcquireError};

use super::Closed;

/// The queue, shared by both ends.
pub(super) struct Queue<J> {
    state: Mutex<State<J>>,
    arrived: Condvar,
    /// Its permits are the places that are free.
    room: Semaphore,
}

struct State<J> {
    jobs: VecDeque<J>,
    /// Threads that sleep and that nobody has called yet.
    asleep: usize,
    /// Threads that were called and haven't woken yet.
    called: usize,
    closed: bool,
}

impl<J> Queue<J> {
    pub(super) fn new(capacity: usize) -> Self {
        Queue {
            state: Mutex::new(State {
                jobs: VecDeque::new(),
                asleep: 0,
                called: 0,
                closed: false,
            }),
            arrived: Condvar::new(),
            room: Semaphore::new(capacity.clamp(1, Semaphore::MAX_PERMITS)),
        }
    }

    /// Waits while the queue is full.
    pub(super) async fn send(&self, job: J) -> Result<(), Closed> {
        self.room.acquire().await.map_err(|_| Closed)?.forget();
        self.push(job)
    }

    /// The same outside async code; without tokio's blocking calls, which refuse to work anywhere
    /// inside it.
    pub(super) fn send_blocking(&self, job: J) -> Result<(), Closed> {
        loop {
            match self.room.try_acquire() {
                Ok(place) => {
                    place.forget();
                    return self.push(job);
                }
                Err(TryAcquireError::Closed) => return Err(Closed),
                Err(TryAcquireError::NoPermits) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    fn push(&self, job: J) -> Result<(), Closed> {
        let call = {
            let mut state = self.lock();
            if state.closed {
                return Err(Closed);
            }
            state.jobs.push_back(job);
            let call = state.asleep > 0;
            if call {
                state.asleep -= 1;
                state.called += 1;
            }
            call
        };
        if call {
            self.arrived.notify_one();
        }
        Ok(())
    }

    /// The next job; `None` once the queue is closed and empty.
    pub(super) fn next(&self) -> Option<J> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                self.room.add_permits(1);
                return Some(job);
            }
            if state.closed {
                return None;
            }
            state.asleep += 1;
            state = self
                .arrived
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            // Threads also wake without a call.
            if state.called > 0 {
                state.called -= 1;
            } else {
                state.asleep = state.asleep.saturating_sub(1);
            }
        }
    }

    /// Takes no more jobs; those that are in the queue stay there.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.room.close();
        self.arrived.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
