//! `GET …/records/ID`: one record.

use std::sync::Arc;

use super::reply::View;
use super::{Reply, Shared, check_lock};
use crate::access::sight;
use crate::collection::Record;
use crate::error::ApiError;
use crate::query::expand::Expander;
use crate::registry::{Action, Entry, Registry};
use crate::request::RequestInfo;
use crate::rules::Context;
use crate::sql::{Conn, Form};

/// Answers a view.
pub async fn view(
    app: &Shared,
    entry: Arc<Entry>,
    info: RequestInfo,
    id: String,
) -> Result<Reply, ApiError> {
    check_lock(&entry, &info, Action::View)?;
    let view = View::parse(&info)?;
    let registry = app.registry.clone();
    let job = move |conn: &mut Conn| {
        let context = Context {
            request: &info,
            form: Form::Exists,
        };
        let record = entry.find_allowed(conn, &context, Action::View, &id);
        let record = record
            .map_err(ApiError::internal)?
            .ok_or_else(ApiError::not_found)?;
        one(conn, &registry, &entry, &info, &view, record.as_ref())
    };
    Ok(Reply::json(app.db.read(job).await?))
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
    let mut expansions = Vec::new();
    if !view.expand.is_empty() {
        let expander = Expander::new(registry, info);
        let expanded = expander.expand(conn, entry.meta(), &[record], &view.expand);
        expansions = expanded.map_err(ApiError::internal)?;
    }
    let sight = sight(conn, entry, info, record).map_err(ApiError::internal)?;
    let mut out = Vec::with_capacity(512);
    view.write(&mut out, entry, record, sight, &expansions);
    Ok(out)
}
