//! One test for each difference of the language that is meant: `docs/differences.md` names them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use basalt_differential::exported::Exported;
use basalt_differential::known::KNOWN;
use basalt_lang::plan::Plan;
use basalt_lang::schema::Schema as _;
use basalt_lang::{Caller, Scope, compile};

const COLLECTIONS: &str = r#"[
    {"id": "posts0000000000", "name": "posts", "type": "base", "listRule": "", "fields": [
        {"name": "id", "type": "text"}, {"name": "t", "type": "text"},
        {"name": "n", "type": "number"}, {"name": "b", "type": "bool"},
        {"name": "d", "type": "date"}, {"name": "m", "type": "select", "maxSelect": 2, "values": ["a", "b"]},
        {"name": "user", "type": "relation", "collectionId": "users0000000000", "maxSelect": 1}]},
    {"id": "notes0000000000", "name": "notes", "type": "base", "listRule": "", "fields": [
        {"name": "id", "type": "text"}, {"name": "k", "type": "number"}, {"name": "t", "type": "text"},
        {"name": "post", "type": "relation", "collectionId": "posts0000000000", "maxSelect": 1}]},
    {"id": "users0000000000", "name": "users", "type": "auth", "listRule": "", "fields": [
        {"name": "id", "type": "text"}, {"name": "level", "type": "number"},
        {"name": "email", "type": "email"}, {"name": "emailVisibility", "type": "bool"}]}]"#;

fn plan(text: &str, caller: Caller) -> Option<Plan> {
    let schema = Exported::parse(COLLECTIONS).unwrap();
    let posts = schema.collection("posts").unwrap();
    let compiled = compile(text, &Scope::new(&schema, posts, caller));
    compiled.ok().map(|compiled| compiled.plan)
}

#[track_caller]
fn same(one: &str, other: &str) {
    let one = plan(one, Caller::Superuser);
    assert!(one.is_some());
    assert_eq!(one, plan(other, Caller::Superuser));
}

#[test]
fn quotes_in_comments() {
    same("(t = 'a' // it's\n && n = 1)", "(t = 'a' && n = 1)");
    same("(t = 'a' // \" (\n && n = 1)", "(t = 'a' && n = 1)");
}

#[test]
fn two_spellings_of_one_collection() {
    let plain = "notes_via_post.k ?= 1 && notes_via_post.t ?= 'x'";
    same("notes_via_post.k ?= 1 && NOTES_via_post.t ?= 'x'", plain);
    same(
        "notes_via_post.k ?= 1 && notes0000000000_via_post.t ?= 'x'",
        plain,
    );
}

#[test]
fn one_alias_for_two_collections() {
    same(
        "@collection.notes:a.k ?= n && @collection.users:a.level ?= n",
        "@collection.notes:a.k ?= n && @collection.users:b.level ?= n",
    );
}

#[test]
fn isset_on_the_right() {
    same("t != @request.body.x:isset", "@request.body.x:isset != t");
}

#[test]
fn functions_as_patterns() {
    let told = format!(
        "{:?}",
        plan("t ~ strftime('%Y', d)", Caller::Superuser).unwrap()
    );
    assert!(told.contains("\"%Y\""), "{told}");
}

#[test]
fn unknown_modifiers() {
    let text = "@request.body.user.level:nope = 1";
    assert_eq!(plan(text, Caller::Superuser), None);
}

#[test]
fn long_paths_of_the_body() {
    let text = |steps: &str, field: &str| format!("@request.body.user.{steps}{field} = ''");
    let six = "posts_via_user.user.".repeat(3);
    assert!(plan(&text(&six, "id"), Caller::Superuser).is_some());
    let seven = format!("{six}posts_via_user.");
    assert_eq!(plan(&text(&seven, "t"), Caller::Superuser), None);
}

#[test]
fn distances_of_several_places() {
    let places = |op: &str, values: &str| {
        let text = format!("geoDistance(notes_via_post.k, 0, 0, 0) {op} {values}");
        format!("{:?}", plan(&text, Caller::Superuser).unwrap())
    };
    // The part that looks for a pair that is false has distances of its own.
    let distances = |told: &str| told.matches("Distance").count();
    assert_eq!(distances(&places("?>", "m:each")), 1);
    let pairs = places(">", "m:each");
    assert!(distances(&pairs) >= 2, "{pairs}");
}

#[test]
fn hidden_addresses_as_arguments() {
    let asked = |field: &str, caller| {
        let text = format!("geoDistance(user.{field}, 0, 0, 0) != 1");
        plan(&text, caller).unwrap()
    };
    let client = asked("email", Caller::Client);
    assert_ne!(client, asked("email", Caller::Superuser));
    let level = asked("level", Caller::Client);
    assert_eq!(level, asked("level", Caller::Superuser));
}

#[test]
fn mistakes_are_found_by_the_build() {
    for text in [
        "@request.auth.nope = 1",
        "b > 'x'",
        "t:changed = true",
        "1 = 2",
    ] {
        assert!(plan(text, Caller::Superuser).is_some(), "{text}");
        assert_eq!(plan(text, Caller::Rule), None, "{text}");
    }
}

#[test]
fn each_is_documented_and_each_test_exists() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = std::fs::read_to_string(format!("{folder}/docs/differences.md")).unwrap();
    for known in KNOWN {
        assert!(
            page.contains(&format!("\n### {}\n", known.name)),
            "{}",
            known.name
        );
    }
    let tests: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("Test: "))
        .collect();
    assert_eq!(
        tests.len(),
        page.matches("\n### ").count(),
        "a test for each"
    );
    for test in tests.iter().flat_map(|tests| tests.split(", ")) {
        let (file, name) = test
            .trim_matches('`')
            .split_once("::")
            .unwrap_or((test, ""));
        let path = format!("{folder}/{}", file.trim_matches('`'));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("no {path}"));
        let here = name.is_empty() || text.contains(&format!("fn {name}("));
        assert!(here, "no {name} in {file}");
    }
}
