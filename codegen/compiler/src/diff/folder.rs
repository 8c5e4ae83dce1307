//! The folder of migrations: finds the last snapshot, and writes a new migration whole or not at
//! all. The only part of the diff that reads and writes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Migration;
use crate::ddl::comment;
use crate::snapshot::Snapshot;

/// What can go wrong with the folder.
#[derive(Debug, Error)]
pub enum FolderError {
    /// Reading or writing failed.
    #[error("can't {action} {path}: {source}")]
    Io {
        /// "read", "write" …
        action: &'static str,
        /// Which file or folder.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// A `snapshot.json` that can't be used.
    #[error("{path} {what}")]
    Snapshot {
        /// Which file.
        path: String,
        /// What is wrong with it.
        what: String,
    },
    /// The name isn't one for a folder.
    #[error("`{0}` is no name for a migration: use lower-case letters, digits and `_`")]
    Name(String),
    /// Migrations run in the order of their names.
    #[error("the migration would come before the last one, `{0}`: is the clock right?")]
    Order(String),
}

/// The names of the migrations, in the order in which they run.
pub fn names(dir: &Path) -> Result<Vec<String>, FolderError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed("read", dir, error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| failed("read", dir, error))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if let Some(name) = name
            && !name.starts_with('.')
            && path.join("up.sql").is_file()
        {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// The snapshot of the last migration that has one: a migration written by hand may have none,
/// and then leaves the tables as they were.
pub fn last_snapshot(dir: &Path) -> Result<Option<Snapshot>, FolderError> {
    for name in names(dir)?.iter().rev() {
        let path = dir.join(name).join("snapshot.json");
        match fs::read_to_string(&path) {
            Ok(text) => {
                return Snapshot::parse(&text)
                    .map(Some)
                    .map_err(|what| FolderError::Snapshot {
                        path: path.display().to_string(),
                        what,
                    });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed("read", &path, error)),
        }
    }
    Ok(None)
}

/// A migration to be filled in by hand: no statements, and the tables stay as they are.
pub fn by_hand(last: Option<&Snapshot>) -> Migration {
    let text = |what: &str| {
        comment(&format!(
            "{what}\nThe tables and columns must be the same after it as before: those come from\n\
             the schema, by `basalt migrate diff`."
        ))
    };
    Migration {
        up: text("Write here what is to be done to the data."),
        down: text("Write here what takes that back."),
        snapshot: last.cloned().unwrap_or_else(Snapshot::empty),
        summary: Vec::new(),
        losses: Vec::new(),
        notes: Vec::new(),
    }
}

/// Writes `<stamp>_<name>/` with its three files and gives its path. `stamp` is
/// `YYYY-MM-DD-HHMMSS`. The files are written aside and moved, so that a failure leaves nothing.
pub fn write(
    dir: &Path,
    stamp: &str,
    name: &str,
    migration: &Migration,
) -> Result<PathBuf, FolderError> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || name.len() > 100 || !name.chars().all(allowed) {
        return Err(FolderError::Name(name.to_owned()));
    }
    if let Some(last) = names(dir)?.pop()
        && version(&last) >= version(stamp)
    {
        return Err(FolderError::Order(last));
    }
    let folder = format!("{stamp}_{name}");
    let path = dir.join(&folder);
    // Hidden folders are no migrations to anyone who looks meanwhile.
    let aside = dir.join(format!(".{folder}.part"));
    let result = write_files(&aside, migration)
        .and_then(|()| fs::rename(&aside, &path).map_err(|error| failed("write", &path, error)));
    if result.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_dir_all(&aside);
    }
    result.map(|()| path)
}

/// What orders migrations: the digits before the first `_`.
fn version(name: &str) -> String {
    name.split('_').next().unwrap_or_default().replace('-', "")
}

fn write_files(dir: &Path, migration: &Migration) -> Result<(), FolderError> {
    fs::create_dir_all(dir).map_err(|error| failed("create", dir, error))?;
    for (name, text) in [
        ("up.sql", migration.up.as_str()),
        ("down.sql", migration.down.as_str()),
        ("snapshot.json", migration.snapshot.to_json().as_str()),
    ] {
        let path = dir.join(name);
        fs::write(&path, text).map_err(|error| failed("write", &path, error))?;
    }
    Ok(())
}

fn failed(action: &'static str, path: &Path, source: io::Error) -> FolderError {
    FolderError::Io {
        action,
        path: path.display().to_string(),
        source,
    }
}
