//! Whether the collections of a PocketBase, imported, are the schema that they were made of.

use anyhow::{Context, Result, anyhow, ensure};
use basalt_blackbox::Client;
use basalt_codegen::import;
use basalt_codegen::ir::{self, Location, Rule};
use basalt_codegen::{Source, resolve};

use crate::export;
use crate::model::Schema;

/// Imports what the peer says of its collections.
pub fn check_peer(schema: &Schema, root: &Client) -> Result<()> {
    let answer = root.get("/api/collections?perPage=500")?;
    ensure!(answer.status == 200, "collections: {answer:?}");
    check(schema, &answer.json().to_string())
}

/// Imports an export that was made of a schema, and compares.
pub fn check(schema: &Schema, json: &str) -> Result<()> {
    let import = import::schema("export.json", json)?;
    let report = &import.report;
    ensure!(report.errors() == 0, "left out:\n{report}");
    let source = |(path, text): (String, String)| Source { path, text };
    let imported: Vec<Source> = import.files.into_iter().map(source).collect();
    let imported = plain(&imported).context("what was imported")?;
    let made = plain(&export::sources(schema)).context("the schema")?;
    for (made, imported) in made.collections.iter().zip(&imported.collections) {
        let name = &made.name.wire;
        ensure!(
            made == imported,
            "collection `{name}` is another one after an import:\n{made:#?}\n{imported:#?}"
        );
    }
    ensure!(made.collections.len() == imported.collections.len());
    Ok(())
}

/// The model, without what depends on where things stand and on made names.
fn plain(sources: &[Source]) -> Result<ir::Schema> {
    let checked = resolve(sources).map_err(|report| anyhow!("{report}"))?;
    let mut schema = checked.schema;
    for collection in &mut schema.collections {
        collection.location = Location::default();
        for field in &mut collection.fields {
            field.location = Location::default();
        }
        for index in &mut collection.indexes {
            (index.name, index.reason) = Default::default();
        }
        let rules = &mut collection.rules;
        for rule in [
            &mut rules.list,
            &mut rules.view,
            &mut rules.create,
            &mut rules.update,
            &mut rules.delete,
            &mut rules.auth,
            &mut rules.manage,
        ] {
            if let Rule::When(rule) = rule {
                rule.location = Location::default();
            }
        }
    }
    Ok(schema)
}
