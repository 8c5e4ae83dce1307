//! Renames that the schema asks for by `renamed_from`: which of them are due, and which are
//! mistakes.

use std::collections::{BTreeMap, BTreeSet};

use super::Problem;
use crate::ir;

/// What the schema says, by new name.
#[derive(Debug, Default)]
pub struct Asked {
    /// Collections.
    pub collections: BTreeMap<String, String>,
    /// Fields, by collection (its new name) and field.
    pub fields: BTreeMap<String, BTreeMap<String, String>>,
}

/// Every `renamed_from` of the schema; none before the first migration, when there is nothing
/// that could have had another name.
pub fn asked(schema: &ir::Schema, first: bool) -> Asked {
    let mut asked = Asked::default();
    if first {
        return asked;
    }
    for collection in &schema.collections {
        let name = &collection.name.wire;
        if let Some(old) = &collection.renamed_from {
            asked.collections.insert(name.clone(), old.clone());
        }
        for field in &collection.fields {
            if let Some(old) = &field.renamed_from {
                asked
                    .fields
                    .entry(name.clone())
                    .or_default()
                    .insert(field.name.wire.clone(), old.clone());
            }
        }
    }
    asked
}

/// The renames among `asked` (new name to old) that are still to be done where `present` are the
/// names before: as (old, new). A new name that is there already was given by an earlier migration.
/// No schema uses an old name for something else, so the order doesn't matter. `what` and `prefix`
/// name things in messages, e.g. "field" and "posts.".
pub fn due(
    asked: &BTreeMap<String, String>,
    present: &BTreeSet<String>,
    what: &str,
    prefix: &str,
    problems: &mut Vec<Problem>,
) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for (new, old) in asked {
        if present.contains(new) {
            continue;
        }
        if !present.contains(old) {
            problems.push(never_was(what, prefix, old, new));
        } else if let Some((_, first)) = pairs.iter().find(|(taken, _)| taken == old) {
            problems.push(Problem::mistake(format!(
                "both `{prefix}{first}` and `{prefix}{new}` are said to be renamed from `{old}`"
            )));
        } else {
            pairs.push((old.clone(), new.clone()));
        }
    }
    pairs
}

fn never_was(what: &str, prefix: &str, old: &str, new: &str) -> Problem {
    Problem {
        is_loss: false,
        message: format!(
            "{what} `{prefix}{new}` is said to be renamed from `{old}`, which never was"
        ),
        help: Some(format!(
            "remove `renamed_from = \"{old}\"`, or write the name that it has in the last migration"
        )),
    }
}
