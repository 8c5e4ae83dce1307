//! What is refused, in which words, and that nothing is changed by it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use basalt_codegen::diff::{Options, Problem, folder};
use basalt_migration_tests::{TestDb, introspect, meta, schema};
use basalt_runtime::app::{App, Pending};
use basalt_runtime::config::Settings;
use basalt_runtime::migrate::{self, Entry, State};
use basalt_runtime::registry::RegistryBuilder;
use diesel::connection::SimpleConnection;
use diesel_migrations::{EmbeddedMigrations, embed_migrations};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

const POSTS: &str = "name = 'posts'\n[fields]\ntitle = { type = 'text' }";
const TAGS: &str = "name = 'tags'\n[fields]\nlabel = { type = 'text' }";

/// A database with the migration to one schema.
fn at(files: &[&str]) -> TestDb {
    let mut db = TestDb::new();
    db.migrate(&schema(files), false);
    db
}

fn problems(db: &TestDb, files: &[&str]) -> Vec<Problem> {
    db.diff(&schema(files), &Options::default()).unwrap_err()
}

/// Adds a migration by hand.
fn by_hand(db: &mut TestDb, up: &str, down: &str) {
    let last = folder::last_snapshot(&db.migrations()).unwrap();
    let mut migration = folder::by_hand(last.as_ref());
    migration.up = up.to_owned();
    migration.down = down.to_owned();
    db.write(&migration);
}

#[test]
fn a_new_name_is_suggested_for_a_field_of_the_same_type() {
    let db = at(&[POSTS]);
    let found = problems(
        &db,
        &["name = 'posts'\n[fields]\nheadline = { type = 'text' }"],
    );
    assert_eq!(found.len(), 1);
    assert!(found[0].is_loss);
    assert_eq!(
        found[0].help.as_deref(),
        Some(
            "if `headline` is its new name, write `renamed_from = \"title\"` in that field at schema/0.toml:3"
        )
    );
}

#[test]
fn a_new_name_is_suggested_for_a_collection_with_the_same_fields() {
    let db = at(&[POSTS]);
    let found = problems(
        &db,
        &["name = 'articles'\n[fields]\ntitle = { type = 'text' }"],
    );
    assert_eq!(
        found[0].help.as_deref(),
        Some("if `articles` is its new name, write `renamed_from = \"posts\"` in schema/0.toml")
    );
}

#[test]
fn a_name_that_never_was_is_a_mistake() {
    let db = at(&[POSTS]);
    let found = problems(
        &db,
        &["name = 'posts'\n[fields]\ntitle = { type = 'text' }\n\
           body = { type = 'text', renamed_from = 'text' }"],
    );
    assert_eq!(
        found[0].message,
        "field `posts.body` is said to be renamed from `text`, which never was"
    );
    assert!(!found[0].is_loss);
}

#[test]
fn duplicates_stop_a_unique_index_and_leave_no_trace() {
    let mut db = at(&[POSTS]);
    db.execute("INSERT INTO posts (id, title) VALUES ('a', 'same'), ('b', 'same');");
    let before = introspect::found(&mut db.conn);
    let unique = schema(&["name = 'posts'\n[fields]\ntitle = { type = 'text' }\n\
                           n = { type = 'number' }\n[[indexes]]\nfields = ['title']\nunique = true"]);
    let migration = db.diff(&unique, &Options::default()).unwrap().unwrap();
    assert_eq!(migration.notes.len(), 1);
    db.write(&migration);
    let error = db.run().unwrap_err().to_string();
    assert_eq!(
        error,
        "can't apply migration 2000-01-01-000001_test: UNIQUE constraint failed: posts.title; \
         nothing was changed by it"
    );
    assert_eq!(introspect::found(&mut db.conn), before);
    db.assert_sound(&schema(&[POSTS]));
    let source = db.source();
    let states = migrate::status(&mut db.conn, &source).unwrap();
    assert_eq!(states[1].state, State::Pending);
}

#[test]
fn references_to_nothing_stop_a_migration_before_it_commits() {
    let mut db = at(&[
        "name = 'posts'\n[fields]\ntag = { type = 'relation', collection = 'tags' }",
        TAGS,
    ]);
    db.execute(
        "INSERT INTO tags (id) VALUES ('t'); INSERT INTO posts (id, tag) VALUES ('a', 't');",
    );
    by_hand(&mut db, "DELETE FROM tags;", "SELECT 1;");
    let error = db.run().unwrap_err().to_string();
    assert_eq!(
        error,
        "can't commit migration 2000-01-01-000001_test: 1 rows of `posts` would point to records \
         of `tags` that don't exist; nothing was changed by it"
    );
    assert_eq!(db.ask("id", "FROM tags"), "t");
    assert_eq!(db.ask("foreign_keys", "FROM pragma_foreign_keys"), "1");
}

#[test]
fn other_tools_are_stopped_by_the_guard() {
    let mut db = at(&["name = 'posts'\n[fields]\nn = { type = 'text' }"]);
    let after = schema(&["name = 'posts'\n[fields]\nn = { type = 'json' }"]);
    let migration = db.diff(&after, &Options::default()).unwrap().unwrap();
    let error = db
        .conn
        .batch_execute(&migration.up)
        .unwrap_err()
        .to_string();
    assert_eq!(error, "CHECK constraint failed: foreign_keys_must_be_off");
}

#[test]
fn a_database_from_a_newer_program_is_refused() {
    let mut db = at(&[POSTS]);
    db.execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('29990101000000');");
    let source = db.source();
    let states = migrate::status(&mut db.conn, &source).unwrap();
    assert_eq!(
        states[1],
        Entry {
            name: "29990101000000".into(),
            state: State::Unknown
        }
    );
    let newer = "the database is from a newer program: it has migration 29990101000000, which this \
                 one doesn't know; start the newer program, or revert with it";
    for outcome in [
        db.run().map(|_| ()),
        migrate::refuse_pending(&mut db.conn, &source),
        migrate::revert(&mut db.conn, &source, 1, |_, _| {}).map(|_| ()),
        migrate::redo(&mut db.conn, &source, |_, _| {}).map(|_| ()),
    ] {
        assert_eq!(outcome.unwrap_err().to_string(), newer);
    }
}

#[test]
fn pending_migrations_can_be_refused() {
    let mut db = at(&[POSTS]);
    by_hand(&mut db, "SELECT 1;", "SELECT 1;");
    let source = db.source();
    assert_eq!(
        migrate::refuse_pending(&mut db.conn, &source)
            .unwrap_err()
            .to_string(),
        "the database lacks 2000-01-01-000001_test; apply with `basalt migrate run`"
    );
    db.run().unwrap();
    migrate::refuse_pending(&mut db.conn, &source).unwrap();
    assert_eq!(migrate::redo(&mut db.conn, &source, |_, _| {}).unwrap(), 1);
}

#[test]
fn a_database_that_does_not_fit_is_named_column_by_column() {
    let mut db = at(&[
        "name = 'posts'\n[fields]\nold = { type = 'text' }\nn = { type = 'text' }\n\
                       may = { type = 'text' }",
    ]);
    let program = schema(&[
        "name = 'posts'\n[fields]\nn = { type = 'number' }\nmay = { type = 'text', nullable = true }\n\
         tags = { type = 'relation', collection = 'tags', max_select = 2 }\n\
         [[indexes]]\nfields = ['n']\nunique = true",
        TAGS,
    ]);
    let error = migrate::check_fits(&mut db.conn, &meta::of(&program)).unwrap_err();
    let migrate::MigrateError::Mismatch(differences) = &error else {
        panic!("{error}");
    };
    assert_eq!(
        differences,
        &[
            "column `posts.n` is TEXT, not NUMERIC",
            "column `posts.may` may not be null",
            "there is no column `posts.tags`",
            "there is no join table `_link_posts_tags`",
            "column `posts.old` is no field",
            "there is no unique index `uq_posts_n` on `posts`",
            "there is no table `tags`",
        ]
    );
    assert!(error.to_string().ends_with(
        "and 4 more; if the schema was changed, run `basalt migrate diff NAME`, build again, and \
         then `basalt migrate run`"
    ));
}

#[test]
fn bad_names_and_clocks_write_nothing() {
    let db = at(&[POSTS]);
    let migration = folder::by_hand(None);
    let dir = db.migrations();
    for (stamp, name) in [
        ("2001-01-01-000000", ""),
        ("2001-01-01-000000", "../up"),
        ("2001-01-01-000000", "Add"),
        ("1999-01-01-000000", "older"),
        ("2000-01-01-000000", "same"),
    ] {
        folder::write(&dir, stamp, name, &migration).unwrap_err();
    }
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
    std::fs::write(
        dir.join("2000-01-01-000000_test/snapshot.json"),
        "{\"version\":9}",
    )
    .unwrap();
    assert!(
        folder::last_snapshot(&dir)
            .unwrap_err()
            .to_string()
            .contains("is no snapshot")
    );
}

#[test]
fn settings_are_kept_and_replaced() {
    let mut db = at(&[POSTS]);
    for _ in 0..2 {
        migrate::ensure_system_tables(&mut db.conn).unwrap();
    }
    assert_eq!(migrate::get_param(&mut db.conn, "a").unwrap(), None);
    migrate::set_param(&mut db.conn, "a", "1").unwrap();
    migrate::set_param(&mut db.conn, "a", "2").unwrap();
    let value = migrate::get_param(&mut db.conn, "a").unwrap();
    assert_eq!(value.as_deref(), Some("2"));
}

#[test]
fn references_to_another_table_or_to_none_do_not_fit() {
    const MARKS: &str = "name = 'marks'\n[fields]\nlabel = { type = 'text' }";
    let mut db = at(&[
        "name = 'posts'\n[fields]\n\
         one = { type = 'relation', collection = 'tags' }\n\
         plain = { type = 'text' }\n\
         was = { type = 'relation', collection = 'tags' }\n\
         many = { type = 'relation', collection = 'tags', max_select = 9 }",
        TAGS,
        MARKS,
    ]);
    let program = schema(&[
        "name = 'posts'\n[fields]\n\
         one = { type = 'relation', collection = 'marks' }\n\
         plain = { type = 'relation', collection = 'tags' }\n\
         was = { type = 'text', nullable = true }\n\
         many = { type = 'relation', collection = 'marks', max_select = 9 }",
        TAGS,
        MARKS,
    ]);
    let error = migrate::check_fits(&mut db.conn, &meta::of(&program)).unwrap_err();
    let migrate::MigrateError::Mismatch(differences) = &error else {
        panic!("{error}");
    };
    assert_eq!(
        differences,
        &[
            "column `posts.plain` may not be null",
            "column `_link_posts_many.target` is no reference to `marks` (ON DELETE CASCADE)",
            "column `posts.one` is no reference to `marks` (ON DELETE SET NULL)",
            "column `posts.plain` is no reference to `tags` (ON DELETE SET NULL)",
            "column `posts.was` is a reference to `tags`, but no relation",
        ]
    );
}

#[test]
fn a_program_without_the_migrations_of_its_schema_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        dir: folder.path().join("data"),
        ..Settings::default()
    };
    let collections = RegistryBuilder::new().unmigrated(&["create `a`", "drop `b.c`"]);
    let Err(error) = App::open(collections, MIGRATIONS, settings, Pending::Apply) else {
        panic!("it started");
    };
    assert_eq!(
        error.to_string(),
        "the schema has changes that no migration makes: create `a`, drop `b.c`; run `basalt \
         migrate diff NAME` and build again"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
