//! A schema in the words of both servers: schema files for one, an import for the other.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use basalt_codegen::Source;
use serde_json::{Map, Value, json};

use crate::model::{CHOICES, Collection, Field, Kind, Schema, Unique};

const RULES: [&str; 5] = ["list", "view", "create", "update", "delete"];

/// Most items of a multiple field.
const MOST: usize = 9;

/// A schema file for each collection.
pub fn sources(schema: &Schema) -> Vec<Source> {
    let source = |collection: &Collection| Source {
        path: format!("{}.toml", collection.name),
        text: file(schema, collection),
    };
    schema.collections.iter().map(source).collect()
}

/// Writes the schema files.
pub fn write_files(schema: &Schema, dir: &Path) -> Result<()> {
    fs::create_dir_all(dir)?;
    for source in sources(schema) {
        let path = dir.join(&source.path);
        fs::write(&path, &source.text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// A string as both JSON and TOML write it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn file(schema: &Schema, collection: &Collection) -> String {
    let kind = if collection.auth { "auth" } else { "base" };
    let mut text = format!(
        "name = {}\nid = {}\ntype = \"{kind}\"\n\n[rules]\n",
        quoted(&collection.name),
        quoted(&collection.id)
    );
    for (action, rule) in RULES.iter().zip(&collection.rules) {
        if let Some(rule) = rule {
            text.push_str(&format!("{action} = {}\n", quoted(rule)));
        }
    }
    text.push_str("\n[fields]\n");
    for field in &collection.fields {
        let hidden = if field.hidden { ", hidden = true" } else { "" };
        let required = if field.required {
            ", required = true"
        } else {
            ""
        };
        let options = options(schema, field.kind);
        text.push_str(&format!(
            "{} = {{ {options}{hidden}{required} }}\n",
            field.name
        ));
    }
    for (field, unique) in uniques(collection) {
        text.push_str(&format!(
            "\n[[indexes]]\nfields = [\"{}\"]\nunique = true\n",
            field.name
        ));
        if unique == Unique::Partial {
            text.push_str(&format!("where = \"{} != ''\"\n", field.name));
        }
    }
    text
}

fn uniques(collection: &Collection) -> impl Iterator<Item = (&Field, Unique)> {
    let fields = collection.fields.iter();
    fields.filter_map(|field| field.unique.map(|unique| (field, unique)))
}

fn options(schema: &Schema, kind: Kind) -> String {
    match kind {
        Kind::Text => "type = \"text\"".to_owned(),
        Kind::Lock => "type = \"text\", max = 1".to_owned(),
        Kind::Editor => "type = \"editor\"".to_owned(),
        Kind::Email => "type = \"email\"".to_owned(),
        Kind::Url => "type = \"url\"".to_owned(),
        Kind::Number => "type = \"number\"".to_owned(),
        Kind::Bool => "type = \"bool\"".to_owned(),
        Kind::Date => "type = \"date\"".to_owned(),
        Kind::Json => "type = \"json\"".to_owned(),
        Kind::Geo => "type = \"geoPoint\"".to_owned(),
        Kind::Select { many } => {
            format!(
                "type = \"select\", values = {}, max_select = {}",
                json!(CHOICES),
                if many { CHOICES.len() } else { 1 }
            )
        }
        Kind::Relation { target, many } => format!(
            "type = \"relation\", collection = {}, max_select = {}",
            quoted(name(schema, target)),
            if many { MOST } else { 1 }
        ),
    }
}

fn name(schema: &Schema, place: usize) -> &str {
    let found = schema.collections.get(place);
    found.map_or("", |collection| &collection.name)
}

/// What the peer imports.
pub fn import(schema: &Schema) -> Value {
    let collections = schema.collections.iter();
    let collections: Vec<Value> = collections.map(|it| imported(schema, it)).collect();
    json!({ "collections": collections, "deleteMissing": true })
}

fn imported(schema: &Schema, collection: &Collection) -> Value {
    let fields: Vec<Value> = collection
        .fields
        .iter()
        .map(|field| imported_field(schema, field))
        .collect();
    let indexes: Vec<String> = uniques(collection)
        .map(|(field, unique)| {
            let (table, column) = (&collection.name, &field.name);
            let condition = match unique {
                Unique::Whole => String::new(),
                Unique::Partial => format!(" WHERE `{column}` != ''"),
            };
            format!("CREATE UNIQUE INDEX `u_{table}_{column}` ON `{table}` (`{column}`){condition}")
        })
        .collect();
    let mut entry = json!({
        "id": collection.id,
        "name": collection.name,
        "type": if collection.auth { "auth" } else { "base" },
        "fields": fields,
        "indexes": indexes,
    });
    if let Some(entry) = entry.as_object_mut() {
        for (action, rule) in RULES.iter().zip(&collection.rules) {
            entry.insert(format!("{action}Rule"), json!(rule));
        }
    }
    entry
}

fn imported_field(schema: &Schema, field: &Field) -> Value {
    let kind = match field.kind {
        Kind::Text | Kind::Lock => "text",
        Kind::Editor => "editor",
        Kind::Email => "email",
        Kind::Url => "url",
        Kind::Number => "number",
        Kind::Bool => "bool",
        Kind::Date => "date",
        Kind::Json => "json",
        Kind::Geo => "geoPoint",
        Kind::Select { .. } => "select",
        Kind::Relation { .. } => "relation",
    };
    let mut entry = Map::new();
    let mut put = |key: &str, value: Value| entry.insert(key.to_owned(), value);
    put("name", field.name.as_str().into());
    put("type", kind.into());
    put("hidden", field.hidden.into());
    put("required", field.required.into());
    match field.kind {
        Kind::Lock => {
            put("max", 1.into());
        }
        Kind::Select { many } => {
            put("values", json!(CHOICES));
            put("maxSelect", if many { CHOICES.len() } else { 1 }.into());
        }
        Kind::Relation { target, many } => {
            let id = schema.collections.get(target).map(|it| it.id.as_str());
            put("collectionId", id.into());
            put("maxSelect", if many { MOST } else { 1 }.into());
        }
        _ => {}
    }
    Value::Object(entry)
}
