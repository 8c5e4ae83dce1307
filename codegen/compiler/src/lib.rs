//! Schema files in; Rust, migrations and reports out. A pure library: text in, a map of path to
//! text out. The stages are listed in ARCHITECTURE.md.

pub mod access;
pub mod ddl;
pub mod diagnostic;
pub mod diff;
pub mod emit;
pub mod import;
pub mod ir;
pub mod json_schema;
pub mod load;
pub mod name;
pub mod needs;
pub mod policy;
pub mod resolve;
mod script;
pub mod snapshot;
pub mod source;

pub use diagnostic::Report;
pub use emit::emit as generate;
pub use resolve::{Checked, resolve};
pub use script::{build_script, build_script_with};
pub use source::{Source, read_dir, read_tests};
