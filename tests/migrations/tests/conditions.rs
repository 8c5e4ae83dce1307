//! Conditions of partial indexes: as SQL that SQLite takes, and that means what the rule means.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use basalt_migration_tests::{TestDb, schema};

const FIELDS: &str = "name = 'things'\n[fields]\ntext = { type = 'text' }\n\
    maybe = { type = 'text', nullable = true }\nn = { type = 'number' }\nflag = { type = 'bool' }\n\
    score = { type = 'number', nullable = true }\n\
    other = { type = 'relation', collection = 'things' }\n\
    many = { type = 'select', values = ['x', 'y'], max_select = 2 }\n";

/// The condition as SQL, and which of the four records satisfy it.
fn check(condition: &str, sql: &str, records: &str) {
    let file = format!(
        "{FIELDS}[[indexes]]\nname = 'it'\nfields = ['text']\nwhere = \"{}\"\n",
        condition.replace('\\', "\\\\").replace('"', "\\\"")
    );
    let mut db = TestDb::new();
    db.migrate(&schema(&[&file]), false);
    db.execute(
        "INSERT INTO things (id, text, maybe, n, flag, other, many, score) VALUES
         ('a', '', NULL, 0, FALSE, NULL, '[]', NULL), ('b', 'x''y', '', 5, TRUE, 'a', '[\"x\"]', 1),
         ('c', '5.0', 'M', -1.5, TRUE, NULL, '[\"x\",\"y\"]', NULL), ('d', '50%', 'm', 6, FALSE, 'b', '[]', 2);",
    );
    let text = db.ask(
        "substr(sql, instr(sql, ' WHERE ') + 7)",
        "FROM sqlite_schema WHERE name = 'it'",
    );
    assert_eq!(text, sql, "{condition}");
    let found = db.ask("id", &format!("FROM things WHERE {text} ORDER BY id"));
    assert_eq!(found.replace(',', ""), records, "{condition}");
}

#[test]
fn conditions_become_sql() {
    check("text = ''", r#""text" = ''"#, "a");
    check("text != ''", r#""text" <> ''"#, "bcd");
    check("text = \"x'y\"", r#""text" = 'x''y'"#, "b");
    check("n > 5", r#""n" > 5.0"#, "d");
    check("flag = true", r#""flag" = TRUE"#, "bc");
    check(
        "flag = true && n < 0",
        r#""flag" = TRUE AND "n" < 0.0"#,
        "c",
    );
    check(
        "flag = true && (n < 0 || text = '')",
        r#""flag" = TRUE AND ("n" < 0.0 OR "text" = '')"#,
        "c",
    );
}

#[test]
fn null_and_empty_mean_what_they_mean_in_rules() {
    check("maybe = ''", r#"coalesce("maybe", '') = ''"#, "ab");
    check("maybe != ''", r#"coalesce("maybe", '') <> ''"#, "cd");
    check("maybe = null", r#"coalesce("maybe", '') = ''"#, "ab");
    check("maybe != 'm'", r#"coalesce("maybe", '') <> 'm'"#, "abc");
    check("other != ''", r#""other" IS NOT NULL"#, "bd");
    check("other = null", r#""other" IS NULL"#, "ac");
    check("other = 'a'", r#"coalesce("other", '') = 'a'"#, "b");
    check("text = maybe", r#""text" = coalesce("maybe", '')"#, "a");
    check("score = null", r#""score" IS NULL"#, "ac");
    check("score != 1", r#""score" IS NOT 1.0"#, "acd");
}

#[test]
fn patterns_and_numbers_as_text() {
    check("text ~ '0%'", r#""text" LIKE '0%' ESCAPE '\'"#, "");
    check("text !~ 'y'", r#""text" NOT LIKE '%y%' ESCAPE '\'"#, "acd");
    check("text = 5", r#""text" = 5.0"#, "c");
}
