//! The built server, tested from outside. `BASALT_BIN` names another binary, `BLACKBOX_PEER` the
//! peer's, to prove that a test expects what PocketBase does.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod access;
mod commands;
mod concurrency;
mod disk;
mod environment;
mod fuzz;
mod hostile;
mod kill;
mod raw;
mod shapes;
mod storm;
mod support;
