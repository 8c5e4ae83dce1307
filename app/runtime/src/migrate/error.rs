//! What can go wrong with migrations: one clear line each.

use thiserror::Error;

use super::Progress;

/// Why a migration, or the start of a server, was refused or failed.
#[derive(Debug, Error)]
pub enum MigrateError {
    /// The database has migrations that the program doesn't know.
    #[error(
        "the database is from a newer program: it has migration {}, which this one doesn't know; \
         start the newer program, or revert with it",
        few(.0)
    )]
    Newer(Vec<String>),
    /// There are migrations to be applied, and the caller doesn't want that to happen by itself.
    #[error("the database lacks {}; apply with `basalt migrate run`", few(.0))]
    Pending(Vec<String>),
    /// The program was built from a schema that its own migrations don't lead to.
    #[error(
        "the schema has changes that no migration makes: {}; run `basalt migrate diff NAME` and \
         build again",
        few(.0)
    )]
    Unmigrated(Vec<String>),
    /// The tables aren't those that the program was made for.
    #[error(
        "the database doesn't fit this program: {}; if the schema was changed, run `basalt migrate \
         diff NAME`, build again, and then `basalt migrate run`",
        few(.0)
    )]
    Mismatch(Vec<String>),
    /// A statement of a migration failed; nothing of it remains.
    #[error("can't {action} migration {name}: {cause}; nothing was changed by it")]
    Failed {
        /// The folder's name.
        name: String,
        /// "apply" or "revert".
        action: &'static str,
        /// SQLite's message.
        cause: String,
    },
    /// A migration would have left references to nothing.
    #[error(
        "can't commit migration {name}: {rows} rows of `{table}` would point to records of \
         `{target}` that don't exist; nothing was changed by it"
    )]
    ForeignKeys {
        /// The folder's name.
        name: String,
        /// The table with the references.
        table: String,
        /// The table they point to.
        target: String,
        /// How many.
        rows: i64,
    },
    /// The database itself failed: it is locked, read-only, full, or no database.
    #[error("can't use the database: {0}")]
    Database(#[from] diesel::result::Error),
    /// The migrations can't be read, or the database's list of them.
    #[error("can't read the list of migrations: {0}")]
    Source(String),
}

impl MigrateError {
    pub(super) fn source(error: impl std::fmt::Display) -> Self {
        MigrateError::Source(error.to_string())
    }

    pub(super) fn failed(
        name: String,
        step: Progress,
        error: Box<dyn std::error::Error + Send + Sync>,
    ) -> Self {
        let text = error.to_string();
        // Diesel's text names the migration, as ours does.
        let prefix = format!("Failed to run {name} with: ");
        let cause = text.strip_prefix(&prefix).unwrap_or(&text).to_owned();
        MigrateError::Failed {
            name,
            action: match step {
                Progress::Applying => "apply",
                Progress::Reverting => "revert",
            },
            cause,
        }
    }
}

/// The first three, and how many more there are.
fn few(items: &[String]) -> String {
    let shown: Vec<&str> = items.iter().take(3).map(String::as_str).collect();
    match items.len().saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
