//! The committed outputs of the generator as modules, so that they are compiled, and used on a
//! database in memory that is made from the same schema files.

mod accounts;
mod agreement;
mod cascades;
mod drafts;
mod guarded;
mod random;
mod storing;
mod support;
mod written;

#[rustfmt::skip]
#[path = "../../app/mod.rs"]
pub mod app;

#[rustfmt::skip]
#[path = "../../cases/fields/out/mod.rs"]
pub mod fields;

#[rustfmt::skip]
#[path = "../../cases/from_pocketbase/out/mod.rs"]
pub mod from_pocketbase;

#[rustfmt::skip]
#[path = "../../cases/guards/out/mod.rs"]
pub mod guards;

#[rustfmt::skip]
#[path = "../../cases/imported/out/mod.rs"]
pub mod imported;

#[rustfmt::skip]
#[path = "../../cases/joined/out/mod.rs"]
pub mod joined;

#[rustfmt::skip]
#[path = "../../cases/names/out/mod.rs"]
pub mod names;

#[rustfmt::skip]
#[path = "../../cases/relations/out/mod.rs"]
pub mod relations;

#[rustfmt::skip]
#[path = "../../cases/rules/out/mod.rs"]
pub mod rules;
