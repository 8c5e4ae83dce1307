//! Names that a database takes for the same one, or that one thing leaves and another gets.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use basalt_codegen::diff::Options;
use basalt_migration_tests::case::{Case, check};
use basalt_migration_tests::{TestDb, schema};

const TAGS: &str = "name = 'tags'\n[fields]\nlabel = { type = 'text' }";

/// What keeps the change from being made, though data may be lost.
fn refusal(before: &[&str], after: &[&str]) -> String {
    let mut db = TestDb::new();
    db.migrate(&schema(before), false);
    let options = Options {
        allow_data_loss: true,
    };
    let problems = db.diff(&schema(after), &options).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert!(!problems[0].is_loss);
    problems[0].message.clone()
}

#[test]
fn a_rename_may_change_only_the_case() {
    check(&Case {
        before: &[
            "name = 'Articles'\n[fields]\nTags = { type = 'relation', collection = 'tags', max_select = 9 }\n\
             next = { type = 'relation', collection = 'Articles' }\n\
             [[indexes]]\nname = 'by_next'\nfields = ['next', 'id']",
            TAGS,
        ],
        rows: "INSERT INTO tags (id) VALUES ('t');
               INSERT INTO Articles (id, Tags, next) VALUES ('a', '[\"t\"]', 'a');
               INSERT INTO _link_Articles_Tags VALUES ('a', 't', 0);",
        after: &[
            "name = 'articles'\nrenamed_from = 'Articles'\n[fields]\n\
             tags = { type = 'relation', collection = 'tags', max_select = 9, renamed_from = 'Tags' }\n\
             next = { type = 'relation', collection = 'articles' }\n\
             [[indexes]]\nname = 'by_next'\nfields = ['next', 'id']",
            TAGS,
        ],
        losses: &[],
        up: &[
            ("next || tags", "FROM articles", "a[\"t\"]"),
            (
                "name",
                "FROM sqlite_schema WHERE name LIKE '_link_articles_tags'",
                "_link_articles_tags",
            ),
            ("target", "FROM _link_articles_tags", "t"),
        ],
        down: &[
            ("next || Tags", "FROM Articles", "a[\"t\"]"),
            (
                "name",
                "FROM sqlite_schema WHERE name LIKE '_link_articles_tags'",
                "_link_Articles_Tags",
            ),
        ],
    });
}

#[test]
fn a_new_collection_takes_the_index_name_of_one_that_goes() {
    check(&Case {
        before: &[
            "name = 'articles'\n[fields]\ntitle = { type = 'text' }\nn = { type = 'number' }\n\
             [[indexes]]\nname = 'idx_title'\nfields = ['title']\nunique = true\n\
             [[indexes]]\nfields = ['n']",
            TAGS,
        ],
        rows: "INSERT INTO articles (id, title) VALUES ('a', 'one'); INSERT INTO tags (id) VALUES ('t');",
        after: &[
            "name = 'news'\n[fields]\ntitle = { type = 'text' }\n\
             [[indexes]]\nname = 'Idx_Title'\nfields = ['title']",
            TAGS,
        ],
        losses: &["collection `articles` with all its records"],
        up: &[("id", "FROM tags", "t")],
        down: &[("count(*)", "FROM articles", "0"), ("id", "FROM tags", "t")],
    });
}

#[test]
fn a_collection_can_not_be_replaced_by_one_of_the_same_name_but_for_case() {
    let posts = |name: &str| format!("name = '{name}'\n[fields]\ntitle = {{ type = 'text' }}");
    assert_eq!(
        refusal(&[&posts("Posts")], &[&posts("posts")]),
        "the collection `Posts` and the collection `posts` would have the same name, `posts`, \
         while the migration runs"
    );
}

#[test]
fn a_join_table_can_not_be_wanted_before_the_other_goes() {
    let with = |name: &str, field: &str| {
        format!(
            "name = '{name}'\n[fields]\n\
             {field} = {{ type = 'relation', collection = 'tags', max_select = 9 }}"
        )
    };
    assert_eq!(
        refusal(&[&with("a_b", "c"), TAGS], &[&with("a", "b_c"), TAGS]),
        "the join table of `a_b.c` and the join table of `a.b_c` would have the same name, \
         `_link_a_b_c`, while the migration runs"
    );
}
