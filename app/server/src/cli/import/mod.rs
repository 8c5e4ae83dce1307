//! `import`: bring a project of PocketBase over.

mod directory;
mod folder;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use basalt_codegen::Report;
use basalt_codegen::import::{self, Import};
use basalt_lang::Severity;
use basalt_runtime::storage;
use clap::{Args, Subcommand};

use folder::Folder;

/// Where every command looks for the schema.
const DEFAULT_FOLDER: &str = "schema";

/// Nobody's export is larger.
const MOST_BYTES: u64 = 64 << 20;

/// Bring a project of PocketBase over.
#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// Make schema files of PocketBase's collections
    #[command(after_help = "\
The source is an export of the dashboard (Settings, Export collections), an answer of the API
(GET /api/collections?perPage=500), or a data directory, which is only read and may be in use.

What there is not yet (file fields, views) stays in the files as a comment. If more than that
can't be brought over, nothing is written, unless --keep-going makes comments of it too.

Examples:
  basalt import schema pb_schema.json
  basalt import schema pb_data --dry-run
  basalt import schema pb_data --out my/schema --keep-going
  basalt import schema pb_schema.json --force")]
    Schema(SchemaArgs),
    /// What every application can do.
    #[command(flatten)]
    Carried(basalt_runtime::cli::ImportCommand),
}

/// What to read, and where the files go.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// An export, or a data directory of PocketBase
    source: PathBuf,
    /// Folder of the schema files
    #[arg(long, value_name = "DIR", default_value = DEFAULT_FOLDER)]
    out: PathBuf,
    /// Write what can be brought over, even if some of it can't
    #[arg(long)]
    keep_going: bool,
    /// Overwrite files that are there and say something else
    #[arg(long)]
    force: bool,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// Of a data directory: don't mind tables that belong to no collection
    #[arg(long)]
    ignore_tables: bool,
}

/// Does what an `import` command says.
pub(super) fn run(command: ImportCommand) -> anyhow::Result<()> {
    match command {
        ImportCommand::Schema(args) => schema(&args),
        ImportCommand::Carried(command) => {
            basalt_runtime::cli::import(command, crate::application())
        }
    }
}

fn schema(args: &SchemaArgs) -> anyhow::Result<()> {
    let shown = args.source.display().to_string();
    let text = read(&args.source, args.ignore_tables)?;
    let import = import::schema(&shown, &text)
        .map_err(|report| failed("the export can't be read", &report))?;
    let errors = import.report.errors();
    if errors > 0 && !args.keep_going {
        bail!(
            "not everything can be brought over; nothing was written\n{}\
             To go on without what says `error`, add --keep-going: it stays in the files as \
             comments.",
            lines(&import.report)
        );
    }
    if import.holds.collections == 0 {
        let list = lines(&import.report);
        bail!("none of the collections can be built; nothing was written\n{list}");
    }
    let folder = Folder::compare(&args.out, &import.files)?;
    if !folder.differs.is_empty() && !args.force {
        bail!("{}", folder.refusal(&import.files));
    }
    let checked = folder
        .check(&import.files)
        .map_err(|report| failed("the schema would not build", &report))?;
    if !args.dry_run {
        folder.write(&import.files)?;
    }
    let text = summary(args, &import, &folder, checked.warnings.warnings());
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// The export, from wherever it is.
fn read(source: &Path, ignore_tables: bool) -> anyhow::Result<String> {
    let shown = source.display();
    let kind = fs::metadata(source).with_context(|| format!("can't read {shown}"))?;
    if kind.is_dir() {
        return directory::read(source, ignore_tables);
    }
    if kind.len() > MOST_BYTES {
        bail!("{shown} has {} bytes: that is no export", kind.len());
    }
    let bytes = fs::read(source).with_context(|| format!("can't read {shown}"))?;
    if bytes.starts_with(storage::MAGIC) {
        bail!("{shown} is a database: give the directory that it is in");
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        anyhow!("{shown} is not UTF-8: byte {at} is no text; export the collections again")
    })
}

fn failed(what: &str, report: &Report) -> anyhow::Error {
    let mut text = lines(report);
    let mut told: Vec<&str> = Vec::new();
    for help in report
        .diagnostics()
        .iter()
        .filter_map(|one| one.help.as_deref())
    {
        if !told.contains(&help) {
            told.push(help);
            let _ = writeln!(text, "help: {help}");
        }
    }
    anyhow!("{what}; nothing was written\n{}", text.trim_end())
}

/// Each finding in a line, with what to do where that is not the same for all.
fn lines(report: &Report) -> String {
    let mut text = String::new();
    for (line, found) in report.first_lines().iter().zip(report.diagnostics()) {
        let word = match found.severity {
            Severity::Error => "error",
            Severity::Warning => "later",
        };
        let _ = writeln!(text, "  {word}: {line}");
    }
    if let Some(more) = report.first_lines().get(report.diagnostics().len()..) {
        for line in more {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

fn summary(args: &SchemaArgs, import: &Import, folder: &Folder, warnings: usize) -> String {
    let holds = import.holds;
    let out = args.out.display();
    let mut text = format!(
        "{}: {}, {}, {}, {}\n",
        args.source.display(),
        count(holds.collections, "collection"),
        count(holds.fields, "field"),
        count(holds.rules, "rule"),
        count(holds.indexes, "index"),
    );
    let verb = if args.dry_run {
        "would be written"
    } else {
        "written"
    };
    for name in folder.new.iter().chain(folder.differs.keys()) {
        let _ = writeln!(text, "{out}/{name}: {verb}");
    }
    if folder.same > 0 {
        let _ = writeln!(text, "{}: as they were", count(folder.same, "file"));
    }
    for other in &folder.others {
        let name = other.path.rsplit('/').next().unwrap_or_default();
        let _ = writeln!(text, "{out}/{name}: not of this import, left alone");
    }
    let left_out = import.report.diagnostics().len();
    if left_out > 0 {
        let _ = writeln!(text, "\nLeft out, and in the files as comments:");
        text.push_str(&lines(&import.report));
    }
    match warnings {
        0 => text.push_str("\nThe schema builds.\n"),
        many => {
            let many = count(many, "warning");
            let _ = writeln!(text, "\nThe schema builds, with {many}.");
        }
    }
    if args.dry_run {
        return text;
    }
    let place = match args.out.as_path() == Path::new(DEFAULT_FOLDER) {
        true => String::new(),
        false => format!(" --schema {out}"),
    };
    let _ = write!(
        text,
        "Next:\n  \
         basalt schema check{place}\n  \
         basalt migrate diff create_schema{place}\n  \
         cargo build\n"
    );
    if args.source.is_dir() {
        let source = args.source.display();
        let _ = writeln!(
            text,
            "Then the records, by the application that was built: `import data {source}`."
        );
    }
    text
}

fn count(number: usize, noun: &str) -> String {
    match (number, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "index") => format!("{number} indexes"),
        _ => format!("{number} {noun}s"),
    }
}
