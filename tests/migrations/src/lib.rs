//! What the tests of migrations share: schemas from text, a database that is migrated by the same
//! code as a real one, and what SQLite says about its tables.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

pub mod case;
pub mod introspect;
pub mod meta;

use basalt_codegen::diff::{Migration, Options, Problem, diff, folder};
use basalt_codegen::snapshot::Snapshot;
use basalt_codegen::{Source, ir, resolve};
use basalt_runtime::migrate;
use basalt_runtime::sql::Conn;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{Nullable, Text};
use diesel_migrations::FileBasedMigrations;

/// A schema from its files' text, which must be good.
pub fn schema(files: &[&str]) -> ir::Schema {
    let sources: Vec<Source> = files
        .iter()
        .enumerate()
        .map(|(number, text)| Source {
            path: format!("schema/{number}.toml"),
            text: (*text).to_owned(),
        })
        .collect();
    match resolve(&sources) {
        Ok(checked) => checked.schema,
        Err(report) => panic!("{}\n{}", report.render(false), files.join("\n---\n")),
    }
}

/// A database in a temporary folder, with its migrations beside it.
pub struct TestDb {
    /// The connection, with foreign keys on as in the server.
    pub conn: Conn,
    folder: tempfile::TempDir,
    count: usize,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Nullable<Text>)]
    v: Option<String>,
}

impl TestDb {
    /// Empty, without migrations.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("migrations")).unwrap();
        let path = folder.path().join("data.db");
        let mut conn = Conn::establish(path.to_str().unwrap()).unwrap();
        conn.batch_execute("PRAGMA foreign_keys = ON; PRAGMA journal_mode = WAL;")
            .unwrap();
        TestDb {
            conn,
            folder,
            count: 0,
        }
    }

    /// The folder of migrations.
    pub fn migrations(&self) -> std::path::PathBuf {
        self.folder.path().join("migrations")
    }

    /// The migrations that there are now.
    pub fn source(&self) -> FileBasedMigrations {
        FileBasedMigrations::from_path(self.migrations()).unwrap()
    }

    /// The diff from the last migration to a schema.
    pub fn diff(
        &self,
        schema: &ir::Schema,
        options: &Options,
    ) -> Result<Option<Migration>, Vec<Problem>> {
        let last: Option<Snapshot> = folder::last_snapshot(&self.migrations()).unwrap();
        diff(last.as_ref(), schema, options)
    }

    /// Writes a migration into the folder.
    pub fn write(&mut self, migration: &Migration) {
        let stamp = format!("2000-01-01-{:06}", self.count);
        self.count += 1;
        folder::write(&self.migrations(), &stamp, "test", migration).unwrap();
    }

    /// Makes the migration to a schema and applies it. `false` if nothing changed.
    pub fn migrate(&mut self, schema: &ir::Schema, allow_data_loss: bool) -> bool {
        let options = Options { allow_data_loss };
        let Some(migration) = self.diff(schema, &options).unwrap() else {
            return false;
        };
        self.write(&migration);
        if let Err(error) = self.run() {
            panic!("{error}\n{}", migration.up);
        }
        true
    }

    /// Applies what is pending.
    pub fn run(&mut self) -> Result<usize, migrate::MigrateError> {
        let source = self.source();
        migrate::run(&mut self.conn, &source, |_, _| {})
    }

    /// Reverts the last migration.
    pub fn revert(&mut self) {
        let source = self.source();
        assert_eq!(
            migrate::revert(&mut self.conn, &source, 1, |_, _| {}).unwrap(),
            1
        );
    }

    /// Runs statements.
    pub fn execute(&mut self, sql: &str) {
        self.conn
            .batch_execute(sql)
            .unwrap_or_else(|error| panic!("{error}: {sql}"));
    }

    /// The rows of `SELECT {what} AS v {rest}`, joined by commas; NULL is `NULL`.
    pub fn ask(&mut self, what: &str, rest: &str) -> String {
        let query = format!("SELECT CAST({what} AS TEXT) AS v {rest}");
        let rows: Vec<Row> = diesel::sql_query(&query)
            .load(&mut self.conn)
            .unwrap_or_else(|error| panic!("{error}: {query}"));
        let values: Vec<String> = rows
            .into_iter()
            .map(|row| row.v.unwrap_or_else(|| "NULL".to_owned()))
            .collect();
        values.join(",")
    }

    /// The file is sound, no reference points to nothing, foreign keys are on again, and each join
    /// table holds just what the lists in the records say.
    pub fn assert_sound(&mut self, schema: &ir::Schema) {
        assert_eq!(
            self.ask("integrity_check", "FROM pragma_integrity_check"),
            "ok"
        );
        assert_eq!(self.ask("\"table\"", "FROM pragma_foreign_key_check"), "");
        assert_eq!(self.ask("foreign_keys", "FROM pragma_foreign_keys"), "1");
        for collection in &schema.collections {
            for field in &collection.fields {
                if !matches!(field.kind, ir::FieldKind::Relation { .. }) || !field.kind.is_many() {
                    continue;
                }
                let (owner, name) = (&collection.name.wire, &field.name.wire);
                let listed = self.ask(
                    "t.id || item.value",
                    &format!("FROM \"{owner}\" AS t, json_each(t.\"{name}\") AS item ORDER BY t.id, item.key"),
                );
                let linked = self.ask(
                    "\"owner\" || \"target\"",
                    &format!("FROM \"_link_{owner}_{name}\" ORDER BY \"owner\", \"position\""),
                );
                assert_eq!(listed, linked, "{owner}.{name}");
            }
        }
    }
}

impl Default for TestDb {
    fn default() -> Self {
        TestDb::new()
    }
}
