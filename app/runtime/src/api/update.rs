//! `PATCH …/records/ID`: a record with some fields changed.

use std::sync::Arc;

use super::account::{self, Secrets};
use super::answer::{self, Written};
use super::check::{self, Candidate};
use super::reply::View;
use super::{Reply, Shared, check_lock, write};
use crate::error::ApiError;
use crate::field::modify;
use crate::hooks::HookContext;
use crate::registry::{Action, Entry, Event, Registry};
use crate::request::RequestInfo;
use crate::rules::Context;
use crate::sql::{Conn, Form};

const FAILED: &str = "Failed to update record.";

/// Answers an update.
pub async fn update(
    app: &Shared,
    entry: Arc<Entry>,
    info: RequestInfo,
    id: String,
) -> Result<Reply, ApiError> {
    check_lock(&entry, &info, Action::Update)?;
    let view = View::parse(&info)?;
    let secrets = account::prepare(app, &entry, &info, Some(&id)).await?;
    let (registry, written) = (app.registry.clone(), Arc::clone(&entry));
    let job = move |conn: &mut Conn| {
        let update = Update {
            registry: &registry,
            entry: &entry,
            secrets: &secrets,
        };
        update.run(conn, info, &id)
    };
    answer::written(app, written, view, job).await
}

struct Update<'a> {
    registry: &'a Registry,
    entry: &'a Arc<Entry>,
    secrets: &'a Secrets,
}

impl Update<'_> {
    /// Reads the stored record, changes it and writes it back, all between two other writes, so
    /// that no change of anybody's is lost.
    fn run(&self, conn: &mut Conn, mut info: RequestInfo, id: &str) -> Result<Written, ApiError> {
        let (entry, meta) = (self.entry, self.entry.meta());
        let found = entry.find_unchecked(conn, 0, id, false, Some(1));
        let old = found
            .map_err(ApiError::internal)?
            .pop()
            .ok_or_else(ApiError::not_found)?;
        let old = old.as_ref();
        let mut new = entry.copy(old).map_err(ApiError::internal)?;
        let values = modify::resolve(meta, &info.body.raw, old);
        let given = write::take_over(meta, &mut info, new.as_mut(), values);
        self.check_rule(conn, &info, id)?;
        self.secrets.apply(meta, new.as_mut(), &given);
        let errors = account::check(conn, entry, &info, self.secrets, Some(old), new.as_ref())?;
        if !errors.is_empty() {
            return Err(ApiError::invalid(FAILED, errors));
        }
        let mut hooked = HookContext {
            request: &info,
            conn,
        };
        entry.run_hooks(&mut hooked, Event::BeforeUpdate(old, new.as_mut()))?;
        account::rotate_token_key(old, new.as_mut());
        write::complete(new.as_mut(), write::Moment::Update);
        let candidate = Candidate {
            entry,
            info: &info,
            old: Some(old),
            new: new.as_ref(),
        };
        let errors = candidate
            .errors(conn, self.registry)
            .map_err(ApiError::internal)?;
        if !errors.is_empty() {
            return Err(ApiError::invalid(FAILED, errors));
        }
        let updated = entry.update_unchecked(conn, old, new.as_ref());
        updated.map_err(|error| check::refused(meta, FAILED, error))?;
        let mut hooked = HookContext {
            request: &info,
            conn,
        };
        entry.run_hooks(&mut hooked, Event::AfterUpdate(old, new.as_ref()))?;
        Ok(Written { info, record: new })
    }

    /// The rule sees the stored record; what shall be is in `@request.body`.
    fn check_rule(&self, conn: &mut Conn, info: &RequestInfo, id: &str) -> Result<(), ApiError> {
        if info.is_superuser() {
            return Ok(());
        }
        let context = Context {
            request: info,
            form: Form::Exists,
        };
        let allowed = self.entry.find_allowed(conn, &context, Action::Update, id);
        match allowed.map_err(ApiError::internal)? {
            Some(_) => Ok(()),
            None => Err(ApiError::not_found()),
        }
    }
}
