//! A PocketBase data directory, which is only ever read: a copy of one, or the one that a server
//! uses meanwhile.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context as _, bail, ensure};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use serde_json::Value as JsonValue;

use super::raw::{Raw, Reading, quoted};
use crate::app::DATABASE_FILE;
use crate::sql::Conn;
use crate::storage;

/// The directory, at one moment in time.
pub struct Source {
    /// The connection, with a transaction that lasts as long as it.
    pub conn: Conn,
    /// The directory.
    pub dir: PathBuf,
    /// What it holds.
    pub collections: Vec<Collection>,
    /// The state of the file, if nothing but that tells of changes.
    unlocked: Option<(u64, Option<SystemTime>)>,
}

/// A collection there.
pub struct Collection {
    /// Its id.
    pub id: String,
    /// Its name, which is its table's.
    pub name: String,
    /// `base`, `auth` or `view`.
    pub kind: String,
    /// The columns of its table.
    pub columns: Vec<String>,
    /// The types of its fields, by name.
    pub types: Vec<(String, String)>,
    /// How many records it has.
    pub count: u64,
    /// What its tokens are signed with.
    pub token_secret: Option<String>,
}

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

impl Source {
    /// Opens the directory and looks whether it is whole.
    ///
    /// # Errors
    /// One line: what is wrong with which file.
    pub fn open(dir: &Path) -> anyhow::Result<Self> {
        let file = dir.join(DATABASE_FILE);
        ensure!(
            dir.is_dir(),
            "{} is no directory: give the data directory of PocketBase, usually `pb_data`",
            dir.display()
        );
        ensure!(
            file.is_file(),
            "{} has no {DATABASE_FILE}: give the data directory of PocketBase, usually `pb_data`",
            dir.display()
        );
        let locked = storage::has_log(&file);
        let unlocked = (!locked).then(|| state(&file)).transpose()?;
        let mut conn = storage::foreign(&file, locked)?;
        conn.batch_execute("BEGIN")?;
        check_whole(&mut conn)
            .and_then(|()| check_length(&mut conn, &file, locked))
            .with_context(|| format!("{} can't be read as a whole", file.display()))?;
        let collections = collections(&mut conn).with_context(|| {
            format!(
                "{} is no database of PocketBase 0.23 or later",
                file.display()
            )
        })?;
        Ok(Source {
            conn,
            dir: dir.to_owned(),
            collections,
            unlocked,
        })
    }

    /// Fails if the file was changed since it was opened, in a way that the connection doesn't see.
    ///
    /// # Errors
    /// It was, or it is gone.
    pub fn check_unchanged(&self) -> anyhow::Result<()> {
        let file = self.dir.join(DATABASE_FILE);
        if let Some(before) = self.unlocked {
            let same = state(&file)? == before && !storage::has_log(&file);
            ensure!(
                same,
                "{} was changed while it was read: a server was started there; try again",
                file.display()
            );
        }
        Ok(())
    }

    /// The settings, as far as they are used there and have no counterpart here.
    pub fn settings(&mut self) -> anyhow::Result<Vec<String>> {
        let mut text = None;
        let reading = Reading {
            table: "_params",
            columns: &["value"],
            id: Some("settings"),
        };
        reading.each(&mut self.conn, &mut |values| {
            if let Some(Raw::Text(value)) = values.pop() {
                text = Some(value);
            }
            Ok(())
        })?;
        let Some(text) = text else {
            return Ok(Vec::new());
        };
        match serde_json::from_str::<JsonValue>(&text) {
            Ok(JsonValue::Object(settings)) => Ok(in_use(&JsonValue::Object(settings))),
            _ => Ok(vec!["all of them, which are encrypted".to_owned()]),
        }
    }
}

/// The groups of settings that are used.
fn in_use(settings: &JsonValue) -> Vec<String> {
    let on = |path: &str| settings.pointer(path).is_some_and(is_set);
    let groups = [
        ("smtp", on("/smtp/enabled")),
        ("s3", on("/s3/enabled")),
        ("backups", on("/backups/cron")),
        ("rateLimits", on("/rateLimits/enabled")),
        ("batch", on("/batch/enabled")),
        ("trustedProxy", on("/trustedProxy/headers")),
        ("superuserIPs", on("/superuserIPs")),
    ];
    let used = groups.into_iter().filter(|(_, used)| *used);
    used.map(|(name, _)| name.to_owned()).collect()
}

fn is_set(value: &JsonValue) -> bool {
    match value {
        JsonValue::Bool(value) => *value,
        JsonValue::String(text) => !text.is_empty(),
        JsonValue::Array(items) => !items.is_empty(),
        _ => false,
    }
}

fn state(file: &Path) -> anyhow::Result<(u64, Option<SystemTime>)> {
    let found = fs::metadata(file).with_context(|| format!("cannot look at {}", file.display()))?;
    Ok((found.len(), found.modified().ok()))
}

fn check_whole(conn: &mut Conn) -> anyhow::Result<()> {
    let Name { name } =
        diesel::sql_query("SELECT encoding AS name FROM pragma_encoding").get_result(conn)?;
    ensure!(name == "UTF-8", "its texts are {name}, not UTF-8");
    let Name { name } =
        diesel::sql_query("SELECT quick_check AS name FROM pragma_quick_check LIMIT 1")
            .get_result(conn)?;
    ensure!(
        name == "ok",
        "the file is damaged: {}",
        name.replace('\n', " ")
    );
    Ok(())
}

/// SQLite takes what is missing at the end of a file for zeros. Pages that are in the log only may
/// be missing, but no part of one.
fn check_length(conn: &mut Conn, file: &Path, logged: bool) -> anyhow::Result<()> {
    let query = "SELECT page_size AS count FROM pragma_page_size";
    let Count { count: size } = diesel::sql_query(query).get_result(conn)?;
    let query = "SELECT page_count AS count FROM pragma_page_count";
    let Count { count: pages } = diesel::sql_query(query).get_result(conn)?;
    let length = i64::try_from(state(file)?.0)?;
    let whole = length % size.max(1) == 0 && (logged || length >= size.saturating_mul(pages));
    ensure!(
        whole,
        "the file is cut: it has {length} bytes, and should have {pages} pages of {size}"
    );
    Ok(())
}

fn collections(conn: &mut Conn) -> anyhow::Result<Vec<Collection>> {
    let mut found = Vec::new();
    let reading = Reading {
        table: "_collections",
        columns: &["id", "name", "type", "fields", "options"],
        id: None,
    };
    reading.each(conn, &mut |values| {
        found.push(collection(values)?);
        Ok(())
    })?;
    for one in &mut found {
        one.columns = columns(conn, &one.name)?;
        if one.kind == "view" {
            continue;
        }
        if one.columns.is_empty() {
            bail!("the collection `{}` has no table", one.name);
        }
        let query = format!("SELECT count(*) AS count FROM {}", quoted(&one.name));
        let Count { count } = diesel::sql_query(query)
            .get_result(conn)
            .with_context(|| format!("cannot read the table `{}`", one.name))?;
        one.count = u64::try_from(count)?;
    }
    Ok(found)
}

fn columns(conn: &mut Conn, table: &str) -> anyhow::Result<Vec<String>> {
    let names: Vec<Name> = diesel::sql_query("SELECT name FROM pragma_table_info(?)")
        .bind::<Text, _>(table)
        .load(conn)?;
    Ok(names.into_iter().map(|name| name.name).collect())
}

/// A row of `_collections`, with the columns that are read of it.
fn collection(values: &[Raw]) -> anyhow::Result<Collection> {
    let [
        Raw::Text(id),
        Raw::Text(name),
        Raw::Text(kind),
        fields,
        options,
    ] = values
    else {
        bail!("a row of `_collections` is not what PocketBase writes");
    };
    let json = |what: &str, raw: &Raw| match raw {
        Raw::Text(text) => serde_json::from_str::<JsonValue>(text)
            .with_context(|| format!("the {what} of the collection `{name}` are no JSON")),
        _ => Ok(JsonValue::Null),
    };
    let (fields, options) = (json("fields", fields)?, json("options", options)?);
    let text = |value: &JsonValue, key: &str| {
        let found = value.get(key).and_then(JsonValue::as_str);
        found.map(str::to_owned)
    };
    let types = fields.as_array().map(Vec::as_slice).unwrap_or_default();
    let types = types
        .iter()
        .filter_map(|field| Some((text(field, "name")?, text(field, "type")?)));
    let secret = options.pointer("/authToken/secret");
    Ok(Collection {
        types: types.collect(),
        columns: Vec::new(),
        count: 0,
        token_secret: secret.and_then(JsonValue::as_str).map(str::to_owned),
        id: id.clone(),
        name: name.clone(),
        kind: kind.clone(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_change_beside_the_transaction_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(DATABASE_FILE);
        let mut conn = Conn::establish(file.to_str().unwrap()).unwrap();
        conn.batch_execute(
            "CREATE TABLE _collections (id TEXT, name TEXT, type TEXT, fields JSON, options JSON);",
        )
        .unwrap();
        let source = Source::open(dir.path()).unwrap();
        source.check_unchanged().unwrap();
        conn.batch_execute("PRAGMA journal_mode = WAL; CREATE TABLE other (id TEXT);")
            .unwrap();
        let error = source.check_unchanged().unwrap_err().to_string();
        assert!(error.contains("was changed while it was read"), "{error}");
        // From now on there is a log, which the transaction sees the state of.
        let source = Source::open(dir.path()).unwrap();
        conn.batch_execute("CREATE TABLE third (id TEXT)").unwrap();
        source.check_unchanged().unwrap();
    }

    #[test]
    fn settings_in_use_are_named() {
        let settings = serde_json::json!({
            "smtp": { "enabled": true }, "s3": { "enabled": false }, "backups": { "cron": "" },
            "trustedProxy": { "headers": ["X-Real-IP"] }, "superuserIPs": [],
        });
        assert_eq!(in_use(&settings), ["smtp", "trustedProxy"]);
    }
}
