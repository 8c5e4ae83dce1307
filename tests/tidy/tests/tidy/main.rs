//! What holds for the tree as a whole: sizes of files and functions, words that must not stand
//! anywhere, which part may do what, and that ARCHITECTURE.md speaks of what is there.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod architecture;
mod layers;
mod security;
mod sizes;
mod tree;
mod words;

/// Fails with everything that was found, not only the first.
fn none(found: &[String], wanted: &str) {
    assert!(found.is_empty(), "{wanted}:\n{}", found.join("\n"));
}
