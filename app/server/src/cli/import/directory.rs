//! The collections in a data directory of PocketBase, as the JSON of an export. The directory is
//! only read, as it is at one moment, also while the server is running.

use std::path::Path;

use anyhow::{anyhow, bail};
use basalt_runtime::app::DATABASE_FILE;
use basalt_runtime::storage;
use diesel::prelude::*;
use serde_json::{Map, Value};

/// Tables that are no collections.
const OTHER_TABLES: &[&str] = &["_migrations", "_collections", "_params"];

// As bytes, since nothing says that the texts of a damaged file are texts.
diesel::table! {
    _collections (id) {
        id -> Binary,
        name -> Nullable<Binary>,
        #[sql_name = "type"]
        kind -> Nullable<Binary>,
        fields -> Nullable<Binary>,
        indexes -> Nullable<Binary>,
        options -> Nullable<Binary>,
        #[sql_name = "listRule"]
        list_rule -> Nullable<Binary>,
        #[sql_name = "viewRule"]
        view_rule -> Nullable<Binary>,
        #[sql_name = "createRule"]
        create_rule -> Nullable<Binary>,
        #[sql_name = "updateRule"]
        update_rule -> Nullable<Binary>,
        #[sql_name = "deleteRule"]
        delete_rule -> Nullable<Binary>,
    }
}

diesel::table! {
    sqlite_master (name) {
        name -> Binary,
        #[sql_name = "type"]
        kind -> Text,
    }
}

type Bytes = Option<Vec<u8>>;

#[derive(Queryable)]
struct Row {
    id: Vec<u8>,
    name: Bytes,
    kind: Bytes,
    fields: Bytes,
    indexes: Bytes,
    options: Bytes,
    list_rule: Bytes,
    view_rule: Bytes,
    create_rule: Bytes,
    update_rule: Bytes,
    delete_rule: Bytes,
}

/// Reads the collections of a data directory, as JSON.
pub(super) fn read(dir: &Path, ignore_tables: bool) -> anyhow::Result<String> {
    let shown = dir.display();
    let file = dir.join(DATABASE_FILE);
    if !file.is_file() {
        let inner = dir.join("pb_data");
        if inner.join(DATABASE_FILE).is_file() {
            bail!("{shown} has no data.db: did you mean {}?", inner.display());
        }
        bail!("{shown} has no data.db: give the data directory of PocketBase, often `pb_data`");
    }
    let (rows, tables) = load(&file)?;
    let mut problems = Vec::new();
    let mut collections = Vec::new();
    for row in rows {
        collections.push(collection(row, &mut problems));
    }
    compare(&collections, &tables, ignore_tables, &mut problems);
    if !problems.is_empty() {
        let file = file.display();
        let problems = problems.join("\n  ");
        bail!("{file} is not as PocketBase leaves it; nothing was written\n  {problems}");
    }
    Ok(Value::Array(collections).to_string())
}

/// The rows and the names of the tables, of one moment.
fn load(file: &Path) -> anyhow::Result<(Vec<Row>, Vec<String>)> {
    let logged = storage::has_log(file);
    let mut read = load_with(file, logged);
    // Without a log nobody writes. Should a server have started meanwhile, there is one now.
    if !logged && storage::has_log(file) {
        read = load_with(file, true);
    }
    read.map_err(|error| explain(&file.display().to_string(), &error))
}

fn load_with(file: &Path, logged: bool) -> Result<(Vec<Row>, Vec<String>), String> {
    let mut conn = storage::foreign(file, logged).map_err(|error| error.to_string())?;
    conn.transaction(|conn| {
        let rows = _collections::table.order(_collections::name).load(conn)?;
        let tables: Vec<Vec<u8>> = sqlite_master::table
            .filter(sqlite_master::kind.eq("table"))
            .order(sqlite_master::name)
            .select(sqlite_master::name)
            .load(conn)?;
        let tables = tables.iter().map(|name| String::from_utf8_lossy(name));
        Ok((rows, tables.map(|name| name.into_owned()).collect()))
    })
    .map_err(|error: diesel::result::Error| error.to_string())
}

fn explain(file: &str, error: &str) -> anyhow::Error {
    let error = error.replace('\n', " ");
    if error.contains("no such table") {
        return anyhow!("{file} has no collections: it is not of PocketBase");
    }
    if error.contains("no such column") {
        return anyhow!(
            "{file} is of a PocketBase before 0.23 ({error}): start a current one on a copy of the \
             directory, which brings it up to date, and import that"
        );
    }
    if error.contains("not a SQLite database") {
        return anyhow!("{file} is not a SQLite database");
    }
    if error.contains("malformed") {
        return anyhow!(
            "{file} is damaged ({error}): restore it from a backup, or let `sqlite3 data.db \
             .recover` save what it can"
        );
    }
    anyhow!("can't read {file}: {error}")
}

/// A row as an object of an export.
fn collection(row: Row, problems: &mut Vec<String>) -> Value {
    let mut object = Map::new();
    let name = String::from_utf8_lossy(row.name.as_deref().unwrap_or_default()).into_owned();
    let mut reader = RowReader {
        name: &name,
        problems,
    };
    let options = reader.json("options", row.options);
    if let Some(Value::Object(options)) = options {
        object.extend(options);
    }
    let texts = [
        ("id", Some(row.id)),
        ("name", row.name),
        ("type", row.kind),
        ("listRule", row.list_rule),
        ("viewRule", row.view_rule),
        ("createRule", row.create_rule),
        ("updateRule", row.update_rule),
        ("deleteRule", row.delete_rule),
    ];
    for (key, bytes) in texts {
        let text = reader.text(key, bytes);
        object.insert(key.to_owned(), text.map_or(Value::Null, Value::from));
    }
    for (key, bytes) in [("fields", row.fields), ("indexes", row.indexes)] {
        let value = reader.json(key, bytes);
        object.insert(key.to_owned(), value.unwrap_or(Value::Null));
    }
    Value::Object(object)
}

struct RowReader<'r> {
    name: &'r str,
    problems: &'r mut Vec<String>,
}

impl RowReader<'_> {
    fn text(&mut self, key: &str, bytes: Bytes) -> Option<String> {
        let text = String::from_utf8(bytes?);
        if text.is_err() {
            let name = self.name.escape_debug();
            self.problems
                .push(format!("`{key}` of collection `{name}` is not UTF-8"));
        }
        text.ok()
    }

    fn json(&mut self, key: &str, bytes: Bytes) -> Option<Value> {
        let text = self.text(key, bytes)?;
        match serde_json::from_str(&text) {
            Ok(value) => Some(value),
            Err(error) => {
                let name = self.name.escape_debug();
                self.problems.push(format!(
                    "`{key}` of collection `{name}` is not JSON: {error}"
                ));
                None
            }
        }
    }
}

/// Every collection has its table, and every table its collection.
fn compare(
    collections: &[Value],
    tables: &[String],
    ignore_tables: bool,
    problems: &mut Vec<String>,
) {
    let text = |collection: &Value, key: &str| {
        let text = collection.get(key).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    for collection in collections {
        let name = text(collection, "name");
        let stored = tables.iter().any(|table| table.eq_ignore_ascii_case(&name));
        if !stored && text(collection, "type") != "view" {
            let name = name.escape_debug();
            problems.push(format!("collection `{name}` has no table"));
        }
    }
    if ignore_tables {
        return;
    }
    for table in tables {
        let known = OTHER_TABLES.contains(&table.as_str()) || table.starts_with("sqlite_");
        let mut named = collections.iter().map(|one| text(one, "name"));
        if !known && !named.any(|name| name.eq_ignore_ascii_case(table)) {
            let table = table.escape_debug();
            problems.push(format!(
                "table `{table}` belongs to no collection (--ignore-tables goes on without it)"
            ));
        }
    }
}
