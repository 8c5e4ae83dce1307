//! Answers that hold one record.

use std::sync::Arc;

use super::reply::View;
use super::{Reply, Shared};
use crate::access::sights;
use crate::collection::Record;
use crate::error::ApiError;
use crate::meta::{FieldKind, FieldMeta};
use crate::query::expand::{self, Expanded};
use crate::registry::{Entry, Registry};
use crate::request::RequestInfo;
use crate::sql::Conn;
use crate::storage::Extent;
use crate::wire::{Sight, Withheld};

/// What a create or update leaves for its answer.
pub struct Written {
    /// The request, with the body as the collection's fields took it.
    pub info: RequestInfo,
    /// The record as it is stored now.
    pub record: Box<dyn Record>,
}

/// How far a write got with its answer.
enum Progress {
    Answered(Vec<u8>),
    Stored(Box<(Written, View)>),
}

/// How much of the database a write changes that inserts or updates one record: its one row, if the
/// application has no code of its own there and no list of relations has a table beside it.
pub fn extent(entry: &Entry) -> Extent {
    let lists = |field: &FieldMeta| {
        matches!(field.kind, FieldKind::Relation { .. }) && field.kind.is_many()
    };
    match entry.has_hooks() || entry.meta().fields.iter().any(lists) {
        true => Extent::Any,
        false => Extent::Statement,
    }
}

/// Runs a write of one record, as [`extent`] has it, and answers with the record. All other writes wait for the writer, so there only
/// that is read which decides what the caller may see of the record as it was written. The rest, and
/// making the text, is done after the commit.
pub async fn written(
    app: &Shared,
    entry: Arc<Entry>,
    view: View,
    job: impl FnOnce(&mut Conn) -> Result<Written, ApiError> + Send + 'static,
) -> Result<Reply, ApiError> {
    let (registry, written) = (app.registry.clone(), Arc::clone(&entry));
    let later = !view.is_plain() || looks_alike(&entry);
    let extent = match later {
        true => extent(&entry),
        false => Extent::Any,
    };
    let write = move |conn: &mut Conn| {
        let done = job(conn)?;
        if later {
            return Ok(Progress::Stored(Box::new((done, view))));
        }
        let Written { info, record } = &done;
        let json = one(conn, &registry, &written, info, &view, record.as_ref())?;
        Ok(Progress::Answered(json))
    };
    let (done, view) = match app.db.write_extent(extent, write).await? {
        Progress::Answered(json) => return Ok(Reply::json(json)),
        Progress::Stored(stored) => *stored,
    };
    if view.is_plain() {
        let record = done.record.as_ref();
        let sight = Sight {
            hidden: done.info.is_superuser(),
            email: true,
            withheld: Withheld::default(),
        };
        let mut out = Vec::with_capacity(1024);
        view.write(&mut out, &entry, record, sight, &Expanded::default());
        return Ok(Reply::json(out));
    }
    let registry = app.registry.clone();
    let read = move |conn: &mut Conn| {
        let Written { info, record } = &done;
        one(conn, &registry, &entry, info, &view, record.as_ref())
    };
    Ok(Reply::json(app.db.read(read).await?))
}

/// Do all records of this collection show the same fields to a caller, whatever is in them?
fn looks_alike(entry: &Entry) -> bool {
    entry.guards.is_empty() && entry.meta().auth.is_none()
}

/// One record as JSON text, with what was asked to be expanded.
pub fn one(
    conn: &mut Conn,
    registry: &Registry,
    entry: &Arc<Entry>,
    info: &RequestInfo,
    view: &View,
    record: &dyn Record,
) -> Result<Vec<u8>, ApiError> {
    let records = [record];
    let expanded = expand::expand(
        conn,
        registry,
        info,
        entry,
        &records,
        &view.expand,
        view.picker.as_ref(),
    )
    .map_err(ApiError::internal)?;
    let sights = sights(conn, entry, info, &records, &|name| view.wants(name));
    let mut out = Vec::with_capacity(512);
    for sight in sights.map_err(ApiError::internal)? {
        view.write(&mut out, entry, record, sight, &expanded);
    }
    // What was written stays so: its answer just says less.
    if info.method == "GET" {
        expanded.check_whole()?;
    }
    Ok(out)
}
