//! Room in the log's file. A commit that makes a file longer has the file system write down its new
//! blocks too, which takes longer than the commit's own bytes; one that writes over what was there
//! doesn't. So the writer, while it has nothing else to do, fills the file with zeros ahead of the
//! log, which SQLite takes for the end of the log wherever it meets them.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// As much is made at once. A write that comes meanwhile waits for it, about a millisecond.
const STEP: u64 = 1 << 20;

/// The most that is made: as long as the log is when it begins anew (see [`super::checkpoint`]).
const MOST: u64 = 32 << 20;

/// The log's file, while it is shorter than it should be.
pub(super) struct Room {
    file: File,
    /// How long it shall be.
    goal: u64,
}

impl Room {
    /// For the database at this path, which must be open. `None` if there is nothing to do: a log
    /// gets no more room than the database has itself.
    pub(super) fn new(path: &Path) -> Option<Self> {
        let mut name = path.as_os_str().to_owned();
        name.push("-wal");
        let opened = || -> io::Result<Self> {
            Ok(Room {
                goal: path.metadata()?.len().min(MOST),
                file: OpenOptions::new().append(true).open(name)?,
            })
        };
        match opened() {
            Ok(room) => Some(room),
            Err(error) => {
                tracing::debug!(%error, "no room is made in the log's file");
                None
            }
        }
    }

    /// Makes the file longer by a step. Is there more to do? Only for the writer, between its
    /// commits: nobody else may write to the end of this file meanwhile.
    pub(super) fn grow(&mut self) -> bool {
        match self.step() {
            Ok(more) => more,
            // As on a full disk: what was in the file is all there.
            Err(error) => {
                tracing::debug!(%error, "no more room is made in the log's file");
                false
            }
        }
    }

    fn step(&mut self) -> io::Result<bool> {
        const ZEROS: &[u8] = &[0; 1 << 16];
        let before = self.file.metadata()?.len();
        let step = self.goal.saturating_sub(before).min(STEP);
        if step == 0 {
            return Ok(false);
        }
        let mut left = step;
        while left > 0 {
            let part = usize::try_from(left).unwrap_or(usize::MAX).min(ZEROS.len());
            let part = ZEROS.get(..part).unwrap_or(ZEROS);
            if let Err(error) = self.file.write_all(part) {
                // What was begun would be missed by those who need the room more.
                self.file.set_len(before)?;
                return Err(error);
            }
            left -= part.len() as u64;
        }
        self.file.sync_data()?;
        Ok(before + step < self.goal)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    #[test]
    fn a_log_gets_as_much_room_as_the_database_has() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.db");
        let log = folder.path().join("data.db-wal");
        assert!(Room::new(&path).is_none());
        let length = STEP * 2 + 100;
        fs::write(&path, vec![1; usize::try_from(length).unwrap()]).unwrap();
        assert!(Room::new(&path).is_none(), "there is no log");
        fs::write(&log, "begun").unwrap();
        let mut room = Room::new(&path).unwrap();
        let mut steps = 1;
        while room.grow() {
            steps += 1;
        }
        assert_eq!(steps, 3);
        let made = fs::read(&log).unwrap();
        assert_eq!(made.len() as u64, length);
        assert!(made.starts_with(b"begun"));
        assert!(made.iter().skip(5).all(|byte| *byte == 0));
        assert!(!room.grow());
        assert_eq!(log.metadata().unwrap().len(), length);
    }
}
