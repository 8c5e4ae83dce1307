//! Callers whose tokens were verified before: a client sends the same token with each request, and
//! it need not be checked against its record again while no account of its collection changed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::bounded::Bounded;
use crate::collection::Record;
use crate::request::Auth;
use crate::value::ValueRef;

/// Callers in each half.
const HALF: usize = 5000;
/// Tokens and records that are longer than this together (in bytes) are not kept, so that all of
/// them need no more than some 40 MB, and usually 5.
const LONGEST: usize = 4096;

/// Verified callers by their token. Bounded.
pub struct Callers(Mutex<Bounded<Arc<str>, Known>>);

struct Known {
    auth: Auth,
    expires: Option<u64>,
    generation: u64,
}

impl Default for Callers {
    fn default() -> Self {
        Callers(Mutex::new(Bounded::new(HALF)))
    }
}

impl Callers {
    /// The caller with this token, if it was verified when the accounts of its collection were as
    /// they are now, and the token has not expired. `generation` is asked for the collection's.
    pub fn find(&self, token: &str, generation: impl FnOnce(&Auth) -> u64) -> Option<Auth> {
        let mut callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = callers.get(token)?;
        // In the second in which a token ends, it is verified anew.
        let lives = known.expires.is_none_or(|expires| expires > now());
        if lives && known.generation == generation(&known.auth) {
            return Some(known.auth.clone());
        }
        callers.remove(token);
        None
    }

    /// Remembers a verified caller. The generation of the caller's collection must have been taken
    /// before the record was read: should the record have changed since, it is another one now.
    pub fn keep(&self, auth: &Auth, expires: Option<u64>, generation: u64) {
        if auth.token.len() + weight(&*auth.record) > LONGEST {
            return;
        }
        let known = Known {
            auth: auth.clone(),
            expires,
            generation,
        };
        let mut callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        callers.put(Arc::clone(&auth.token), known);
    }
}

/// Unix seconds.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs())
}

/// The bytes of a record's texts.
fn weight(record: &dyn Record) -> usize {
    let fields = 0..record.meta().fields.len();
    let weigh = |field| match record.get(field) {
        ValueRef::Text(text) | ValueRef::List(text) | ValueRef::Json(text) => text.len(),
        ValueRef::Null | ValueRef::Number(_) | ValueRef::Bool(_) => 0,
    };
    fields.map(weigh).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meta::{CollectionMeta, FieldKind, FieldMeta};
    use crate::value::Value;

    static META: CollectionMeta = CollectionMeta {
        id: "pbc_members",
        name: "members",
        system: false,
        fields: &[FieldMeta {
            name: "id",
            kind: FieldKind::Bool,
            hidden: false,
            required: false,
            present: false,
            nullable: false,
            default: None,
            dictionary: false,
        }],
        unique: &[],
        auth: None,
        source: "schema/members.toml",
    };

    struct Member(String);

    impl Record for Member {
        fn meta(&self) -> &'static CollectionMeta {
            &META
        }
        fn id(&self) -> &str {
            &self.0
        }
        fn get(&self, _: usize) -> ValueRef<'_> {
            ValueRef::Text(&self.0)
        }
        fn set(&mut self, _: usize, _: Value) {}
    }

    fn auth(id: &str, token: &str) -> Auth {
        Auth {
            record: Arc::new(Member(id.to_owned())),
            superuser: false,
            token: token.into(),
            refreshable: true,
        }
    }

    fn known(callers: &Callers, token: &str, generation: u64) -> bool {
        callers.find(token, |_| generation).is_some()
    }

    #[test]
    fn a_token_ends_in_time() {
        let callers = Callers::default();
        callers.keep(&auth("m1", "lives"), Some(now() + 100), 1);
        callers.keep(&auth("m1", "endless"), None, 1);
        callers.keep(&auth("m1", "ended"), Some(now()), 1);
        assert!(known(&callers, "lives", 1));
        assert!(known(&callers, "endless", 1));
        assert!(!known(&callers, "ended", 1));
    }

    #[test]
    fn a_change_of_the_accounts_ends_what_is_known() {
        let callers = Callers::default();
        callers.keep(&auth("m1", "t"), None, 1);
        assert!(!known(&callers, "t", 2));
        assert!(!known(&callers, "t", 1), "forgotten by then");
    }

    #[test]
    fn what_is_long_is_not_kept() {
        let callers = Callers::default();
        callers.keep(&auth("m1", &"t".repeat(LONGEST)), None, 1);
        assert!(!known(&callers, &"t".repeat(LONGEST), 1));
        callers.keep(&auth(&"m".repeat(LONGEST), "t"), None, 1);
        assert!(!known(&callers, "t", 1));
    }
}
