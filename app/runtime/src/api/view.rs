//! `GET …/records/ID`: one record.

use std::sync::Arc;

use super::depends::Depends;
use super::kept::{Keeping, Wish};
use super::reply::View;
use super::{Reply, Shared, answer, check_lock};
use crate::error::ApiError;
use crate::registry::{Action, Entry};
use crate::request::RequestInfo;
use crate::rules::Context;
use crate::sql::Form;
use crate::storage::Snapshot;
use crate::wire::layout::Rows;

/// Answers a view.
pub async fn view(
    app: &Shared,
    entry: Arc<Entry>,
    info: RequestInfo,
    id: String,
    wish: Wish,
    keeping: Option<Keeping>,
) -> Result<Reply, ApiError> {
    check_lock(&entry, &info, Action::View)?;
    let view = View::parse(&info)?;
    let moment = keeping.and_then(|keeping| {
        let mut depends = Depends::on(&app.registry);
        depends.rule(&entry, Action::View);
        view.depends(&mut depends, &entry, &info);
        keeping.begin(app, &depends)
    });
    let registry = app.registry.clone();
    let job = move |snapshot: &mut Snapshot<'_>| {
        let context = Context {
            request: &info,
            form: Form::Exists,
        };
        if let Some(layout) = view.layout(&entry, &info) {
            let mut out = Vec::with_capacity(1024);
            let mut rows = Rows::new(&layout, &mut out);
            let conn = snapshot.last();
            let done = entry.write_allowed(conn, &context, Action::View, &id, &mut rows);
            done.map_err(ApiError::internal)?;
            let found = rows.count() > 0;
            return found.then_some(out).ok_or_else(ApiError::not_found);
        }
        let conn = snapshot.shared().map_err(ApiError::internal)?;
        let record = entry.find_allowed(conn, &context, Action::View, &id);
        let record = record
            .map_err(ApiError::internal)?
            .ok_or_else(ApiError::not_found)?;
        answer::one(conn, &registry, &entry, &info, &view, record.as_ref())
    };
    let json = app.db.look(job).await?;
    Ok(match moment {
        Some(moment) => wish.reply(&moment.keep(app, json, false)),
        None => Reply::json(json),
    })
}
