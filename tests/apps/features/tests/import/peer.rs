//! Data directories as PocketBase writes them, and imports of them.

use std::fs;
use std::path::{Path, PathBuf};

use basalt_runtime::app::{App, Pending};
use basalt_runtime::config::Settings;
use basalt_runtime::import::{self, Import, Manner, Summary};
use basalt_runtime::registry::Registry;
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::Text;
use features_app::{MIGRATIONS, application};
use tempfile::TempDir;

/// What the tokens of `members` are signed with there.
pub const SECRET: &str = "PjVU4hAV7CZIWbCByJHkDcMUlSEWCLI6M5aWSZOpEq0a3rYxKT";

const TABLES: &str = r#"
CREATE TABLE `_collections` (
  `id` TEXT PRIMARY KEY, `system` BOOLEAN DEFAULT FALSE NOT NULL,
  `type` TEXT DEFAULT "base" NOT NULL, `name` TEXT UNIQUE NOT NULL,
  "fields" JSON DEFAULT "[]" NOT NULL, `indexes` JSON DEFAULT "[]" NOT NULL,
  `options` JSON DEFAULT "{}" NOT NULL);
CREATE TABLE `_params` (
  `created` TEXT DEFAULT '' NOT NULL, `id` TEXT PRIMARY KEY NOT NULL,
  `updated` TEXT DEFAULT '' NOT NULL, `value` JSON DEFAULT NULL);
"#;

/// A data directory there, and a data folder here.
pub struct Peer {
    root: TempDir,
    conn: SqliteConnection,
}

impl Peer {
    /// Without collections.
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("pb_data")).unwrap();
        let file = root.path().join("pb_data/data.db");
        let mut conn = SqliteConnection::establish(file.to_str().unwrap()).unwrap();
        conn.batch_execute(TABLES).unwrap();
        Peer { root, conn }
    }

    /// With the collection of this name that the application has too.
    pub fn with(mut self, name: &str, columns: &[&str]) -> Self {
        let registry = registry();
        let meta = registry.find(name).unwrap().meta();
        let kind = if meta.auth.is_some() { "auth" } else { "base" };
        self.add(meta.id, name, kind, columns);
        self
    }

    /// With any collection; a column may come with its type.
    pub fn add(&mut self, id: &str, name: &str, kind: &str, columns: &[&str]) {
        let options = format!(r#"{{"authToken":{{"secret":"{SECRET}","duration":9}}}}"#);
        let options = if kind == "auth" { &options } else { "{}" };
        self.run(&format!(
            "INSERT INTO _collections (id, name, type, options) \
             VALUES ('{id}', '{name}', '{kind}', '{options}')"
        ));
        let columns: Vec<String> = columns.iter().map(|column| declared(column)).collect();
        self.run(&format!("CREATE TABLE `{name}` ({})", columns.join(", ")));
    }

    /// Runs statements there.
    pub fn run(&mut self, statements: &str) {
        self.conn.batch_execute(statements).unwrap();
    }

    /// What both are in.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The data directory there.
    pub fn from(&self) -> PathBuf {
        self.root.path().join("pb_data")
    }

    /// The data folder here.
    pub fn to(&self) -> PathBuf {
        self.root.path().join("basalt_data")
    }

    /// Imports.
    pub fn import(&self, manner: Manner) -> anyhow::Result<Summary> {
        self.import_as(manner, false)
    }

    /// Imports, perhaps only to try it out.
    pub fn import_as(&self, manner: Manner, dry_run: bool) -> anyhow::Result<Summary> {
        let from = self.from();
        let import = Import {
            from: &from,
            to: self.to(),
            manner,
            dry_run,
        };
        import::data(&import, &registry(), &MIGRATIONS)
    }

    /// Imports what has nothing wrong with it.
    pub fn imported(&self) -> Summary {
        let summary = self.import(Manner::default()).unwrap();
        assert_eq!(summary.refused(), 0, "{summary}");
        summary
    }

    /// The application on what was imported.
    pub fn app(&self) -> App {
        let application = application();
        let settings = Settings {
            dir: self.to(),
            ..Settings::default()
        };
        App::open(
            application.collections,
            application.migrations,
            settings,
            Pending::Refuse,
        )
        .unwrap()
    }

    /// One text from the database here.
    pub fn look(&self, query: &str) -> String {
        look(&self.to().join("data.db"), query)
    }
}

/// The application's collections.
pub fn registry() -> Registry {
    application().collections.build()
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Text)]
    found: String,
}

/// The text `found` of a query's only row.
pub fn look(file: &Path, query: &str) -> String {
    let mut conn = SqliteConnection::establish(file.to_str().unwrap()).unwrap();
    let row: Found = diesel::sql_query(query).get_result(&mut conn).unwrap();
    row.found
}

fn declared(column: &str) -> String {
    match column.split_once(' ') {
        Some((name, kind)) => format!("`{name}` {kind}"),
        None if column == "id" => "`id` TEXT PRIMARY KEY NOT NULL".to_owned(),
        None => format!("`{column}` TEXT DEFAULT '' NOT NULL"),
    }
}

/// Everything below a folder: names and contents.
pub fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push((path.clone(), fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}
