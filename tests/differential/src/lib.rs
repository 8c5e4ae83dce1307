//! Puts the same random questions to the server and to the original, and says where they differ.
//!
//! A schema is made from a seed ([`model`]), written for both ([`export`]), built and started
//! ([`pair`]) and filled with the same records ([`rows`]). Conditions come from [`grammar`] and are
//! cut down ([`expr`]) when the answers differ. [`known`] lists the differences that are meant.

pub mod export;
pub mod exported;
pub mod expr;
pub mod filters;
pub mod grammar;
pub mod imported;
pub mod judge;
pub mod known;
mod literal;
pub mod model;
pub mod pair;
pub mod rows;
pub mod rules;
