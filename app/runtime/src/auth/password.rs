//! Password hashes: argon2id with OWASP's parameters, computed on few threads of their own, so
//! that a storm of logins never slows down reads.

use std::sync::{LazyLock, OnceLock};

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use tokio::sync::Semaphore;

use crate::error::ApiError;

/// Hashes that run at the same time: half of the cores, at least one.
static SLOTS: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Semaphore::new((cores / 2).max(1))
});

/// What an unknown account's password is compared with, so that the answer takes as long.
static NOBODY: OnceLock<String> = OnceLock::new();

/// Hashes a password (about 35 ms of one core). Call it for values that passed validation only.
pub async fn hash(password: &str) -> Result<String, ApiError> {
    let password = password.to_owned();
    on_slot(move || hash_blocking(&password)).await?
}

/// Hashes a password on this thread.
pub fn hash_blocking(password: &str) -> Result<String, ApiError> {
    Argon2::default()
        .hash_password(password.as_bytes())
        .map(|hash| hash.to_string())
        .map_err(ApiError::internal)
}

/// Does the password belong to the hash? Without a hash (unknown account) the answer is no, and
/// takes as long as any other.
pub async fn verify(password: &str, hash: Option<&str>) -> Result<bool, ApiError> {
    let password = password.to_owned();
    let hash = hash.map(str::to_owned);
    on_slot(move || {
        let known = hash.is_some();
        let nobody = || {
            NOBODY
                .get_or_init(|| hash_blocking("nobody").unwrap_or_default())
                .clone()
        };
        let hash = hash.unwrap_or_else(nobody);
        verify_blocking(&password, &hash) && known
    })
    .await
}

/// Does the password belong to the hash? Anything that is no hash belongs to no password.
pub fn verify_blocking(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash).is_ok_and(|hash| {
        Argon2::default()
            .verify_password(password.as_bytes(), &hash)
            .is_ok()
    })
}

async fn on_slot<R: Send + 'static>(
    job: impl FnOnce() -> R + Send + 'static,
) -> Result<R, ApiError> {
    let _slot = SLOTS.acquire().await.map_err(ApiError::internal)?;
    tokio::task::spawn_blocking(job)
        .await
        .map_err(ApiError::internal)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
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
}
