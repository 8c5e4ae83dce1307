//! `PATCH …/records/ID`: a record with some fields changed.

use std::sync::Arc;

use super::account::{self, Secrets, Work};
use super::answer::{self, Written};
use super::check::Candidate;
use super::reply::View;
use super::write::{self, Moment};
use super::{Reply, Shared, check_lock};
use crate::access::fields::{self, Wish};
use crate::collection::{Record, text_of};
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
    write::refuse_long_lists(entry.meta(), &info, FAILED)?;
    let work = Work::of(entry.meta(), &info, Moment::Update);
    let stored = match work.is_empty() {
        true => None,
        false => Some(stored_password(app, &entry, &info, &id).await?),
    };
    let secrets = work.done(&app.passwords, stored).await?;
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

/// The hash of the present password. 404 before any long work, unless the rule lets the caller
/// change the record: else the time would tell which records there are. The writer asks again.
async fn stored_password(
    app: &Shared,
    entry: &Arc<Entry>,
    info: &RequestInfo,
    id: &str,
) -> Result<String, ApiError> {
    let (entry, mut info, id) = (Arc::clone(entry), info.clone(), id.to_owned());
    let job = move |conn: &mut Conn| {
        let change = Change::plan(conn, &entry, &mut info, &id)?;
        Ok(text_of(change.old.as_ref(), "password").to_owned())
    };
    app.db.read(job).await
}

/// What a body makes of a stored record.
struct Change {
    old: Box<dyn Record>,
    new: Box<dyn Record>,
    /// The fields that the body speaks of.
    given: Vec<usize>,
}

impl Change {
    /// 404 unless the record is there and the rule lets the caller change it.
    fn plan(
        conn: &mut Conn,
        entry: &Arc<Entry>,
        info: &mut RequestInfo,
        id: &str,
    ) -> Result<Change, ApiError> {
        let found = entry.find_unchecked(conn, 0, id, false, Some(1));
        let found = found.map_err(ApiError::internal)?.pop();
        let old = found.ok_or_else(ApiError::not_found)?;
        let mut new = entry.copy(old.as_ref()).map_err(ApiError::internal)?;
        let known = fields::known(conn, entry, info, old.as_ref()).map_err(ApiError::internal)?;
        let base = known.as_deref().unwrap_or(old.as_ref());
        let values = modify::resolve(entry.meta(), &info.body.raw, base);
        let given = write::take_over(entry.meta(), info, new.as_mut(), values);
        check_rule(conn, entry, info, id)?;
        Ok(Change { old, new, given })
    }
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
        let Change {
            old,
            mut new,
            given,
        } = Change::plan(conn, entry, &mut info, id)?;
        let old = old.as_ref();
        self.secrets.apply(meta, new.as_mut(), &given);
        let wish = Wish {
            entry,
            request: &info,
            old: Some(old),
            new: new.as_ref(),
            given: &given,
        };
        let mut errors = account::check(conn, &wish, self.secrets)?;
        let refused = wish.refused(conn).map_err(ApiError::internal)?;
        if !errors.is_empty() {
            errors.extend(refused);
            return Err(ApiError::invalid(FAILED, errors));
        }
        // What is refused is no business of the application's.
        if refused.is_empty() {
            let mut hooked = HookContext {
                request: &info,
                conn,
            };
            entry.run_hooks(&mut hooked, Event::BeforeUpdate(old, new.as_mut()))?;
        }
        account::refuse_plain(Some(old), new.as_ref())?;
        account::rotate_token_key(old, new.as_mut());
        write::complete(new.as_mut(), Moment::Update);
        let candidate = Candidate {
            entry,
            info: &info,
            old: Some(old),
            new: new.as_ref(),
        };
        candidate.check(conn, self.registry, FAILED, refused)?;
        let updated = entry.update_unchecked(conn, old, new.as_ref());
        updated.map_err(|error| candidate.refused(conn, self.registry, FAILED, error))?;
        let mut hooked = HookContext {
            request: &info,
            conn,
        };
        entry.run_hooks(&mut hooked, Event::AfterUpdate(old, new.as_ref()))?;
        Ok(Written { info, record: new })
    }
}

/// The rule sees the stored record; what shall be is in `@request.body`.
fn check_rule(
    conn: &mut Conn,
    entry: &Entry,
    info: &RequestInfo,
    id: &str,
) -> Result<(), ApiError> {
    if info.is_superuser() {
        return Ok(());
    }
    let context = Context {
        request: info,
        form: Form::Exists,
    };
    let allowed = entry.find_allowed(conn, &context, Action::Update, id);
    match allowed.map_err(ApiError::internal)? {
        Some(_) => Ok(()),
        None => Err(ApiError::not_found()),
    }
}
