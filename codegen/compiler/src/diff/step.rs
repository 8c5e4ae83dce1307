//! One change of the database, what it does to a snapshot, and what takes it back.

use crate::diagnostic::visible;
use crate::needs::FOR_RULES;
use crate::snapshot::{Collection, Field, Index, Kind, Snapshot};

/// One change. Each knows enough to be taken back.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A new table with its join tables and indexes.
    CreateCollection(Collection),
    /// Removes all of these.
    DropCollection(Collection),
    /// Renames the table and its join tables; references follow.
    RenameCollection {
        /// The name before.
        from: String,
        /// The name after.
        to: String,
    },
    /// A new column, and a join table for a multiple relation.
    AddField {
        /// Where.
        collection: String,
        /// The field.
        field: Field,
    },
    /// Removes them.
    DropField {
        /// Where.
        collection: String,
        /// The field.
        field: Field,
    },
    /// Renames a column, and its join table.
    RenameField {
        /// Where.
        collection: String,
        /// The name before.
        from: String,
        /// The name after.
        to: String,
    },
    /// Another type, other select values, nullable or not, another default.
    ChangeField {
        /// Where.
        collection: String,
        /// The field before.
        from: Field,
        /// The field after, with the same name.
        to: Field,
    },
    /// A new index.
    CreateIndex {
        /// Where.
        collection: String,
        /// The index.
        index: Index,
    },
    /// Removes one.
    DropIndex {
        /// Where.
        collection: String,
        /// The index.
        index: Index,
    },
}

impl Step {
    /// What takes the step back (as far as the data is still there).
    pub fn inverse(&self) -> Step {
        match self.clone() {
            Step::CreateCollection(collection) => Step::DropCollection(collection),
            Step::DropCollection(collection) => Step::CreateCollection(collection),
            Step::RenameCollection { from, to } => Step::RenameCollection { from: to, to: from },
            Step::AddField { collection, field } => Step::DropField { collection, field },
            Step::DropField { collection, field } => Step::AddField { collection, field },
            Step::RenameField {
                collection,
                from,
                to,
            } => Step::RenameField {
                collection,
                from: to,
                to: from,
            },
            Step::ChangeField {
                collection,
                from,
                to,
            } => Step::ChangeField {
                collection,
                from: to,
                to: from,
            },
            Step::CreateIndex { collection, index } => Step::DropIndex { collection, index },
            Step::DropIndex { collection, index } => Step::CreateIndex { collection, index },
        }
    }

    /// The change in words.
    pub fn describe(&self) -> String {
        match self {
            Step::CreateCollection(collection) => format!("create `{}`", collection.name),
            Step::DropCollection(collection) => format!("drop `{}`", collection.name),
            Step::RenameCollection { from, to } => format!("rename `{from}` to `{to}`"),
            Step::AddField { collection, field } => {
                let kind = field.kind.describe();
                format!("add `{collection}.{}` ({kind})", field.name)
            }
            Step::DropField { collection, field } => {
                format!("drop `{collection}.{}`", field.name)
            }
            Step::RenameField {
                collection,
                from,
                to,
            } => format!("rename `{collection}.{from}` to `{to}`"),
            Step::ChangeField {
                collection,
                from,
                to,
            } => format!(
                "change `{collection}.{}`: {}",
                to.name,
                change_in_words(from, to)
            ),
            Step::CreateIndex { collection, index } => {
                format!("create index `{}` on `{collection}`", index.name)
            }
            Step::DropIndex { collection, index } => {
                let words = format!("drop index `{}` of `{collection}`", index.name);
                match index.reason.strip_prefix(FOR_RULES) {
                    Some(rules) => format!("{words}, which was made for {rules}"),
                    None => words,
                }
            }
        }
    }

    /// The change in words, with its reason where nobody asked for it.
    pub fn propose(&self) -> String {
        match self {
            Step::CreateIndex { index, .. } if index.reason.starts_with(FOR_RULES) => {
                format!("{} {}", self.describe(), index.reason)
            }
            _ => self.describe(),
        }
    }

    /// Does the step itself to a snapshot.
    pub fn apply(&self, state: &mut Snapshot) {
        match self {
            Step::CreateCollection(collection) => state.collections.push(collection.clone()),
            Step::DropCollection(collection) => {
                state.collections.retain(|it| it.name != collection.name);
            }
            Step::RenameCollection { from, to } => rename_collection(state, from, to),
            Step::AddField { collection, field } => {
                with(state, collection, |it| it.fields.push(field.clone()));
            }
            Step::DropField { collection, field } => with(state, collection, |it| {
                it.fields.retain(|other| other.name != field.name);
            }),
            Step::RenameField {
                collection,
                from,
                to,
            } => with(state, collection, |it| rename_field(it, from, to)),
            Step::ChangeField { collection, to, .. } => with(state, collection, |it| {
                for field in it.fields.iter_mut().filter(|field| field.name == to.name) {
                    *field = to.clone();
                }
            }),
            Step::CreateIndex { collection, index } => {
                with(state, collection, |it| it.indexes.push(index.clone()));
            }
            Step::DropIndex { collection, index } => with(state, collection, |it| {
                it.indexes.retain(|other| other.name != index.name);
            }),
        }
    }
}

fn with(state: &mut Snapshot, name: &str, change: impl FnOnce(&mut Collection)) {
    if let Some(collection) = state.collection_mut(name) {
        change(collection);
    }
}

fn rename_collection(state: &mut Snapshot, from: &str, to: &str) {
    for collection in &mut state.collections {
        if collection.name == from {
            collection.name = to.to_owned();
        }
        for field in &mut collection.fields {
            if let Kind::Relation {
                collection: target, ..
            } = &mut field.kind
                && target == from
            {
                *target = to.to_owned();
            }
        }
    }
}

/// SQLite renames the column in the indexes too; so does this (but for conditions: an index with
/// one is dropped before a rename and made again after it).
fn rename_field(collection: &mut Collection, from: &str, to: &str) {
    for field in &mut collection.fields {
        if field.name == from {
            field.name = to.to_owned();
        }
    }
    for column in collection.indexes.iter_mut().flat_map(|it| &mut it.columns) {
        if column == from {
            *column = to.to_owned();
        }
    }
}

fn change_in_words(from: &Field, to: &Field) -> String {
    let mut words = Vec::new();
    if from.kind.describe() != to.kind.describe() {
        words.push(format!(
            "{} to {}",
            from.kind.describe(),
            to.kind.describe()
        ));
    }
    if let (Kind::Relation { collection: a, .. }, Kind::Relation { collection: b, .. }) =
        (&from.kind, &to.kind)
        && a != b
    {
        words.push(format!("points to `{b}` instead of `{a}`"));
    }
    let (old, new) = (values(from), values(to));
    if !new.is_empty() && !old.is_empty() {
        words.extend(values_in_words("no longer", old, new));
        words.extend(values_in_words("now also", new, old));
    }
    if from.nullable != to.nullable {
        words.push(
            if to.nullable {
                "may be null"
            } else {
                "not null"
            }
            .to_owned(),
        );
    }
    if from.default != to.default {
        words.push(match &to.default {
            Some(value) => format!("default {value}"),
            None => "no default".to_owned(),
        });
    }
    words.join(", ")
}

/// The values of a select, else none.
pub fn values(field: &Field) -> &[String] {
    match &field.kind {
        Kind::Select { values, .. } => values,
        _ => &[],
    }
}

fn values_in_words(what: &str, these: &[String], without: &[String]) -> Option<String> {
    let names: Vec<String> = these
        .iter()
        .filter(|value| !without.contains(value))
        .map(|value| format!("`{}`", visible(value)))
        .collect();
    (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
}
