//! The commands about the schema, seen from outside: whole outputs, which are committed, and what they say
//! when something is wrong. `UPDATE_GOLDEN=1` rewrites the outputs; read what changed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod golden;
mod mistakes;
mod plans;
mod rights;
mod support;
