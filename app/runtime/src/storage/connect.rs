//! Opening connections: settings, and errors that say what to do.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use diesel::connection::SimpleConnection;
use diesel::{QueryableByName, RunQueryDsl, sql_types};

use crate::sql::{self, Conn};

/// What the file is called that is locked, behind the name of the database.
pub(super) const LOCK: &str = ".lock";

/// SQLite's `synchronous` of the connection that writes: a commit waits until it is on the disk.
pub const SYNCHRONOUS: &str = "FULL";

/// What every database file of SQLite begins with.
pub const MAGIC: &[u8] = b"SQLite format 3\0";

/// Milliseconds that a connection waits for the locks of others, say of a tool beside the server.
pub(super) const BUSY_TIMEOUT: i32 = 5000;

/// Why a database can't be used. One line each.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder or a file in it can't be made or written.
    #[error("cannot write to the data folder {}: {cause}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// Another process has it open.
    #[error(
        "the database {} is in use by another process: stop that server first, or choose another data folder",
        path.display()
    )]
    InUse {
        /// The database file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{} is not a SQLite database: move it away, or choose another data folder", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// SQLite refuses.
    #[error("cannot open the database {}: {message}", path.display())]
    Database {
        /// The database file.
        path: PathBuf,
        /// What SQLite says.
        message: String,
    },
}

impl OpenError {
    fn database(path: &Path, message: impl ToString) -> Self {
        let message = message.to_string();
        if message.contains("file is not a database") {
            return OpenError::NotADatabase {
                path: path.to_owned(),
            };
        }
        OpenError::Database {
            path: path.to_owned(),
            message: message.replace('\n', " "),
        }
    }

    pub(super) fn threads(path: &Path, error: &io::Error) -> Self {
        OpenError::database(path, format!("cannot start a thread: {error}"))
    }
}

/// Keeps other processes away for as long as it lives. The system lets go of it when the process
/// ends, however it ends.
pub(super) struct Lock(#[allow(dead_code)] File);

impl Lock {
    /// Makes the folder if need be, and locks the database.
    pub(super) fn take(path: &Path) -> Result<Self, OpenError> {
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let failed = |cause| OpenError::Folder {
            folder: folder.to_owned(),
            cause,
        };
        fs::create_dir_all(folder).map_err(failed)?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(beside(path, LOCK))
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(OpenError::InUse {
                    path: path.to_owned(),
                });
            }
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
        check_magic(path)?;
        Ok(Lock(file))
    }
}

/// An existing file must be a database (or empty, as SQLite leaves it before the first write).
fn check_magic(path: &Path) -> Result<(), OpenError> {
    let mut start = Vec::new();
    match File::open(path) {
        Ok(file) => file
            .take(MAGIC.len() as u64)
            .read_to_end(&mut start)
            .map_err(|error| OpenError::database(path, error))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(OpenError::database(path, error)),
    };
    if start.is_empty() || start == MAGIC {
        return Ok(());
    }
    Err(OpenError::NotADatabase {
        path: path.to_owned(),
    })
}

#[derive(QueryableByName)]
struct JournalMode {
    #[diesel(sql_type = sql_types::Text)]
    journal_mode: String,
}

/// The connection that writes. A commit is on the disk when it returns. It moves the log into the
/// database file only if the log has become far too long (see [`super::checkpoint`]).
pub(super) fn writer(path: &Path) -> Result<Conn, OpenError> {
    let mut conn = establish(path)?;
    let failed = |error| OpenError::database(path, error);
    // Only matters before the first table. Scans take a quarter less time than with 4096, and inserts
    // as long; with 16384, random inserts write too much.
    conn.batch_execute("PRAGMA page_size = 8192;")
        .map_err(failed)?;
    let mode: JournalMode = diesel::sql_query("PRAGMA journal_mode = WAL")
        .get_result(&mut conn)
        .map_err(failed)?;
    if mode.journal_mode != "wal" {
        return Err(OpenError::database(
            path,
            "the file system has no write-ahead log (is it read-only or on the network?)",
        ));
    }
    conn.batch_execute(
        "PRAGMA cache_size = -32768; PRAGMA journal_size_limit = 67108864;
         PRAGMA wal_autocheckpoint = 16384;",
    )
    .map_err(failed)?;
    conn.batch_execute(&format!("PRAGMA synchronous = {SYNCHRONOUS};"))
        .map_err(failed)?;
    // Finds out now whether the file can be written.
    conn.immediate_transaction(|_| Ok::<(), diesel::result::Error>(()))
        .map_err(failed)?;
    Ok(conn)
}

/// A connection that can only read. Without memory mapping, which gains nothing measurable over the
/// cache and turns a failing disk into a signal that ends the process.
pub(super) fn reader(path: &Path) -> Result<Conn, OpenError> {
    let mut conn = establish(path)?;
    conn.batch_execute("PRAGMA cache_size = -32768; PRAGMA query_only = ON;")
        .map_err(|error| OpenError::database(path, error))?;
    Ok(conn)
}

/// A connection to no file.
pub(super) fn in_memory() -> Result<Conn, OpenError> {
    establish(Path::new(":memory:"))
}

/// A connection that can only read, beside those of a server.
pub(super) fn look(path: &Path) -> Result<Conn, OpenError> {
    as_uri(path, "mode=ro")
}

/// A connection to a database of another program's, of which not even the files beside it are
/// touched: if there is no log, nothing is asked about it, and no lock is taken.
pub(super) fn foreign(path: &Path, logged: bool) -> Result<Conn, OpenError> {
    let how = if logged {
        "mode=ro"
    } else {
        "mode=ro&immutable=1"
    };
    let mut conn = as_uri(path, how)?;
    conn.batch_execute(
        "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;",
    )
    .map_err(|error| OpenError::database(path, error))?;
    Ok(conn)
}

/// Is there a log beside the database, of either kind, so that another process may be using it, or
/// left a change half done?
pub(super) fn has_log(path: &Path) -> bool {
    let length = |suffix| {
        beside(path, suffix)
            .metadata()
            .map(|found| found.len())
            .ok()
    };
    length("-wal").is_some_and(|length| length > 0 || beside(path, "-shm").exists())
        || length("-journal").is_some_and(|length| length > 0)
}

/// A connection that fills a database which nobody has seen yet: quick, and safe only if all of it
/// is thrown away should anything fail.
pub(super) fn filler(path: &Path) -> Result<Conn, OpenError> {
    let mut conn = establish(path)?;
    conn.batch_execute(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;
         PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536;",
    )
    .map_err(|error| OpenError::database(path, error))?;
    Ok(conn)
}

/// The name of a file that SQLite, or this program, keeps beside a database.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn as_uri(path: &Path, how: &str) -> Result<Conn, OpenError> {
    if !path.is_file() {
        return Err(OpenError::database(path, "there is no such file"));
    }
    check_magic(path)?;
    let text = path
        .to_str()
        .ok_or_else(|| OpenError::database(path, "the path is not valid UTF-8"))?;
    // In a URI, three characters mean something.
    let name = text
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    let failed = |error: OpenError| match error {
        OpenError::Database { message, .. } => OpenError::database(path, message),
        other => other,
    };
    establish(Path::new(&format!("file:{name}?{how}"))).map_err(failed)
}

fn establish(path: &Path) -> Result<Conn, OpenError> {
    let text = path
        .to_str()
        .ok_or_else(|| OpenError::database(path, "the path is not valid UTF-8"))?;
    let mut conn = sql::open(text).map_err(|error| OpenError::database(path, error))?;
    conn.batch_execute(&format!(
        "PRAGMA busy_timeout = {BUSY_TIMEOUT}; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;",
    ))
    .map_err(|error| OpenError::database(path, error))?;
    Ok(conn)
}
