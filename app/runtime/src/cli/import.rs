//! `import`: records from elsewhere.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, Subcommand};

use super::DataArgs;
use super::export::{FormatArg, form};
use crate::app::Application;
use crate::import::{self, Import, Manner, Records, Summary};

/// Bring in what is elsewhere.
#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// Import a PocketBase data directory: records, accounts with passwords and sessions, files
    #[command(after_help = "\
The directory is only read, also while PocketBase uses it. All of it arrives or nothing; what was
imported before is left as it is, so that an import can be repeated.

Examples:
  basalt import data pb_data --dry-run
  basalt import data pb_data
  basalt import data pb_data --keep-going --dir /var/lib/basalt")]
    Data(ImportDataArgs),
    /// Import a file of records into a collection: JSON lines or CSV, as `export data` writes them
    #[command(after_help = "\
All records of the file arrive, or none. What a record lacks, it gets as a new one would: an id, the
time, defaults. Hooks are not run. Passwords must be hashes.

Examples:
  basalt import records posts posts.jsonl --dry-run
  basalt import records posts posts.csv")]
    Records(ImportRecordsArgs),
}

/// What to import, and how.
#[derive(Debug, Args)]
pub struct ImportRecordsArgs {
    /// The collection
    #[arg(value_name = "COLLECTION")]
    collection: String,
    /// The file
    #[arg(value_name = "FILE")]
    from: PathBuf,
    /// The form [default: by the name of the file, else jsonl]
    #[arg(long, value_name = "FORM")]
    format: Option<FormatArg>,
    /// How strictly.
    #[command(flatten)]
    manner: MannerArgs,
    /// Where the data is.
    #[command(flatten)]
    data: DataArgs,
}

/// What to import, and how.
#[derive(Debug, Args)]
pub struct ImportDataArgs {
    /// The data directory of PocketBase, usually `pb_data`
    #[arg(value_name = "DIR")]
    from: PathBuf,
    /// How strictly.
    #[command(flatten)]
    manner: MannerArgs,
    /// Where the data is.
    #[command(flatten)]
    data: DataArgs,
}

/// How strict an import is.
#[derive(Debug, Clone, Copy, Args)]
pub struct MannerArgs {
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Leave out records that are refused, instead of giving up
    #[arg(long)]
    keep_going: bool,
    /// Take over values that the schema's options would refuse, such as a text that is too long
    #[arg(long)]
    as_is: bool,
}

impl MannerArgs {
    fn manner(self) -> Manner {
        Manner {
            keep_going: self.keep_going,
            as_is: self.as_is,
        }
    }
}

/// Does what an `import` command says, with a summary on stdout.
///
/// # Errors
/// One line that says what is wrong. Nothing was changed then.
pub fn run(command: ImportCommand, application: Application) -> anyhow::Result<()> {
    match command {
        ImportCommand::Data(args) => data(args, application),
        ImportCommand::Records(args) => records(args, application),
    }
}

fn data(args: ImportDataArgs, application: Application) -> anyhow::Result<()> {
    let settings = args.data.settings()?;
    let import = Import {
        from: &args.from,
        to: settings.dir,
        manner: args.manner.manner(),
        dry_run: args.manner.dry_run,
    };
    let registry = application.collections.build();
    conclude(&import::data(&import, &registry, &application.migrations)?)
}

fn records(args: ImportRecordsArgs, application: Application) -> anyhow::Result<()> {
    let settings = args.data.settings()?;
    let import = Records {
        from: &args.from,
        format: form(args.format, Some(&args.from)),
        collection: &args.collection,
        to: settings.dir,
        manner: args.manner.manner(),
        dry_run: args.manner.dry_run,
    };
    let registry = application.collections.build();
    let migrations = &application.migrations;
    conclude(&import::records(&import, &registry, migrations)?)
}

/// Shows what was done.
fn conclude(summary: &Summary) -> anyhow::Result<()> {
    print!("{summary}");
    if !summary.is_good() {
        bail!(
            "{} records are refused, so nothing was changed: mend them there, or leave them out \
             with --keep-going; --as-is takes over what only the schema's options refuse",
            summary.refused()
        );
    }
    println!(
        "{}",
        if summary.dry_run {
            "Nothing was changed: this was a dry run."
        } else {
            "Done. What was read and what is stored have been compared: they are the same."
        }
    );
    Ok(())
}
