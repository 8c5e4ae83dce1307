//! Who asks: tokens, passwords, logins.

pub mod hs256;
pub mod password;
pub mod token;
