//! `migrate`: what can be done with the migrations that the program carries. (Making new ones
//! needs the generator: that is the `basalt` command's.)

use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use diesel_migrations::EmbeddedMigrations;

use super::DataArgs;
use crate::app::DATABASE_FILE;
use crate::migrate::{self, Entry, Progress, State};
use crate::sql::Conn;
use crate::storage;

/// Migrations of the database.
#[derive(Debug, Subcommand)]
pub enum MigrateCommand {
    /// List the migrations: applied, pending, or unknown to this program
    Status(DataArgs),
    /// Apply all pending migrations
    Run(DataArgs),
    /// Take the last migration back
    #[command(after_help = "\
Examples:
  basalt migrate revert
  basalt migrate revert -n 3
  basalt migrate revert --all --dir /var/lib/basalt")]
    Revert(RevertArgs),
    /// Take the last migration back and apply it again, to try out both directions
    Redo(DataArgs),
}

/// What to take back.
#[derive(Debug, Args)]
pub struct RevertArgs {
    /// How many migrations
    #[arg(
        short = 'n',
        long = "number",
        value_name = "N",
        default_value_t = 1,
        conflicts_with = "all"
    )]
    number: usize,
    /// All of them: no table of the schema is left
    #[arg(long)]
    all: bool,
    /// Where the data is.
    #[command(flatten)]
    data: DataArgs,
}

/// Does what a `migrate` command says, with one line on stdout for each migration.
///
/// # Errors
/// One line that says what is wrong; the migration that failed has changed nothing.
pub fn run(command: MigrateCommand, migrations: &EmbeddedMigrations) -> anyhow::Result<()> {
    match command {
        MigrateCommand::Status(data) => with_database(&data, true, |conn| {
            show(&migrate::status(conn, migrations)?)
        }),
        MigrateCommand::Run(data) => with_database(&data, true, |conn| {
            let count = migrate::run(conn, migrations, announce)?;
            conclude(count, "applied", "the database is up to date")
        }),
        MigrateCommand::Revert(args) => with_database(&args.data, false, |conn| {
            let number = if args.all { usize::MAX } else { args.number };
            let count = migrate::revert(conn, migrations, number, announce)?;
            conclude(count, "reverted", "no migration is applied")
        }),
        MigrateCommand::Redo(data) => with_database(&data, false, |conn| {
            let count = migrate::redo(conn, migrations, announce)?;
            conclude(count, "redone", "no migration is applied")
        }),
    }
}

/// Opens the database for one job. `create`: makes it if there is none.
fn with_database(
    data: &DataArgs,
    create: bool,
    job: impl FnOnce(&mut Conn) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let path = data.settings()?.dir.join(DATABASE_FILE);
    if !create && !path.exists() {
        anyhow::bail!("there is no database at {}", display(&path));
    }
    storage::maintain(&path, job)
}

fn display(path: &Path) -> String {
    path.display().to_string()
}

fn announce(progress: Progress, name: &str) {
    let word = match progress {
        Progress::Applying => "applying",
        Progress::Reverting => "reverting",
    };
    // Whoever closed the pipe does not want to know.
    let _ = writeln!(std::io::stdout(), "{word} {name}");
}

fn conclude(count: usize, done: &str, none: &str) -> anyhow::Result<()> {
    match count {
        0 => say(none),
        1 => say(&format!("1 migration {done}")),
        _ => say(&format!("{count} migrations {done}")),
    }
}

fn say(line: &str) -> anyhow::Result<()> {
    writeln!(std::io::stdout(), "{line}").context("cannot write to the terminal")
}

fn show(entries: &[Entry]) -> anyhow::Result<()> {
    let color = std::io::stdout().is_terminal();
    for entry in entries {
        let (word, code) = match entry.state {
            State::Applied => ("applied", "32"),
            State::Pending => ("pending", "33"),
            State::Unknown => ("unknown", "31"),
        };
        if color {
            say(&format!("\x1b[{code}m{word}\x1b[0m  {}", entry.name))?;
        } else {
            say(&format!("{word}  {}", entry.name))?;
        }
    }
    if entries.iter().any(|entry| entry.state == State::Unknown) {
        say("The database is from a newer program, which knows the rest.")?;
    }
    Ok(())
}
