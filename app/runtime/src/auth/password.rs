//! Password hashes: argon2id with OWASP's parameters, computed on few threads of their own, so
//! that a storm of logins never slows down reads.

use std::sync::OnceLock;

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use tokio::sync::Semaphore;

use crate::error::ApiError;

/// Callers that may wait for their turn; each waits some 35 ms for everyone before it.
const WAITING: usize = 256;

/// Where passwords are hashed and compared: only so many at the same time, and only so many wait.
pub struct Passwords {
    /// Jobs that may run or wait.
    places: Semaphore,
    /// Jobs that may run.
    running: Semaphore,
}

/// What an unknown account's password is compared with, so that the answer takes as long.
static NOBODY: OnceLock<String> = OnceLock::new();

/// Hashes a password on this thread.
pub fn hash_blocking(password: &str) -> Result<String, ApiError> {
    Argon2::default()
        .hash_password(password.as_bytes())
        .map(|hash| hash.to_string())
        .map_err(ApiError::internal)
}

/// Does the password belong to the hash? Anything that is no hash belongs to no password.
pub fn verify_blocking(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash).is_ok_and(|hash| {
        Argon2::default()
            .verify_password(password.as_bytes(), &hash)
            .is_ok()
    })
}

impl Default for Passwords {
    /// Half of the cores, at least one, so that reads always have the others.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Passwords::new((cores / 2).max(1), WAITING)
    }
}

impl Passwords {
    /// Runs so many jobs at the same time and lets so many others wait.
    pub fn new(running: usize, waiting: usize) -> Self {
        Passwords {
            places: Semaphore::new(running + waiting),
            running: Semaphore::new(running),
        }
    }

    /// Hashes a password (about 35 ms of one core). Call it for values that passed validation only.
    ///
    /// # Errors
    /// 429 if too many wait already.
    pub async fn hash(&self, password: &str) -> Result<String, ApiError> {
        let password = password.to_owned();
        self.run(move || hash_blocking(&password)).await?
    }

    /// Does the password belong to the hash? Without a hash (unknown account) the answer is no, and
    /// takes as long as any other.
    ///
    /// # Errors
    /// 429 if too many wait already.
    pub async fn verify(&self, password: &str, hash: Option<&str>) -> Result<bool, ApiError> {
        let password = password.to_owned();
        let hash = hash.map(str::to_owned);
        let job = move || {
            let known = hash.is_some();
            let nobody = || {
                NOBODY
                    .get_or_init(|| hash_blocking("nobody").unwrap_or_default())
                    .clone()
            };
            let hash = hash.unwrap_or_else(nobody);
            verify_blocking(&password, &hash) && known
        };
        self.run(job).await
    }

    /// Runs a job on a thread for blocking work. 429 if too many wait already.
    async fn run<R: Send + 'static>(
        &self,
        job: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, ApiError> {
        let Ok(_place) = self.places.try_acquire() else {
            return Err(ApiError::too_many());
        };
        let _slot = self.running.acquire().await.map_err(ApiError::internal)?;
        tokio::task::spawn_blocking(job)
            .await
            .map_err(ApiError::internal)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_hash_belongs_to_its_password_alone() {
        let hash = hash_blocking("1234567890").unwrap();
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        assert!(verify_blocking("1234567890", &hash));
        assert!(!verify_blocking("123456789", &hash));
        assert!(!verify_blocking("", ""));
    }

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
            jobs.push(tokio::spawn(async move { own.run(job).await }));
            while passwords.places.available_permits() > 2 - number {
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(passwords.run(|| 3).await, Err(ApiError::too_many()));
        release.send(()).unwrap();
        for (number, job) in jobs.into_iter().enumerate() {
            assert_eq!(job.await.unwrap(), Ok(number));
        }
        assert_eq!(passwords.run(|| 4).await, Ok(4));
    }
}
