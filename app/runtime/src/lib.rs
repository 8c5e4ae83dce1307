//! Everything hand-written that serves requests. Knows no collection by name: the generated code
//! implements [`collection::Collection`] for each, and this crate does the rest.

pub use diesel;

pub mod auth;
pub mod collection;
pub mod error;
pub mod hooks;
mod json;
pub mod memory;
pub mod meta;
pub mod registry;
pub mod request;
pub mod rules;
pub mod sql;
pub mod storage;
pub mod value;
pub mod workers;
