//! Values of fields: from what was sent to what is stored.

pub mod address;
pub mod cast;
pub mod date;
pub mod generate;
pub mod modify;
pub mod validate;
