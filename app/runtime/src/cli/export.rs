//! `export`: records for other programs.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};

use super::DataArgs;
use crate::app::{Application, DATABASE_FILE};
use crate::import::{self, Format};
use crate::migrate;
use crate::registry::Registry;
use crate::storage;

/// Write out what the database holds.
#[derive(Debug, Subcommand)]
pub enum ExportCommand {
    /// Write all records of a collection, with all their fields, hidden ones too
    #[command(after_help = "\
A server may be running meanwhile: the records are those of one moment. `import records` reads them
again.

Examples:
  basalt export data posts > posts.jsonl
  basalt export data posts --format csv --out posts.csv
  basalt export data users --with-secrets --out users.jsonl")]
    Data(ExportArgs),
}

/// What to write, and where to.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The collection
    #[arg(value_name = "COLLECTION")]
    collection: String,
    /// The form [default: by the name of the file, else jsonl]
    #[arg(long, value_name = "FORM")]
    format: Option<FormatArg>,
    /// The file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also hashes of passwords, and the keys of tokens: whoever has them can act for the accounts
    #[arg(long)]
    with_secrets: bool,
    /// Where the data is.
    #[command(flatten)]
    data: DataArgs,
}

/// The form of a file of records.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum FormatArg {
    /// A JSON object on each line
    Jsonl,
    /// Comma-separated values
    Csv,
}

/// The form that was named, or that the name of the file tells.
pub(super) fn form(named: Option<FormatArg>, file: Option<&Path>) -> Format {
    let ending = file.and_then(Path::extension);
    match named {
        Some(FormatArg::Csv) => Format::Csv,
        Some(FormatArg::Jsonl) => Format::JsonLines,
        None if ending.is_some_and(|ending| ending.eq_ignore_ascii_case("csv")) => Format::Csv,
        None => Format::JsonLines,
    }
}

pub(super) fn run(command: ExportCommand, application: Application) -> anyhow::Result<()> {
    match command {
        ExportCommand::Data(args) => data(&args, &application.collections.build()),
    }
}

fn data(args: &ExportArgs, registry: &Registry) -> anyhow::Result<()> {
    let settings = args.data.settings()?;
    let entry = registry.find(&args.collection);
    let entry = entry.with_context(|| format!("there is no collection `{}`", args.collection))?;
    let mut conn = storage::look(&settings.dir.join(DATABASE_FILE))?;
    let metas: Vec<_> = registry.metas().collect();
    migrate::check_fits(&mut conn, &metas)?;
    let form = form(args.format, args.out.as_deref());
    let mut write = |out: &mut dyn Write| -> anyhow::Result<u64> {
        let count = import::export(&mut conn, entry, form, args.with_secrets, out)?;
        out.flush().context("cannot write the records")?;
        Ok(count)
    };
    let Some(file) = &args.out else {
        write(&mut BufWriter::new(io::stdout().lock()))?;
        return Ok(());
    };
    let count = whole(file, args.with_secrets, &mut write)?;
    println!("Wrote {count} records to {}", file.display());
    Ok(())
}

/// Writes a file that is in its place only when all of it is written. Only its owner can read one
/// that is `private`.
fn whole(
    file: &Path,
    private: bool,
    write: &mut dyn FnMut(&mut dyn Write) -> anyhow::Result<u64>,
) -> anyhow::Result<u64> {
    let mut unfinished = file.as_os_str().to_owned();
    unfinished.push(".unfinished");
    let unfinished = PathBuf::from(unfinished);
    let cannot = || format!("cannot write {}", file.display());
    let made = create(&unfinished, private).with_context(cannot)?;
    let written = write(&mut BufWriter::new(&made))
        .and_then(|count| {
            made.sync_all()?;
            fs::rename(&unfinished, file)?;
            Ok(count)
        })
        .with_context(cannot);
    if written.is_err() {
        fs::remove_file(&unfinished).ok();
    }
    written
}

fn create(file: &Path, private: bool) -> io::Result<File> {
    // One that an earlier export left behind may be readable by others.
    if let Err(error) = fs::remove_file(file)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    options.open(file)
}
