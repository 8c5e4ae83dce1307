//! The committed JSON Schema is the one that the code makes, and the schema files name it.
//! `UPDATE_GOLDEN=1 cargo test -p basalt-codegen` rewrites it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

use basalt_codegen::json_schema::json_schema;
use basalt_codegen::read_dir;

fn dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema")
}

#[test]
fn committed_schema_is_current() {
    let path = dir().join("basalt.schema.json");
    let made = json_schema();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == made,
        "run with UPDATE_GOLDEN=1 to renew {}",
        path.display()
    );
}

#[test]
fn demo_files_name_it() {
    for source in read_dir(&dir()).unwrap() {
        let first = source.text.lines().next();
        assert_eq!(
            first,
            Some("#:schema ./basalt.schema.json"),
            "{}",
            source.path
        );
    }
}

#[test]
fn lists_what_a_field_takes() {
    let schema: serde_json::Value = serde_json::from_str(&json_schema()).unwrap();
    let select = &schema["definitions"]["select"];
    assert_eq!(select["required"], serde_json::json!(["type", "values"]));
    assert_eq!(select["properties"]["max_select"]["type"], "integer");
    assert_eq!(
        schema["properties"]["type"]["enum"],
        serde_json::json!(["base", "auth"])
    );
}
