//! Every rule of every golden case is emitted in both of its forms, and always as the same text.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::path::Path;
use std::{fs, iter};

use basalt_codegen::ir::{Collection, Rule, Schema};
use basalt_codegen::{generate, read_dir, resolve};

/// The schemas of the golden cases and the demo's.
fn schemas() -> Vec<Schema> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let cases = fs::read_dir(root.join("tests/golden/cases")).unwrap();
    let folders = cases.map(|case| case.unwrap().path().join("schema"));
    folders
        .chain(iter::once(root.join("schema")))
        .map(|folder| resolve(&read_dir(&folder).unwrap()).unwrap().schema)
        .collect()
}

fn rules(collection: &Collection) -> [(&'static str, &Rule); 7] {
    let rules = &collection.rules;
    [
        ("list", &rules.list),
        ("view", &rules.view),
        ("create", &rules.create),
        ("update", &rules.update),
        ("delete", &rules.delete),
        ("auth", &rules.auth),
        ("manage", &rules.manage),
    ]
}

#[test]
fn each_condition_has_both_forms() {
    let mut conditions = 0;
    for schema in schemas() {
        let files = generate(&schema);
        for collection in &schema.collections {
            let text = &files[&format!("{}.rs", collection.name.rust)];
            for (action, rule) in rules(collection) {
                let place = format!("{}.{action}", collection.name.wire);
                let has = |start: String| text.contains(&start);
                let rows = has(format!("fn {action}(cx: ")) || has(format!("fn {action}(_: "));
                let wanted = matches!(rule, Rule::When(_));
                conditions += usize::from(wanted);
                assert_eq!(rows, wanted, "{place} as a condition on rows");
                let memory = has(format!("fn {action}_in_memory("));
                assert_eq!(memory, wanted, "{place} in memory");
            }
        }
    }
    assert!(conditions > 40, "only {conditions} conditions");
}

#[test]
fn the_same_schema_gives_the_same_text() {
    for (one, other) in schemas().iter().zip(&schemas()) {
        assert_eq!(generate(one), generate(other));
    }
}
