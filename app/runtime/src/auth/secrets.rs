//! The secrets that tokens are signed with: one for each auth collection, made at the first
//! start, kept in the database and never sent anywhere.

use std::collections::HashMap;

use diesel::prelude::*;
use rand::RngExt;
use rand::distr::Alphanumeric;

use crate::meta::CollectionMeta;
use crate::sql::Conn;

diesel::table! {
    _params (key) {
        key -> Text,
        value -> Text,
    }
}

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
            diesel::insert_or_ignore_into(_params::table)
                .values((_params::key.eq(&key), _params::value.eq(random())))
                .execute(conn)?;
            let secret = _params::table
                .find(&key)
                .select(_params::value)
                .first(conn)?;
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
