//! `DELETE …/records/ID`: a record, and what can't be without it.

use std::collections::HashSet;
use std::sync::Arc;

use basalt_lang::schema::CollectionId;

use super::write::{self, Moment};
use super::{Reply, Shared, check_lock};
use crate::auth::guard::SUPERUSERS;
use crate::collection::Record;
use crate::error::ApiError;
use crate::field::cast;
use crate::hooks::HookContext;
use crate::meta::FieldKind;
use crate::registry::{Action, Entry, Event, Registry};
use crate::request::RequestInfo;
use crate::rules::Context;
use crate::sql::{Conn, Form};
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
    app.db.write(job).await?;
    Ok(Reply::no_content())
}

/// The deletion of a record with everything that follows from it. Nothing recurses, so chains and
/// cycles of any length are safe.
struct Cascade<'a> {
    registry: &'a Registry,
    info: &'a RequestInfo,
}

/// Records by collection and id.
type Known = HashSet<(CollectionId, String)>;

/// A record that goes.
struct Doomed {
    entry: Arc<Entry>,
    record: Box<dyn Record>,
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
        let mut doomed = vec![Doomed {
            entry: Arc::clone(entry),
            record,
        }];
        let mut next = 0;
        while let Some(target) = doomed.get(next) {
            let entry = Arc::clone(&target.entry);
            let id = target.record.id().to_owned();
            doomed.extend(self.release(conn, &entry, &id, &mut known)?);
            next += 1;
        }
        // What refers to others was found after them, so it goes first.
        for doomed in doomed.iter().rev() {
            self.delete_row(conn, doomed)?;
        }
        Ok(())
    }

    /// Takes a record out of every relation that refers to it; returns what must go with it.
    /// `known` are the records that go anyway.
    fn release(
        &self,
        conn: &mut Conn,
        target: &Arc<Entry>,
        id: &str,
        known: &mut Known,
    ) -> Result<Vec<Doomed>, ApiError> {
        let mut doomed = Vec::new();
        for entry in self.registry.entries() {
            for (place, field) in entry.meta().fields.iter().enumerate() {
                let FieldKind::Relation {
                    collection,
                    cascade_delete,
                    ..
                } = field.kind
                else {
                    continue;
                };
                if collection != target.meta().name {
                    continue;
                }
                let context = Context {
                    request: self.info,
                    form: Form::In,
                };
                let referencing = entry.referencing_unchecked(conn, &context, place, id);
                for record in referencing.map_err(ApiError::internal)? {
                    let rest = without(record.get(place), id);
                    let key = (entry.place, record.id().to_owned());
                    // What goes anyway, as in a cycle, must only let go of this record.
                    if rest.is_empty() && !known.contains(&key) {
                        if cascade_delete {
                            known.insert(key);
                            doomed.push(Doomed {
                                entry: Arc::clone(entry),
                                record,
                            });
                            continue;
                        }
                        if field.required {
                            return Err(blocked());
                        }
                    }
                    let rest = cast::from_items(&field.kind, rest);
                    self.shorten(conn, entry, record.as_ref(), place, rest)?;
                }
            }
        }
        Ok(doomed)
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

    fn delete_row(&self, conn: &mut Conn, doomed: &Doomed) -> Result<(), ApiError> {
        let Doomed { entry, record } = doomed;
        let record = record.as_ref();
        let mut hooked = HookContext {
            request: self.info,
            conn,
        };
        entry.run_hooks(&mut hooked, Event::BeforeDelete(record))?;
        entry.delete_unchecked(conn, record.id()).map_err(|error| {
            tracing::debug!(%error, id = record.id(), "delete refused");
            blocked()
        })?;
        let mut hooked = HookContext {
            request: self.info,
            conn,
        };
        entry.run_hooks(&mut hooked, Event::AfterDelete(record))
    }
}

/// The ids of a relation without one.
fn without(value: ValueRef<'_>, id: &str) -> Vec<String> {
    let items = value.items().into_iter();
    items.filter(|item| item != id).collect()
}
