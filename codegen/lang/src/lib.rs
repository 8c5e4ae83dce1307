//! The rule and filter language: text in, a typed plan out.
//!
//! [`parser`] (text to [`ast`]) → [`compile()`]: `check` (names and types, to [`typed`]) → `lower` (meaning, to
//! [`plan`]). The generator runs these at build time for rules, the server at run time for the
//! filters and sorts of clients. No IO, no Diesel, no syn.

pub mod assume;
pub mod ast;
mod back;
mod body;
mod call;
mod caller;
mod cases;
mod check;
mod compile;
mod condition;
pub mod error;
pub mod eval;
mod every;
mod falsity;
pub mod gather;
mod join;
mod leaf;
pub mod lexer;
mod literal;
mod lower;
mod name;
mod odd;
pub mod parser;
pub mod path;
pub mod pattern;
mod phrase;
pub mod plan;
mod print;
mod request;
pub mod schema;
pub mod scope;
mod simplify;
pub mod sort;
pub mod span;
mod text;
pub mod typed;
mod walk;

pub use compile::{Compiled, compile, shares, together};
pub use error::{Code, Error, Severity};
pub use scope::{Caller, Scope};
pub use sort::{SortBy, SortKey, parse_sort};

#[cfg(test)]
mod tests;
