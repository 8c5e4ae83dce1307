//! The `expand` parameter: related records inside the answer, read by one query for each
//! relation and level, under the view rules of their collections.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use diesel::QueryResult;

use crate::access::sight;
use crate::collection::Record;
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

/// The wanted relations as a tree: a path that continues another is merged into it.
#[derive(Debug, Default, PartialEq)]
pub struct ExpandTree {
    children: BTreeMap<String, ExpandTree>,
}

impl ExpandTree {
    /// Parses the parameter. Anything can be said here; what fits nothing expands nothing.
    pub fn parse(text: &str) -> Self {
        let mut root = ExpandTree::default();
        for path in text.split(',') {
            let path = path.replace(' ', "");
            let mut node = &mut root;
            let names = path.trim_matches('.').split('.').take(MAX_DEPTH);
            for name in names.take_while(|name| !name.is_empty()) {
                node = node.children.entry(name.to_owned()).or_default();
            }
        }
        root
    }

    /// Is nothing wanted?
    pub fn is_empty(&self) -> bool {
        self.children.is_empty()
    }
}

/// One relation of one level, read.
pub struct Expansion {
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

/// What expansions are read with.
pub struct Expander<'a> {
    /// All collections.
    pub registry: &'a Registry,
    /// The request with `@request.context` set to `expand`.
    request: RequestInfo,
}

impl<'a> Expander<'a> {
    /// An expander for one request.
    pub fn new(registry: &'a Registry, request: &RequestInfo) -> Self {
        let request = RequestInfo {
            context: "expand",
            ..request.clone()
        };
        Expander { registry, request }
    }

    /// Reads what the tree wants for these records. Relations that don't exist or that the
    /// caller may not follow are left out.
    pub fn expand(
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
        let locked = relation.entry.rule_state(Action::View) == RuleState::Locked;
        if locked && !self.request.is_superuser() {
            return Ok(None);
        }
        let (related, found) = if relation.back {
            self.load_back(conn, records, &relation)?
        } else {
            self.load_forward(conn, records, &relation)?
        };
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
            let sight = sight(conn, relation.entry, &self.request, record.as_ref())?;
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
        let wanted: Vec<String> = wanted.into_iter().collect();
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
        let targets: Vec<String> = owners.iter().map(|&id| id.to_owned()).collect();
        let context = self.context(Form::In);
        let found =
            relation
                .entry
                .load_referencing_visible(conn, &context, relation.field, &targets)?;
        let mut related: HashMap<String, Vec<String>> = HashMap::new();
        for record in &found {
            for owner in ids(record.get(relation.field)) {
                if owners.contains(owner.as_str()) {
                    let list = related.entry(owner).or_default();
                    if list.len() < MAX_BACK {
                        list.push(record.id().to_owned());
                    }
                }
            }
        }
        Ok((related, found))
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

/// Appends the value of a record's `expand` key.
pub fn write(out: &mut Vec<u8>, record: &dyn Record, expansions: &[Expansion]) {
    out.push(b'{');
    let start = out.len();
    for expansion in expansions {
        let ids = expansion
            .related
            .get(record.id())
            .map_or(&[][..], Vec::as_slice);
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
                write_related(out, expansion, record.as_ref(), *sight);
            }
            continue;
        }
        out.push(b'[');
        for (place, (record, sight)) in found.enumerate() {
            if place > 0 {
                out.push(b',');
            }
            write_related(out, expansion, record.as_ref(), *sight);
        }
        out.push(b']');
    }
    out.push(b'}');
}

fn write_related(out: &mut Vec<u8>, expansion: &Expansion, record: &dyn Record, sight: Sight) {
    let below = |out: &mut Vec<u8>| write(out, record, &expansion.below);
    let below: Option<Writer<'_>> = if expansion.below.is_empty() {
        None
    } else {
        Some(&below)
    };
    expansion.entry.shape.write(out, record, sight, below, None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_merge() {
        let tree = ExpandTree::parse(" a, a.b ,.c.d.,,a.e");
        let names: Vec<&str> = tree.children.keys().map(String::as_str).collect();
        assert_eq!(names, ["a", "c"]);
        assert_eq!(tree.children.get("a").map(|a| a.children.len()), Some(2));
        assert!(ExpandTree::parse(" , . ").is_empty());
    }

    #[test]
    fn paths_end_after_six() {
        let mut node = &ExpandTree::parse("a.a.a.a.a.a.a.a");
        let mut depth = 0;
        while let Some(child) = node.children.get("a") {
            node = child;
            depth += 1;
        }
        assert_eq!(depth, 6);
    }
}
