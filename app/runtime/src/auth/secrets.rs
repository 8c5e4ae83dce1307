//! The secrets that tokens are signed with: one for each auth collection, made at the first
//! start, kept in the database and never sent anywhere.

use std::collections::HashMap;

use diesel::QueryResult;
use rand::RngExt;
use rand::distr::Alphanumeric;

use crate::meta::CollectionMeta;
use crate::migrate::{get_param, set_param};
use crate::sql::Conn;

const LENGTH: usize = 50;

/// The secret of each auth collection, by the collection's id.
#[derive(Debug, Default)]
pub struct Secrets(HashMap<&'static str, String>);

impl Secrets {
    /// Reads the secrets, and makes those that are missing.
    pub fn load_or_create<'a>(
        conn: &mut Conn,
        collections: impl Iterator<Item = &'a CollectionMeta>,
    ) -> QueryResult<Secrets> {
        let mut secrets = HashMap::new();
        for collection in collections.filter(|collection| collection.auth.is_some()) {
            let key = format!("auth_token_secret:{}", collection.id);
            let secret = match get_param(conn, &key)? {
                Some(secret) => secret,
                None => {
                    let secret = random();
                    set_param(conn, &key, &secret)?;
                    secret
                }
            };
            secrets.insert(collection.id, secret);
        }
        Ok(Secrets(secrets))
    }

    /// The secret of a collection; `None` if it is no auth collection.
    pub fn of(&self, collection_id: &str) -> Option<&str> {
        self.0.get(collection_id).map(String::as_str)
    }
}

fn random() -> String {
    rand::rng()
        .sample_iter(Alphanumeric)
        .take(LENGTH)
        .map(char::from)
        .collect()
}
