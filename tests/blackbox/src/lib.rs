//! Harness for tests that see the server from outside only: they start the built binary in a
//! directory of its own, talk HTTP to it, stop it, kill it and start it again.

pub mod client;
pub mod process;
pub mod random;
pub mod server;
pub mod shortcuts;

pub use client::{Client, Response};
pub use random::Random;
pub use server::{Target, TestServer};
