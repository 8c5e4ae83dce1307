//! The database: many readers, one writer with group commit.

use std::path::PathBuf;

/// How the database is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// The database file.
    pub path: PathBuf,
    /// Reader threads, one connection each.
    pub readers: usize,
}
