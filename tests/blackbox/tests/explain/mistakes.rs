//! What is wrong, in words that help, and exit codes.

use basalt_blackbox::process::Ended;

use crate::support::Place;

#[track_caller]
fn refused(args: &[&str], message: &str) {
    let Ended {
        code,
        stdout,
        stderr,
    } = Place::new().explain(args);
    assert_eq!((code, stdout.as_str()), (Some(1), ""), "{args:?}: {stderr}");
    assert_eq!(stderr, format!("error: {message}\n"), "{args:?}");
}

#[test]
fn unknown_names() {
    refused(
        &["pots", "list"],
        "there is no collection `pots`; did you mean `posts`? There are _superusers, organizations, \
         permissions, posts, users.",
    );
    refused(
        &["posts", "lst"],
        "posts has no rule `lst`; did you mean `list`? There are list, view, create, update, delete, \
         auth and manage, and FIELD.read and FIELD.write.",
    );
    refused(
        &["posts", "titel.read"],
        "posts has no rule `titel.read`; did you mean `title.read`? There are list, view, create, \
         update, delete, auth and manage, and FIELD.read and FIELD.write.",
    );
}

#[test]
fn texts_that_are_no_rules() {
    refused(
        &["posts", "--rule", "auther = 1 && titel = 2"],
        "the rule can't be understood\n  \
         unknown field `auther` in collection `posts`\n    \
         auther = 1 && titel = 2\n    \
         ^^^^^^ no such field\n  \
         help: did you mean `author`?\n  \
         unknown field `titel` in collection `posts`\n    \
         auther = 1 && titel = 2\n                  \
         ^^^^^ no such field\n  \
         help: did you mean `title`?",
    );
    let ended = Place::new().explain(&["users", "--filter", "tokenKey = 'x'"]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended
            .stderr
            .starts_with("error: the filter can't be understood\n"),
        "{ended:?}"
    );
    let several = "title = 'a' &&\n  titel = 'b'";
    let ended = Place::new().explain(&["posts", several]);
    assert!(
        ended
            .stderr
            .contains("\n      titel = 'b'\n      ^^^^^ no such field\n"),
        "{}",
        ended.stderr
    );
}

#[test]
fn mistakes_in_long_texts_are_shown_with_what_is_around_them() {
    let good = "title = 'a' && ".repeat(50);
    let ended = Place::new().explain(&[
        "posts",
        "--rule",
        &format!("{good}titel = 'b' && {good}id != ''"),
    ]);
    let around = "= 'a' && title = 'a' && title = 'a' && titel = 'b' && title = 'a'";
    assert!(ended.stderr.contains(around), "{}", ended.stderr);
    let long = ended.stderr.lines().find(|line| line.chars().count() > 100);
    assert_eq!(long, None);
    let deep = "(".repeat(100_000);
    let ended = Place::new().explain(&["posts", "--rule", &deep]);
    assert!(ended.stderr.len() < 1000, "{}", ended.stderr.len());
    assert_eq!(ended.code, Some(1));
}

#[test]
fn filters_of_what_is_no_list() {
    refused(
        &["posts", "update", "--filter", "title = 'a'"],
        "only lists take a filter: leave --filter out, or explain the rule `list`",
    );
}

#[test]
fn arguments_that_are_missing_or_too_many() {
    let place = Place::new();
    for args in [
        &["posts"][..],
        &["posts", "list", "--rule", "title = 'a'"],
        &[],
    ] {
        let ended = place.explain(args);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains("Usage: "), "{ended:?}");
    }
}

#[test]
fn databases_that_are_none() {
    refused(
        &["posts", "list", "--database", "nowhere.db"],
        "cannot open the database nowhere.db: there is no such file",
    );
    let place = Place::new();
    let ended = place.explain(&["posts", "list", "--database", "schema/posts.toml"]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains("is not a SQLite database"),
        "{ended:?}"
    );
    assert!(!place.path().join("nowhere.db").exists());
}

#[test]
fn a_program_of_another_schema_explains_what_it_can() {
    let place = Place::new();
    place.edit("posts", |text| {
        text.replace("title = {", "headline = { type = \"text\" }\ntitle = {")
    });
    let ended = place.explain(&["posts", "--rule", "headline = 'x'"]);
    assert_eq!(ended.code, Some(1));
    assert_eq!(
        ended.stderr,
        "error: there is no SQL to show, since this program was built from another schema: its \
         collection `posts` is another one; build it from schema\n"
    );
    assert!(
        ended.stdout.contains("headline (text) = 'x' (text)"),
        "{ended:?}"
    );
    assert!(!ended.stdout.contains("SELECT"), "{ended:?}");
}

#[test]
fn schema_files_with_mistakes() {
    let place = Place::new();
    place.edit("posts", |text| text.replace("\"bool\"", "\"boole\""));
    let ended = place.explain(&["posts", "list"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("schema/posts.toml"), "{ended:?}");
    assert!(
        ended
            .stderr
            .contains("error: the schema has 1 error (see above)"),
        "{ended:?}"
    );
}
