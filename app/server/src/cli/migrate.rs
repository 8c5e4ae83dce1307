//! `migrate`: making new migrations from the schema, beside what every application can do with
//! those that it carries.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use basalt_codegen::diff::{self, Migration, Options, Problem, ProposeError, folder};
use clap::{Args, Subcommand};
use diesel_migrations::EmbeddedMigrations;

/// Migrations: make, list, apply and revert them.
#[derive(Debug, Subcommand)]
pub enum MigrateCommand {
    /// Write the migration that leads from the last one to the schema
    #[command(after_help = "\
Examples:
  basalt migrate diff add_subtitle
  basalt migrate diff drop_drafts --allow-data-loss
  basalt migrate diff fill_subtitles --empty
  basalt migrate diff create_schema --schema my/schema --migrations my/migrations")]
    Diff(DiffArgs),
    /// What every application can do.
    #[command(flatten)]
    Carried(basalt_runtime::cli::MigrateCommand),
}

/// What to compare, and where the result goes.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// What the change is called: lower-case letters, digits and `_`
    name: String,
    /// Folder of the schema
    #[arg(long, value_name = "DIR", default_value = "schema")]
    schema: PathBuf,
    /// Folder of the migrations
    #[arg(long, value_name = "DIR", default_value = "migrations/sqlite")]
    migrations: PathBuf,
    /// Make the migration even if it throws data away
    #[arg(long)]
    allow_data_loss: bool,
    /// Make one to be filled in by hand, for changes of data
    #[arg(long, conflicts_with = "allow_data_loss")]
    empty: bool,
}

/// Does what a `migrate` command says.
pub fn run(command: MigrateCommand, migrations: &EmbeddedMigrations) -> anyhow::Result<()> {
    match command {
        MigrateCommand::Diff(args) => propose(&args),
        MigrateCommand::Carried(command) => basalt_runtime::cli::migrate(command, migrations),
    }
}

fn propose(args: &DiffArgs) -> anyhow::Result<()> {
    let stamp = basalt_runtime::migrate::stamp();
    let written = if args.empty {
        let last = folder::last_snapshot(&args.migrations)?;
        let migration = folder::by_hand(last.as_ref());
        let path = folder::write(&args.migrations, &stamp, &args.name, &migration)?;
        Some((path, migration))
    } else {
        let options = Options {
            allow_data_loss: args.allow_data_loss,
        };
        diff::propose(&args.schema, &args.migrations, &stamp, &args.name, &options)
            .map_err(explain)?
    };
    let text = match written {
        Some((path, migration)) => summary(&path.display().to_string(), &migration),
        None => "Nothing changed for the database.\n".to_owned(),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

fn summary(path: &str, migration: &Migration) -> String {
    let mut text = format!("Wrote {path}/\n");
    for line in &migration.summary {
        text.push_str(&format!("  {line}\n"));
    }
    for line in &migration.losses {
        text.push_str(&format!("Loses {line}.\n"));
    }
    for line in &migration.notes {
        text.push_str(&format!("Mind: {line}.\n"));
    }
    text.push_str(
        "Read up.sql and down.sql, then build again: the program carries its migrations.\n",
    );
    text
}

fn explain(error: ProposeError) -> anyhow::Error {
    match error {
        ProposeError::Schema(report) => {
            let color = std::io::stderr().is_terminal();
            anyhow::anyhow!(
                "the schema has errors; nothing was written\n{}",
                report.render(color)
            )
        }
        ProposeError::Folder(error) => error.into(),
        ProposeError::Refused(problems) => anyhow::anyhow!(refusal(&problems)),
    }
}

/// Everything that stands in the way, each with what to do about it.
fn refusal(problems: &[Problem]) -> String {
    let lossy = problems.iter().all(|problem| problem.is_loss);
    let mut text = if lossy {
        "the migration would lose data; nothing was written\n".to_owned()
    } else {
        "the migration can't be made; nothing was written\n".to_owned()
    };
    for problem in problems {
        let word = if problem.is_loss { "would lose " } else { "" };
        text.push_str(&format!("  {word}{}\n", problem.message));
        if let Some(help) = &problem.help {
            text.push_str(&format!("    help: {help}\n"));
        }
    }
    if lossy {
        text.push_str("If that is meant, add --allow-data-loss.");
    }
    text.trim_end().to_owned()
}
