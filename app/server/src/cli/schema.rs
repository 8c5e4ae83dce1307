//! `schema`: look at the schema files without building.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use basalt_codegen::emit::emit;
use basalt_codegen::{Checked, Report, ir, needs};
use clap::{Args, Subcommand};

/// Look at the schema files.
#[derive(Debug, Subcommand)]
pub enum SchemaCommand {
    /// Report every mistake in the schema files and their policy tests
    #[command(
        after_help = "Examples:\n  basalt schema check\n  basalt schema check --deny-warnings --schema my/schema"
    )]
    Check(CheckArgs),
    /// Print the Rust code that a collection becomes
    #[command(after_help = "Examples:\n  basalt schema expand posts\n  basalt schema expand")]
    Expand {
        /// The collection; all of them if left out
        collection: Option<String>,
        #[command(flatten)]
        place: Place,
    },
    /// Show what a rule means, what SQL it becomes for whom, and which indexes that uses
    #[command(after_help = "\
Examples:
  basalt schema explain posts list
  basalt schema explain posts --rule 'author.organization.name != \"test\"'
  basalt schema explain posts --filter 'title ~ \"a\"' --database basalt_data
  basalt schema explain users update --json")]
    Explain(super::explain::ExplainArgs),
    /// Print who may do what with each collection and field
    #[command(
        after_help = "Examples:\n  basalt schema access\n  basalt schema access --write schema/access.md\n  basalt schema access --check schema/access.md"
    )]
    Access(super::access::AccessArgs),
    /// Run the policy tests beside the schema: who may do what, put to the server itself
    #[command(after_help = "Examples:\n  basalt schema test\n  basalt schema test posts")]
    Test(super::test::TestArgs),
}

/// What to check, and how strictly.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Fail if there are warnings
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    place: Place,
}

/// Where the schema files are.
#[derive(Debug, Args)]
pub struct Place {
    /// Folder of the schema files
    #[arg(long, value_name = "DIR", default_value = "schema")]
    pub(super) schema: PathBuf,
}

pub(super) fn run(command: SchemaCommand) -> anyhow::Result<()> {
    match command {
        SchemaCommand::Check(args) => check(&args),
        SchemaCommand::Expand { collection, place } => expand(collection.as_deref(), &place.schema),
        SchemaCommand::Explain(args) => super::explain::run(&args),
        SchemaCommand::Access(args) => super::access::run(&args),
        SchemaCommand::Test(args) => super::test::run(&args),
    }
}

/// Reads and resolves a folder; mistakes are printed, and errors counted in the error.
pub(super) fn load(dir: &Path) -> anyhow::Result<ir::Schema> {
    let Checked { schema, warnings } = read(dir)?;
    print_report(&warnings);
    Ok(schema)
}

/// The same without a word of warnings.
pub(super) fn read(dir: &Path) -> anyhow::Result<Checked> {
    let outcome =
        basalt_codegen::read_dir(dir).and_then(|sources| basalt_codegen::resolve(&sources));
    outcome.map_err(|report| {
        print_report(&report);
        anyhow!(
            "the schema has {} (see above)",
            count(report.errors(), "error")
        )
    })
}

fn print_report(report: &Report) {
    if !report.is_empty() {
        eprintln!("{}", report.render(std::io::stderr().is_terminal()));
    }
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

fn check(args: &CheckArgs) -> anyhow::Result<()> {
    let dir = args.place.schema.as_path();
    let Checked { schema, warnings } = read(dir)?;
    print_report(&warnings);
    let tests = basalt_codegen::read_tests(dir);
    tests
        .and_then(|sources| basalt_codegen::policy::load(&schema, &sources))
        .map_err(|report| {
            print_report(&report);
            let errors = count(report.errors(), "error");
            anyhow!("the policy tests have {errors} (see above)")
        })?;
    let own = schema
        .collections
        .iter()
        .filter(|collection| !collection.system)
        .count();
    let warned = match warnings.warnings() {
        0 => String::new(),
        number => format!(", {}", count(number, "warning")),
    };
    println!(
        "{} in {}: no errors{warned}",
        count(own, "collection"),
        dir.display()
    );
    if args.deny_warnings && !warned.is_empty() {
        bail!("warnings are denied (see above)");
    }
    for collection in &schema.collections {
        for index in &collection.indexes {
            if index.reason.starts_with(needs::FOR_RULES) {
                println!("index {}: {}", index.name, index.reason);
            }
        }
    }
    Ok(())
}

fn expand(collection: Option<&str>, dir: &Path) -> anyhow::Result<()> {
    let schema = load(dir)?;
    let wanted = match collection {
        Some(name) => Some(find(&schema, name)?.name.rust.clone()),
        None => None,
    };
    for (path, text) in emit(&schema) {
        if wanted
            .as_deref()
            .is_none_or(|name| path == format!("{name}.rs"))
        {
            println!("{text}");
        }
    }
    Ok(())
}

fn find<'a>(schema: &'a ir::Schema, name: &str) -> anyhow::Result<&'a ir::Collection> {
    schema.collection(name).ok_or_else(|| {
        let names: Vec<_> = schema
            .collections
            .iter()
            .map(|c| c.name.wire.as_str())
            .collect();
        anyhow!(
            "there is no collection `{name}`; there are {}",
            names.join(", ")
        )
    })
}
