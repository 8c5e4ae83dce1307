//! Everything hand-written that serves requests. Knows no collection by name: the generated code
//! implements [`collection::Collection`] for each, and this crate does the rest.

/// The rule language, whose operators generated rules name.
pub use basalt_lang as lang;
pub use diesel;

pub mod access;
pub mod api;
pub mod app;
pub mod auth;
pub mod body;
mod bounded;
pub mod cli;
pub mod collection;
pub mod config;
pub mod error;
pub mod field;
pub mod hooks;
pub mod import;
mod json;
pub mod memory;
pub mod meta;
pub mod migrate;
pub mod query;
pub mod registry;
pub mod request;
pub mod rules;
pub mod server;
pub mod sql;
pub mod storage;
pub mod throttle;
pub mod value;
pub mod wire;
pub mod workers;
