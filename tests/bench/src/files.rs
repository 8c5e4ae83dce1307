//! The app's database file, between two runs of the server: the same records in the collections that
//! differ by a rule only, without a request for each. And what SQLite alone needs for a count.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

/// How often a count is timed.
const COUNTS: usize = 15;

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    n: i64,
}

/// A database file that no server has open.
pub struct Files(SqliteConnection);

impl Files {
    /// Opens it.
    pub fn open(path: &Path) -> Result<Files> {
        let text = path.to_str().context("a path that is no text")?;
        let mut connection =
            SqliteConnection::establish(text).with_context(|| format!("cannot open {text}"))?;
        // Rows are copied together with what they refer to.
        connection.batch_execute("PRAGMA foreign_keys = OFF; PRAGMA synchronous = NORMAL;")?;
        Ok(Files(connection))
    }

    /// Copies all records of a collection, and what tables of helpers hold of them.
    pub fn copy(&mut self, from: &str, to: &str) -> Result<()> {
        for (source, target) in self.tables(from, to)? {
            let columns: Vec<String> = self.names(&format!(
                "SELECT name FROM pragma_table_info('{source}') ORDER BY cid"
            ))?;
            let columns: Vec<String> = columns.iter().map(|name| format!("\"{name}\"")).collect();
            let columns = columns.join(", ");
            // Triggers may have filled a helper already.
            self.0
                .batch_execute(&format!(
                    "INSERT OR IGNORE INTO \"{target}\" ({columns}) SELECT {columns} FROM \"{source}\""
                ))
                .with_context(|| format!("cannot copy {source} to {target}"))?;
        }
        Ok(())
    }

    /// Deletes all records of a collection.
    pub fn empty(&mut self, collection: &str) -> Result<()> {
        for (table, _) in self.tables(collection, collection)? {
            self.0
                .batch_execute(&format!("DELETE FROM \"{table}\""))
                .with_context(|| format!("cannot empty {table}"))?;
        }
        Ok(())
    }

    /// The tables of a collection, beside those of another one: its own, and helpers such as
    /// `_link_users_permissions`, whose names hold its name.
    fn tables(&mut self, from: &str, to: &str) -> Result<Vec<(String, String)>> {
        let all = self
            .names("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")?;
        let collections: Vec<&String> = all.iter().filter(|name| !name.starts_with('_')).collect();
        let helps = |table: &str, collection: &str| {
            let rest = table
                .strip_prefix('_')
                .and_then(|rest| rest.split_once('_'));
            rest.is_some_and(|(_, rest)| {
                let own = rest.strip_prefix(collection);
                own.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
            })
        };
        let is_of = |table: &str| {
            let owner = collections.iter().filter(|name| helps(table, name));
            owner
                .max_by_key(|name| name.len())
                .is_some_and(|name| *name == from)
        };
        let helpers = all
            .iter()
            .filter(|name| name.starts_with('_') && is_of(name));
        let mut tables = vec![(from.to_owned(), to.to_owned())];
        for helper in helpers {
            tables.push((helper.clone(), helper.replacen(from, to, 1)));
        }
        Ok(tables)
    }

    fn names(&mut self, query: &str) -> Result<Vec<String>> {
        let names: Vec<Name> = diesel::sql_query(query).load(&mut self.0)?;
        Ok(names.into_iter().map(|row| row.name).collect())
    }
}

/// How long SQLite needs to go through an index with an entry for each record: no count under a
/// condition that looks at each of them can be quicker.
pub fn index_scan(path: &Path, collection: &str, field: &str) -> Result<Duration> {
    let uri = format!("file:{}?mode=ro", path.display());
    let mut connection = SqliteConnection::establish(&uri)
        .with_context(|| format!("cannot read {}", path.display()))?;
    connection.batch_execute("PRAGMA cache_size = -65536;")?;
    let query = format!("SELECT count(*) AS n FROM \"{collection}\" WHERE \"{field}\" > ''");
    let mut times = Vec::with_capacity(COUNTS);
    for _ in 0..COUNTS {
        let started = Instant::now();
        let count: Count = diesel::sql_query(&query).get_result(&mut connection)?;
        times.push(started.elapsed());
        anyhow::ensure!(count.n >= 0, "a negative count");
    }
    times.sort_unstable();
    Ok(times.get(COUNTS / 2).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const SCHEMA: &str = "
        CREATE TABLE posts (id TEXT PRIMARY KEY, author TEXT);
        CREATE TABLE posts_auth (id TEXT PRIMARY KEY, author TEXT);
        CREATE TABLE _link_posts_tags (owner TEXT, target TEXT, PRIMARY KEY (owner, target)) WITHOUT ROWID;
        CREATE TABLE _link_posts_auth_tags (owner TEXT, target TEXT, PRIMARY KEY (owner, target)) WITHOUT ROWID;
        CREATE INDEX of_author ON posts (author);
        INSERT INTO posts VALUES ('a', 'x'), ('b', 'y');
        INSERT INTO _link_posts_tags VALUES ('a', 't'), ('b', 't');
        INSERT INTO posts_auth VALUES ('c', 'z');";

    #[test]
    fn copies_and_empties_with_the_helpers() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("data.db");
        let mut files = Files::open(&path).unwrap();
        files.0.batch_execute(SCHEMA).unwrap();
        files.copy("posts", "posts_auth").unwrap();
        let all = |files: &mut Files, query: &str| files.names(query).unwrap().join(" ");
        let auth = "SELECT id AS name FROM posts_auth ORDER BY id";
        let links = "SELECT owner AS name FROM _link_posts_auth_tags ORDER BY owner";
        assert_eq!(all(&mut files, auth), "a b c");
        assert_eq!(all(&mut files, links), "a b");

        files.empty("posts").unwrap();
        let left = "SELECT owner AS name FROM _link_posts_tags UNION ALL SELECT id FROM posts";
        assert_eq!(all(&mut files, left), "");
        assert_eq!(
            all(&mut files, links),
            "a b",
            "those of the other collection stay"
        );
        assert!(files.copy("posts", "none").is_err());
    }

    #[test]
    fn times_a_count() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("data.db");
        Files::open(&path).unwrap().0.batch_execute(SCHEMA).unwrap();
        assert!(index_scan(&path, "posts", "author").unwrap() > Duration::ZERO);
        assert!(index_scan(&path, "nothing", "author").is_err());
    }
}
