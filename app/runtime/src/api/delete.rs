//! `DELETE …/records/ID`: a record, and what can't be without it.

use std::collections::HashSet;
use std::sync::Arc;

use basalt_lang::schema::CollectionId;
use diesel::result::Error as DbError;

use super::write::{self, Moment};
use super::{Reply, Shared, check_lock};
use crate::auth::guard::SUPERUSERS;
use crate::collection::Record;
use crate::error::ApiError;
use crate::field::cast;
use crate::hooks::HookContext;
use crate::meta::{FieldKind, FieldMeta};
use crate::registry::{Action, Entry, Event, Registry};
use crate::request::RequestInfo;
use crate::rules::Context;
use crate::sql::{Conn, Form};
use crate::storage::Extent;
use crate::value::{Value, ValueRef};

/// Answers a delete.
pub async fn delete(
    app: &Shared,
    entry: Arc<Entry>,
    info: RequestInfo,
    id: String,
) -> Result<Reply, ApiError> {
    check_lock(&entry, &info, Action::Delete)?;
    let registry = app.registry.clone();
    let extent = extent(&registry, &entry);
    let job = move |conn: &mut Conn| {
        let context = Context {
            request: &info,
            form: Form::Exists,
        };
        let record = entry.find_allowed(conn, &context, Action::Delete, &id);
        let record = record
            .map_err(ApiError::internal)?
            .ok_or_else(ApiError::not_found)?;
        if entry.meta().name == SUPERUSERS
            && entry
                .count_all_unchecked(conn)
                .map_err(ApiError::internal)?
                < 2
        {
            return Err(ApiError::new(
                400,
                "You can't delete the only existing superuser.",
            ));
        }
        Cascade {
            registry: &registry,
            info: &info,
        }
        .delete(conn, &entry, record)
    };
    app.db.write_extent(extent, job).await?;
    Ok(Reply::no_content())
}

/// A record goes by one statement unless others refer to it or the application has code of its own.
fn extent(registry: &Registry, entry: &Entry) -> Extent {
    match entry.has_hooks() || references(registry, entry.meta().name).next().is_some() {
        true => Extent::Any,
        false => Extent::Statement,
    }
}

/// The deletion of a record with everything that follows from it. Nothing recurses, so chains and
/// cycles of any length are safe. Records that nobody looks at one by one are deleted together.
struct Cascade<'a> {
    registry: &'a Registry,
    info: &'a RequestInfo,
}

/// Records by collection and id.
type Known = HashSet<(CollectionId, String)>;

/// Ids that are bound to one statement at most.
const TOGETHER: usize = 1000;

/// The same for multiple relations, which take a condition for each id.
const FEW: usize = 50;

/// What goes.
enum Doomed {
    /// A record that hooks are to see.
    Record(Arc<Entry>, Box<dyn Record>),
    /// The records with these ids.
    Rows(Arc<Entry>, Vec<String>),
    /// All whose relation is to one of these records; nothing refers to them.
    Referring(Arc<Entry>, usize, Vec<String>),
}

/// A relation to records that go.
struct Reference<'r> {
    entry: &'r Arc<Entry>,
    place: usize,
    field: &'static FieldMeta,
    /// Do records go that are left without a target?
    cascades: bool,
}

/// The relations to a collection.
fn references<'r>(
    registry: &'r Registry,
    target: &'static str,
) -> impl Iterator<Item = Reference<'r>> {
    registry.entries().iter().flat_map(move |entry| {
        let fields = entry.meta().fields.iter().enumerate();
        fields.filter_map(move |(place, field)| match field.kind {
            FieldKind::Relation {
                collection,
                cascade_delete,
                ..
            } if collection == target => Some(Reference {
                entry,
                place,
                field,
                cascades: cascade_delete,
            }),
            _ => None,
        })
    })
}

fn blocked() -> ApiError {
    let message = "Failed to delete record. Make sure that the record is not part of a required \
                   relation reference.";
    ApiError::new(400, message)
}

impl Cascade<'_> {
    fn delete(
        &self,
        conn: &mut Conn,
        entry: &Arc<Entry>,
        record: Box<dyn Record>,
    ) -> Result<(), ApiError> {
        let mut known = HashSet::from([(entry.place, record.id().to_owned())]);
        let mut doomed = vec![Doomed::Record(Arc::clone(entry), record)];
        let mut next = 0;
        while let Some(target) = doomed.get(next) {
            let (entry, ids) = match target {
                Doomed::Record(entry, record) => (Arc::clone(entry), vec![record.id().to_owned()]),
                Doomed::Rows(entry, ids) => (Arc::clone(entry), ids.clone()),
                Doomed::Referring(entry, ..) => (Arc::clone(entry), Vec::new()),
            };
            if !ids.is_empty() {
                doomed.extend(self.release(conn, &entry, &ids, &mut known)?);
            }
            next += 1;
        }
        // What refers to others was found after them, so it goes first.
        for doomed in doomed.iter().rev() {
            self.delete_rows(conn, doomed)?;
        }
        Ok(())
    }

    /// Do all records go that refer to one by this relation, unseen, whatever else they refer to,
    /// and nothing with them?
    fn takes_all(&self, reference: &Reference<'_>) -> bool {
        let meta = reference.entry.meta();
        let mut relations = meta.fields.iter().filter_map(|field| match field.kind {
            FieldKind::Relation { cascade_delete, .. } => Some((field, cascade_delete)),
            _ => None,
        });
        relations.all(|(field, cascades)| cascades && !field.kind.is_many())
            && !reference.entry.has_hooks()
            && references(self.registry, meta.name).next().is_none()
    }

    /// Takes records out of every relation that refers to them; returns what must go with them.
    /// `known` are the records that go anyway.
    fn release(
        &self,
        conn: &mut Conn,
        target: &Arc<Entry>,
        ids: &[String],
        known: &mut Known,
    ) -> Result<Vec<Doomed>, ApiError> {
        let mut doomed = Vec::new();
        for reference in references(self.registry, target.meta().name) {
            if self.takes_all(&reference) {
                let entry = Arc::clone(reference.entry);
                doomed.push(Doomed::Referring(entry, reference.place, ids.to_vec()));
                continue;
            }
            let many = reference.field.kind.is_many();
            for ids in ids.chunks(if many { FEW } else { TOGETHER }) {
                self.release_from(conn, &reference, ids, known, &mut doomed)?;
            }
        }
        Ok(doomed)
    }

    /// The same for one relation.
    fn release_from(
        &self,
        conn: &mut Conn,
        reference: &Reference<'_>,
        ids: &[String],
        known: &mut Known,
        doomed: &mut Vec<Doomed>,
    ) -> Result<(), ApiError> {
        let Reference {
            entry,
            place,
            field,
            cascades,
        } = *reference;
        let context = Context {
            request: self.info,
            form: Form::In,
        };
        let referring = entry.referencing_unchecked(conn, &context, place, ids);
        let mut together = Vec::new();
        for record in referring.map_err(ApiError::internal)? {
            let rest = without(record.get(place), ids);
            let key = (entry.place, record.id().to_owned());
            // What goes anyway, as in a cycle, must only let go of these records.
            if rest.is_empty() && !known.contains(&key) {
                if cascades {
                    if entry.has_hooks() {
                        doomed.push(Doomed::Record(Arc::clone(entry), record));
                    } else {
                        together.push(key.1.clone());
                    }
                    known.insert(key);
                    continue;
                }
                if field.required {
                    return Err(blocked());
                }
            }
            let rest = cast::from_items(&field.kind, rest);
            self.shorten(conn, entry, record.as_ref(), place, rest)?;
        }
        let rows = together.chunks(TOGETHER);
        doomed.extend(rows.map(|ids| Doomed::Rows(Arc::clone(entry), ids.to_vec())));
        Ok(())
    }

    /// Saves a relation without the record that goes. Nothing else is validated.
    fn shorten(
        &self,
        conn: &mut Conn,
        entry: &Entry,
        old: &dyn Record,
        place: usize,
        rest: Value,
    ) -> Result<(), ApiError> {
        let mut new = entry.copy(old).map_err(ApiError::internal)?;
        new.set(place, rest);
        write::complete(new.as_mut(), Moment::Update);
        entry
            .update_unchecked(conn, old, new.as_ref())
            .map_err(ApiError::internal)
    }

    fn delete_rows(&self, conn: &mut Conn, doomed: &Doomed) -> Result<(), ApiError> {
        let done = match doomed {
            Doomed::Record(entry, record) => return self.delete_seen(conn, entry, record.as_ref()),
            Doomed::Rows(entry, ids) => entry.delete_rows_unchecked(conn, 0, ids),
            Doomed::Referring(entry, place, targets) => {
                entry.delete_rows_unchecked(conn, *place, targets)
            }
        };
        done.map_err(refused)?;
        Ok(())
    }

    fn delete_seen(
        &self,
        conn: &mut Conn,
        entry: &Entry,
        record: &dyn Record,
    ) -> Result<(), ApiError> {
        let mut hooked = HookContext {
            request: self.info,
            conn,
        };
        entry.run_hooks(&mut hooked, Event::BeforeDelete(record))?;
        entry.delete_unchecked(conn, record.id()).map_err(refused)?;
        let mut hooked = HookContext {
            request: self.info,
            conn,
        };
        entry.run_hooks(&mut hooked, Event::AfterDelete(record))
    }
}

fn refused(error: DbError) -> ApiError {
    tracing::debug!(%error, "delete refused");
    blocked()
}

/// The ids of a relation without some.
fn without(value: ValueRef<'_>, gone: &[String]) -> Vec<String> {
    let items = value.items().into_iter();
    items.filter(|item| !gone.contains(item)).collect()
}
