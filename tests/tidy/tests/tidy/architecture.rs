//! ARCHITECTURE.md speaks of what is there, and of all parts that are there.

use std::fs;
use std::path::Path;

use super::none;
use super::tree::root;

/// What paths of the page start from.
const BASES: [&str; 4] = [
    "",
    "codegen/compiler/src",
    "codegen/lang/src",
    "app/runtime/src",
];

/// The page without its drawings.
fn page() -> String {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    page.split("```").step_by(2).collect()
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Names of files and folders; a star ends what is looked for.
fn paths(page: &str) -> Vec<&str> {
    let path = |text: &&str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./*".contains(c);
        let ends = [".rs", ".md", ".toml"]
            .iter()
            .any(|end| text.ends_with(end));
        text.chars().all(plain) && (text.contains('/') || ends)
    };
    quoted(page).filter(path).collect()
}

fn exists(path: &str) -> bool {
    BASES.iter().any(|base| {
        let full = root().join(base).join(path.trim_end_matches('*'));
        let Some(start) = path.strip_suffix('*').filter(|start| !start.ends_with('/')) else {
            return full.exists();
        };
        let name = Path::new(start).file_name().unwrap().to_str().unwrap();
        let Ok(entries) = fs::read_dir(full.parent().unwrap()) else {
            return false;
        };
        let mut names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.any(|entry| entry.starts_with(name))
    })
}

#[test]
fn files_and_folders_that_are_named_exist() {
    let page = page();
    let paths = paths(&page);
    assert!(paths.len() > 30, "{paths:?}");
    let missing: Vec<String> = paths
        .into_iter()
        .filter(|path| !exists(path))
        .map(str::to_owned)
        .collect();
    none(&missing, "ARCHITECTURE.md names what isn't there");
}

#[test]
fn every_crate_is_named_or_in_a_folder_that_is() {
    let page = page();
    let paths = paths(&page);
    let text = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let workspace: toml::Table = text.parse().unwrap();
    let members = workspace["workspace"]["members"].as_array().unwrap();
    let named = |member: &str| {
        paths.iter().any(|path| match path.strip_suffix('*') {
            Some(start) => member.starts_with(start),
            None => path.trim_end_matches('/') == member,
        })
    };
    let members = members.iter().map(|member| member.as_str().unwrap());
    let absent: Vec<String> = members.filter(|m| !named(m)).map(str::to_owned).collect();
    none(&absent, "ARCHITECTURE.md doesn't name these crates");
}

#[test]
fn every_module_of_the_server_is_named() {
    let page = page();
    let heading = "## The server, by module";
    let (_, section) = page.split_once(heading).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut named: Vec<String> = rows
        .filter_map(|row| row.split(" | ").next())
        .flat_map(|cell| cell.split([',', ' ', '`']))
        .map(|name| name.trim_end_matches('/').to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    let source = fs::read_to_string(root().join("app/runtime/src/lib.rs")).unwrap();
    let modules = source.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    let mut modules: Vec<String> = modules.map(str::to_owned).collect();
    named.sort();
    modules.sort();
    assert_eq!(named, modules, "the table of the server's modules");
}
