//! Values of fields: from what was sent to what is stored.

pub mod cast;
pub mod date;
