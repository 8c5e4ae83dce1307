//! `schema access` and `schema test`, as reviews and scripts use them.

use std::fs;

use crate::support::Place;

const TESTS: &str = "\
[records.posts.news]
title = 'News'

[[test]]
name = 'holds'
may = ['view posts.news']

[[test]]
name = 'does not hold'
may_not = ['delete posts.news']
";

#[test]
fn a_change_of_rights_is_found_and_shown() {
    let place = Place::new();
    let check = || place.run(&["schema", "access", "--check", "access.md"]);
    let none = check();
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(none.stderr.contains("this makes it:"), "{none:?}");
    let made = place.run(&["schema", "access", "--write", "access.md"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let printed = place.run(&["schema", "access", "--format", "markdown"]);
    let written = fs::read_to_string(place.path().join("access.md")).unwrap();
    assert_eq!(written, printed.stdout);
    let same = check();
    assert_eq!(
        (same.code, same.stdout.as_str()),
        (Some(0), "access.md: up to date\n"),
        "{same:?}"
    );
    place.edit("posts", |text| {
        text.replace("update = \"\"", "update = \"public = true\"")
    });
    let changed = check();
    assert_eq!(changed.code, Some(1), "{changed:?}");
    for line in [
        "posts | update | yes | yes | yes |",
        "posts | update | if `public = true` | if `public = true` | yes |",
        "basalt schema access --schema schema --write access.md",
    ] {
        assert!(changed.stderr.contains(line), "no {line:?}: {changed:?}");
    }
}

#[test]
fn tests_that_fail_end_with_an_error() {
    let place = Place::new();
    let schema = place.path().join("schema");
    for entry in fs::read_dir(&schema).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().ends_with(".test.toml") {
            fs::remove_file(path).unwrap();
        }
    }
    fs::write(schema.join("posts.test.toml"), TESTS).unwrap();
    let all = place.run(&["schema", "test"]);
    assert_eq!(all.code, Some(1), "{all:?}");
    assert_eq!(all.stderr, "error: 1 policy test failed\n");
    assert!(
        all.stdout
            .contains("test result: FAILED. 1 passed; 1 failed; 0 filtered out"),
        "{all:?}"
    );
    let chosen = place.run(&["schema", "test", "holds"]);
    assert_eq!(chosen.code, Some(0), "{chosen:?}");
    assert_eq!(chosen.stderr, "");
    let json = place.run(&["schema", "test", "--json", "not"]);
    let outcome: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(outcome["filtered"], 1);
    let failure = &outcome["tests"][0]["failures"][0];
    assert_eq!(failure["place"], "schema/posts.test.toml:10:12");
    assert_eq!(failure["got"], "allowed");
    // A filter that chooses nothing, and no tests at all: neither is a success.
    let none = place.run(&["schema", "test", "hodls"]);
    assert_eq!(none.code, Some(1), "{none:?}");
    let wanted = "no policy test has `hodls` in its name or file; there are 2 in schema";
    assert!(none.stderr.contains(wanted), "{none:?}");
    fs::remove_file(schema.join("posts.test.toml")).unwrap();
    let none = place.run(&["schema", "test"]);
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(
        none.stderr.contains("no policy tests in schema"),
        "{none:?}"
    );
}

#[test]
fn a_check_looks_at_the_tests_too() {
    let place = Place::new();
    let tests = place.path().join("schema/posts.test.toml");
    fs::write(tests, "[[test]]\nname = 'x'\nmay = ['veiw posts']\n").unwrap();
    let checked = place.run(&["schema", "check"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(
        checked.stderr.contains("did you mean `view`?"),
        "{checked:?}"
    );
    assert!(
        checked.stderr.contains("the policy tests have 1 error"),
        "{checked:?}"
    );
}

#[test]
fn warnings_are_printed_until_they_are_allowed() {
    let place = Place::new();
    let check = || place.run(&["schema", "check"]);
    let quiet = place.run(&["schema", "check", "--deny-warnings"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
    place.edit("users", |text| {
        text.replace("allow = [\"lint::looser_view\"]", "")
    });
    let loud = check();
    assert_eq!(loud.code, Some(0), "{loud:?}");
    assert!(loud.stderr.contains("lint::looser_view"), "{loud:?}");
    assert!(
        loud.stdout
            .starts_with("4 collections in schema: no errors, 1 warning\n"),
        "{loud:?}"
    );
    let denied = place.run(&["schema", "check", "--deny-warnings"]);
    assert_eq!(denied.code, Some(1), "{denied:?}");
    assert!(denied.stderr.contains("warnings are denied"), "{denied:?}");
}
