//! Schema files in; Rust, migrations and reports out. A pure library: text in, a map of path to
//! text out. The stages are listed in ARCHITECTURE.md.

pub mod ddl;
pub mod diff;
pub mod ir;
pub mod snapshot;
