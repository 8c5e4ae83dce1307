//! The demo schema is the one that the live peer is given, field for field and rule for rule: only
//! so can the same requests be put to both.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::path::Path;

use basalt_codegen::ir::{Collection, CollectionKind, Field, FieldKind, Generate, Rule, Schema};
use basalt_codegen::{read_dir, resolve};
use serde_json::{Value, json};

fn ours() -> Schema {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
    resolve(&read_dir(&dir).unwrap()).unwrap().schema
}

fn theirs() -> Vec<Value> {
    let text = include_str!("../../../tests/sdk/demo_schema.json");
    serde_json::from_str(text).unwrap()
}

fn rule(rule: &Rule) -> Value {
    match rule {
        Rule::Locked => Value::Null,
        Rule::Public => json!(""),
        Rule::When(compiled) => json!(compiled.text),
    }
}

/// A field as the peer writes it, as far as the model tells.
fn field(field: &Field, schema: &Schema) -> Value {
    let mut value = json!({
        "name": field.name.wire,
        "hidden": field.hidden,
        "system": field.system,
    });
    let options = match &field.kind {
        FieldKind::Text {
            min,
            max,
            pattern,
            generate,
        } => {
            let generate = match generate {
                Generate::Pattern(pattern) => pattern.as_str(),
                Generate::Nothing => "",
                Generate::UuidV7 => panic!("not in the demo"),
            };
            json!({ "type": "text", "min": min, "max": max, "pattern": pattern, "autogeneratePattern": generate })
        }
        FieldKind::Editor { max_size } => json!({ "type": "editor", "maxSize": max_size }),
        FieldKind::Bool => json!({ "type": "bool" }),
        FieldKind::Email { .. } => json!({ "type": "email" }),
        FieldKind::Password { min, max, pattern } => {
            json!({ "type": "password", "min": min, "max": max, "pattern": pattern })
        }
        FieldKind::Autodate {
            on_create,
            on_update,
        } => {
            json!({ "type": "autodate", "onCreate": on_create, "onUpdate": on_update })
        }
        FieldKind::Select { values, max_select } => {
            let values: Vec<&str> = values.iter().map(|value| value.wire.as_str()).collect();
            json!({ "type": "select", "values": values, "maxSelect": max_select })
        }
        FieldKind::Relation {
            target,
            min_select,
            max_select,
            cascade_delete,
        } => json!({
            "type": "relation",
            "collectionId": schema.collections[target.0].id,
            "minSelect": min_select,
            "maxSelect": max_select,
            "cascadeDelete": cascade_delete,
        }),
        other => panic!("not in the demo: {other:?}"),
    };
    let object = value.as_object_mut().unwrap();
    object.extend(options.as_object().unwrap().clone());
    if !matches!(field.kind, FieldKind::Autodate { .. }) {
        object.insert("required".to_owned(), json!(field.required));
    }
    value
}

fn check_options(collection: &Collection, theirs: &Value) {
    let CollectionKind::Auth(auth) = &collection.kind else {
        assert_eq!(theirs["type"], "base");
        return;
    };
    assert_eq!(theirs["type"], "auth");
    let identity = auth.identity_fields.iter();
    let identity: Vec<&str> = identity
        .map(|id| collection.fields[id.0].name.wire.as_str())
        .collect();
    assert_eq!(theirs["passwordAuth"]["identityFields"], json!(identity));
    assert_eq!(theirs["passwordAuth"]["enabled"], auth.password_enabled);
    assert_eq!(theirs["authToken"]["duration"], auth.token_seconds);
    assert_eq!(theirs["authRule"], rule(&collection.rules.auth));
    assert_eq!(theirs["manageRule"], rule(&collection.rules.manage));
}

#[test]
fn demo_is_what_the_peer_is_given() {
    let schema = ours();
    let theirs = theirs();
    assert_eq!(
        schema.collections.iter().filter(|one| !one.system).count(),
        theirs.len()
    );
    for theirs in &theirs {
        let collection = schema.collection(theirs["name"].as_str().unwrap()).unwrap();
        assert_eq!(theirs["id"], collection.id.as_str());
        assert_eq!(theirs["listRule"], rule(&collection.rules.list));
        assert_eq!(theirs["viewRule"], rule(&collection.rules.view));
        assert_eq!(theirs["createRule"], rule(&collection.rules.create));
        assert_eq!(theirs["updateRule"], rule(&collection.rules.update));
        assert_eq!(theirs["deleteRule"], rule(&collection.rules.delete));
        check_options(collection, theirs);
        let fields = theirs["fields"].as_array().unwrap();
        assert_eq!(collection.fields.len(), fields.len());
        for (own, theirs) in collection.fields.iter().zip(fields) {
            for (key, value) in field(own, &schema).as_object().unwrap() {
                let name = &own.name.wire;
                assert_eq!(
                    &theirs[key], value,
                    "{key} of {}.{name}",
                    collection.name.wire
                );
            }
        }
    }
}
