//! The threads that hash passwords: few, bounded and of low priority, so that a storm of logins
//! never slows down reads.

use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use tokio::sync::Semaphore;

use super::hashing::{Hasher, bcrypt_cost, pass_bcrypt_time};
use crate::error::ApiError;
use crate::workers::Workers;

/// Callers that may wait for their turn; each waits some 20 ms for everyone before it.
const WAITING: usize = 256;

/// What an unknown account's password is compared with, so that the answer takes as long.
static NOBODY: OnceLock<String> = OnceLock::new();

/// Where passwords are hashed and compared: only so many at the same time, and only so many wait.
pub struct Passwords {
    /// Jobs that may run or wait.
    places: Arc<Semaphore>,
    /// How many places there are.
    total: usize,
    /// Jobs that may run.
    running: usize,
    /// What runs them; started by the first.
    threads: Mutex<Option<Arc<Workers<Bench>>>>,
}

/// What a thread keeps between two jobs.
#[derive(Default)]
struct Bench {
    hasher: Hasher,
    /// Does its thread have its priority?
    placed: bool,
}

/// Hashes a password on this thread.
pub fn hash_blocking(password: &str) -> Result<String, ApiError> {
    Hasher::default().hash(password)
}

/// Does the password belong to the hash? Anything that is no hash belongs to no password.
pub fn verify_blocking(password: &str, hash: &str) -> bool {
    Hasher::default().verify(password, hash)
}

/// What came of comparing a password with a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Does the password belong to the hash?
    pub right: bool,
    /// If it does and the hash is bcrypt's: a better one of the same password.
    pub renewed: Option<String>,
}

fn judge(
    hasher: &mut Hasher,
    password: &str,
    hash: Option<&str>,
    imported: Option<u32>,
) -> Verdict {
    if let Some(hash) = hash.filter(|hash| bcrypt_cost(hash).is_some()) {
        let right = hasher.verify(password, hash);
        // Made for wrong passwords too, because it takes time.
        let renewed = hasher.hash(password).ok().filter(|_| right);
        return Verdict { right, renewed };
    }
    if let Some(cost) = imported {
        pass_bcrypt_time(password, cost);
    }
    let right = match hash {
        Some(hash) => hasher.verify(password, hash),
        None => {
            let nobody = NOBODY.get_or_init(|| hasher.hash("nobody").unwrap_or_default());
            hasher.verify(password, nobody) && hash.is_some()
        }
    };
    Verdict {
        right,
        renewed: None,
    }
}

impl Default for Passwords {
    fn default() -> Self {
        Passwords::on_threads(0)
    }
}

impl Passwords {
    /// With so many threads; 0 is one for each core.
    pub fn on_threads(count: usize) -> Self {
        let running = match count {
            0 => thread::available_parallelism().map_or(1, usize::from),
            count => count,
        };
        Passwords::new(running, WAITING)
    }

    /// Runs so many jobs at the same time and lets so many others wait.
    pub fn new(running: usize, waiting: usize) -> Self {
        let total = running + waiting;
        Passwords {
            places: Arc::new(Semaphore::new(total)),
            total,
            running,
            threads: Mutex::default(),
        }
    }

    /// Hashes a password (about 20 ms of one core). Call it for values that passed validation only.
    ///
    /// # Errors
    /// 429 if too many wait already.
    pub async fn hash(&self, password: &str) -> Result<String, ApiError> {
        let password = password.to_owned();
        self.run(move |hasher| hasher.hash(&password)).await?
    }

    /// Does the password belong to the hash? Without a hash (unknown account) the answer is no, and
    /// takes as long as any other.
    ///
    /// # Errors
    /// 429 if too many wait already.
    pub async fn verify(&self, password: &str, hash: Option<&str>) -> Result<bool, ApiError> {
        let verdict = self.check(password, hash, None).await?;
        Ok(verdict.right)
    }

    /// As [`Passwords::verify`], in a collection with accounts whose hashes are still bcrypt's:
    /// `imported` is their cost. Each answer takes the time of both kinds of hashes then, so that
    /// none tells of which kind an account's is.
    ///
    /// # Errors
    /// 429 if too many wait already.
    pub async fn check(
        &self,
        password: &str,
        hash: Option<&str>,
        imported: Option<u32>,
    ) -> Result<Verdict, ApiError> {
        let password = password.to_owned();
        let hash = hash.map(str::to_owned);
        let job = move |hasher: &mut Hasher| judge(hasher, &password, hash.as_deref(), imported);
        self.run(job).await
    }

    /// Runs a job on one of the threads. 429 if too many wait already.
    async fn run<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Hasher) -> R + Send + 'static,
    ) -> Result<R, ApiError> {
        let Ok(_place) = self.places.try_acquire() else {
            return Err(ApiError::too_many());
        };
        let threads = self.threads().map_err(ApiError::internal)?;
        let (places, total) = (Arc::clone(&self.places), self.total);
        // Lives as long as somebody waits for the answer. Rocket runs a request to its end even if
        // its client has gone, so that only a stop of the server ends it sooner.
        let waits = Arc::new(());
        let waiting = Arc::downgrade(&waits);
        let work = move |bench: &mut Bench| {
            waiting.upgrade()?;
            bench.take_place();
            let done = job(&mut bench.hasher);
            let last = places.available_permits() + 1 >= total;
            if last {
                bench.hasher.forget();
            }
            Some(done)
        };
        let done = threads.run(work).await.map_err(ApiError::internal)?;
        done.ok_or_else(|| ApiError::internal("nobody waits for this password"))
    }

    /// The threads, which are started if they don't run.
    fn threads(&self) -> io::Result<Arc<Workers<Bench>>> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(threads) = &*threads {
            return Ok(Arc::clone(threads));
        }
        let benches = (0..self.running).map(|_| Bench::default()).collect();
        let mend = |bench: &mut Bench| bench.hasher.forget();
        let started = Arc::new(Workers::start("password", benches, self.total, mend)?);
        Ok(Arc::clone(threads.insert(started)))
    }
}

impl Bench {
    /// Steps back behind the threads that answer requests. Elsewhere than on Linux a priority is
    /// the whole process's.
    fn take_place(&mut self) {
        #[cfg(target_os = "linux")]
        if !self.placed
            && let Err(error) = rustix::process::nice(NICE)
        {
            tracing::debug!(%error, "passwords are hashed at the usual priority");
        }
        self.placed = true;
    }
}

/// The lowest priority: what answers requests is let through at once.
#[cfg(target_os = "linux")]
const NICE: i32 = 19;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn only_so_many_wait() {
        let passwords = Arc::new(Passwords::new(1, 2));
        let (release, released) = std::sync::mpsc::channel::<()>();
        let mut released = Some(released);
        let mut jobs = Vec::new();
        for number in 0..3 {
            let (own, gate) = (passwords.clone(), released.take());
            let job = move || {
                if let Some(gate) = gate {
                    gate.recv().unwrap();
                }
                number
            };
            jobs.push(tokio::spawn(async move { own.run(move |_| job()).await }));
            while passwords.places.available_permits() > 2 - number {
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(passwords.run(|_| 3).await, Err(ApiError::too_many()));
        release.send(()).unwrap();
        for (number, job) in jobs.into_iter().enumerate() {
            assert_eq!(job.await.unwrap(), Ok(number));
        }
        assert_eq!(passwords.run(|_| 4).await, Ok(4));
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_not_done() {
        let passwords = Arc::new(Passwords::new(1, 9));
        let (release, released) = std::sync::mpsc::channel::<()>();
        let first = passwords.clone();
        let first = tokio::spawn(async move { first.run(move |_| released.recv()).await });
        while passwords.places.available_permits() == 10 {
            tokio::task::yield_now().await;
        }
        let (sender, received) = std::sync::mpsc::channel();
        let second = passwords.clone();
        let second = tokio::spawn(async move { second.run(move |_| sender.send(())).await });
        while passwords.places.available_permits() == 9 {
            tokio::task::yield_now().await;
        }
        second.abort();
        assert!(second.await.is_err());
        release.send(()).unwrap();
        assert_eq!(first.await.unwrap(), Ok(Ok(())));
        assert_eq!(passwords.run(|_| 3).await, Ok(3));
        assert!(received.try_recv().is_err());
    }

    #[tokio::test]
    async fn a_panic_ends_one_job() {
        let passwords = Passwords::new(1, 1);
        assert!(passwords.run(|_| panic!("on purpose")).await.is_err());
        assert_eq!(passwords.run(|_| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn an_unknown_account_has_no_password() {
        let passwords = Passwords::new(1, 1);
        for password in ["nobody", ""] {
            assert_eq!(passwords.verify(password, None).await, Ok(false));
        }
        let hash = passwords.hash("1234567890").await.unwrap();
        for (password, right) in [("1234567890", true), ("123456789", false)] {
            assert_eq!(passwords.verify(password, Some(&hash)).await, Ok(right));
        }
    }

    #[tokio::test]
    async fn a_right_password_renews_a_bcrypt_hash() {
        let passwords = Passwords::new(1, 1);
        let old = bcrypt::hash("1234567890", 4).unwrap();
        let right = passwords.check("1234567890", Some(&old), Some(4)).await;
        let renewed = right.unwrap().renewed.unwrap();
        assert!(renewed.starts_with("$argon2id$"), "{renewed}");
        assert!(verify_blocking("1234567890", &renewed));
        let no = Verdict {
            right: false,
            renewed: None,
        };
        for hash in [Some(old.as_str()), Some(renewed.as_str()), None] {
            let wrong = passwords.check("123456789", hash, Some(4)).await;
            assert_eq!(wrong, Ok(no.clone()), "{hash:?}");
        }
        let again = passwords.check("1234567890", Some(&renewed), None).await;
        assert_eq!(
            again.map(|verdict| (verdict.right, verdict.renewed)),
            Ok((true, None))
        );
    }
}
