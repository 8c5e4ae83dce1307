//! `basalt import schema`, seen from outside: what it writes, and that it writes nothing when
//! something is wrong, with one clear report.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod databases;
mod exports;
mod folder;
mod guide;
mod support;
