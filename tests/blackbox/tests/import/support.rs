//! A folder with sources in it, where the command runs, and data directories as PocketBase makes
//! them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use basalt_blackbox::Target;
use basalt_blackbox::process::Ended;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The folder; it is removed with this.
pub struct Place {
    folder: TempDir,
    target: Target,
}

/// Files with what they hold.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

impl Place {
    pub fn new() -> Self {
        Place {
            folder: tempfile::tempdir().unwrap(),
            target: Target::find(option_env!("CARGO_BIN_EXE_basalt-under-test")).unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs any command.
    pub fn run(&self, args: &[&str]) -> Ended {
        self.target.run(args, self.folder.path()).unwrap()
    }

    /// Runs `basalt import schema`.
    pub fn import(&self, args: &[&str]) -> Ended {
        self.run(&[&["import", "schema"], args].concat())
    }

    /// It must go well; returns what it says.
    #[track_caller]
    pub fn imported(&self, args: &[&str]) -> String {
        let ended = self.import(args);
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(0), ""),
            "{args:?}: {}",
            ended.stdout
        );
        ended.stdout
    }

    /// It must be refused, in one report with these words, and leave everything as it was.
    #[track_caller]
    pub fn refused(&self, args: &[&str], words: &[&str]) -> String {
        let before = self.files();
        let ended = self.import(args);
        assert_eq!(ended.code, Some(1), "{args:?}: {ended:?}");
        assert_eq!(ended.stdout, "", "{args:?}");
        assert_eq!(ended.stderr.matches("error: ").count().min(1), 1);
        assert!(ended.stderr.starts_with("error: "), "{ended:?}");
        assert!(!ended.stderr.contains("panicked"), "{ended:?}");
        for word in words {
            assert!(ended.stderr.contains(word), "no {word:?} in {ended:?}");
        }
        assert_eq!(self.files(), before, "{args:?} changed files");
        ended.stderr
    }

    /// Every file, but for the logs of the command itself.
    pub fn files(&self) -> Files {
        let mut files = Files::new();
        collect(self.folder.path(), &mut files);
        files.retain(|path, _| {
            let name = path.file_name().unwrap();
            name != "run.out" && name != "run.err"
        });
        files
    }
}

fn collect(dir: &Path, files: &mut Files) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.insert(path.clone(), Vec::new());
            collect(&path, files);
        } else {
            files.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

/// Two collections, one of which refers to the other.
pub fn collections() -> Value {
    let text = |name: &str| json!({ "name": name, "type": "text", "id": format!("text_{name}") });
    json!([
        {
            "id": "pbc_1", "name": "posts", "type": "base", "system": false,
            "listRule": "", "viewRule": "public = true", "createRule": null,
            "updateRule": null, "deleteRule": null,
            "fields": [
                text("title"),
                { "name": "public", "type": "bool" },
                { "name": "author", "type": "relation", "collectionId": "_pb_users_auth_", "maxSelect": 1 },
            ],
            "indexes": ["CREATE UNIQUE INDEX `titles` ON `posts` (`title`) WHERE title != ''"],
        },
        {
            "id": "_pb_users_auth_", "name": "users", "type": "auth", "system": false,
            "listRule": null, "viewRule": null, "createRule": null, "updateRule": null, "deleteRule": null,
            "fields": [text("name")],
            "indexes": [],
            "authRule": "verified = true",
            "authToken": { "duration": 3600, "secret": "never-to-be-seen" },
        },
    ])
}

/// A database of PocketBase's form.
pub struct Database {
    pub conn: SqliteConnection,
}

const COLUMNS: &[&str] = &[
    "id",
    "system",
    "type",
    "name",
    "listRule",
    "viewRule",
    "createRule",
    "updateRule",
    "deleteRule",
];

impl Database {
    /// `data.db` in this directory, with these collections and their tables.
    pub fn make(dir: &Path, collections: &Value) -> Self {
        let mut database = Database::empty(dir);
        database.run(
            "CREATE TABLE `_collections` (`id` TEXT PRIMARY KEY, `system` BOOLEAN DEFAULT FALSE NOT NULL, \
             `type` TEXT DEFAULT \"base\" NOT NULL, `name` TEXT UNIQUE, `fields` JSON DEFAULT \"[]\" NOT NULL, \
             `indexes` JSON DEFAULT \"[]\" NOT NULL, `listRule` TEXT, `viewRule` TEXT, `createRule` TEXT, \
             `updateRule` TEXT, `deleteRule` TEXT, `options` JSON DEFAULT \"{}\" NOT NULL, \
             `created` TEXT, `updated` TEXT);\
             CREATE TABLE `_migrations` (file TEXT); CREATE TABLE `_params` (id TEXT);",
        );
        for collection in collections.as_array().unwrap() {
            database.add(collection);
            let name = collection["name"].as_str().unwrap();
            database.run(&format!("CREATE TABLE `{name}` (id TEXT PRIMARY KEY);"));
        }
        database
    }

    /// `data.db` without anything.
    pub fn empty(dir: &Path) -> Self {
        fs::create_dir_all(dir).unwrap();
        let path = dir.join("data.db");
        let conn = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
        Database { conn }
    }

    pub fn run(&mut self, sql: &str) {
        self.conn.batch_execute(sql).unwrap();
    }

    fn add(&mut self, collection: &Value) {
        let literal = |value: &Value| match value {
            Value::Null => "NULL".to_owned(),
            Value::Bool(flag) => flag.to_string(),
            Value::String(text) => format!("'{}'", text.replace('\'', "''")),
            other => format!("'{}'", other.to_string().replace('\'', "''")),
        };
        let mut options = collection.as_object().unwrap().clone();
        let mut values: Vec<String> = Vec::new();
        for column in COLUMNS.iter().chain(&["fields", "indexes"]) {
            values.push(literal(&options.remove(*column).unwrap_or(Value::Null)));
        }
        values.push(literal(&Value::Object(options)));
        let columns = COLUMNS.join("`, `");
        self.run(&format!(
            "INSERT INTO _collections (`{columns}`, fields, indexes, options) VALUES ({});",
            values.join(", ")
        ));
    }
}
