//! The committed migrations lead to what `schema/` says, and back.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::path::PathBuf;

use basalt_codegen::diff::{Options, diff, folder};
use basalt_codegen::{ir, read_dir, resolve};
use basalt_migration_tests::{TestDb, introspect, meta};
use basalt_runtime::migrate::{self, State};
use diesel_migrations::FileBasedMigrations;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn demo() -> ir::Schema {
    let sources = read_dir(&root().join("schema")).unwrap();
    resolve(&sources).unwrap().schema
}

fn committed() -> FileBasedMigrations {
    FileBasedMigrations::from_path(root().join("migrations/sqlite")).unwrap()
}

/// One record of each collection, all relations set.
const ROWS: &str = "\
    INSERT INTO organizations (id, name) VALUES ('o', 'O');
    INSERT INTO permissions (id, name) VALUES ('p', 'P'), ('q', 'Q');
    INSERT INTO users (id, username, tokenKey, organization, permissions)
      VALUES ('u', 'ann', 't', 'o', '[\"q\",\"p\"]');
    INSERT INTO _link_users_permissions VALUES ('u', 'q', 0), ('u', 'p', 1);
    INSERT INTO posts (id, title, author) VALUES ('x', 'T', 'u');";

#[test]
fn an_empty_database_becomes_what_the_schema_says() {
    let mut db = TestDb::new();
    migrate::run(&mut db.conn, &committed(), |_, _| {}).unwrap();
    let schema = demo();
    assert_eq!(
        introspect::without_conditions(introspect::found(&mut db.conn)),
        introspect::wanted(&schema)
    );
    migrate::check_fits(&mut db.conn, &meta::of(&schema)).unwrap();
    db.execute(ROWS);
    db.assert_sound(&schema);
}

#[test]
fn no_change_of_the_schema_waits_for_a_migration() {
    let last = folder::last_snapshot(&root().join("migrations/sqlite")).unwrap();
    assert!(last.is_some());
    let migration = diff(last.as_ref(), &demo(), &Options::default()).unwrap();
    assert_eq!(migration.map(|it| it.summary), None);
}

#[test]
fn every_step_back_runs_with_rows_and_forward_again() {
    let mut db = TestDb::new();
    let migrations = committed();
    let count = migrate::run(&mut db.conn, &migrations, |_, _| {}).unwrap();
    db.execute(ROWS);
    for _ in 0..count {
        migrate::revert(&mut db.conn, &migrations, 1, |_, _| {}).unwrap();
        assert_eq!(
            db.ask("integrity_check", "FROM pragma_integrity_check"),
            "ok"
        );
        assert_eq!(db.ask("\"table\"", "FROM pragma_foreign_key_check"), "");
    }
    assert!(introspect::found(&mut db.conn).is_empty());
    let states = migrate::status(&mut db.conn, &migrations).unwrap();
    assert!(states.iter().all(|entry| entry.state == State::Pending));
    migrate::run(&mut db.conn, &migrations, |_, _| {}).unwrap();
    migrate::check_fits(&mut db.conn, &meta::of(&demo())).unwrap();
}
