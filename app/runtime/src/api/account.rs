//! What accounts ask for beyond other records: passwords with their confirmation, addresses and
//! the verified flag that only managers change.

use std::collections::BTreeMap;

use diesel::QueryResult;

use super::write::Moment;
use crate::access::fields::Wish;
use crate::access::{manages, sights};
use crate::auth::password::Passwords;
use crate::collection::{Record, text_of};
use crate::error::{ApiError, FieldError, FieldErrors};
use crate::field::{cast, generate, validate};
use crate::meta::{CollectionMeta, FieldKind};
use crate::request::RequestInfo;
use crate::sql::Conn;
use crate::value::{Value, ValueRef};

/// What has to be computed of the passwords in a body: it takes long, so it is done before the
/// writer is asked, and only for those whom the rule lets through.
pub struct Work {
    /// The new passwords, by field.
    plain: BTreeMap<usize, String>,
    /// What is said to be the present one; "" if nothing is.
    old: String,
}

/// What was computed of passwords.
#[derive(Clone, Default)]
pub struct Secrets {
    /// Hashes of the new passwords, by field.
    hashes: BTreeMap<usize, String>,
    /// The stored hash that `oldPassword` belongs to.
    proven: Option<String>,
}

/// What every hash begins with.
const HASH: &str = "$argon2id$";

/// Text under a key of the body.
fn sent(info: &RequestInfo, key: &str) -> String {
    info.body.raw.get(key).map(cast::text).unwrap_or_default()
}

fn passwords(meta: &CollectionMeta) -> impl Iterator<Item = (usize, &'static str)> {
    let fields = meta.fields.iter().enumerate();
    let passwords = fields.filter(|(_, field)| matches!(field.kind, FieldKind::Password { .. }));
    passwords.map(|(place, field)| (place, field.name))
}

impl Work {
    /// The passwords that are valid and confirmed; the others are refused later, with all else
    /// that is wrong with the body.
    pub fn of(meta: &CollectionMeta, info: &RequestInfo, moment: Moment) -> Work {
        let mut plain = BTreeMap::new();
        for (place, name) in passwords(meta) {
            let password = sent(info, name);
            let valid = meta.field(place).is_some_and(|field| {
                !password.is_empty() && validate::validate_password(field, &password).is_none()
            });
            let confirmed = meta.auth.is_none() || password == sent(info, "passwordConfirm");
            if valid && confirmed {
                plain.insert(place, password);
            }
        }
        let old = match moment {
            Moment::Update if meta.auth.is_some() => sent(info, "oldPassword"),
            Moment::Create | Moment::Update => String::new(),
        };
        Work { plain, old }
    }

    /// Is there nothing to do?
    pub fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.old.is_empty()
    }

    /// Something in the place of the hashes, for a rule that is asked before there are any.
    pub fn stand_ins(&self) -> Secrets {
        let places = self.plain.keys();
        Secrets {
            hashes: places.map(|place| (*place, HASH.to_owned())).collect(),
            proven: None,
        }
    }

    /// Does the work. `stored` is the hash of the present password.
    ///
    /// # Errors
    /// 429 if too many wait for the same.
    pub async fn done(
        self,
        hasher: &Passwords,
        stored: Option<String>,
    ) -> Result<Secrets, ApiError> {
        let mut secrets = Secrets::default();
        for (place, plain) in self.plain {
            secrets.hashes.insert(place, hasher.hash(&plain).await?);
        }
        if !self.old.is_empty()
            && let Some(hash) = stored
            && hasher.verify(&self.old, Some(&hash)).await?
        {
            secrets.proven = Some(hash);
        }
        Ok(secrets)
    }
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

/// 500 if a hook has put a password into the record as it is typed: it would be stored like that.
pub fn refuse_plain(old: Option<&dyn Record>, new: &dyn Record) -> Result<(), ApiError> {
    for (place, name) in passwords(new.meta()) {
        let value = new.get(place);
        let kept = old.is_some_and(|old| old.get(place) == value);
        let fine =
            matches!(value, ValueRef::Text(text) if text.is_empty() || text.starts_with(HASH));
        if !kept && !fine {
            let collection = new.meta().name;
            return Err(ApiError::internal(format!(
                "a hook of `{collection}` has set `{name}` to something other than a hash: \
                 hash it with `auth::password::hash_blocking`"
            )));
        }
    }
    Ok(())
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

/// The checks that come before those of the fields.
pub(crate) fn check(
    conn: &mut Conn,
    wish: &Wish<'_>,
    secrets: &Secrets,
) -> Result<FieldErrors, ApiError> {
    let mut errors = FieldErrors::new();
    let (entry, info, old, new) = (wish.entry, wish.request, wish.old, wish.new);
    if entry.meta().auth.is_none() {
        return Ok(errors);
    }
    let manager = manages(conn, entry, info, old.unwrap_or(new)).map_err(ApiError::internal)?;
    let mismatch = || FieldError::new("validation_values_mismatch", "Values don't match.");
    if !manager {
        let unseen = unseen(conn, wish).map_err(ApiError::internal)?;
        let changed = old.is_some_and(|old| text_of(old, "email") != text_of(new, "email"));
        if changed || unseen.contains(&"email") {
            errors.insert("email".to_owned(), mismatch());
        }
        if old.is_some_and(is_verified) != is_verified(new) || unseen.contains(&"verified") {
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

/// What an update gives although the caller can't see what is stored: any value is another one then,
/// lest the right one be found by trying.
fn unseen(conn: &mut Conn, wish: &Wish<'_>) -> QueryResult<Vec<&'static str>> {
    let Some(old) = wish.old else {
        return Ok(Vec::new());
    };
    let place = |name: &'static str| Some((name, wish.entry.meta().field_index(name)?));
    let asked = ["email", "verified"].into_iter().filter_map(place);
    let given: Vec<_> = asked.filter(|(_, it)| wish.given.contains(it)).collect();
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let wants = |name: &str| given.iter().any(|(known, _)| *known == name);
    let sights = sights(conn, wish.entry, wish.request, &[old], &wants)?;
    let seen = |name: &str, place| {
        sights.first().is_some_and(|sight| {
            let shown = name != "email" || sight.email || wish.entry.shape.shows_email(old);
            shown && !sight.withheld.contains(place)
        })
    };
    let hidden = given.iter().filter(|(name, place)| !seen(name, *place));
    Ok(hidden.map(|(name, _)| *name).collect())
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
