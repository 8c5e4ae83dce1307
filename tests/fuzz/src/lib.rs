//! Odd texts for every stage of the rule language: soups of its own tokens, mutated rules, bytes,
//! and texts of a megabyte. Everything is repeatable from a seed and needs no instrumented build.

pub mod big;
pub mod mutate;
pub mod run;
mod schema;
