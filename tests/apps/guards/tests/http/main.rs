//! Rules on fields over HTTP: each way by which a value could reach someone who may not read it,
//! or come from someone who may not set it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod answers;
mod expands;
mod filters;
mod hidden;
mod interference;
mod sorts;
mod support;
mod writes;
