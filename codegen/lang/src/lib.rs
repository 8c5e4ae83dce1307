//! The rule and filter language: text in, a typed plan out.
//!
//! [`parser`] (text to [`ast`]) → `check` (names and types, to `typed`) → `lower` (meaning, to
//! [`plan`]). The generator runs these at build time for rules, the server at run time for the
//! filters and sorts of clients. No IO, no Diesel, no syn.

pub mod ast;
pub mod error;
pub mod eval;
pub mod lexer;
pub mod parser;
pub mod plan;
pub mod schema;
pub mod span;
mod text;

pub use error::{Code, Error, Severity};
