//! What a migration would throw away, and what it can stumble over.

use std::collections::BTreeSet;

use super::Problem;
use super::convert::{self, clean_select};
use super::step::{Step, values};
use crate::diagnostic::visible;
use crate::ir;
use crate::snapshot::{Collection, Field};

/// Everything that would be lost, each with what to do if that isn't meant.
pub fn losses(steps: &[Step], schema: &ir::Schema) -> Vec<Problem> {
    let mut losses = Vec::new();
    for step in steps {
        match step {
            Step::DropCollection(collection) => losses.push(Problem {
                is_loss: true,
                message: format!("collection `{}` with all its records", collection.name),
                help: similar_collection(steps, schema, collection),
            }),
            Step::DropField { collection, field } => losses.push(Problem {
                is_loss: true,
                message: format!("field `{collection}.{}` with its values", field.name),
                help: similar_field(steps, schema, collection, field),
            }),
            Step::ChangeField {
                collection,
                from,
                to,
            } => {
                let name = format!("`{collection}.{}`", to.name);
                losses.extend(change(&name, from, to).into_iter().map(|message| Problem {
                    is_loss: true,
                    message,
                    help: None,
                }));
            }
            _ => {}
        }
    }
    losses
}

fn change(name: &str, from: &Field, to: &Field) -> Vec<String> {
    let mut losses = Vec::new();
    if let Some(loss) = convert::convert(from, to).loss {
        losses.push(format!(
            "{loss} of {name}, when it changes from {} to {}",
            from.kind.describe(),
            to.kind.describe()
        ));
    } else if clean_select("", from, to).is_some() && values(from).is_empty() {
        losses.push(format!("values of {name} that the select doesn't have"));
    }
    for gone in values(from) {
        if !values(to).is_empty() && !values(to).contains(gone) {
            losses.push(format!(
                "the value `{}` in the records of {name}",
                visible(gone)
            ));
        }
    }
    losses
}

fn similar_field(
    steps: &[Step],
    schema: &ir::Schema,
    collection: &str,
    gone: &Field,
) -> Option<String> {
    let new = steps.iter().find_map(|step| match step {
        Step::AddField {
            collection: other,
            field,
        } if other == collection && field.kind == gone.kind => Some(field),
        _ => None,
    })?;
    let owner = schema.collection(collection)?;
    let field = owner.fields.iter().find(|it| it.name.wire == new.name)?;
    Some(format!(
        "if `{}` is its new name, write `renamed_from = \"{}\"` in that field at {}:{}",
        new.name, gone.name, field.location.path, field.location.line
    ))
}

fn similar_collection(steps: &[Step], schema: &ir::Schema, gone: &Collection) -> Option<String> {
    let fields = |it: &Collection| -> BTreeSet<String> {
        it.fields.iter().map(|field| field.name.clone()).collect()
    };
    let new = steps.iter().find_map(|step| match step {
        Step::CreateCollection(it) if fields(it) == fields(gone) => Some(it),
        _ => None,
    })?;
    let location = &schema.collection(&new.name)?.location;
    Some(format!(
        "if `{}` is its new name, write `renamed_from = \"{}\"` in {}",
        new.name, gone.name, location.path
    ))
}

/// What depends on the data: a migration that could fail, with nothing changed, or values that
/// could be meant otherwise.
pub fn notes(steps: &[Step]) -> Vec<String> {
    steps
        .iter()
        .filter_map(|step| match step {
            Step::CreateIndex { collection, index } if index.unique => Some(format!(
                "the unique index `{}` can't be made if two records of `{collection}` have the \
                 same `{}`",
                index.name,
                index.columns.join("`, `")
            )),
            Step::ChangeField {
                collection,
                from,
                to,
            } if convert::quotes_texts(from, to) => Some(format!(
                "the texts of `{collection}.{}` become JSON strings, also those that look like \
                 other JSON; edit up.sql if they are to be parsed",
                to.name
            )),
            _ => None,
        })
        .collect()
}
