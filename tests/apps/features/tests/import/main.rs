//! Importing a PocketBase data directory into the test application, which has fields of all types.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod accounts;
mod broken;
mod command;
mod data;
mod peer;
mod records;
