//! `POST …/records`: a new record.

use std::sync::Arc;

use super::account::{self, Secrets, Work};
use super::answer::{self, Written};
use super::check::Candidate;
use super::reply::View;
use super::write::{self, Moment};
use super::{Reply, Shared, check_lock};
use crate::access::fields::Wish;
use crate::body;
use crate::collection::Record;
use crate::error::ApiError;
use crate::field::{cast, modify};
use crate::hooks::HookContext;
use crate::registry::{Action, Entry, Event, Registry, RuleState};
use crate::request::RequestInfo;
use crate::rules::Context;
use crate::sql::{Conn, Form};
use crate::value::Value;

const FAILED: &str = "Failed to create record.";

/// Answers a create.
pub async fn create(app: &Shared, entry: Arc<Entry>, info: RequestInfo) -> Result<Reply, ApiError> {
    check_lock(&entry, &info, Action::Create)?;
    let view = View::parse(&info)?;
    write::refuse_long_lists(entry.meta(), &info, FAILED)?;
    let work = Work::of(entry.meta(), &info, Moment::Create);
    refuse_early(app, &entry, &info, &work).await?;
    let secrets = work.done(&app.passwords, None).await?;
    let draft = draft(&entry, info, &secrets).await?;
    let (registry, written) = (app.registry.clone(), Arc::clone(&entry));
    let job = move |conn: &mut Conn| run(conn, &registry, &entry, draft, &secrets);
    answer::written(app, written, view, job).await
}

/// What a body describes.
struct Draft {
    /// The request, with the body as the collection's fields took it.
    info: RequestInfo,
    record: Box<dyn Record>,
    /// The fields that the body speaks of.
    given: Vec<usize>,
}

/// Makes the record of a body before the writer is asked, which all others wait for. Where that may
/// take long, it is done where nobody has to wait for it.
async fn draft(
    entry: &Arc<Entry>,
    mut info: RequestInfo,
    secrets: &Secrets,
) -> Result<Draft, ApiError> {
    let length = info.headers.get("content_length");
    let length = length.and_then(|text| text.parse::<usize>().ok());
    if length.is_some_and(|length| length <= body::SMALL) {
        let (record, given) = would_be(entry, &mut info, secrets);
        return Ok(Draft {
            info,
            record,
            given,
        });
    }
    let (entry, secrets) = (Arc::clone(entry), secrets.clone());
    let job = move || {
        let (record, given) = would_be(&entry, &mut info, &secrets);
        Draft {
            info,
            record,
            given,
        }
    };
    let made = tokio::task::spawn_blocking(job).await;
    made.map_err(ApiError::internal)
}

/// Asks the rule before passwords are hashed, since that takes long; the writer asks it again. Not
/// where hooks could change what the rule looks at.
async fn refuse_early(
    app: &Shared,
    entry: &Arc<Entry>,
    info: &RequestInfo,
    work: &Work,
) -> Result<(), ApiError> {
    let ruled = entry.rule_state(Action::Create) == RuleState::When && !info.is_superuser();
    if work.is_empty() || !ruled || entry.has_hooks() {
        return Ok(());
    }
    let (entry, mut info, stand_ins) = (Arc::clone(entry), info.clone(), work.stand_ins());
    let job = move |conn: &mut Conn| {
        let (mut record, _) = would_be(&entry, &mut info, &stand_ins);
        check_rule(conn, &entry, &info, record.as_mut())
    };
    app.db.read(job).await
}

fn run(
    conn: &mut Conn,
    registry: &Registry,
    entry: &Arc<Entry>,
    draft: Draft,
    secrets: &Secrets,
) -> Result<Written, ApiError> {
    let Draft {
        info,
        mut record,
        given,
    } = draft;
    // What the caller may ask for; what a hook does is the application's own business.
    let wish = Wish {
        entry,
        request: &info,
        old: None,
        new: record.as_ref(),
        given: &given,
    };
    let mut errors = account::check(conn, &wish, secrets)?;
    let refused = wish.refused(conn).map_err(ApiError::internal)?;
    // What is refused is no business of the application's.
    if refused.is_empty() {
        let mut hooked = HookContext {
            request: &info,
            conn,
        };
        entry.run_hooks(&mut hooked, Event::BeforeCreate(record.as_mut()))?;
    }
    account::refuse_plain(None, record.as_ref())?;
    check_rule(conn, entry, &info, record.as_mut())?;
    if !errors.is_empty() {
        errors.extend(refused);
        return Err(ApiError::invalid(FAILED, errors));
    }
    write::complete(record.as_mut(), Moment::Create);
    let candidate = Candidate {
        entry,
        info: &info,
        old: None,
        new: record.as_ref(),
    };
    candidate.check(conn, registry, FAILED, refused)?;
    let inserted = entry.insert_unchecked(conn, record.as_ref());
    inserted.map_err(|error| candidate.refused(conn, registry, FAILED, error))?;
    let mut hooked = HookContext {
        request: &info,
        conn,
    };
    entry.run_hooks(&mut hooked, Event::AfterCreate(record.as_ref()))?;
    Ok(Written { info, record })
}

/// The record that the body describes, and an id: rules may ask for it before it is checked. With
/// it the fields that the body speaks of.
fn would_be(
    entry: &Entry,
    info: &mut RequestInfo,
    secrets: &Secrets,
) -> (Box<dyn Record>, Vec<usize>) {
    let meta = entry.meta();
    let mut record = entry.blank();
    for (place, field) in meta.fields.iter().enumerate() {
        record.set(place, cast::initial(field));
    }
    let values = modify::resolve(meta, &info.body.raw, record.as_ref());
    let given = write::take_over(meta, info, record.as_mut(), values);
    secrets.apply(meta, record.as_mut(), &given);
    write::generate_missing(record.as_mut(), 0);
    (record, given)
}

/// Asks the create rule. To it, nobody is verified yet.
fn check_rule(
    conn: &mut Conn,
    entry: &Entry,
    info: &RequestInfo,
    record: &mut dyn Record,
) -> Result<(), ApiError> {
    if info.is_superuser() {
        return Ok(());
    }
    let verified = entry.meta().auth.is_some() && account::is_verified(record);
    if verified {
        account::set(record, "verified", Value::Bool(false));
    }
    let context = Context {
        request: info,
        form: Form::Exists,
    };
    let allowed = entry.satisfies(conn, &context, record, Action::Create);
    if verified {
        account::set(record, "verified", Value::Bool(true));
    }
    match allowed.map_err(ApiError::internal)? {
        true => Ok(()),
        false => Err(ApiError::new(400, FAILED)),
    }
}
