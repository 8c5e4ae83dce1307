//! What the parts of a request cost, each beside a floor: the least that the same work could cost
//! on this machine. `cargo bench -p basalt-micro`, or with a part of a name: `-- language`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod json;
mod language;
mod page;
mod rules;
mod token;
mod totals;
mod world;
mod writer;

fn main() {
    divan::main();
}
