//! What accounts ask for beyond other records: passwords with their confirmation, addresses and
//! the verified flag that only managers change.

use std::collections::BTreeMap;

use super::Shared;
use crate::access::manages;
use crate::auth::password;
use crate::collection::Record;
use crate::error::{ApiError, FieldError, FieldErrors};
use crate::field::{cast, generate, validate};
use crate::meta::{CollectionMeta, FieldKind};
use crate::registry::Entry;
use crate::request::RequestInfo;
use crate::sql::Conn;
use crate::value::{Value, ValueRef};

/// What is computed of passwords before the writer is asked, since it takes long.
#[derive(Default)]
pub struct Secrets {
    /// Hashes of the new passwords, by field.
    hashes: BTreeMap<usize, String>,
    /// The stored hash that `oldPassword` belongs to.
    proven: Option<String>,
}

/// Text under a key of the body.
fn sent(info: &RequestInfo, key: &str) -> String {
    info.body.raw.get(key).map(cast::text).unwrap_or_default()
}

fn passwords(meta: &CollectionMeta) -> impl Iterator<Item = (usize, &'static str)> {
    let fields = meta.fields.iter().enumerate();
    let passwords = fields.filter(|(_, field)| matches!(field.kind, FieldKind::Password { .. }));
    passwords.map(|(place, field)| (place, field.name))
}

/// Hashes the passwords that a body brings, as far as they are valid, and checks the old one.
pub async fn prepare(
    app: &Shared,
    entry: &std::sync::Arc<Entry>,
    info: &RequestInfo,
    id: Option<&str>,
) -> Result<Secrets, ApiError> {
    let mut secrets = Secrets::default();
    let meta = entry.meta();
    for (place, name) in passwords(meta) {
        let plain = sent(info, name);
        let valid = meta.field(place).is_some_and(|field| {
            !plain.is_empty() && validate::validate_password(field, &plain).is_none()
        });
        let confirmed = meta.auth.is_none() || plain == sent(info, "passwordConfirm");
        if valid && confirmed {
            secrets.hashes.insert(place, password::hash(&plain).await?);
        }
    }
    let old = sent(info, "oldPassword");
    if let (Some(id), false, true) = (id, old.is_empty(), meta.auth.is_some()) {
        let (entry, id) = (std::sync::Arc::clone(entry), id.to_owned());
        let stored = app.db.read(move |conn| {
            let found = entry.find_unchecked(conn, 0, &id, false, Some(1));
            let found = found.map_err(ApiError::internal)?.pop();
            Ok(found.map(|record| text_of(record.as_ref(), "password").to_owned()))
        });
        if let Some(hash) = stored.await?
            && password::verify(&old, Some(&hash)).await?
        {
            secrets.proven = Some(hash);
        }
    }
    Ok(secrets)
}

impl Secrets {
    /// Puts the hashes where the plain passwords would be.
    pub fn apply(&self, meta: &CollectionMeta, record: &mut dyn Record, given: &[usize]) {
        for (place, _) in passwords(meta) {
            if given.contains(&place) {
                let hash = self.hashes.get(&place).cloned().unwrap_or_default();
                record.set(place, Value::Text(hash));
            }
        }
    }
}

/// The text of a field by name; "" if there is none.
pub fn text_of<'a>(record: &'a dyn Record, name: &str) -> &'a str {
    match record
        .meta()
        .field_index(name)
        .map(|field| record.get(field))
    {
        Some(ValueRef::Text(text)) => text,
        _ => "",
    }
}

/// Sets a field by name, if there is one.
pub fn set(record: &mut dyn Record, name: &str, value: Value) {
    if let Some(field) = record.meta().field_index(name) {
        record.set(field, value);
    }
}

/// Is the account verified?
pub fn is_verified(record: &dyn Record) -> bool {
    let field = record.meta().field_index("verified");
    field.is_some_and(|field| record.get(field) == ValueRef::Bool(true))
}

/// The checks that come before those of the fields; `old` is `None` for a create.
pub fn check(
    conn: &mut Conn,
    entry: &Entry,
    info: &RequestInfo,
    secrets: &Secrets,
    old: Option<&dyn Record>,
    new: &dyn Record,
) -> Result<FieldErrors, ApiError> {
    let mut errors = FieldErrors::new();
    if entry.meta().auth.is_none() {
        return Ok(errors);
    }
    let manager = manages(conn, entry, info, old.unwrap_or(new)).map_err(ApiError::internal)?;
    let mismatch = || FieldError::new("validation_values_mismatch", "Values don't match.");
    if !manager {
        if old.is_some_and(|old| text_of(old, "email") != text_of(new, "email")) {
            errors.insert("email".to_owned(), mismatch());
        }
        if old.is_some_and(is_verified) != is_verified(new) {
            errors.insert("verified".to_owned(), mismatch());
        }
    }
    let password = sent(info, "password");
    let confirm = sent(info, "passwordConfirm");
    let before = sent(info, "oldPassword");
    let create = old.is_none();
    if password.is_empty() && (create || !confirm.is_empty() || !before.is_empty()) {
        errors.insert("password".to_owned(), validate::blank());
    }
    let due = create || !password.is_empty() || !before.is_empty();
    if due || !confirm.is_empty() {
        if confirm.is_empty() {
            errors.insert("passwordConfirm".to_owned(), validate::blank());
        } else if confirm != password {
            errors.insert("passwordConfirm".to_owned(), mismatch());
        }
    }
    let changes = !password.is_empty() || !confirm.is_empty();
    if let (Some(old), false, true) = (old, manager, changes) {
        if before.is_empty() {
            errors.insert("oldPassword".to_owned(), validate::blank());
        } else if secrets.proven.as_deref() != Some(text_of(old, "password")) {
            let message = "Missing or invalid old password.";
            let error = FieldError::new("validation_invalid_old_password", message);
            errors.insert("oldPassword".to_owned(), error);
        }
    }
    Ok(errors)
}

/// A changed password or address ends all sessions of the account.
pub fn rotate_token_key(old: &dyn Record, new: &mut dyn Record) {
    let changed = ["password", "email"]
        .iter()
        .any(|name| text_of(old, name) != text_of(new, name));
    let given = text_of(old, "tokenKey") != text_of(new, "tokenKey");
    if changed && !given && new.meta().auth.is_some() {
        let place = new.meta().field_index("tokenKey");
        let Some(place) = place else { return };
        let Some(field) = new.meta().field(place) else {
            return;
        };
        let key = generate::generate(validate::generation(field));
        new.set(place, Value::Text(key));
    }
}
