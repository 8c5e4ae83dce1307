//! The secrets that tokens are signed with: one for each auth collection, made at the first
//! start or imported, kept in the database and never sent anywhere. With them, which collections
//! have imported accounts whose passwords are hashed in another way than here.

use std::collections::HashMap;

use diesel::QueryResult;
use rand::RngExt;
use rand::distr::Alphanumeric;

use crate::meta::CollectionMeta;
use crate::migrate::{any_starts_with, get_param, remove_param, set_param};
use crate::sql::Conn;

const LENGTH: usize = 50;

/// The secret of each auth collection, by the collection's id.
#[derive(Debug, Default)]
pub struct Secrets {
    tokens: HashMap<&'static str, String>,
    bcrypt: HashMap<&'static str, u32>,
}

impl Secrets {
    /// Reads the secrets, and makes those that are missing.
    pub fn load_or_create<'a>(
        conn: &mut Conn,
        collections: impl Iterator<Item = &'a CollectionMeta>,
    ) -> QueryResult<Secrets> {
        let mut secrets = Secrets::default();
        for collection in collections.filter(|collection| collection.auth.is_some()) {
            let secret = match token_secret(conn, collection.id)? {
                Some(secret) => secret,
                None => {
                    let secret = random();
                    set_token_secret(conn, collection.id, &secret)?;
                    secret
                }
            };
            secrets.tokens.insert(collection.id, secret);
            if let Some(cost) = bcrypt_left(conn, collection)? {
                secrets.bcrypt.insert(collection.id, cost);
            }
        }
        Ok(secrets)
    }

    /// The secret of a collection; `None` if it is no auth collection.
    pub fn of(&self, collection_id: &str) -> Option<&str> {
        self.tokens.get(collection_id).map(String::as_str)
    }

    /// The cost of the bcrypt hashes in a collection; `None` if there are none.
    pub fn bcrypt_cost(&self, collection_id: &str) -> Option<u32> {
        self.bcrypt.get(collection_id).copied()
    }
}

/// What tokens of a collection are signed with, if that is decided.
pub fn token_secret(conn: &mut Conn, collection_id: &str) -> QueryResult<Option<String>> {
    get_param(conn, &token_key(collection_id))
}

/// Decides what tokens of a collection are signed with.
pub fn set_token_secret(conn: &mut Conn, collection_id: &str, secret: &str) -> QueryResult<()> {
    set_param(conn, &token_key(collection_id), secret)
}

/// Notes that a collection has got accounts whose hashes are bcrypt's, of this cost.
pub fn note_bcrypt(conn: &mut Conn, collection_id: &str, cost: u32) -> QueryResult<()> {
    let key = bcrypt_key(collection_id);
    let known = get_param(conn, &key)?.and_then(|cost| cost.parse().ok());
    set_param(
        conn,
        &key,
        &known.map_or(cost, |known| cost.max(known)).to_string(),
    )
}

/// The cost of the bcrypt hashes that a collection still has. Once there are none, they are
/// forgotten, so that this costs nothing any more.
fn bcrypt_left(conn: &mut Conn, collection: &CollectionMeta) -> QueryResult<Option<u32>> {
    let key = bcrypt_key(collection.id);
    let Some(cost) = get_param(conn, &key)? else {
        return Ok(None);
    };
    if any_starts_with(conn, collection.name, "password", "$2")? {
        return Ok(cost.parse().ok());
    }
    remove_param(conn, &key)?;
    Ok(None)
}

fn token_key(collection_id: &str) -> String {
    format!("auth_token_secret:{collection_id}")
}

fn bcrypt_key(collection_id: &str) -> String {
    format!("bcrypt_cost:{collection_id}")
}

fn random() -> String {
    rand::rng()
        .sample_iter(Alphanumeric)
        .take(LENGTH)
        .map(char::from)
        .collect()
}
