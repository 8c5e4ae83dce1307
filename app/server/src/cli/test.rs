//! `schema test`: the policy tests that stand beside the schema.

use std::io::Write;

use anyhow::bail;
use clap::Args;

use super::schema::Place;

/// Which tests to run.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// Run only tests with this in the name of the test or the file
    filter: Option<String>,
    /// Print what came of them as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(args: &TestArgs) -> anyhow::Result<()> {
    let outcome = basalt_policy::run(
        crate::application,
        &args.place.schema,
        args.filter.as_deref(),
    )?;
    if outcome.tests.is_empty() {
        let folder = args.place.schema.display();
        match &args.filter {
            Some(filter) if outcome.filtered > 0 => bail!(
                "no policy test has `{filter}` in its name or file; there are {} in {folder}",
                outcome.filtered
            ),
            _ => bail!(
                "no policy tests in {folder}: add `{folder}/posts.test.toml` (see the README of the \
                 schema directory)"
            ),
        }
    }
    let text = if args.json {
        serde_json::to_string_pretty(&outcome)? + "\n"
    } else {
        outcome.to_string()
    };
    std::io::stdout().write_all(text.as_bytes())?;
    match outcome.failed() {
        0 => Ok(()),
        1 => bail!("1 policy test failed"),
        failed => bail!("{failed} policy tests failed"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use std::fs;
    use std::path::{Path, PathBuf};

    use tempfile::TempDir;

    fn schema_dir() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema")
    }

    /// A copy of the demo's schema files with one file of tests.
    fn schema_with(tests: &str) -> (TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let schema = dir.path().join("schema");
        fs::create_dir(&schema).unwrap();
        for entry in fs::read_dir(schema_dir()).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if name.ends_with(".toml") && !name.ends_with(".test.toml") {
                fs::copy(&path, schema.join(name)).unwrap();
            }
        }
        fs::write(schema.join("posts.test.toml"), tests).unwrap();
        (dir, schema)
    }

    /// The demo's own policy tests: the command runs the same.
    #[test]
    fn the_demo_keeps_its_policy() {
        if let Err(report) = basalt_policy::check(crate::application, &schema_dir()) {
            panic!("{report}");
        }
    }

    const WRONG: &str = "\
[records.organizations.acme]
name = 'Acme'

[records.posts.one]
title = 'One'

[records.posts.two]
title = 'Two'

[[test]]
name = 'what is not so'
may = ['list organizations', 'list posts where title = \"One\" -> two', 'view posts.one']
may_not = ['delete posts.one', 'view posts.one', 'update posts.one', 'list posts where title = \"no\"']
sees = { \"posts.one\" = ['title', 'author.username'] }
sees_not = { \"posts.one\" = ['title', 'author.username'] }
body = { author = 'nobody' }

[[test]]
name = 'what is so'
may = ['delete posts.one', 'view posts.one']
";

    const REPORT: &str = "\
test schema/posts.test.toml: what is not so ... FAILED
test schema/posts.test.toml: what is so ... ok

---- schema/posts.test.toml: what is not so
schema/posts.test.toml:12:8: guest may list organizations
  expected  allowed
  got       an empty list
  rule      `list` of `organizations`, schema/organizations.toml:7: @request.auth.id != ''
schema/posts.test.toml:12:30: guest may list posts where title = \"One\" -> two
  expected  exactly posts.two
  got       a list of posts.one
  rule      `list` of `posts` is public (schema/posts.toml)
schema/posts.test.toml:13:12: guest may not delete posts.one
  expected  denied
  got       allowed
  rule      `delete` of `posts` is public (schema/posts.toml)
schema/posts.test.toml:13:32: guest may not view posts.one
  expected  denied
  got       allowed
  rule      `view` of `posts` is public (schema/posts.toml)
schema/posts.test.toml:13:50: guest may not update posts.one
  expected  denied
  got       no rule stands in the way, though the request is refused (400 Failed to update record. \
author: Failed to find all relation records with the provided ids.)
  rule      `update` of `posts` is public (schema/posts.toml)
schema/posts.test.toml:13:70: guest may not list posts where title = \"no\"
  expected  denied
  got       no rule is at work here: a superuser's list doesn't hold it either
  rule      `list` of `posts` is public (schema/posts.toml)
schema/posts.test.toml:14:34: guest must see `author.username` of posts.one
  expected  shown
  got       hidden (`author` is not expanded)
  rule      `view` of `posts` is public (schema/posts.toml); `view` of `users` is public \
(schema/users.toml)
schema/posts.test.toml:15:29: guest must not see `title` of posts.one
  expected  hidden
  got       shown
  rule      `view` of `posts` is public (schema/posts.toml)
schema/posts.test.toml:15:38: guest must not see `author.username` of posts.one
  expected  hidden
  got       no rule is at work here: `author` is not there for superusers either; give `posts.one` \
a value for `author`
  rule      `view` of `posts` is public (schema/posts.toml); `view` of `users` is public \
(schema/users.toml)

test result: FAILED. 1 passed; 1 failed; 0 filtered out
";

    #[test]
    fn a_claim_that_fails_tells_all_about_it() {
        let (_dir, schema) = schema_with(WRONG);
        let outcome = basalt_policy::run(crate::application, &schema, None).unwrap();
        assert_eq!(outcome.to_string(), REPORT);
        let chosen = basalt_policy::run(crate::application, &schema, Some("what is so")).unwrap();
        assert_eq!((chosen.tests.len(), chosen.filtered), (1, 1));
        assert_eq!(chosen.failed(), 0);
    }

    fn error(schema: &Path) -> String {
        let error = basalt_policy::run(crate::application, schema, None).unwrap_err();
        error.to_string()
    }

    #[test]
    fn what_keeps_tests_from_running_is_said() {
        let (_dir, schema) = schema_with("[[test]]\nname = 'x'\nmay = ['veiw posts']\n");
        let said = error(&schema);
        assert!(said.contains("did you mean `view`?"), "{said}");

        let (_dir, schema) = schema_with(
            "[records.users.a]\nusername = 'a'\n[[test]]\nname = 'x'\nmay = ['list posts']\n",
        );
        let said = error(&schema);
        let wanted = "posts.test.toml:1:16: the example record `users.a` can't be created: 400";
        assert!(said.contains(wanted), "{said}");

        let (_dir, schema) = schema_with("[[test]]\nname = 'x'\nmay = ['list posts']\n");
        let posts = fs::read_to_string(schema.join("posts.toml")).unwrap();
        let posts = posts.replace("update = \"\"", "update = \"public = true\"");
        fs::write(schema.join("posts.toml"), posts).unwrap();
        let said = error(&schema);
        let wanted = "other schema files (`update` of `posts` differs): run `cargo build`";
        assert!(said.contains(wanted), "{said}");

        let (_dir, schema) = schema_with("[[test]]\nname = 'x'\nmay = ['list posts']\n");
        let posts = fs::read_to_string(schema.join("posts.toml")).unwrap();
        let posts = posts.replace("public = { type", "public = { write = false, type");
        fs::write(schema.join("posts.toml"), posts).unwrap();
        let said = error(&schema);
        assert!(said.contains("`public.write` of `posts` differs"), "{said}");
    }
}
