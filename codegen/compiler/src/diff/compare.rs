//! Finds the steps from one snapshot to the next, in an order in which each can be done.

use std::collections::{BTreeMap, BTreeSet};

use super::Problem;
use super::clash::{self, Named};
use super::renames::{self, Asked};
use super::step::{Step, values};
use crate::snapshot::{Collection, Field, Index, Kind, Snapshot};

/// The steps. Fails with every rename that can't be done, and with names that two things would
/// have at once on the way there or back.
///
/// The order: collections get their new names; indexes that go, go, and those of collections that
/// go if their names are wanted again; new collections come, so that
/// fields can point to them; then the fields; then collections go to which nothing points any
/// more; and last the new indexes.
pub fn compare(from: &Snapshot, to: &Snapshot, asked: &Asked) -> Result<Vec<Step>, Vec<Problem>> {
    let mut plan = Plan {
        state: from.clone(),
        steps: Vec::new(),
        problems: Vec::new(),
    };
    plan.rename_collections(asked);
    let renames = plan.field_renames(to, asked);
    plan.drop_indexes(to, &renames);
    for collection in &to.collections {
        if plan.state.collection(&collection.name).is_none() {
            plan.push(Step::CreateCollection(collection.clone()));
        }
    }
    for collection in &to.collections {
        plan.fields(collection, renames.get(&collection.name));
    }
    plan.drop_collections(to);
    for collection in &to.collections {
        plan.create_indexes(collection);
    }
    let back: Vec<Step> = plan.steps.iter().rev().map(Step::inverse).collect();
    if plan.problems.is_empty() {
        plan.problems = clash::problems(from, &plan.steps);
    }
    if plan.problems.is_empty() {
        plan.problems = clash::problems(to, &back);
    }
    if plan.problems.is_empty() {
        Ok(plan.steps)
    } else {
        Err(plan.problems)
    }
}

type FieldRenames = BTreeMap<String, Vec<(String, String)>>;

struct Plan {
    state: Snapshot,
    steps: Vec<Step>,
    problems: Vec<Problem>,
}

impl Plan {
    fn push(&mut self, step: Step) {
        step.apply(&mut self.state);
        self.steps.push(step);
    }

    fn rename_collections(&mut self, asked: &Asked) {
        let present = names(self.state.collections.iter().map(|it| &it.name));
        let due = renames::due(
            &asked.collections,
            &present,
            "collection",
            "",
            &mut self.problems,
        );
        for (from, to) in due {
            self.push(Step::RenameCollection { from, to });
        }
    }

    /// The renames of fields that are due, by collection.
    fn field_renames(&mut self, to: &Snapshot, asked: &Asked) -> FieldRenames {
        let mut all = FieldRenames::new();
        for collection in &to.collections {
            let Some(asked) = asked.fields.get(&collection.name) else {
                continue;
            };
            let present = match self.state.collection(&collection.name) {
                Some(old) => names(old.fields.iter().map(|it| &it.name)),
                None => BTreeSet::new(),
            };
            let prefix = format!("{}.", collection.name);
            let due = renames::due(asked, &present, "field", &prefix, &mut self.problems);
            all.insert(collection.name.clone(), due);
        }
        all
    }

    fn drop_indexes(&mut self, to: &Snapshot, renames: &FieldRenames) {
        let mut steps = Vec::new();
        let wanted = clash::names(to);
        for old in &self.state.collections {
            let Some(new) = to.collection(&old.name) else {
                steps.extend(in_the_way(old, &wanted));
                continue;
            };
            let renames = renames.get(&old.name).map_or(&[][..], Vec::as_slice);
            for index in &old.indexes {
                let stays = new
                    .indexes
                    .iter()
                    .any(|other| renamed(index, renames).is_some_and(|it| it.same(other)));
                if !stays {
                    steps.push(Step::DropIndex {
                        collection: old.name.clone(),
                        index: index.clone(),
                    });
                }
            }
        }
        for step in steps {
            self.push(step);
        }
    }

    fn fields(&mut self, new: &Collection, renames: Option<&Vec<(String, String)>>) {
        let Some(old) = self.state.collection(&new.name).cloned() else {
            return;
        };
        let collection = new.name.clone();
        let renames = renames.map_or(&[][..], Vec::as_slice);
        for field in &old.fields {
            let moves = renames.iter().any(|(from, _)| *from == field.name);
            if new.field(&field.name).is_none() && !moves {
                self.push(Step::DropField {
                    collection: collection.clone(),
                    field: field.clone(),
                });
            }
        }
        for (from, to) in renames {
            self.push(Step::RenameField {
                collection: collection.clone(),
                from: from.clone(),
                to: to.clone(),
            });
        }
        self.add_and_change(new);
    }

    /// The changes come in one run, since each run may rebuild the table.
    fn add_and_change(&mut self, new: &Collection) {
        let mut changes = Vec::new();
        for field in &new.fields {
            let current = self
                .state
                .collection(&new.name)
                .and_then(|it| it.field(&field.name));
            let collection = new.name.clone();
            match current.cloned() {
                Some(current) if same(&current, field) => {}
                Some(current) => changes.push(Step::ChangeField {
                    collection,
                    from: current,
                    to: field.clone(),
                }),
                None => self.push(Step::AddField {
                    collection,
                    field: field.clone(),
                }),
            }
        }
        for change in changes {
            self.push(change);
        }
    }

    fn drop_collections(&mut self, to: &Snapshot) {
        let gone: Vec<Collection> = self
            .state
            .collections
            .iter()
            .filter(|it| to.collection(&it.name).is_none())
            .cloned()
            .collect();
        for collection in gone {
            self.push(Step::DropCollection(collection));
        }
    }

    fn create_indexes(&mut self, new: &Collection) {
        let present = match self.state.collection(&new.name) {
            Some(old) => names(old.indexes.iter().map(|it| &it.name)),
            None => BTreeSet::new(),
        };
        for index in &new.indexes {
            if !present.contains(&index.name) {
                self.push(Step::CreateIndex {
                    collection: new.name.clone(),
                    index: index.clone(),
                });
            }
        }
    }
}

/// The indexes of a collection that goes whose names something else is to have. The others go with
/// their table.
fn in_the_way(old: &Collection, wanted: &[Named]) -> Vec<Step> {
    let indexes = old.indexes.iter();
    let taken = indexes.filter(|index| {
        let name = index.name.to_ascii_lowercase();
        wanted.iter().any(|named| named.name == name)
    });
    taken
        .map(|index| Step::DropIndex {
            collection: old.name.clone(),
            index: index.clone(),
        })
        .collect()
}

fn names<'a>(names: impl Iterator<Item = &'a String>) -> BTreeSet<String> {
    names.cloned().collect()
}

/// The index after the renames of its columns; `None` if it must be made anew, since its condition
/// may name one of them.
fn renamed(index: &Index, renames: &[(String, String)]) -> Option<Index> {
    if index.filter.is_some() && !renames.is_empty() {
        return None;
    }
    let mut index = index.clone();
    for column in &mut index.columns {
        for (from, to) in renames {
            if column == from {
                *column = to.clone();
            }
        }
    }
    Some(index)
}

/// The same to the database and to later migrations: the order of a select's values is not.
fn same(left: &Field, right: &Field) -> bool {
    let sorted = |field: &Field| {
        let mut values = values(field).to_vec();
        values.sort();
        values
    };
    let kinds = match (&left.kind, &right.kind) {
        (Kind::Select { many: a, .. }, Kind::Select { many: b, .. }) => {
            a == b && sorted(left) == sorted(right)
        }
        (a, b) => a == b,
    };
    kinds && left.nullable == right.nullable && left.default == right.default
}
