//! The `expand` parameter: related records inside the answer, under the view rules of their
//! collections.

mod read;

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

pub use self::read::expand;
use super::picker::{Picked, Picker};
use crate::collection::Record;
use crate::error::ApiError;
use crate::registry::Entry;
use crate::wire::layout::Written;
use crate::wire::{self, Sight, Writer};

/// Levels that are expanded; what a longer path says beyond is ignored.
const MAX_DEPTH: usize = 6;
/// Relations in one tree, under whatever names: each costs a query.
const MAX_RELATIONS: usize = 100;
/// Bytes of all expanded records of one answer. A record that many others lead to is written for
/// each of them, so answers can grow far beyond what was read.
const MAX_BYTES: usize = 64 << 20;

/// The wanted relations as a tree: a path that continues another is merged into it.
#[derive(Debug, Default, PartialEq)]
pub struct ExpandTree {
    children: BTreeMap<String, ExpandTree>,
}

impl ExpandTree {
    /// Parses the parameter. Anything can be said here; what fits nothing expands nothing.
    /// 400 if there are too many relations.
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        let mut root = ExpandTree::default();
        let mut left = MAX_RELATIONS;
        for path in text.split(',') {
            let path = path.replace(' ', "");
            let mut node = &mut root;
            let names = path.trim_matches('.').split('.').take(MAX_DEPTH);
            for name in names.take_while(|name| !name.is_empty()) {
                if !node.children.contains_key(name) {
                    let too_many = || ApiError::new(400, "The expand parameter names too much.");
                    left = left.checked_sub(1).ok_or_else(too_many)?;
                }
                node = node.children.entry(name.to_owned()).or_default();
            }
        }
        Ok(root)
    }

    /// The relations of the first level, with what is wanted below each.
    pub fn children(&self) -> impl Iterator<Item = (&str, &ExpandTree)> {
        let children = self.children.iter();
        children.map(|(name, below)| (name.as_str(), below))
    }

    /// Is nothing wanted?
    pub fn is_empty(&self) -> bool {
        self.children.is_empty()
    }
}

/// What of a relation's records is wanted.
#[derive(Clone, Copy)]
enum Pick<'p> {
    Nothing,
    /// `None`: all of it.
    Keys(Option<&'p Picker>),
}

impl<'p> Pick<'p> {
    /// What is wanted below a key of what is wanted.
    fn below(picker: Option<&'p Picker>, key: &str) -> Self {
        match picker.map(|picker| picker.pick(key)) {
            None | Some(Picked::Whole) => Pick::Keys(None),
            Some(Picked::Nothing) => Pick::Nothing,
            Some(Picked::Part(part)) => Pick::Keys(part.below()),
        }
    }

    /// What is wanted of a relation of these records.
    fn of_relation(self, name: &str) -> Self {
        match self
            .picker()
            .map(|picker| Pick::below(Some(picker), "expand"))
        {
            None => self,
            Some(Pick::Nothing) => Pick::Nothing,
            Some(Pick::Keys(picker)) => Pick::below(picker, name),
        }
    }

    fn picker(self) -> Option<&'p Picker> {
        match self {
            Pick::Nothing => None,
            Pick::Keys(picker) => picker,
        }
    }
}

/// A related record.
#[derive(Clone, Copy)]
enum Found<'a> {
    Record(&'a dyn Record, Sight),
    Written(&'a [u8]),
}

impl Expansion<'_> {
    fn find(&self, id: &str) -> Option<Found<'_>> {
        if let Some(text) = self.written.find(id) {
            return Some(Found::Written(text));
        }
        let (record, sight) = self.records.get(id)?;
        Some(Found::Record(record.as_ref(), *sight))
    }
}

/// Everything that was expanded for the records of one answer.
#[derive(Default)]
pub struct Expanded<'p> {
    relations: Vec<Expansion<'p>>,
    /// Bytes that may still be written.
    left: Cell<usize>,
    /// Was something left out because there was too much?
    cut: Cell<bool>,
}

/// One relation of one level, read.
struct Expansion<'p> {
    /// The key inside `expand`.
    key: String,
    entry: Arc<Entry>,
    /// Is it wanted, and which keys of its records?
    pick: Pick<'p>,
    /// An array, or one object?
    many: bool,
    /// The ids of the related records, by the id of the record that has the relation.
    related: HashMap<String, Vec<String>>,
    records: HashMap<String, (Box<dyn Record>, Sight)>,
    /// Those that were written when they were read, since nothing is below them.
    written: Written,
    below: Vec<Expansion<'p>>,
}

impl Expanded<'_> {
    /// Was nothing expanded?
    pub fn is_empty(&self) -> bool {
        self.relations.is_empty()
    }

    /// Appends the value of a record's `expand` key.
    pub fn write(&self, out: &mut Vec<u8>, record: &dyn Record) {
        self.write_relations(out, record, &self.relations);
    }

    /// Was all of it read and written? 400 if not. To be asked after the last record.
    pub fn check_whole(&self) -> Result<(), ApiError> {
        if self.cut.get() {
            return Err(ApiError::new(400, "The expanded answer is too large."));
        }
        Ok(())
    }

    fn write_relations(&self, out: &mut Vec<u8>, record: &dyn Record, relations: &[Expansion<'_>]) {
        out.push(b'{');
        let start = out.len();
        for expansion in relations {
            if matches!(expansion.pick, Pick::Nothing) {
                continue;
            }
            let ids = expansion.related.get(record.id());
            let ids = ids.map_or(&[][..], Vec::as_slice);
            let mut found = ids.iter().filter_map(|id| expansion.find(id)).peekable();
            if found.peek().is_none() {
                continue;
            }
            if out.len() > start {
                out.push(b',');
            }
            wire::write_text(out, &expansion.key);
            out.push(b':');
            if !expansion.many {
                if let Some(found) = found.next() {
                    self.write_related(out, expansion, found);
                }
                continue;
            }
            out.push(b'[');
            for (place, found) in found.enumerate() {
                if self.is_full() {
                    break;
                }
                if place > 0 {
                    out.push(b',');
                }
                self.write_related(out, expansion, found);
            }
            out.push(b']');
        }
        out.push(b'}');
    }

    /// May no more be written? To be asked when there is more.
    fn is_full(&self) -> bool {
        let full = self.left.get() == 0;
        self.cut.set(self.cut.get() || full);
        full
    }

    fn write_related(&self, out: &mut Vec<u8>, expansion: &Expansion<'_>, found: Found<'_>) {
        let (start, left) = (out.len(), self.left.get());
        match found {
            Found::Written(text) => out.extend_from_slice(text),
            Found::Record(record, sight) => self.write_record(out, expansion, record, sight),
        }
        // What lies below has taken its own share from `left`, and is among these bytes.
        let written = out.len() - start;
        self.cut.set(self.cut.get() || written > left);
        self.left.set(left.saturating_sub(written));
    }

    fn write_record(
        &self,
        out: &mut Vec<u8>,
        expansion: &Expansion<'_>,
        record: &dyn Record,
        sight: Sight,
    ) {
        let picker = expansion.pick.picker();
        let below = |out: &mut Vec<u8>| self.write_relations(out, record, &expansion.below);
        // Once there is too much, records are written without what lies below them.
        let below: Option<Writer<'_>> = if expansion.below.is_empty() || self.is_full() {
            None
        } else {
            Some(&below)
        };
        expansion
            .entry
            .shape
            .write(out, record, sight, below, picker);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn paths_merge() {
        let tree = ExpandTree::parse(" a, a.b ,.c.d.,,a.e").unwrap();
        let names: Vec<&str> = tree.children.keys().map(String::as_str).collect();
        assert_eq!(names, ["a", "c"]);
        assert_eq!(tree.children.get("a").map(|a| a.children.len()), Some(2));
        assert!(ExpandTree::parse(" , . ").unwrap().is_empty());
    }

    #[test]
    fn relations_are_counted() {
        let many = |count: usize| {
            (0..count)
                .map(|name| format!("a.{name},"))
                .collect::<String>()
        };
        assert!(ExpandTree::parse(&many(MAX_RELATIONS - 1)).is_ok());
        assert!(ExpandTree::parse(&many(MAX_RELATIONS)).is_err());
        assert!(ExpandTree::parse(&"a.b,".repeat(10_000)).is_ok());
    }

    #[test]
    fn paths_end_after_six() {
        let mut node = &ExpandTree::parse("a.a.a.a.a.a.a.a").unwrap();
        let mut depth = 0;
        while let Some(child) = node.children.get("a") {
            node = child;
            depth += 1;
        }
        assert_eq!(depth, 6);
    }
}
