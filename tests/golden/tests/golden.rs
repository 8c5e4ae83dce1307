//! Each case is a folder of schema files; what the generator makes of them is committed beside
//! them and compiled as a module of this crate. `UPDATE_GOLDEN=1` rewrites the outputs.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use basalt_codegen::{generate, read_dir, resolve};

/// Folder of the outputs and of the schema files they are made from.
fn cases() -> BTreeMap<PathBuf, PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut cases: BTreeMap<_, _> = fs::read_dir(root.join("cases"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|case| (case.join("out"), case.join("schema")))
        .collect();
    cases.insert(root.join("app"), root.join("../../schema"));
    cases
}

fn generated(schema: &Path) -> BTreeMap<String, String> {
    let sources = read_dir(schema).unwrap_or_else(|report| panic!("{}", report.render(false)));
    let checked = resolve(&sources).unwrap_or_else(|report| panic!("{}", report.render(false)));
    generate(&checked.schema)
}

#[test]
fn the_schema_files_are_right() {
    let reports: Vec<String> = cases()
        .into_values()
        .filter_map(|schema| resolve(&read_dir(&schema).unwrap()).err())
        .map(|report| report.render(false))
        .collect();
    assert!(reports.is_empty(), "{}", reports.join("\n"));
}

/// The schema files of one case are imported, so that what an import writes is compiled too.
#[test]
fn imported_files_are_as_committed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let export = fs::read_to_string(root.join("../ui/imports/all_options.json")).unwrap();
    let import = basalt_codegen::import::schema("export.json", &export).unwrap();
    let folder = root.join("cases/from_pocketbase/schema");
    let mut committed = BTreeMap::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, import.files.get(&name).unwrap()).unwrap();
        }
        committed.insert(name, fs::read_to_string(&path).unwrap());
    }
    assert_eq!(committed, import.files);
}

#[test]
fn outputs_are_as_committed() {
    let update = env::var_os("UPDATE_GOLDEN").is_some();
    for (out, schema) in cases() {
        let files = generated(&schema);
        if update {
            fs::create_dir_all(&out).unwrap();
        }
        for entry in fs::read_dir(&out).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if !files.contains_key(name) {
                assert!(update, "{} belongs to no collection", path.display());
                fs::remove_file(&path).unwrap();
            }
        }
        for (name, text) in files {
            let path = out.join(name);
            let committed = fs::read_to_string(&path).unwrap_or_default();
            if update && committed != text {
                fs::write(&path, text).unwrap();
            } else if committed != text {
                panic!("{}", difference(&path, &committed, &text));
            }
        }
    }
}

/// The first line that differs.
fn difference(path: &Path, committed: &str, text: &str) -> String {
    let line = committed
        .lines()
        .zip(text.lines())
        .take_while(|(a, b)| a == b)
        .count();
    format!(
        "{}:{} differs\ncommitted: {:?}\ngenerated: {:?}\nrun with UPDATE_GOLDEN=1 and read the change",
        path.display(),
        line + 1,
        committed.lines().nth(line),
        text.lines().nth(line)
    )
}

#[test]
fn each_case_is_compiled() {
    let modules = include_str!("compiled/main.rs");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let compiled: BTreeSet<PathBuf> = modules
        .lines()
        .filter_map(|line| {
            line.trim()
                .strip_prefix("#[path = \"../../")?
                .strip_suffix("/mod.rs\"]")
        })
        .map(|path| root.join(path))
        .collect();
    let cases: BTreeSet<PathBuf> = cases().into_keys().collect();
    assert_eq!(compiled, cases);
}

#[test]
fn the_order_of_the_files_does_not_matter() {
    for schema in cases().into_values() {
        let mut sources = read_dir(&schema).unwrap();
        sources.reverse();
        let checked = resolve(&sources).unwrap();
        assert_eq!(generate(&checked.schema), generated(&schema));
    }
}

/// What generated code must not do: speak SQL, or build texts.
const BANNED: [&str; 5] = [
    "sql_query",
    "dsl::sql",
    "batch_execute",
    "format!",
    "unsafe",
];

#[test]
fn outputs_are_small_and_free_of_sql() {
    for out in cases().into_keys() {
        for entry in fs::read_dir(&out).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            syn::parse_file(&text).unwrap();
            for word in BANNED {
                assert!(!text.contains(word), "{} has `{word}`", path.display());
            }
            for (name, lines) in functions(&text) {
                assert!(lines <= 25, "{}: {name}: {lines} lines", path.display());
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let posts = fs::read_to_string(root.join("app/posts.rs")).unwrap();
    assert!(posts.lines().count() <= 350, "{}", posts.lines().count());
}

/// Each function's first line and its number of lines; the formatter ends a function with a brace
/// at the indentation of its first line.
fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let starts = lines.iter().enumerate().filter(|(_, line)| {
        let line = line.trim_start();
        line.starts_with("fn ") || line.starts_with("pub fn ") || line.starts_with("pub(super) fn ")
    });
    starts
        .map(|(start, line)| {
            let indent = line.len() - line.trim_start().len();
            let end = format!("{:indent$}}}", "");
            let length = lines
                .iter()
                .skip(start)
                .position(|line| *line == end)
                .unwrap();
            (*line, length + 1)
        })
        .collect()
}
