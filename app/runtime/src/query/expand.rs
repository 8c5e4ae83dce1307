//! The `expand` parameter: related records inside the answer, read by one query for each
//! relation and level, under the view rules of their collections.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::slice;
use std::sync::Arc;

use diesel::QueryResult;

use crate::access::sight;
use crate::collection::Record;
use crate::error::ApiError;
use crate::meta::{CollectionMeta, FieldKind};
use crate::registry::{Action, Entry, Registry, RuleState};
use crate::request::RequestInfo;
use crate::rules::Context;
use crate::sql::{Conn, Form};
use crate::value::{List, ValueRef};
use crate::wire::{self, Sight, Writer};

/// Levels that are expanded; what a longer path says beyond is ignored.
const MAX_DEPTH: usize = 6;
/// Records on the other side of a back-relation, for each record.
const MAX_BACK: usize = 1000;
/// Relations in one tree, under whatever names: each costs a query.
const MAX_RELATIONS: usize = 100;
/// Records that are read for one answer, by all relations together.
const MAX_RECORDS: usize = 100_000;
/// Records of one back-relation that are read by one query for all records that have it.
const AT_ONCE: usize = 10_000;
/// Records that one query asks for their back-relation: the condition grows with each, and SQLite
/// bounds how deep it may be.
const OWNERS_AT_ONCE: usize = 250;
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

    /// Is nothing wanted?
    pub fn is_empty(&self) -> bool {
        self.children.is_empty()
    }
}

/// Everything that was expanded for the records of one answer.
#[derive(Default)]
pub struct Expanded {
    relations: Vec<Expansion>,
    /// Bytes that may still be written.
    left: Cell<usize>,
    /// Was something left out because there was too much?
    cut: Cell<bool>,
}

/// One relation of one level, read.
struct Expansion {
    /// The key inside `expand`.
    key: String,
    entry: Arc<Entry>,
    /// An array, or one object?
    many: bool,
    /// The ids of the related records, by the id of the record that has the relation.
    related: HashMap<String, Vec<String>>,
    records: HashMap<String, (Box<dyn Record>, Sight)>,
    below: Vec<Expansion>,
}

/// A relation as a path segment names it.
struct Relation<'a> {
    entry: &'a Arc<Entry>,
    many: bool,
    /// The relation field: of the record itself, or of the other side for a back-relation.
    field: usize,
    back: bool,
}

/// The ids of the related records, by the id of the record that has the relation; and the records.
type Related = (HashMap<String, Vec<String>>, Vec<Box<dyn Record>>);

/// Reads what the tree wants for these records. Relations that don't exist or that the caller may
/// not follow are left out.
pub fn expand(
    conn: &mut Conn,
    registry: &Registry,
    request: &RequestInfo,
    meta: &CollectionMeta,
    records: &[&dyn Record],
    tree: &ExpandTree,
) -> QueryResult<Expanded> {
    if tree.is_empty() {
        return Ok(Expanded::default());
    }
    let expander = Expander {
        registry,
        request: RequestInfo {
            context: "expand",
            ..request.clone()
        },
        left: Cell::new(MAX_RECORDS),
        cut: Cell::new(false),
    };
    let relations = expander.expand(conn, meta, records, tree)?;
    Ok(Expanded {
        relations,
        left: Cell::new(MAX_BYTES),
        cut: expander.cut,
    })
}

/// What is behind a back-relation, as far as it is read.
#[derive(Default)]
struct Back {
    related: HashMap<String, Vec<String>>,
    found: BTreeMap<String, Box<dyn Record>>,
}

/// What expansions are read with.
struct Expander<'a> {
    registry: &'a Registry,
    /// The request with `@request.context` set to `expand`.
    request: RequestInfo,
    /// Records that may still be read.
    left: Cell<usize>,
    /// Was something left out because there was too much?
    cut: Cell<bool>,
}

impl Expander<'_> {
    fn expand(
        &self,
        conn: &mut Conn,
        meta: &CollectionMeta,
        records: &[&dyn Record],
        tree: &ExpandTree,
    ) -> QueryResult<Vec<Expansion>> {
        let mut expansions = Vec::new();
        for (name, below) in &tree.children {
            if let Some(expansion) = self.expand_one(conn, meta, records, name, below)? {
                expansions.push(expansion);
            }
        }
        Ok(expansions)
    }

    fn expand_one(
        &self,
        conn: &mut Conn,
        meta: &CollectionMeta,
        records: &[&dyn Record],
        name: &str,
        below: &ExpandTree,
    ) -> QueryResult<Option<Expansion>> {
        let Some(relation) = self.relation(meta, name) else {
            return Ok(None);
        };
        if self.left.get() == 0 {
            self.cut.set(true);
            return Ok(None);
        }
        let locked = relation.entry.rule_state(Action::View) == RuleState::Locked;
        if locked && !self.request.is_superuser() {
            return Ok(None);
        }
        let (related, found) = if relation.back {
            self.load_back(conn, records, &relation)?
        } else {
            self.load_forward(conn, records, &relation)?
        };
        self.left.set(self.left.get().saturating_sub(found.len()));
        let below = if below.is_empty() || found.is_empty() {
            Vec::new()
        } else {
            let found: Vec<&dyn Record> = found.iter().map(AsRef::as_ref).collect();
            let expansions = self.expand(conn, relation.entry.meta(), &found, below)?;
            if expansions.is_empty() {
                return Ok(None);
            }
            expansions
        };
        let mut records = HashMap::with_capacity(found.len());
        for record in found {
            let sight = sight(conn, relation.entry, &self.request, record.as_ref(), true)?;
            records.insert(record.id().to_owned(), (record, sight));
        }
        let (key, many) = (name.to_owned(), relation.many);
        let entry = Arc::clone(relation.entry);
        Ok(Some(Expansion {
            key,
            entry,
            many,
            related,
            records,
            below,
        }))
    }

    fn context(&self, form: Form) -> Context<'_> {
        Context {
            request: &self.request,
            form,
        }
    }

    fn load_forward(
        &self,
        conn: &mut Conn,
        records: &[&dyn Record],
        relation: &Relation<'_>,
    ) -> QueryResult<Related> {
        let mut related = HashMap::with_capacity(records.len());
        let mut wanted = BTreeSet::new();
        for record in records {
            let ids = ids(record.get(relation.field));
            wanted.extend(ids.iter().cloned());
            related.insert(record.id().to_owned(), ids);
        }
        let left = self.left.get();
        self.cut.set(self.cut.get() || wanted.len() > left);
        let wanted: Vec<String> = wanted.into_iter().take(left).collect();
        let context = self.context(Form::Exists);
        let found = relation.entry.load_visible(conn, &context, &wanted)?;
        Ok((related, found))
    }

    fn load_back(
        &self,
        conn: &mut Conn,
        records: &[&dyn Record],
        relation: &Relation<'_>,
    ) -> QueryResult<Related> {
        let owners: BTreeSet<&str> = records.iter().map(|record| record.id()).collect();
        let owners: Vec<String> = owners.into_iter().map(str::to_owned).collect();
        let mut back = Back::default();
        for owners in owners.chunks(OWNERS_AT_ONCE) {
            let all =
                owners.len() > 1 && self.load_back_at_once(conn, owners, relation, &mut back)?;
            if !all {
                self.load_back_one_by_one(conn, owners, relation, &mut back)?;
            }
        }
        Ok((back.related, back.found.into_values().collect()))
    }

    /// False if there are so many that each record must be asked for its own.
    fn load_back_at_once(
        &self,
        conn: &mut Conn,
        owners: &[String],
        relation: &Relation<'_>,
        back: &mut Back,
    ) -> QueryResult<bool> {
        let most = AT_ONCE.min(self.left_beside(back));
        let found = self.referencing(conn, relation, owners, most)?;
        if found.len() >= most {
            return Ok(false);
        }
        let owners: HashSet<&str> = owners.iter().map(String::as_str).collect();
        for record in found {
            let mut listed = false;
            for owner in ids(record.get(relation.field)) {
                if !owners.contains(owner.as_str()) {
                    continue;
                }
                let list = back.related.entry(owner).or_default();
                if list.len() < MAX_BACK {
                    list.push(record.id().to_owned());
                    listed = true;
                }
            }
            if listed {
                back.found.insert(record.id().to_owned(), record);
            }
        }
        Ok(true)
    }

    fn load_back_one_by_one(
        &self,
        conn: &mut Conn,
        owners: &[String],
        relation: &Relation<'_>,
        back: &mut Back,
    ) -> QueryResult<()> {
        for owner in owners {
            let most = MAX_BACK.min(self.left_beside(back));
            if most == 0 {
                self.cut.set(true);
                break;
            }
            let records = self.referencing(conn, relation, slice::from_ref(owner), most)?;
            if most < MAX_BACK && records.len() == most {
                // The peer would show more.
                self.cut.set(true);
            }
            let list = back.related.entry(owner.clone()).or_default();
            for record in records {
                list.push(record.id().to_owned());
                back.found.insert(record.id().to_owned(), record);
            }
        }
        Ok(())
    }

    /// How many records may still be read, besides these.
    fn left_beside(&self, back: &Back) -> usize {
        self.left.get().saturating_sub(back.found.len())
    }

    fn referencing(
        &self,
        conn: &mut Conn,
        relation: &Relation<'_>,
        targets: &[String],
        most: usize,
    ) -> QueryResult<Vec<Box<dyn Record>>> {
        let (context, field) = (self.context(Form::In), relation.field);
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        relation
            .entry
            .load_referencing_visible(conn, &context, field, targets, most)
    }

    fn relation(&self, meta: &CollectionMeta, name: &str) -> Option<Relation<'_>> {
        if let Some(place) = meta.field_index(name) {
            let field = meta.field(place)?;
            let FieldKind::Relation { collection, .. } = &field.kind else {
                return None;
            };
            let entry = self.registry.find(collection)?;
            let many = field.kind.is_many();
            return Some(Relation {
                entry,
                many,
                field: place,
                back: false,
            });
        }
        let legacy = || name.strip_suffix(')').and_then(|name| name.split_once('('));
        let (collection, field) = name.split_once("_via_").or_else(legacy)?;
        let entry = self.registry.find(collection)?;
        let other = entry.meta();
        let place = other.field_index(field)?;
        let FieldKind::Relation { collection, .. } = &other.field(place)?.kind else {
            return None;
        };
        if *collection != meta.name {
            return None;
        }
        let many = !other.unique.iter().any(|index| index.fields == [place]);
        Some(Relation {
            entry,
            many,
            field: place,
            back: true,
        })
    }
}

/// The ids in a relation.
fn ids(value: ValueRef<'_>) -> Vec<String> {
    match value {
        ValueRef::Text(id) if !id.is_empty() => vec![id.to_owned()],
        ValueRef::List(json) => List(json.to_owned()).items(),
        _ => Vec::new(),
    }
}

impl Expanded {
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

    fn write_relations(&self, out: &mut Vec<u8>, record: &dyn Record, relations: &[Expansion]) {
        out.push(b'{');
        let start = out.len();
        for expansion in relations {
            let ids = expansion.related.get(record.id());
            let ids = ids.map_or(&[][..], Vec::as_slice);
            let mut found = ids
                .iter()
                .filter_map(|id| expansion.records.get(id))
                .peekable();
            if found.peek().is_none() {
                continue;
            }
            if out.len() > start {
                out.push(b',');
            }
            wire::write_text(out, &expansion.key);
            out.push(b':');
            if !expansion.many {
                if let Some((record, sight)) = found.next() {
                    self.write_related(out, expansion, record.as_ref(), *sight);
                }
                continue;
            }
            out.push(b'[');
            for (place, (record, sight)) in found.enumerate() {
                if self.left.get() == 0 {
                    break;
                }
                if place > 0 {
                    out.push(b',');
                }
                self.write_related(out, expansion, record.as_ref(), *sight);
            }
            out.push(b']');
        }
        out.push(b'}');
    }

    fn write_related(
        &self,
        out: &mut Vec<u8>,
        expansion: &Expansion,
        record: &dyn Record,
        sight: Sight,
    ) {
        let (start, left) = (out.len(), self.left.get());
        let below = |out: &mut Vec<u8>| self.write_relations(out, record, &expansion.below);
        // Once there is too much, records are written without what lies below them.
        let below: Option<Writer<'_>> = if expansion.below.is_empty() || left == 0 {
            None
        } else {
            Some(&below)
        };
        expansion.entry.shape.write(out, record, sight, below, None);
        // What lies below has taken its own share from `left`, and is among these bytes.
        let written = out.len() - start;
        self.cut.set(self.cut.get() || written > left);
        self.left.set(left.saturating_sub(written));
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
