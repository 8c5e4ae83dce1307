//! What one client has written: its own records, as the server must show them.

use std::collections::{BTreeMap, BTreeSet};

/// A record of `things`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Thing {
    pub text: String,
    pub n: i64,
    pub one: String,
    pub many: Vec<String>,
}

/// A record of `notes`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Note {
    pub title: String,
    pub revision: i64,
    pub owner: String,
    pub parent: String,
    /// Entries that hooks made for it in the journal.
    pub entries: i64,
}

/// All records of one writer. Nobody else writes them, or refers to them.
#[derive(Debug, Default)]
pub struct Model {
    pub things: BTreeMap<String, Thing>,
    pub notes: BTreeMap<String, Note>,
    /// The parent of each tree, or an empty text.
    pub trees: BTreeMap<String, String>,
    pub gone: BTreeSet<String>,
}

impl Model {
    /// Takes a thing out, and out of what refers to it.
    pub fn remove_thing(&mut self, id: &str) {
        self.things.remove(id);
        for thing in self.things.values_mut() {
            thing.many.retain(|other| other != id);
            if thing.one == id {
                thing.one.clear();
            }
        }
        self.gone.insert(id.to_owned());
    }

    /// Takes a note out, and all that hang on it.
    pub fn remove_note(&mut self, id: &str) {
        let parents = self.notes.iter().map(|(id, note)| (id, &note.parent));
        for id in below(parents, id) {
            self.notes.remove(&id);
            self.gone.insert(id);
        }
    }

    /// Takes a tree out, and all that hang on it.
    pub fn remove_tree(&mut self, id: &str) {
        for id in below(self.trees.iter(), id) {
            self.trees.remove(&id);
            self.gone.insert(id);
        }
    }
}

/// A record and all below it.
fn below<'a>(
    parents: impl Iterator<Item = (&'a String, &'a String)> + Clone,
    id: &str,
) -> BTreeSet<String> {
    let mut found = BTreeSet::from([id.to_owned()]);
    loop {
        let next = parents
            .clone()
            .filter(|(_, parent)| found.contains(*parent));
        let next: Vec<String> = next.map(|(id, _)| id.clone()).collect();
        let before = found.len();
        found.extend(next);
        if found.len() == before {
            return found;
        }
    }
}
