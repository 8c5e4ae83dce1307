//! Tests of the whole crate: texts in, findings, plans and outcomes out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod assumptions;
mod conformance;
mod falsity;
mod findings;
mod fixture;
mod grammar;
mod joined;
mod meaning;
mod model;
mod random;
mod robust;
mod shape;
mod size;
mod sorts;
mod values;
mod visible;
