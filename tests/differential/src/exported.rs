//! The collections of a PocketBase, as its export lists them, and whether given rules compile
//! against them.

use anyhow::{Context, Result};
use basalt_lang::schema::{CollectionId, Field, FieldId, FieldType, ListAccess, Schema};
use basalt_lang::{Caller, Scope, compile};
use serde_json::Value;

/// The collections of an export.
#[derive(Debug)]
pub struct Exported {
    collections: Vec<Collection>,
}

#[derive(Debug)]
struct Collection {
    id: String,
    name: String,
    auth: bool,
    access: ListAccess,
    fields: Vec<OwnedField>,
}

#[derive(Debug)]
struct OwnedField {
    name: String,
    kind: FieldType,
    hidden: bool,
    values: Vec<String>,
    required: bool,
    unique: bool,
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    let items = value.get(key).and_then(Value::as_array);
    items.map_or(&[][..], Vec::as_slice)
}

impl Exported {
    /// Reads an export: a list of collections.
    pub fn parse(json: &str) -> Result<Self> {
        let all: Value = serde_json::from_str(json)?;
        let all = all
            .as_array()
            .context("an export is a list of collections")?;
        let ids: Vec<&str> = all.iter().map(|it| text(it, "id")).collect();
        Ok(Self {
            collections: all.iter().map(|it| collection(it, &ids)).collect(),
        })
    }

    fn get(&self, id: CollectionId) -> Option<&Collection> {
        self.collections.get(id.0)
    }
}

fn collection(json: &Value, ids: &[&str]) -> Collection {
    let unique = |name: &str| {
        let columns = format!("(`{name}`)");
        let mut indexes = list(json, "indexes").iter().filter_map(Value::as_str);
        indexes.any(|index| index.contains("UNIQUE") && index.ends_with(&columns))
    };
    let field = |json: &Value| OwnedField {
        name: text(json, "name").to_owned(),
        kind: kind(json, ids),
        hidden: json.get("hidden") == Some(&Value::Bool(true)),
        values: list(json, "values")
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        required: json.get("required") == Some(&Value::Bool(true)),
        unique: unique(text(json, "name")),
    };
    Collection {
        id: text(json, "id").to_owned(),
        name: text(json, "name").to_owned(),
        auth: text(json, "type") == "auth",
        access: match json.get("listRule").and_then(Value::as_str) {
            None => ListAccess::Locked,
            Some("") => ListAccess::Public,
            Some(_) => ListAccess::Ruled,
        },
        fields: list(json, "fields").iter().map(field).collect(),
    }
}

fn kind(json: &Value, ids: &[&str]) -> FieldType {
    let many = json.get("maxSelect").and_then(Value::as_i64).unwrap_or(1) > 1;
    match text(json, "type") {
        "number" => FieldType::Number,
        "bool" => FieldType::Bool,
        "date" | "autodate" => FieldType::Date,
        "json" => FieldType::Json,
        "geoPoint" => FieldType::GeoPoint,
        "select" | "file" if many => FieldType::Choices,
        "select" | "file" => FieldType::Choice,
        "relation" => match ids.iter().position(|id| *id == text(json, "collectionId")) {
            Some(target) if many => FieldType::Many(CollectionId(target)),
            Some(target) => FieldType::One(CollectionId(target)),
            None => FieldType::Text,
        },
        _ => FieldType::Text,
    }
}

impl Schema for Exported {
    fn collection(&self, name_or_id: &str) -> Option<CollectionId> {
        let found = self.collections.iter().position(|collection| {
            collection.id == name_or_id || collection.name.eq_ignore_ascii_case(name_or_id)
        });
        found.map(CollectionId)
    }

    fn name(&self, collection: CollectionId) -> &str {
        self.get(collection).map_or("", |it| &it.name)
    }

    fn is_auth(&self, collection: CollectionId) -> bool {
        self.get(collection).is_some_and(|it| it.auth)
    }

    fn list_access(&self, collection: CollectionId) -> ListAccess {
        self.get(collection)
            .map_or(ListAccess::Locked, |it| it.access)
    }

    fn fields(&self, collection: CollectionId) -> Vec<Field<'_>> {
        let Some(collection) = self.get(collection) else {
            return Vec::new();
        };
        let lend = |(place, field)| lend(place, field, collection.auth);
        collection.fields.iter().enumerate().map(lend).collect()
    }

    fn len(&self) -> usize {
        self.collections.len()
    }
}

fn lend(place: usize, field: &OwnedField, auth: bool) -> Field<'_> {
    Field {
        id: FieldId(place),
        name: &field.name,
        kind: field.kind,
        hidden: field.hidden,
        nullable: false,
        values: match field.kind {
            FieldType::Choice | FieldType::Choices => &field.values,
            _ => &[],
        },
        guarded_email: auth && field.name == "email",
        required: field.required,
        read_rule: false,
        unique: field.unique,
    }
}

/// Compiles each rule of a list: lines of collection, name and text, with tabs between them; of a
/// collection `@WHERE:NAME` only the name counts, and what is in parentheses is no rule's text.
/// Returns how many compiled, and what is wrong with the others.
pub fn compile_all(schema: &Exported, rules: &str) -> (usize, Vec<String>) {
    let (mut compiled, mut failures) = (0, Vec::new());
    for line in rules.lines() {
        let mut parts = line.splitn(3, '\t');
        let (Some(place), Some(name), Some(rule)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        if rule.starts_with("(null") || rule.starts_with("(empty") {
            continue;
        }
        let collection = place.rsplit(':').next().unwrap_or(place);
        let Some(id) = schema.collection(collection) else {
            failures.push(format!("{collection} {name}: there is no such collection"));
            continue;
        };
        let text = rule.replace("\\n", "\n");
        match compile(&text, &Scope::new(schema, id, Caller::Rule).imported(true)) {
            Ok(_) => compiled += 1,
            Err(errors) => {
                let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
                failures.push(format!(
                    "{collection} {name}: {rule}\n    {}",
                    errors.join("\n    ")
                ));
            }
        }
    }
    (compiled, failures)
}
