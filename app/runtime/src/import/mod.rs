//! Bringing records in and out: from a PocketBase data directory, and from and to files of JSON
//! lines or CSV. Besides `sql/`, `storage/` and `migrate/` a place that speaks SQL, since it reads
//! tables that no collection describes.

mod convert;
mod data;
mod export;
mod files;
mod load;
mod progress;
mod raw;
mod records;
mod relations;
mod report;
mod source;
mod sum;
mod target;
mod written;

pub use data::{Import, data};
pub use export::{Format, export};
pub use load::Manner;
pub use records::{Records, records};
pub use report::Summary;
