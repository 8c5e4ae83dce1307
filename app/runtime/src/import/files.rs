//! The files of records: copied beside their place, and put there when everything else is done.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

/// The folder of files, inside a data directory: then by collection and record.
const FOLDER: &str = "storage";

/// Where they are copied to first.
const UNFINISHED: &str = "storage.unfinished";

/// Copies that are not in their place yet. Dropped, they are removed.
pub struct Files {
    target: PathBuf,
    /// Is nothing written?
    dry_run: bool,
    /// Folders of records, by collection and record.
    folders: Vec<(String, String)>,
    /// How many files.
    pub count: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What was not copied, since it is neither a file nor a folder.
    pub left: u64,
}

impl Files {
    /// Begins to copy into a data folder; in a dry run, files are only counted.
    ///
    /// # Errors
    /// What an earlier import left behind can't be removed.
    pub fn begin(target: &Path, dry_run: bool) -> anyhow::Result<Self> {
        let files = Files {
            target: target.to_owned(),
            dry_run,
            folders: Vec::new(),
            count: 0,
            bytes: 0,
            left: 0,
        };
        files
            .clear()
            .with_context(|| format!("cannot remove {}", files.unfinished().display()))?;
        Ok(files)
    }

    fn unfinished(&self) -> PathBuf {
        self.target.join(UNFINISHED)
    }

    fn clear(&self) -> io::Result<()> {
        match fs::remove_dir_all(self.unfinished()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Copies the files of one record, unless they are in their place already.
    ///
    /// # Errors
    /// A file can't be read or written, or the copy has another size.
    pub fn copy(&mut self, from: &Path, collection: &str, record: &str) -> anyhow::Result<()> {
        let place = self.target.join(FOLDER).join(collection).join(record);
        let same = self.dry_run || place.is_dir() && alike(from, &place)?;
        let to = self.unfinished().join(collection).join(record);
        self.copy_folder(from, (!same).then_some(to.as_path()))?;
        if !same {
            self.folders
                .push((collection.to_owned(), record.to_owned()));
        }
        Ok(())
    }

    fn copy_folder(&mut self, from: &Path, to: Option<&Path>) -> anyhow::Result<()> {
        if let Some(to) = to {
            fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
        }
        let reading = || format!("cannot read {}", from.display());
        for entry in fs::read_dir(from).with_context(reading)? {
            let entry = entry.with_context(reading)?;
            let kind = entry.file_type().with_context(reading)?;
            let (inner, to) = (entry.path(), to.map(|to| to.join(entry.file_name())));
            if kind.is_dir() {
                self.copy_folder(&inner, to.as_deref())?;
            } else if kind.is_file() {
                let size = entry.metadata().with_context(reading)?.len();
                if let Some(to) = to {
                    copy_file(&inner, &to, size)?;
                }
                self.count += 1;
                self.bytes += size;
            } else {
                self.left += 1;
            }
        }
        Ok(())
    }

    /// Puts the copies in their places; what was there under the same record is replaced.
    ///
    /// # Errors
    /// A folder can't be moved.
    pub fn put(&self) -> anyhow::Result<()> {
        for (collection, record) in &self.folders {
            let parent = self.target.join(FOLDER).join(collection);
            let (from, to) = (
                self.unfinished().join(collection).join(record),
                parent.join(record),
            );
            let moved = fs::create_dir_all(&parent).and_then(|()| {
                if to.exists() {
                    fs::remove_dir_all(&to)?;
                }
                fs::rename(&from, &to)
            });
            moved.with_context(|| format!("cannot write {}", to.display()))?;
        }
        Ok(())
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        self.clear().ok();
    }
}

fn copy_file(from: &Path, to: &Path, size: u64) -> anyhow::Result<()> {
    let copied = fs::copy(from, to).and_then(|_| {
        fs::File::open(to)?.sync_all()?;
        fs::metadata(to)
    });
    let copied = copied
        .with_context(|| format!("cannot copy {}", from.display()))?
        .len();
    ensure!(
        copied == size,
        "{} has {size} bytes, its copy {copied}: was it changed meanwhile?",
        from.display()
    );
    Ok(())
}

/// Do two folders hold files of the same names and sizes?
fn alike(one: &Path, other: &Path) -> anyhow::Result<bool> {
    Ok(listing(one)? == listing(other)?)
}

fn listing(folder: &Path) -> anyhow::Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inner) = folders.pop() {
        let whole = folder.join(&inner);
        let reading = || format!("cannot read {}", whole.display());
        for entry in fs::read_dir(&whole).with_context(reading)? {
            let entry = entry.with_context(reading)?;
            let name = inner.join(entry.file_name());
            let kind = entry.file_type().with_context(reading)?;
            if kind.is_dir() {
                folders.push(name);
            } else if kind.is_file() {
                found.push((name, entry.metadata().with_context(reading)?.len()));
            }
        }
    }
    found.sort();
    Ok(found)
}
