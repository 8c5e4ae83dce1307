//! A new database as a whole: filled beside its place, and put there when all of it is on the disk.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use anyhow::Context as _;
use diesel::connection::SimpleConnection;

use super::connect::{self, LOCK, Lock, beside};
use crate::sql::Conn;

/// What is behind the name while the file is filled.
const UNFINISHED: &str = ".unfinished";

/// Makes a database that isn't there yet. `fill` says with its result whether it shall stay;
/// otherwise, or if anything fails or the process is killed, there is none afterwards.
///
/// # Errors
/// The job's own, or one line that says what can't be written.
pub fn create<R>(
    path: &Path,
    fill: impl FnOnce(&mut Conn) -> anyhow::Result<(R, bool)>,
) -> anyhow::Result<R> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let was_there = folder.exists();
    let lock = Lock::take(path)?;
    let made = make(path, fill);
    if !path.exists() {
        // Nothing came of it: leave no trace either.
        drop(lock);
        fs::remove_file(beside(path, LOCK)).ok();
        if !was_there {
            fs::remove_dir(folder).ok();
        }
    }
    made
}

fn make<R>(
    path: &Path,
    fill: impl FnOnce(&mut Conn) -> anyhow::Result<(R, bool)>,
) -> anyhow::Result<R> {
    let unfinished = beside(path, UNFINISHED);
    remove(&unfinished)?;
    let filled = (|| {
        let mut conn = connect::filler(&unfinished)?;
        let (result, keep) = fill(&mut conn)?;
        if keep {
            conn.batch_execute("PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = WAL;")?;
        }
        Ok((result, keep))
    })();
    match filled {
        Ok((result, true)) => {
            put(&unfinished, path).with_context(|| format!("cannot write {}", path.display()))?;
            Ok(result)
        }
        Ok((result, false)) => {
            remove(&unfinished)?;
            Ok(result)
        }
        Err(error) => {
            remove(&unfinished)?;
            Err(error)
        }
    }
}

/// Puts the file in its place, all of it on the disk.
fn put(unfinished: &Path, path: &Path) -> io::Result<()> {
    File::open(unfinished)?.sync_all()?;
    // A log of a database that is gone belongs to nothing, and must not be taken for this one's.
    for suffix in ["-wal", "-shm"] {
        remove_one(&beside(path, suffix))?;
        remove_one(&beside(unfinished, suffix))?;
    }
    fs::rename(unfinished, path)?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn remove(unfinished: &Path) -> anyhow::Result<()> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let file = beside(unfinished, suffix);
        remove_one(&file).with_context(|| format!("cannot remove {}", file.display()))?;
    }
    Ok(())
}

fn remove_one(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
