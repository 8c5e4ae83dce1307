//! Data directories, whole ones and broken ones.

use std::fs;

use serde_json::json;

use crate::support::{Database, Place, collections};

#[test]
fn a_directory_gives_what_its_export_gives() {
    let place = Place::new();
    place.write("export.json", collections().to_string());
    drop(Database::make(&place.path("pb_data"), &collections()));
    let before = place.files();
    place.imported(&["export.json", "--out", "one"]);
    let said = place.imported(&["pb_data", "--out", "two"]);
    assert!(
        said.starts_with("pb_data: 2 collections, 4 fields, 3 rules, 1 index\n"),
        "{said}"
    );
    assert!(said.ends_with("`import data pb_data`.\n"), "{said}");
    for name in ["posts.toml", "users.toml"] {
        let one = place.read(&format!("one/{name}"));
        assert_eq!(one, place.read(&format!("two/{name}")));
        assert!(!one.contains("never-to-be-seen"), "{one}");
    }
    assert!(
        place
            .read("one/users.toml")
            .contains("token = { duration = 3600 }")
    );
    let mut after = place.files();
    after.retain(|path, _| before.contains_key(path));
    assert_eq!(after, before, "the sources were changed");
}

#[test]
fn a_directory_in_use_is_read_as_it_is_at_one_moment() {
    let place = Place::new();
    let mut database = Database::make(&place.path("pb_data"), &collections());
    database.run("PRAGMA journal_mode = WAL; UPDATE _collections SET listRule = 'id != ''''';");
    // Not committed: nobody else sees it.
    database.run("BEGIN IMMEDIATE; UPDATE _collections SET listRule = 'broken';");
    place.imported(&["pb_data"]);
    assert!(
        place
            .read("schema/posts.toml")
            .contains("list = \"id != ''\"")
    );
    database.run("ROLLBACK;");
    drop(database);
    place.imported(&["pb_data"]);
}

#[test]
fn what_is_no_directory_of_pocketbase_is_refused() {
    let place = Place::new();
    place.refused(&["nowhere"], &["can't read nowhere", "No such file"]);
    fs::create_dir(place.path("empty")).unwrap();
    place.refused(&["empty"], &["empty has no data.db", "pb_data"]);
    drop(Database::make(
        &place.path("project/pb_data"),
        &collections(),
    ));
    place.refused(&["project"], &["did you mean project/pb_data?"]);
    place.refused(
        &["project/pb_data/data.db"],
        &["is a database: give the directory"],
    );
    place.write("text/data.db", "this is no database at all".repeat(100));
    place.refused(&["text"], &["text/data.db is not a SQLite database"]);
    place.write("nothing/data.db", "");
    place.refused(
        &["nothing"],
        &["has no collections: it is not of PocketBase"],
    );
    Database::empty(&place.path("other")).run("CREATE TABLE notes (id TEXT);");
    place.refused(&["other"], &["has no collections: it is not of PocketBase"]);
    fs::create_dir_all(place.path("folder/data.db")).unwrap();
    place.refused(&["folder"], &["folder has no data.db"]);
    Database::make(&place.path("none"), &json!([]));
    place.refused(&["none"], &["the export has no collections"]);
}

#[test]
fn an_old_database_is_refused() {
    let place = Place::new();
    Database::empty(&place.path("old")).run(
        "CREATE TABLE _collections (id TEXT PRIMARY KEY, system BOOLEAN, type TEXT, name TEXT, \
         schema JSON, indexes JSON, listRule TEXT, viewRule TEXT, createRule TEXT, \
         updateRule TEXT, deleteRule TEXT, options JSON);",
    );
    place.refused(&["old"], &["of a PocketBase before 0.23", "fields"]);
}

#[test]
fn a_damaged_database_is_refused() {
    let place = Place::new();
    drop(Database::make(&place.path("whole"), &collections()));
    let whole = fs::read(place.path("whole/data.db")).unwrap();
    assert!(whole.len() > 8192);

    place.write("cut/data.db", &whole[..whole.len() / 2]);
    place.refused(&["cut"], &["cut/data.db is damaged", "malformed"]);

    let mut scrambled = whole.clone();
    for byte in scrambled.iter_mut().skip(100) {
        *byte = byte.wrapping_mul(31).wrapping_add(7);
    }
    place.write("scrambled/data.db", &scrambled);
    place.refused(&["scrambled"], &["scrambled/data.db is damaged"]);

    place.write("head/data.db", &whole[..60]);
    place.refused(&["head"], &["head/data.db"]);
}

#[test]
fn every_cut_of_a_database_gives_a_report() {
    let place = Place::new();
    drop(Database::make(&place.path("whole"), &collections()));
    let whole = fs::read(place.path("whole/data.db")).unwrap();
    for part in 1..10 {
        place.write("cut/data.db", &whole[..whole.len() * part / 10]);
        place.refused(&["cut"], &["cut/data.db"]);
    }
}

/// Runs SQL on a database of two collections, and imports it.
#[track_caller]
fn broken_by(sql: &str, words: &[&str]) -> String {
    let place = Place::new();
    Database::make(&place.path("pb_data"), &collections()).run(sql);
    place.refused(&["pb_data"], words)
}

#[test]
fn texts_that_are_none_are_refused() {
    let not_text = "CAST(X'ff41' AS TEXT)";
    broken_by(
        &format!("UPDATE _collections SET viewRule = {not_text} WHERE name = 'posts'"),
        &["`viewRule` of collection `posts` is not UTF-8"],
    );
    broken_by(
        &format!("UPDATE _collections SET fields = {not_text}"),
        &[
            "`fields` of collection `posts` is not UTF-8",
            "`fields` of collection `users`",
        ],
    );
    broken_by(
        &format!("UPDATE _collections SET name = {not_text} WHERE name = 'users'"),
        &["`name` of collection", "is not UTF-8"],
    );
}

#[test]
fn json_that_is_none_is_refused() {
    broken_by(
        "UPDATE _collections SET fields = '[{' WHERE name = 'posts'",
        &["`fields` of collection `posts` is not JSON: EOF"],
    );
    broken_by(
        "UPDATE _collections SET indexes = 'none', options = '{]' WHERE name = 'users'",
        &[
            "`indexes` of collection `users` is not JSON",
            "`options` of collection `users`",
        ],
    );
    broken_by(
        "UPDATE _collections SET fields = '{}' WHERE name = 'posts'",
        &["`fields` of collection `posts` must be a list, not an object"],
    );
    broken_by(
        "UPDATE _collections SET name = NULL WHERE name = 'posts'",
        &["collection `` has no table"],
    );
}

#[test]
fn tables_and_collections_belong_together() {
    broken_by("DROP TABLE posts", &["collection `posts` has no table"]);
    broken_by(
        "DELETE FROM _collections WHERE name = 'posts'",
        &["table `posts` belongs to no collection", "--ignore-tables"],
    );
    let place = Place::new();
    Database::make(&place.path("pb_data"), &collections())
        .run("CREATE TABLE notes (id TEXT); CREATE VIEW seen AS SELECT id FROM notes;");
    place.refused(&["pb_data"], &["table `notes` belongs to no collection"]);
    place.imported(&["pb_data", "--ignore-tables"]);
}
