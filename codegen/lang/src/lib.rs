//! The rule and filter language: text in, a typed plan out.
//!
//! `parse` (text to [`ast`]) → `check` (names and types, to [`typed`]) → `plan` (meaning, to
//! [`plan`]). The generator runs these at build time for rules, the server at run time for the
//! filters and sorts of clients. No IO, no Diesel, no syn.

pub mod plan;
pub mod schema;
pub mod span;
