//! Renames that the schema asks for by `renamed_from`: which of them are due, which are mistakes,
//! and in which order they can be done.

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
/// names before: as (old, new), in an order in which no name is ever taken twice. `what` and
/// `prefix` name things in messages, e.g. "field" and "posts.".
pub fn due(
    asked: &BTreeMap<String, String>,
    present: &BTreeSet<String>,
    what: &str,
    prefix: &str,
    problems: &mut Vec<Problem>,
) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for (new, old) in asked {
        if let Some((_, first)) = pairs.iter().find(|(taken, _)| taken == old) {
            problems.push(Problem::mistake(format!(
                "both `{prefix}{first}` and `{prefix}{new}` are said to be renamed from `{old}`"
            )));
        } else if present.contains(old) {
            pairs.push((old.clone(), new.clone()));
        } else if !present.contains(new) {
            problems.push(never_was(what, prefix, old, new));
        }
    }
    // A new name that is there already was given by an earlier migration, unless it moves on now.
    loop {
        let sources: BTreeSet<String> = pairs.iter().map(|(old, _)| old.clone()).collect();
        let before = pairs.len();
        pairs.retain(|(_, new)| !present.contains(new) || sources.contains(new));
        if pairs.len() == before {
            break;
        }
    }
    in_order(pairs, present, what, prefix, problems)
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

/// Orders renames so that each new name is free when its turn comes. A circle is refused: after
/// the migration, the same `renamed_from` would ask for it once more.
fn in_order(
    mut waiting: Vec<(String, String)>,
    present: &BTreeSet<String>,
    what: &str,
    prefix: &str,
    problems: &mut Vec<Problem>,
) -> Vec<(String, String)> {
    let mut names = present.clone();
    let mut ordered = Vec::new();
    while !waiting.is_empty() {
        let Some(place) = waiting.iter().position(|(_, new)| !names.contains(new)) else {
            let circle: Vec<String> = waiting
                .iter()
                .map(|(_, new)| format!("`{prefix}{new}`"))
                .collect();
            problems.push(Problem {
                is_loss: false,
                message: format!("{what}s {} exchange their names", circle.join(", ")),
                help: Some("do it in two migrations, with another name in between".to_owned()),
            });
            return ordered;
        };
        let (old, new) = waiting.remove(place);
        names.remove(&old);
        names.insert(new.clone());
        ordered.push((old, new));
    }
    ordered
}
