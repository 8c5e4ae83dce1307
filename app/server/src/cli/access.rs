//! `schema access`: who may do what, as a table, and whether a committed table is still true.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use basalt_codegen::access::Matrix;
use clap::{Args, ValueEnum};

use super::schema::{Place, load};

/// What to print or compare.
#[derive(Debug, Args)]
pub struct AccessArgs {
    /// How it looks
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Print nothing, but fail if this file isn't what `--format markdown` prints
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    check: Option<PathBuf>,
    /// Write what `--format markdown` prints to this file, unless the schema has errors
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "check"])]
    write: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Columns that line up
    Table,
    /// To be committed
    Markdown,
    /// For programs
    Json,
}

pub(super) fn run(args: &AccessArgs) -> anyhow::Result<()> {
    let matrix = Matrix::of(&load(&args.place.schema)?);
    if let Some(file) = &args.check {
        return check(file, &matrix.markdown(), &args.place.schema);
    }
    if let Some(file) = &args.write {
        let shown = file.display();
        std::fs::write(file, matrix.markdown()).with_context(|| format!("can't write {shown}"))?;
        println!("{shown}: written");
        return Ok(());
    }
    let text = match args.format {
        Format::Table => matrix.table(),
        Format::Markdown => matrix.markdown(),
        Format::Json => matrix.json() + "\n",
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

fn check(file: &Path, wanted: &str, schema: &Path) -> anyhow::Result<()> {
    let shown = file.display();
    let command = format!(
        "basalt schema access --schema {} --write {shown}",
        schema.display()
    );
    let found = std::fs::read_to_string(file)
        .with_context(|| format!("can't read {shown}; this makes it:\n  {command}"))?;
    let Some(difference) = difference(&found, wanted) else {
        println!("{shown}: up to date");
        return Ok(());
    };
    bail!(
        "the schema and {shown} don't agree on who may do what (-: in the file, +: by the schema)\n\
         {difference}If the change is meant, write the file anew and let it be reviewed:\n  {command}"
    )
}

/// The lines that only one of the texts has, each with its place; nothing if they are the same.
fn difference(found: &str, wanted: &str) -> Option<String> {
    if found == wanted {
        return None;
    }
    let (found, wanted) = (sections(found), sections(wanted));
    let mut text = String::new();
    for (mark, lines, others) in [("-", &found, &wanted), ("+", &wanted, &found)] {
        for (at, line) in lines.iter().enumerate() {
            if !others.contains(line) {
                let (section, line) = line;
                text.push_str(&format!("  {mark} {}: {section} {line}\n", at + 1));
            }
        }
    }
    if text.is_empty() {
        text.push_str("  the order of the lines differs\n");
    }
    Some(text)
}

/// Each line with the collection that it speaks of.
fn sections(text: &str) -> Vec<(&str, &str)> {
    let mut section = "";
    let lines = text.lines().map(|line| {
        section = line.strip_prefix("## ").unwrap_or(section);
        (section, line)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_the_lines_and_their_collection() {
        let old = "## posts\n| list | yes |\n| view | no |\n## users\n| view | yes |\n";
        let new = "## posts\n| list | yes |\n| view | yes |\n## users\n| view | yes |\n";
        assert_eq!(difference(old, old), None);
        assert_eq!(
            difference(old, new).as_deref(),
            Some("  - 3: posts | view | no |\n  + 3: posts | view | yes |\n")
        );
    }
}
