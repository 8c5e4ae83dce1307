//! Who asks: tokens, passwords, logins.

pub mod callers;
pub mod guard;
pub mod hashing;
pub mod hs256;
pub mod login;
pub mod password;
pub mod secrets;
pub mod token;
