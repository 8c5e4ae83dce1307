//! Which part may do what, and which may know which.

use std::fs;

use super::none;
use super::tree::{File, root, sources};

/// The lines of code in `folder` that have one of the words, besides those in the places where
/// they belong. Comments don't count.
fn strays(folder: &str, places: &[&str], words: &[String]) -> Vec<String> {
    let files = sources();
    let inside = |file: &&File| file.is_in(&[folder]) && !file.is_in(places);
    let mut found = Vec::new();
    for file in files.iter().filter(inside) {
        for (number, line) in file.code() {
            let comment = line.trim_start().starts_with("//");
            if !comment && words.iter().any(|word| line.contains(word)) {
                found.push(format!("{}:{number}: {}", file.path, line.trim()));
            }
        }
    }
    found
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn only_four_parts_of_the_server_speak_sql() {
    let statements = [
        "SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "ALTER", "DROP", "PRAGMA", "WITH",
        "BEGIN", "ATTACH", "VACUUM",
    ];
    // With a space: the names of methods and events are no statements.
    let begins: Vec<String> = statements.iter().map(|word| format!("\"{word} ")).collect();
    let places =
        ["sql", "storage", "migrate", "import"].map(|part| format!("app/runtime/src/{part}/"));
    let places = places.each_ref().map(String::as_str);
    let in_place = strays("app/runtime/src/", &[], &begins);
    assert!(
        !in_place.is_empty(),
        "no SQL is found even where it belongs"
    );
    none(
        &strays("app/", &places, &begins),
        "SQL stands in sql, storage, migrate and import",
    );
}

#[test]
fn the_generator_is_pure_but_for_its_edges() {
    let words = words(&["fs::", "env::", "println!", "print!", "process::"]);
    // Reading the schema, the build script, and the folder of migrations.
    let edges = ["source.rs", "script.rs", "diff/folder.rs"];
    let edges = edges.map(|file| format!("codegen/compiler/src/{file}"));
    let edges = edges.each_ref().map(String::as_str);
    none(
        &strays("codegen/", &edges, &words),
        "input and output stand at the edges",
    );
    for edge in edges {
        assert!(
            !strays(edge, &[], &words).is_empty(),
            "{edge} is no edge any more"
        );
    }
}

#[test]
fn the_order_of_outputs_never_depends_on_hashes() {
    let words = words(&["HashMap", "HashSet"]);
    let found = strays("codegen/compiler/src/", &[], &words);
    none(&found, "the generator uses ordered maps");
}

#[test]
fn the_runtime_knows_no_collection_by_name() {
    let schema = fs::read_dir(root().join("schema")).unwrap();
    let names = schema.filter_map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        Some(format!("\"{}\"", name.strip_suffix(".toml")?))
    });
    let names: Vec<String> = names.collect();
    assert!(names.len() >= 4, "{names:?}");
    none(
        &strays("app/runtime/src/", &[], &names),
        "the runtime serves any schema",
    );
}

/// What a crate's manifest names among its dependencies.
fn dependencies(folder: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    let tables = ["dependencies", "build-dependencies", "dev-dependencies"];
    let tables = tables
        .iter()
        .filter_map(|name| manifest.get(*name)?.as_table());
    tables.flat_map(toml::Table::keys).cloned().collect()
}

#[test]
fn crates_depend_in_one_direction() {
    let ours = |folder: &str| {
        let mut names = dependencies(folder);
        names.retain(|name| name.starts_with("basalt"));
        names
    };
    let none: [&str; 0] = [];
    assert_eq!(ours("codegen/lang"), none);
    assert_eq!(ours("codegen/compiler"), ["basalt-lang"]);
    assert_eq!(ours("app/runtime"), ["basalt-lang"]);
    let lang = dependencies("codegen/lang");
    for absent in ["diesel", "rocket", "syn", "quote", "toml"] {
        assert!(
            !lang.iter().any(|name| name == absent),
            "lang uses {absent}"
        );
    }
}
