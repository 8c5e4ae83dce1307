//! The test application over HTTP. What the peer does too stands in `tables/`: requests with the
//! answers that a live PocketBase gave to them. What only this server does has tests of its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod answers;
mod callers;
mod concurrency;
mod depends;
mod hooks;
mod ids;
mod moments;
mod support;
mod table;
mod tables;
