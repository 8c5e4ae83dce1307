//! `schema`: look at the schema files without building.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use basalt_codegen::emit::emit;
use basalt_codegen::resolve::RuleView;
use basalt_codegen::{Checked, Report, ir};
use basalt_lang::schema::Schema as _;
use basalt_lang::scope::{Caller, Scope};
use clap::{Args, Subcommand};

/// Look at the schema files.
#[derive(Debug, Subcommand)]
pub enum SchemaCommand {
    /// Report every mistake in the schema files
    #[command(
        after_help = "Examples:\n  basalt schema check\n  basalt schema check --schema my/schema"
    )]
    Check(Place),
    /// Print the Rust code that a collection becomes
    #[command(after_help = "Examples:\n  basalt schema expand posts\n  basalt schema expand")]
    Expand {
        /// The collection; all of them if left out
        collection: Option<String>,
        #[command(flatten)]
        place: Place,
    },
    /// Show what a rule means: its typed tree, its class and its plan
    #[command(
        after_help = "Examples:\n  basalt schema explain posts list\n  basalt schema explain posts 'author.organization.name != \"test\"'"
    )]
    Explain {
        /// The collection
        collection: String,
        /// list, view, create, update, delete, auth, manage, or a rule as text
        rule: String,
        #[command(flatten)]
        place: Place,
    },
    /// Print who may do what with each collection and field
    #[command(
        after_help = "Examples:\n  basalt schema access\n  basalt schema access --format markdown > schema/access.md\n  basalt schema access --check schema/access.md"
    )]
    Access(super::access::AccessArgs),
    /// Run the policy tests beside the schema: who may do what, put to the server itself
    #[command(after_help = "Examples:\n  basalt schema test\n  basalt schema test posts")]
    Test(super::test::TestArgs),
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
        SchemaCommand::Check(place) => check(&place.schema),
        SchemaCommand::Expand { collection, place } => expand(collection.as_deref(), &place.schema),
        SchemaCommand::Explain {
            collection,
            rule,
            place,
        } => explain(&collection, &rule, &place.schema),
        SchemaCommand::Access(args) => super::access::run(&args),
        SchemaCommand::Test(args) => super::test::run(&args),
    }
}

/// Reads and resolves a folder; mistakes are printed, and counted in the error.
pub(super) fn load(dir: &Path) -> anyhow::Result<ir::Schema> {
    let outcome =
        basalt_codegen::read_dir(dir).and_then(|sources| basalt_codegen::resolve(&sources));
    match outcome {
        Ok(Checked { schema, warnings }) => {
            print_report(&warnings);
            Ok(schema)
        }
        Err(report) => {
            print_report(&report);
            Err(anyhow!(
                "the schema has {} (see above)",
                count(report.errors(), "error")
            ))
        }
    }
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

fn check(dir: &Path) -> anyhow::Result<()> {
    let schema = load(dir)?;
    let own = schema
        .collections
        .iter()
        .filter(|collection| !collection.system)
        .count();
    println!(
        "{} in {}: no errors",
        count(own, "collection"),
        dir.display()
    );
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

fn explain(collection: &str, rule: &str, dir: &Path) -> anyhow::Result<()> {
    let schema = load(dir)?;
    let found = find(&schema, collection)?;
    let rules = &found.rules;
    let named = match rule {
        "list" => Some(&rules.list),
        "view" => Some(&rules.view),
        "create" => Some(&rules.create),
        "update" => Some(&rules.update),
        "delete" => Some(&rules.delete),
        "auth" => Some(&rules.auth),
        "manage" => Some(&rules.manage),
        _ => None,
    };
    match named {
        Some(ir::Rule::Locked) => println!("locked: superusers only"),
        Some(ir::Rule::Public) => println!("public: everyone, guests included"),
        Some(ir::Rule::When(compiled)) => explain_text(&schema, collection, &compiled.text)?,
        None => explain_text(&schema, collection, rule)?,
    }
    Ok(())
}

fn explain_text(schema: &ir::Schema, collection: &str, text: &str) -> anyhow::Result<()> {
    let view = RuleView::new(schema);
    let Some(id) = view.collection(collection) else {
        bail!("there is no collection `{collection}`")
    };
    let scope = Scope::new(&view, id, Caller::Rule);
    let compiled = basalt_lang::compile(text, &scope).map_err(|errors| {
        let lines: Vec<_> = errors.iter().map(ToString::to_string).collect();
        anyhow!("{}", lines.join("\n"))
    })?;
    println!(
        "rule   {text}\nclass  {:?}\n\n{}\nplan\n{}",
        compiled.class,
        compiled.typed,
        compiled.plan.describe(&view, id)
    );
    Ok(())
}
