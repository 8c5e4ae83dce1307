//! A JSON Schema of the file format, by which editors complete and check schema files. Made from
//! the same tables that the reader checks files against.

use serde_json::{Map, Value, json};

use crate::load::format::{self, FieldType, Key, Shape};

/// The greatest whole number that the reader takes.
const MAX_COUNT: u64 = (1 << 53) - 1;

/// The JSON Schema as text, with a line break at the end.
pub fn json_schema() -> String {
    let mut schema = table(format::FILE.iter());
    let mut definitions = Map::new();
    for kind in FieldType::ALL {
        definitions.insert(kind.name().to_owned(), field(*kind));
    }
    if let Some(object) = schema.as_object_mut() {
        object.insert(
            "$schema".to_owned(),
            json!("http://json-schema.org/draft-07/schema#"),
        );
        object.insert("title".to_owned(), json!("A collection of Basalt"));
        object.insert("definitions".to_owned(), Value::Object(definitions));
    }
    // Whether objects keep their order depends on who else is built with us.
    schema.sort_all_objects();
    format!("{schema:#}\n")
}

fn table<'k>(keys: impl Iterator<Item = &'k Key>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for key in keys {
        properties.insert(key.name.to_owned(), value(key));
        if key.required {
            required.push(json!(key.name));
        }
    }
    let mut schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    });
    if !required.is_empty()
        && let Some(object) = schema.as_object_mut()
    {
        object.insert("required".to_owned(), Value::Array(required));
    }
    schema
}

fn value(key: &Key) -> Value {
    let mut schema = match key.shape {
        Shape::Text => json!({ "type": "string" }),
        // Editors see a TOML date as a text in this form.
        Shape::Date => json!({ "type": "string" }),
        Shape::Bool => json!({ "type": "boolean" }),
        Shape::Count => json!({ "type": "integer", "minimum": 0, "maximum": MAX_COUNT }),
        Shape::Number => json!({ "type": "number" }),
        Shape::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Shape::Choice(choices) => {
            let supported = choices
                .iter()
                .filter(|choice| !format::UNSUPPORTED.contains(choice));
            json!({ "enum": supported.collect::<Vec<_>>() })
        }
        Shape::Any => json!({}),
        Shape::Rule => json!({ "anyOf": [{ "type": "string" }, { "const": false }] }),
        Shape::Table(keys) => table(keys.iter()),
        Shape::Tables(keys) => json!({ "type": "array", "items": table(keys.iter()) }),
        Shape::Fields => fields(),
    };
    if let Some(object) = schema.as_object_mut() {
        object.insert("description".to_owned(), json!(key.doc));
    }
    schema
}

/// Any names; the type decides on the keys.
fn fields() -> Value {
    let kinds = FieldType::ALL.iter();
    let kinds = kinds.map(|kind| json!({ "$ref": format!("#/definitions/{}", kind.name()) }));
    json!({
        "type": "object",
        "additionalProperties": { "anyOf": kinds.collect::<Vec<_>>() },
    })
}

fn field(kind: FieldType) -> Value {
    let mut schema = table(kind.keys());
    let has_type = json!({ "const": kind.name(), "description": "The field's type." });
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("type".to_owned(), has_type);
    }
    let required = schema.get("required").and_then(Value::as_array).cloned();
    let mut required = required.unwrap_or_default();
    required.insert(0, json!("type"));
    if let Some(object) = schema.as_object_mut() {
        object.insert("required".to_owned(), Value::Array(required));
    }
    schema
}
