//! Reads what is to be expanded: one query for each relation and level, as long as there isn't too
//! much behind a back-relation, and never more than an answer may hold.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::slice;
use std::sync::Arc;

use diesel::QueryResult;

use super::{ExpandTree, Expanded, Expansion, MAX_BYTES, Pick};
use crate::access::{self, fields, sights};
use crate::collection::Record;
use crate::meta::{CollectionMeta, FieldKind, FieldMeta};
use crate::query::picker::Picker;
use crate::registry::{Action, Entry, Registry, RuleState};
use crate::request::RequestInfo;
use crate::rules::Context;
use crate::sql::{Conn, Form};
use crate::wire::layout::{Layout, Texts, Written};

/// Records on the other side of a back-relation, for each record.
const MAX_BACK: usize = 1000;
/// Records that are read for one answer, by all relations together.
const MAX_RECORDS: usize = 100_000;
/// Records of one back-relation that are read by one query for all records that have it.
const AT_ONCE: usize = 10_000;
/// Records that one query asks for their back-relation: the condition grows with each, and SQLite
/// bounds how deep it may be.
const OWNERS_AT_ONCE: usize = 250;

/// A relation as a path segment names it.
struct Relation<'a> {
    entry: &'a Arc<Entry>,
    many: bool,
    /// The relation field: of the record itself, or of the other side for a back-relation.
    field: usize,
    back: bool,
}

/// The ids of the related records, by the id of the record that has the relation.
type Ids = HashMap<String, Vec<String>>;

/// The same, and the records.
type Related = (Ids, Vec<Box<dyn Record>>);

/// Reads what the tree wants for these records. Relations that don't exist or that the caller may
/// not follow are left out. `picker`: what is wanted of the records themselves.
pub fn expand<'p>(
    conn: &mut Conn,
    registry: &Registry,
    request: &RequestInfo,
    entry: &Entry,
    records: &[&dyn Record],
    tree: &ExpandTree,
    picker: Option<&'p Picker>,
) -> QueryResult<Expanded<'p>> {
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
    let level = Level {
        request,
        entry,
        records,
    };
    let relations = expander.expand(conn, &level, tree, Pick::Keys(picker))?;
    Ok(Expanded {
        relations,
        left: Cell::new(MAX_BYTES),
        cut: expander.cut,
    })
}

/// The records whose relations are expanded.
struct Level<'a> {
    /// The request, as the rules of their fields see it.
    request: &'a RequestInfo,
    entry: &'a Entry,
    records: &'a [&'a dyn Record],
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
    fn expand<'p>(
        &self,
        conn: &mut Conn,
        level: &Level<'_>,
        tree: &ExpandTree,
        pick: Pick<'p>,
    ) -> QueryResult<Vec<Expansion<'p>>> {
        let mut expansions = Vec::new();
        for (name, below) in &tree.children {
            if let Some(expansion) =
                self.expand_one(conn, level, (name, below), pick.of_relation(name))?
            {
                expansions.push(expansion);
            }
        }
        Ok(expansions)
    }

    fn expand_one<'p>(
        &self,
        conn: &mut Conn,
        level: &Level<'_>,
        (name, below): (&str, &ExpandTree),
        pick: Pick<'p>,
    ) -> QueryResult<Option<Expansion<'p>>> {
        let Some(relation) = self.relation(level.entry.meta(), name) else {
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
        if below.is_empty()
            && !relation.back
            && let Some(layout) = access::layout(relation.entry, &self.request, pick.picker())
        {
            let layout = layout.with_ids();
            let (related, written) = self.write_leaves(conn, level, &relation, &layout)?;
            return Ok(Some(Expansion {
                key: name.to_owned(),
                entry: Arc::clone(relation.entry),
                pick,
                many: relation.many,
                related,
                records: HashMap::new(),
                written,
                below: Vec::new(),
            }));
        }
        let (related, found) = if relation.back {
            self.load_back(conn, level.records, &relation)?
        } else {
            let (related, wanted) = self.targets(conn, level, &relation)?;
            let context = self.context(Form::Exists);
            (
                related,
                relation.entry.load_visible(conn, &context, &wanted)?,
            )
        };
        self.left.set(self.left.get().saturating_sub(found.len()));
        let below = if below.is_empty() || found.is_empty() {
            Vec::new()
        } else {
            let found: Vec<&dyn Record> = found.iter().map(AsRef::as_ref).collect();
            let level = Level {
                request: &self.request,
                entry: relation.entry,
                records: &found,
            };
            let expansions = self.expand(conn, &level, below, pick)?;
            if expansions.is_empty() {
                return Ok(None);
            }
            expansions
        };
        let seen: Vec<&dyn Record> = found.iter().map(AsRef::as_ref).collect();
        let wants = |name: &str| pick.picker().is_none_or(|picker| picker.wants(name));
        let sights = sights(conn, relation.entry, &self.request, &seen, &wants)?;
        let mut records = HashMap::with_capacity(found.len());
        for (record, sight) in found.into_iter().zip(sights) {
            records.insert(record.id().to_owned(), (record, sight));
        }
        Ok(Some(Expansion {
            key: name.to_owned(),
            entry: Arc::clone(relation.entry),
            pick,
            many: relation.many,
            related,
            records,
            written: Written::default(),
            below,
        }))
    }

    /// Related records that have nothing below them are written as they are read.
    fn write_leaves(
        &self,
        conn: &mut Conn,
        level: &Level<'_>,
        relation: &Relation<'_>,
        layout: &Layout<'_>,
    ) -> QueryResult<(Ids, Written)> {
        let (related, wanted) = self.targets(conn, level, relation)?;
        let mut texts = Texts::new(layout);
        let context = self.context(Form::Exists);
        let entry = relation.entry;
        entry.write_visible(conn, &context, &wanted, &mut texts)?;
        let written = texts.finish();
        self.left.set(self.left.get().saturating_sub(written.len()));
        Ok((related, written))
    }

    fn context(&self, form: Form) -> Context<'_> {
        Context {
            request: &self.request,
            form,
        }
    }

    /// The ids that the records name, by the id of each, and those to be read.
    fn targets(
        &self,
        conn: &mut Conn,
        level: &Level<'_>,
        relation: &Relation<'_>,
    ) -> QueryResult<(Ids, Vec<String>)> {
        // Of which records may the relation itself be read? `None` stands for all.
        let (entry, records) = (level.entry, level.records);
        let readable = fields::of_which(conn, entry, level.request, records, relation.field)?;
        let mut related = HashMap::with_capacity(level.records.len());
        let mut wanted = BTreeSet::new();
        for (at, record) in level.records.iter().enumerate() {
            if readable
                .as_ref()
                .is_some_and(|all| all.get(at) != Some(&true))
            {
                continue;
            }
            let ids = record.get(relation.field).items();
            wanted.extend(ids.iter().cloned());
            related.insert(record.id().to_owned(), ids);
        }
        let left = self.left.get();
        self.cut.set(self.cut.get() || wanted.len() > left);
        Ok((related, wanted.into_iter().take(left).collect()))
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
            for owner in record.get(relation.field).items() {
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

    /// To others than superusers a hidden relation is none: what it leads to would show it.
    fn knows(&self, field: &FieldMeta) -> bool {
        !field.hidden || self.request.is_superuser()
    }

    fn relation(&self, meta: &CollectionMeta, name: &str) -> Option<Relation<'_>> {
        if let Some(place) = meta.field_index(name) {
            let field = meta.field(place).filter(|field| self.knows(field))?;
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
        let field = other.field(place).filter(|field| self.knows(field))?;
        let FieldKind::Relation { collection, .. } = &field.kind else {
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
