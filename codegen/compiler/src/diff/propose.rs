//! The whole way from two folders to a new migration, as `migrate diff` goes it.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::folder::{self, FolderError};
use super::{Migration, Options, Problem, diff};
use crate::{Report, ir, read_dir, resolve};

/// Why no migration was written. Nothing was changed.
#[derive(Debug, Error)]
pub enum ProposeError {
    /// The schema has errors.
    #[error("the schema has {} errors", .0.errors())]
    Schema(Report),
    /// The folder of migrations can't be read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The migration would lose data, or can't be made.
    #[error("{}", .0.iter().map(|it| it.message.as_str()).collect::<Vec<_>>().join("; "))]
    Refused(Vec<Problem>),
}

/// The changes of the schema that no migration makes, in words; none if it fits the last snapshot.
/// What could not be migrated (a rename of nothing) is among them.
///
/// # Errors
/// The folder can't be read, or its last snapshot can't be used.
pub fn unmigrated(schema: &ir::Schema, migrations: &Path) -> Result<Vec<String>, FolderError> {
    let last = folder::last_snapshot(migrations)?;
    let options = Options {
        allow_data_loss: true,
    };
    Ok(match diff(last.as_ref(), schema, &options) {
        Ok(migration) => migration.map(|it| it.summary).unwrap_or_default(),
        Err(problems) => problems.into_iter().map(|it| it.message).collect(),
    })
}

/// Compares the schema with the last snapshot and writes the migration that leads there; `None` if
/// nothing changed. `stamp` is the time as `YYYY-MM-DD-HHMMSS`.
pub fn propose(
    schema: &Path,
    migrations: &Path,
    stamp: &str,
    name: &str,
    options: &Options,
) -> Result<Option<(PathBuf, Migration)>, ProposeError> {
    let sources = read_dir(schema).map_err(ProposeError::Schema)?;
    let checked = resolve(&sources).map_err(ProposeError::Schema)?;
    let last = folder::last_snapshot(migrations)?;
    let migration = diff(last.as_ref(), &checked.schema, options).map_err(ProposeError::Refused)?;
    let Some(migration) = migration else {
        return Ok(None);
    };
    let path = folder::write(migrations, stamp, name, &migration)?;
    Ok(Some((path, migration)))
}
