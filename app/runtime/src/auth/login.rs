//! Logins: which record an identity belongs to, whether it may log in, and its token.

use std::sync::Arc;

use crate::app::App;
use crate::auth::guard::SUPERUSERS;
use crate::auth::token::{self, Claims};
use crate::collection::{Record, text_of};
use crate::error::{ApiError, FieldError, FieldErrors};
use crate::hooks::HookContext;
use crate::meta::{AuthMeta, CollectionMeta, FieldKind};
use crate::registry::{Action, Entry, Event, RuleState};
use crate::request::{Auth, RequestInfo};
use crate::rules::Context;
use crate::sql::{Conn, Form};
use crate::value::{Value, ValueRef};

/// Greatest length of an identity and of a password, in code points.
const MAX_LENGTH: usize = 255;

/// What someone logs in with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Credentials {
    /// An email, a user name, or whatever the collection's identity fields hold.
    pub identity: String,
    /// The password.
    pub password: String,
    /// The one field to look in; empty for all identity fields.
    pub identity_field: String,
}

impl Credentials {
    /// Checks lengths and the identity field. 400 with what is wrong, by field.
    pub fn validate(&self, meta: &CollectionMeta, auth: &AuthMeta) -> Result<(), ApiError> {
        let mut errors = FieldErrors::new();
        for (name, value) in [("identity", &self.identity), ("password", &self.password)] {
            if let Some(error) = length_error(value) {
                errors.insert(name.to_owned(), error);
            }
        }
        let known = |name: &str| {
            let field = meta.field_index(name);
            field.is_some_and(|field| auth.identity_fields.contains(&field))
        };
        if !self.identity_field.is_empty() && !known(&self.identity_field) {
            let error = FieldError::new("validation_in_invalid", "Must be a valid value.");
            errors.insert("identityField".to_owned(), error);
        }
        if errors.is_empty() {
            return Ok(());
        }
        Err(ApiError::invalid(
            "An error occurred while validating the submitted data.",
            errors,
        ))
    }
}

fn length_error(value: &str) -> Option<FieldError> {
    if value.is_empty() {
        return Some(FieldError::new("validation_required", "Cannot be blank."));
    }
    (value.chars().count() > MAX_LENGTH).then(|| {
        FieldError::new(
            "validation_length_out_of_range",
            format!("The length must be between 1 and {MAX_LENGTH}."),
        )
        .with("min", 1)
        .with("max", MAX_LENGTH)
    })
}

/// The record that these credentials belong to. An unknown identity and a wrong password give
/// the same answer after the same time.
pub async fn check_password(
    app: &Arc<App>,
    entry: &Arc<Entry>,
    auth: &'static AuthMeta,
    credentials: Credentials,
) -> Result<Box<dyn Record>, ApiError> {
    let Credentials {
        identity,
        password,
        identity_field,
    } = credentials;
    let shared = Arc::clone(entry);
    let fields = lookup_order(entry.meta(), auth, &identity_field, &identity);
    let found = app
        .db
        .read(move |conn| {
            for field in fields {
                let nocase = is_nocase(shared.meta(), field);
                let found = shared.find_unchecked(conn, field, &identity, nocase, Some(1));
                if let Some(record) = found.map_err(ApiError::internal)?.pop() {
                    return Ok(Some(record));
                }
            }
            Ok(None)
        })
        .await?;
    let hash = found
        .as_deref()
        .and_then(|record| password_hash(entry.meta(), record));
    let imported = app.secrets.bcrypt_cost(entry.meta().id);
    let verdict = app.passwords.check(&password, hash, imported).await?;
    match found {
        Some(record) if verdict.right => {
            if let Some(hash) = verdict.renewed {
                renew(app, entry, &*record, hash).await;
            }
            Ok(record)
        }
        _ => Err(ApiError::new(400, "Failed to authenticate.")),
    }
}

/// Puts a better hash of the same password in the place of the one that was just proven. Nothing
/// else changes, so that the account's sessions go on; should it fail, the next login tries again.
async fn renew(app: &Arc<App>, entry: &Arc<Entry>, record: &dyn Record, hash: String) {
    let Some(place) = entry.meta().field_index("password") else {
        return;
    };
    let proven = text_of(record, "password").to_owned();
    let (shared, id) = (Arc::clone(entry), record.id().to_owned());
    let job = move |conn: &mut Conn| {
        let found = shared.find_unchecked(conn, 0, &id, false, Some(1));
        // Another login may have renewed it by now, or the account got another password.
        let Some(old) = found.map_err(ApiError::internal)?.pop() else {
            return Ok(());
        };
        if text_of(&*old, "password") != proven {
            return Ok(());
        }
        let mut new = shared.copy(&*old).map_err(ApiError::internal)?;
        new.set(place, Value::Text(hash));
        let written = shared.update_unchecked(conn, &*old, &*new);
        written.map_err(ApiError::internal)
    };
    if let Err(error) = app.db.write(job).await {
        tracing::warn!(
            error = error.message,
            "an imported password keeps its old hash"
        );
    }
}

/// The identity fields to look in: the one that was asked for, or all, the email first.
fn lookup_order(meta: &CollectionMeta, auth: &AuthMeta, only: &str, identity: &str) -> Vec<usize> {
    if !only.is_empty() {
        return meta.field_index(only).into_iter().collect();
    }
    let is_email = |field: usize| {
        meta.field(field)
            .is_some_and(|field| matches!(field.kind, FieldKind::Email { .. }))
    };
    let mut fields = auth.identity_fields.to_vec();
    fields.sort_by_key(|field| !is_email(*field));
    if !identity.contains('@') {
        fields.retain(|field| !is_email(*field));
    }
    fields
}

fn is_nocase(meta: &CollectionMeta, field: usize) -> bool {
    meta.unique
        .iter()
        .any(|index| index.fields == [field] && index.nocase)
}

fn password_hash<'a>(meta: &CollectionMeta, record: &'a dyn Record) -> Option<&'a str> {
    match record.get(meta.field_index("password")?) {
        ValueRef::Text(hash) if !hash.is_empty() => Some(hash),
        _ => None,
    }
}

/// The account as it is logged in: with a fresh token, or the one that is handed back to it.
///
/// # Errors
/// 404 if it is no account.
pub fn signed(
    app: &App,
    entry: &Entry,
    record: Arc<dyn Record>,
    handed_back: Option<Arc<str>>,
) -> Result<Auth, ApiError> {
    let secret = app.secrets.of(entry.meta().id);
    let secret = secret.ok_or_else(ApiError::not_found)?;
    let token = match handed_back {
        Some(token) => token,
        None => issue(entry.meta(), &*record, secret)?.into(),
    };
    Ok(Auth {
        record,
        superuser: entry.meta().name == SUPERUSERS,
        token,
        refreshable: true,
    })
}

/// What the auth rule says before it is asked of an account; `None` if it has to be.
pub fn decided(entry: &Entry, info: &RequestInfo) -> Option<Result<(), ApiError>> {
    match entry.rule_state(Action::Auth) {
        _ if info.is_superuser() => Some(Ok(())),
        RuleState::Public => Some(Ok(())),
        RuleState::Locked => Some(Err(refused())),
        RuleState::When => None,
    }
}

/// Asks the auth rule of an account.
///
/// # Errors
/// 403 if it does not hold.
pub fn check_rule(
    entry: &Entry,
    info: &RequestInfo,
    conn: &mut Conn,
    record: &dyn Record,
) -> Result<(), ApiError> {
    if let Some(decided) = decided(entry, info) {
        return decided;
    }
    let context = Context {
        request: info,
        form: Form::Exists,
    };
    let allowed = entry.satisfies(conn, &context, record, Action::Auth);
    if allowed.map_err(ApiError::internal)? {
        return Ok(());
    }
    Err(refused())
}

/// Asks the auth rule of an account, and the hooks.
///
/// # Errors
/// 403 if the rule does not hold, or whatever a hook refuses with.
pub fn run_hooks(
    entry: &Entry,
    info: &RequestInfo,
    conn: &mut Conn,
    record: &dyn Record,
) -> Result<(), ApiError> {
    check_rule(entry, info, conn, record)?;
    let mut context = HookContext {
        request: info,
        conn,
    };
    entry.run_hooks(&mut context, Event::BeforeAuth(record))?;
    entry.run_hooks(&mut context, Event::AfterAuth(record))
}

fn refused() -> ApiError {
    let message = "The request doesn't satisfy the collection requirements to authenticate.";
    ApiError::new(403, message)
}

fn issue(meta: &CollectionMeta, record: &dyn Record, secret: &str) -> Result<String, ApiError> {
    let seconds = meta.auth.map_or(0, |auth| auth.token_seconds);
    let now = u64::try_from(time::OffsetDateTime::now_utc().unix_timestamp()).unwrap_or(0);
    let claims = Claims {
        id: record.id().to_owned(),
        kind: token::AUTH.to_owned(),
        collection_id: meta.id.to_owned(),
        exp: Some(now.saturating_add(seconds)),
        refreshable: true,
    };
    token::sign(&claims, text_of(record, "tokenKey"), secret).map_err(ApiError::internal)
}
