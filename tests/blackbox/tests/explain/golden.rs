//! Whole outputs.

use std::path::PathBuf;
use std::{env, fs};

use basalt_blackbox::process::Ended;
use serde_json::json;

use crate::support::Place;

fn file(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/explain/out");
    folder.join(name)
}

/// What was printed is what is committed, twice in a row.
#[track_caller]
fn golden(name: &str, args: &[&str]) {
    let place = Place::new();
    let text = place.explained(args);
    assert_eq!(text, place.explained(args), "not the same the second time");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(file(name), &text).unwrap();
    }
    let committed = fs::read_to_string(file(name)).unwrap_or_default();
    assert_eq!(
        committed, text,
        "{name}: run with UPDATE_GOLDEN=1 and read the change"
    );
    if name.ends_with(".txt") {
        let long = text.lines().find(|line| line.chars().count() > 100);
        assert_eq!(long, None, "longer than 100 columns");
        assert!(!text.contains('\x1b'), "colours without a terminal");
    }
}

#[test]
fn a_public_rule() {
    golden("public.txt", &["posts", "list"]);
}

#[test]
fn a_rule_that_the_request_decides() {
    golden("request.txt", &["users", "list"]);
}

#[test]
fn a_rule_about_own_fields() {
    golden(
        "record.txt",
        &[
            "posts",
            "--rule",
            "author = @request.auth.id && public = true",
        ],
    );
}

#[test]
fn a_rule_through_relations() {
    let rule = "author.organization.name != 'test' && author.permissions.active = true";
    golden("relations.txt", &["posts", "--rule", rule]);
}

#[test]
fn a_rule_over_other_collections() {
    let rule = "@collection.users.organization.name ?= title && \
                @collection.users.id ?= @request.auth.id";
    golden("joined.txt", &["posts", "--rule", rule]);
    golden(
        "back.txt",
        &[
            "users",
            "--rule",
            "posts_via_author.title ?= @request.auth.username",
        ],
    );
}

#[test]
fn a_rule_with_several_outcomes() {
    let rule = "@request.auth.username = 'boss' || title = @request.auth.username && \
                @request.query.mine:isset = true";
    golden("outcomes.txt", &["posts", "--rule", rule]);
}

#[test]
fn a_filter_of_a_client() {
    golden(
        "filter.txt",
        &[
            "posts",
            "list",
            "--filter",
            "author.username = 'ann' && title ~ 'a'",
        ],
    );
}

#[test]
fn a_rule_as_json() {
    golden(
        "rule.json",
        &[
            "posts",
            "--rule",
            "title = @request.auth.username || public = true",
            "--json",
        ],
    );
}

#[test]
fn rules_of_one_record_have_one_statement_or_none() {
    let place = Place::new();
    for (rule, asked, statements) in [
        ("view", "record", 1),
        ("update", "record", 1),
        ("create", "memory", 0),
    ] {
        let found = place.json(&["posts", rule]);
        assert_eq!(found["asked"], asked, "{rule}");
        let cases = found["callers"][0]["cases"].as_array().unwrap();
        let all: Vec<_> = cases
            .iter()
            .flat_map(|case| case["statements"].as_array().unwrap())
            .collect();
        assert_eq!(all.len(), statements, "{rule}: {all:?}");
        if let Some(statement) = all.first() {
            assert_eq!(statement["indexes"], json!(["sqlite_autoindex_posts_1"]));
            assert_eq!(statement["scans"], json!([]));
        }
    }
}

#[test]
fn every_rule_of_the_demo_can_be_explained() {
    let place = Place::new();
    for collection in [
        "_superusers",
        "organizations",
        "permissions",
        "posts",
        "users",
    ] {
        for rule in [
            "list", "view", "create", "update", "delete", "auth", "manage", "id.read", "id.write",
        ] {
            let found = place.json(&[collection, rule]);
            assert_eq!(
                (&found["collection"], &found["rule"]),
                (&json!(collection), &json!(rule))
            );
            let callers = found["callers"].as_array().unwrap().iter();
            let callers: Vec<_> = callers.map(|it| it["caller"].as_str().unwrap()).collect();
            assert_eq!(callers, ["guest", "user", "superuser"]);
            assert!(place.explained(&[collection, rule]).starts_with(collection));
        }
    }
}

#[test]
fn every_key_is_documented() {
    let page = fs::read_to_string(crate::support::root().join("docs/explain.md")).unwrap();
    let rule = "title = @request.auth.username && @request.query.a:isset = true";
    let found = Place::new().json(&["posts", "--rule", rule]);
    let mut missing = Vec::new();
    keys(&found, &mut |key| {
        if !page.contains(&format!("`{key}`")) && !page.contains(&format!("\"{key}\"")) {
            missing.push(key.to_owned());
        }
    });
    // Parts of a table's row that are named with their whole path.
    missing.retain(|key| {
        !["indexes", "used", "missing", "statements", "cases"].contains(&key.as_str())
    });
    assert_eq!(missing, [""; 0]);
}

fn keys(value: &serde_json::Value, visit: &mut dyn FnMut(&str)) {
    match value {
        serde_json::Value::Object(entries) => {
            for (key, value) in entries {
                visit(key);
                keys(value, visit);
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| keys(item, visit)),
        _ => {}
    }
}

#[test]
fn a_server_may_run_meanwhile() {
    let target = basalt_blackbox::Target::find(option_env!("CARGO_BIN_EXE_basalt-under-test"));
    let server = basalt_blackbox::TestServer::start(&target.unwrap()).unwrap();
    let args = ["posts", "--rule", "author = @request.auth.id"];
    let place = Place::new();
    let real = place.json(&[&args[..], &["--database", &server.data_text()]].concat());
    assert_eq!(real, place.json(&args));
    let health = server.guest().get("/api/health").unwrap();
    assert_eq!(health.status, 200);
}

#[test]
fn a_text_may_stand_in_the_place_of_a_name() {
    let place = Place::new();
    let rule = "title = @request.auth.username";
    assert_eq!(
        place.explained(&["posts", rule]),
        place.explained(&["posts", "--rule", rule])
    );
    assert_eq!(
        place.explained(&["posts", "--filter", "title = 'a'"]),
        place.explained(&["posts", "list", "--filter", "title = 'a'"])
    );
}

#[test]
fn an_index_is_missing_until_it_is_declared() {
    let place = Place::new();
    let args = ["posts", "--rule", "title = @request.auth.username"];
    let before = place.json(&args);
    assert_eq!(before["indexes"]["missing"][0]["field"], "title");
    assert_eq!(
        before["callers"][1]["cases"][0]["statements"][1]["scans"],
        json!(["posts"])
    );
    place.edit("posts", |text| {
        text.to_owned() + "\n[[indexes]]\nfields = ['title']\n"
    });
    let after = place.json(&args);
    assert_eq!(after["indexes"]["missing"], json!([]));
    let mut used = after["indexes"]["used"].as_array().unwrap().iter();
    let used = used.find(|it| it["name"] == "idx_posts_title").unwrap();
    assert!(
        used["reason"]
            .as_str()
            .unwrap()
            .starts_with("declared at schema/posts.toml:")
    );
    assert_eq!(
        after["callers"][1]["cases"][0]["statements"][1]["scans"],
        json!([])
    );
}

#[test]
fn an_index_that_a_rule_gets_names_the_rule() {
    let place = Place::new();
    place.edit("posts", |text| {
        let rule = "'title = @request.auth.username'";
        let list = text.replace("list = \"\"", &format!("list = {rule}"));
        list.replace("view = \"\"", &format!("view = {rule}"))
    });
    let reason = "for the list rule of posts (schema/posts.toml:7)";
    let found = place.json(&["posts", "list"]);
    assert_eq!(found["indexes"]["missing"], json!([]));
    let mut used = found["indexes"]["used"].as_array().unwrap().iter();
    let index = used.find(|it| it["name"] == "idx_posts_title").unwrap();
    assert_eq!(index["reason"], reason);
    let checked = place.run(&["schema", "check"]);
    assert!(
        checked
            .stdout
            .contains(&format!("index idx_posts_title: {reason}\n")),
        "{checked:?}"
    );
}

#[test]
fn every_index_that_a_rule_gets_is_used() {
    let name = "idx_organizations_name";
    for (collection, rule, index) in [
        ("posts", "title = @request.auth.username", "idx_posts_title"),
        ("posts", "title = @request.query.title", "idx_posts_title"),
        (
            "posts",
            "@request.headers.x_title = title && public = true",
            "idx_posts_title",
        ),
        (
            "posts",
            "author.organization.name = @request.query.name",
            name,
        ),
        (
            "posts",
            "author.organization.name ?= @request.auth.username",
            name,
        ),
        (
            "posts",
            "@collection.organizations.name ?= @request.auth.username",
            name,
        ),
        (
            "posts",
            "@collection.users.organization.name ?= @request.auth.username",
            name,
        ),
        (
            "users",
            "posts_via_author.title ?= @request.auth.username",
            "idx_posts_title",
        ),
        (
            "organizations",
            "users_via_organization.posts_via_author.title ?= @request.query.x",
            "idx_posts_title",
        ),
    ] {
        let place = Place::new();
        place.edit(collection, |text| {
            let (head, rest) = text.split_once("[rules]\n").unwrap();
            let (_, rest) = rest.split_once("view = \"\"\n").unwrap();
            format!("{head}[rules]\nlist = {rule:?}\nview = {rule:?}\n{rest}")
        });
        let found = place.json(&[collection, "list"]);
        let cases = found["callers"][1]["cases"].as_array().unwrap();
        let mut statements = cases[0]["statements"].as_array().unwrap().iter();
        let total = statements
            .find(|statement| statement["query"] == "total")
            .unwrap();
        let used = total["indexes"].as_array().unwrap();
        assert!(used.contains(&json!(index)), "{rule}: {total}");
        assert_eq!(found["indexes"]["missing"], json!([]), "{rule}");
    }
}

#[test]
fn the_query_plans_may_come_from_a_real_database() {
    let place = Place::new();
    assert_eq!(
        place.run(&["migrate", "run", "--dir", "data"]).code,
        Some(0)
    );
    let args = ["posts", "--rule", "author = @request.auth.id"];
    let empty = place.json(&args);
    for path in ["data", "data/data.db"] {
        let real = place.json(&[&args[..], &["--database", path]].concat());
        assert_eq!(real, empty, "{path}");
    }
    // Without this index there is another plan.
    let path = place.path().join("data/data.db");
    let drop = "DROP INDEX idx_posts_author";
    execute(&path, drop);
    let before = fs::read(&path).unwrap();
    let real = place.json(&[&args[..], &["--database", "data"]].concat());
    assert_eq!(
        real["callers"][1]["cases"][0]["statements"][1]["scans"],
        json!(["posts"])
    );
    assert!(
        before == fs::read(&path).unwrap(),
        "the database was changed"
    );
}

fn execute(path: &std::path::Path, sql: &str) {
    use diesel::connection::SimpleConnection;
    use diesel::prelude::*;
    let mut conn = SqliteConnection::establish(&path.to_string_lossy()).unwrap();
    conn.batch_execute(sql).unwrap();
    conn.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap();
}

#[test]
fn the_help_has_examples() {
    let Ended { code, stdout, .. } = Place::new().explain(&["--help"]);
    assert_eq!(code, Some(0));
    for part in [
        "basalt schema explain posts list",
        "--rule",
        "--filter",
        "--database",
        "--json",
    ] {
        assert!(stdout.contains(part), "no {part} in\n{stdout}");
    }
}
