//! A table of schema changes, each made on a real database with rows in it: up, down, and up again.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use basalt_codegen::diff::Options;
use basalt_migration_tests::case::{Case, check};
use basalt_migration_tests::{TestDb, schema};

const TAGS: &str = "name = 'tags'\n[fields]\nlabel = { type = 'text' }";
const POSTS: &str = "name = 'posts'\n[fields]\ntitle = { type = 'text' }";
const TWO_POSTS: &str = "INSERT INTO posts (id, title) VALUES ('a', 'one'), ('b', 'two');";

#[test]
fn a_renamed_field_keeps_its_data_up_and_down() {
    check(&Case {
        before: &["name = 'posts'\n[fields]\ntitle = { type = 'text' }\n\
                   [[indexes]]\nfields = ['title']\nunique = true"],
        rows: TWO_POSTS,
        after: &[
            "name = 'posts'\n[fields]\nheadline = { type = 'text', renamed_from = 'title' }\n\
                  [[indexes]]\nfields = ['headline']\nunique = true",
        ],
        losses: &[],
        up: &[("headline", "FROM posts", "one,two")],
        down: &[("title", "FROM posts", "one,two")],
    });
}

#[test]
fn a_dropped_field_is_refused_first() {
    check(&Case {
        before: &[
            "name = 'posts'\n[fields]\ntitle = { type = 'text' }\nextra = { type = 'number' }",
        ],
        rows: "INSERT INTO posts (id, title, extra) VALUES ('a', 'one', 5);",
        after: &[POSTS],
        losses: &["field `posts.extra` with its values"],
        up: &[("title", "FROM posts", "one")],
        down: &[("title || extra", "FROM posts", "one0")],
    });
}

#[test]
fn a_dropped_collection_is_refused_first() {
    check(&Case {
        before: &[POSTS, TAGS],
        rows: "INSERT INTO tags (id) VALUES ('t'); INSERT INTO posts (id) VALUES ('a');",
        after: &[POSTS],
        losses: &["collection `tags` with all its records"],
        up: &[("id", "FROM posts", "a")],
        down: &[("count(*)", "FROM tags", "0")],
    });
}

const ONE_TAG: &str = "name = 'posts'\n[fields]\ntags = { type = 'relation', collection = 'tags' }";
const MANY_TAGS: &str =
    "name = 'posts'\n[fields]\ntags = { type = 'relation', collection = 'tags', max_select = 9 }";

#[test]
fn a_single_relation_becomes_a_multiple_one() {
    check(&Case {
        before: &[ONE_TAG, TAGS],
        rows: "INSERT INTO tags (id) VALUES ('s'), ('t');
               INSERT INTO posts (id, tags) VALUES ('a', 't'), ('b', NULL);",
        after: &[MANY_TAGS, TAGS],
        losses: &[],
        up: &[
            ("tags", "FROM posts ORDER BY id", "[\"t\"],[]"),
            (
                "owner || target || position",
                "FROM _link_posts_tags",
                "at0",
            ),
        ],
        down: &[("tags", "FROM posts ORDER BY id", "t,NULL")],
    });
}

#[test]
fn a_multiple_relation_becomes_a_single_one_with_its_last_item() {
    check(&Case {
        before: &[MANY_TAGS, TAGS],
        rows: "INSERT INTO tags (id) VALUES ('s'), ('t');
               INSERT INTO posts (id, tags) VALUES ('a', '[\"t\",\"s\"]'), ('b', '[]');
               INSERT INTO _link_posts_tags VALUES ('a', 't', 0), ('a', 's', 1);",
        after: &[ONE_TAG, TAGS],
        losses: &[
            "items but the last of `posts.tags`, when it changes from multiple relation to relation",
        ],
        up: &[("tags", "FROM posts ORDER BY id", "s,NULL")],
        down: &[("tags", "FROM posts ORDER BY id", "[\"s\"],[]")],
    });
}

#[test]
fn a_required_relation_is_added_empty() {
    check(&Case {
        before: &[POSTS, TAGS],
        rows: TWO_POSTS,
        after: &[
            "name = 'posts'\n[fields]\ntitle = { type = 'text' }\n\
             tag = { type = 'relation', collection = 'tags', required = true }",
            TAGS,
        ],
        losses: &[],
        up: &[("tag", "FROM posts", "NULL,NULL")],
        down: &[("title", "FROM posts", "one,two")],
    });
}

#[test]
fn a_renamed_collection_takes_its_references_along() {
    check(&Case {
        before: &[
            "name = 'posts'\n[fields]\ntags = { type = 'relation', collection = 'tags', max_select = 9 }\n\
             first = { type = 'relation', collection = 'tags' }\n\
             next = { type = 'relation', collection = 'posts' }",
            TAGS,
        ],
        rows: "INSERT INTO tags (id, label) VALUES ('t', 'T');
               INSERT INTO posts (id, tags, first, next) VALUES ('a', '[\"t\"]', 't', 'a');
               INSERT INTO _link_posts_tags VALUES ('a', 't', 0);",
        after: &[
            "name = 'articles'\nrenamed_from = 'posts'\n[fields]\n\
             tags = { type = 'relation', collection = 'labels', max_select = 9 }\n\
             first = { type = 'relation', collection = 'labels' }\n\
             next = { type = 'relation', collection = 'articles' }",
            "name = 'labels'\nrenamed_from = 'tags'\n[fields]\nlabel = { type = 'text' }",
        ],
        losses: &[],
        up: &[
            ("first || next", "FROM articles", "ta"),
            ("label", "FROM labels", "T"),
        ],
        down: &[
            ("first || next", "FROM posts", "ta"),
            ("label", "FROM tags", "T"),
        ],
    });
}

#[test]
fn a_renamed_multiple_relation_keeps_its_join_rows() {
    check(&Case {
        before: &[MANY_TAGS, TAGS],
        rows: "INSERT INTO tags (id) VALUES ('t'); INSERT INTO posts (id, tags) VALUES ('a', '[\"t\"]');
               INSERT INTO _link_posts_tags VALUES ('a', 't', 0);",
        after: &[
            "name = 'posts'\n[fields]\n\
             labels = { type = 'relation', collection = 'tags', max_select = 9, renamed_from = 'tags' }",
            TAGS,
        ],
        losses: &[],
        up: &[("target", "FROM _link_posts_labels", "t")],
        down: &[("target", "FROM _link_posts_tags", "t")],
    });
}

#[test]
fn indexes_come_change_and_go() {
    check(&Case {
        before: &[
            "name = 'posts'\n[fields]\ntitle = { type = 'text' }\nkind = { type = 'text' }\n\
                   [[indexes]]\nfields = ['title']\n[[indexes]]\nname = 'stays'\nfields = ['kind']",
        ],
        rows: "INSERT INTO posts (id, title, kind) VALUES ('a', 'one', ''), ('b', 'two', '');",
        after: &[
            "name = 'posts'\n[fields]\ntitle = { type = 'text' }\nkind = { type = 'text' }\n\
                  [[indexes]]\nfields = ['title']\nunique = true\ncollation = 'nocase'\n\
                  where = \"title != ''\"\n[[indexes]]\nname = 'stays'\nfields = ['kind', 'title']",
        ],
        losses: &[],
        up: &[(
            "count(*)",
            "FROM sqlite_schema WHERE sql LIKE '%WHERE \"title\" <> ''''%'",
            "1",
        )],
        down: &[("title", "FROM posts", "one,two")],
    });
}

#[test]
fn a_removed_select_value_is_taken_out() {
    check(&Case {
        before: &[
            "name = 'posts'\n[fields]\none = { type = 'select', values = ['a', 'b'] }\n\
                   many = { type = 'select', values = ['a', 'b', 'c'], max_select = 3 }",
        ],
        rows: "INSERT INTO posts (id, one, many) VALUES ('x', 'a', '[\"c\",\"a\",\"b\"]'), ('y', 'b', '[\"c\"]');",
        after: &[
            "name = 'posts'\n[fields]\none = { type = 'select', values = ['b', 'd'] }\n\
                  many = { type = 'select', values = ['b', 'c'], max_select = 2 }",
        ],
        losses: &[
            "the value `a` in the records of `posts.one`",
            "the value `a` in the records of `posts.many`",
        ],
        up: &[("one || many", "FROM posts", "[\"c\",\"b\"],b[\"c\"]")],
        down: &[("one || many", "FROM posts", "[\"c\",\"b\"],b[\"c\"]")],
    });
}

#[test]
fn text_becomes_number() {
    check(&Case {
        before: &["name = 'posts'\n[fields]\nn = { type = 'text' }"],
        rows: "INSERT INTO posts (id, n) VALUES ('a', '5'), ('b', '1.5'), ('c', 'x'), ('d', '');",
        after: &["name = 'posts'\n[fields]\nn = { type = 'number' }"],
        losses: &[
            "values that are no numbers (they become 0) of `posts.n`, when it changes from text to number",
        ],
        up: &[(
            "typeof(n) || n",
            "FROM posts",
            "integer5,real1.5,integer0,integer0",
        )],
        down: &[("typeof(n) || n", "FROM posts", "text5,text1.5,text0,text0")],
    });
}

#[test]
fn bools_dates_and_json_convert() {
    check(&Case {
        before: &[
            "name = 'posts'\n[fields]\nflag = { type = 'bool' }\nday = { type = 'date' }\n\
                   note = { type = 'text' }\nplace = { type = 'geoPoint' }\npick = { type = 'select', values = ['k'] }",
        ],
        rows: "INSERT INTO posts (id, flag, day, note, pick) VALUES
               ('a', TRUE, '2024-05-06 07:08:09.123Z', 'it''s', 'k'), ('b', FALSE, '', '', '');",
        after: &[
            "name = 'posts'\n[fields]\nflag = { type = 'text' }\nday = { type = 'text' }\n\
                  note = { type = 'json' }\nplace = { type = 'json' }\npick = { type = 'select', values = ['k', 'l'], max_select = 2 }",
        ],
        losses: &[],
        up: &[
            (
                "flag || day || note",
                "FROM posts",
                "true2024-05-06 07:08:09.123Z\"it's\",falsenull",
            ),
            ("place ->> 'lon' || pick", "FROM posts", "0[\"k\"],0[]"),
        ],
        down: &[(
            "flag || day || note || pick",
            "FROM posts",
            "12024-05-06 07:08:09.123Zit'sk,0",
        )],
    });
}

#[test]
fn what_may_be_null_changes_both_ways() {
    check(&Case {
        before: &[
            "name = 'posts'\n[fields]\nn = { type = 'number' }\nm = { type = 'text', nullable = true }",
        ],
        rows: "INSERT INTO posts (id, n, m) VALUES ('a', 3, NULL), ('b', 0, 'x');",
        after: &[
            "name = 'posts'\n[fields]\nn = { type = 'number', nullable = true }\nm = { type = 'text', default = \"it's\" }",
        ],
        losses: &[],
        up: &[("n || m", "FROM posts", "3it's,0x")],
        down: &[("n || m", "FROM posts", "3it's,0x")],
    });
    check(&Case {
        before: &["name = 'posts'\n[fields]\nm = { type = 'number', nullable = true }"],
        rows: "INSERT INTO posts (id, m) VALUES ('a', NULL), ('b', 4);",
        after: &["name = 'posts'\n[fields]\nm = { type = 'number' }"],
        losses: &[
            "nulls (they become the zero value) of `posts.m`, when it changes from number to number",
        ],
        up: &[("m", "FROM posts", "0,4")],
        down: &[("m", "FROM posts", "0,4")],
    });
}

#[test]
fn a_table_that_others_and_itself_point_to_is_rebuilt() {
    check(&Case {
        before: &[
            "name = 'nodes'\n[fields]\nsize = { type = 'text' }\nparent = { type = 'relation', collection = 'nodes' }\n\
             peers = { type = 'relation', collection = 'nodes', max_select = 9 }",
            "name = 'leaves'\n[fields]\nnode = { type = 'relation', collection = 'nodes', cascade_delete = true }\n\
             nodes = { type = 'relation', collection = 'nodes', max_select = 9 }",
        ],
        rows: "INSERT INTO nodes (_rowid_, id, size, parent) VALUES (7, 'z', '1', NULL), (9, 'a', '2', 'z');
               UPDATE nodes SET peers = '[\"a\",\"z\"]' WHERE id = 'z';
               INSERT INTO _link_nodes_peers VALUES ('z', 'a', 0), ('z', 'z', 1);
               INSERT INTO leaves (id, node, nodes) VALUES ('l', 'a', '[\"z\"]');
               INSERT INTO _link_leaves_nodes VALUES ('l', 'z', 0);",
        after: &[
            "name = 'nodes'\n[fields]\nsize = { type = 'number' }\nparent = { type = 'relation', collection = 'nodes' }\n\
             peers = { type = 'relation', collection = 'nodes', max_select = 9 }",
            "name = 'leaves'\n[fields]\nnode = { type = 'relation', collection = 'nodes', cascade_delete = true }\n\
             nodes = { type = 'relation', collection = 'nodes', max_select = 9 }",
        ],
        losses: &["values that are no numbers (they become 0) of `nodes.size`, when it changes from text to number"],
        up: &[
            ("_rowid_ || id || size", "FROM nodes ORDER BY _rowid_", "7z1,9a2"),
            ("parent", "FROM nodes ORDER BY _rowid_", "NULL,z"),
            ("node || nodes", "FROM leaves", "a[\"z\"]"),
            ("owner || target", "FROM _link_nodes_peers", "za,zz"),
        ],
        down: &[
            ("_rowid_ || id || size", "FROM nodes ORDER BY _rowid_", "7z1,9a2"),
            ("node || nodes", "FROM leaves", "a[\"z\"]"),
        ],
    });
}

#[test]
fn another_target_keeps_only_ids_that_it_has() {
    check(&Case {
        before: &[
            ONE_TAG,
            TAGS,
            "name = 'marks'\n[fields]\ntags = { type = 'text' }",
        ],
        rows: "INSERT INTO tags (id) VALUES ('s'), ('t'); INSERT INTO marks (id) VALUES ('t');
               INSERT INTO posts (id, tags) VALUES ('a', 't'), ('b', 's');",
        after: &[
            "name = 'posts'\n[fields]\ntags = { type = 'relation', collection = 'marks' }",
            TAGS,
            "name = 'marks'\n[fields]\ntags = { type = 'text' }",
        ],
        losses: &[
            "values that are no ids of the target's records (they become empty) of `posts.tags`, \
                   when it changes from relation to relation",
        ],
        up: &[("tags", "FROM posts ORDER BY id", "t,NULL")],
        down: &[("tags", "FROM posts ORDER BY id", "t,NULL")],
    });
}

#[test]
fn a_default_of_a_multiple_relation_is_for_new_records_only() {
    const WITH_DEFAULT: &str = "name = 'posts'\n[fields]\ntitle = { type = 'text' }\n\
         tags = { type = 'relation', collection = 'tags', max_select = 9, default = ['t'] }";
    check(&Case {
        before: &[POSTS, TAGS],
        rows: TWO_POSTS,
        after: &[WITH_DEFAULT, TAGS],
        losses: &[],
        up: &[
            ("tags", "FROM posts", "[],[]"),
            ("count(*)", "FROM _link_posts_tags", "0"),
        ],
        down: &[("title", "FROM posts", "one,two")],
    });
}

#[test]
fn texts_become_json_strings_and_come_back_as_they_were() {
    check(&Case {
        before: &["name = 'posts'\n[fields]\nnote = { type = 'text' }"],
        rows: "INSERT INTO posts (id, note) VALUES
               ('a', ' 5 '), ('b', 'true'), ('c', '\"x\"'), ('d', 'null'), ('e', '[1, 2]'), ('f', '');",
        after: &["name = 'posts'\n[fields]\nnote = { type = 'json' }"],
        losses: &[],
        up: &[(
            "note",
            "FROM posts ORDER BY id",
            r#"" 5 ","true","\"x\"","null","[1, 2]",null"#,
        )],
        down: &[(
            "note",
            "FROM posts ORDER BY id",
            r#" 5 ,true,"x",null,[1, 2],"#,
        )],
    });
}

#[test]
fn a_table_with_several_changes_is_rebuilt_once() {
    const BEFORE: &str = "name = 'posts'\n[fields]\na = { type = 'text' }\nb = { type = 'text' }";
    const AFTER: &str = "name = 'posts'\n[fields]\na = { type = 'json' }\n\
         new = { type = 'number' }\nb = { type = 'json' }";
    let mut db = TestDb::new();
    db.migrate(&schema(&[BEFORE]), false);
    let migration = db
        .diff(&schema(&[AFTER]), &Options::default())
        .unwrap()
        .unwrap();
    for sql in [&migration.up, &migration.down] {
        assert_eq!(
            sql.matches("CREATE TABLE \"_new_posts\"").count(),
            1,
            "{sql}"
        );
    }
    assert!(migration.notes[0].contains("`posts.a` become JSON strings"));
    check(&Case {
        before: &[BEFORE],
        rows: "INSERT INTO posts (id, a, b) VALUES ('x', 'one', 'two');",
        after: &[AFTER],
        losses: &[],
        up: &[("a || b || new", "FROM posts", "\"one\"\"two\"0")],
        down: &[("a || b", "FROM posts", "onetwo")],
    });
}
