//! The folder that is written to.

use std::fs;

use basalt_blackbox::process::{self, Program};

use crate::support::{Place, collections};

fn with_export() -> Place {
    let place = Place::new();
    place.write("export.json", collections().to_string());
    place
}

#[test]
fn a_second_import_changes_nothing() {
    let place = with_export();
    let said = place.imported(&["export.json"]);
    assert!(
        said.contains("schema/posts.toml: written\nschema/users.toml: written\n"),
        "{said}"
    );
    assert!(said.contains("The schema builds.\n"), "{said}");
    assert!(
        said.contains("basalt migrate diff create_schema\n"),
        "{said}"
    );
    let elsewhere = place.imported(&["export.json", "--out", "other/place"]);
    assert!(
        elsewhere.contains("basalt schema check --schema other/place\n"),
        "{elsewhere}"
    );
    let before = place.files();
    let said = place.imported(&["export.json"]);
    assert!(said.contains("2 files: as they were"), "{said}");
    assert_eq!(place.files(), before);
}

#[test]
fn a_dry_run_writes_nothing() {
    let place = with_export();
    let before = place.files();
    let said = place.imported(&["export.json", "--dry-run"]);
    assert!(
        said.contains("schema/posts.toml: would be written"),
        "{said}"
    );
    assert_eq!(place.files(), before);
}

#[test]
fn edited_files_are_not_overwritten_without_a_word() {
    let place = with_export();
    place.imported(&["export.json"]);
    let made = place.read("schema/posts.toml");
    place.write(
        "schema/posts.toml",
        made.replace("public = true", "public = false"),
    );
    place.refused(
        &["export.json"],
        &[
            "some files are there and say something else; nothing was written",
            "schema/posts.toml",
            "    - view = \"public = false\"",
            "    + view = \"public = true\"",
            "add --force",
        ],
    );
    place.imported(&["export.json", "--force"]);
    assert_eq!(place.read("schema/posts.toml"), made);
}

#[test]
fn other_files_of_the_folder_stay_and_must_build_too() {
    let place = with_export();
    place.write(
        "schema/tags.toml",
        "name = 'tags'\n[fields]\npost = { type = 'relation', collection = 'posts' }\n",
    );
    let said = place.imported(&["export.json"]);
    assert!(
        said.contains("schema/tags.toml: not of this import, left alone\n"),
        "{said}"
    );
    assert!(place.read("schema/tags.toml").starts_with("name = 'tags'"));
    place.write("schema/people.toml", "name = 'users'\n");
    place.refused(
        &["export.json"],
        &[
            "the schema would not build",
            "there are two collections named `users`",
        ],
    );
}

#[test]
fn a_file_in_place_of_the_folder_is_refused() {
    let place = with_export();
    place.write("schema", "a file");
    place.refused(&["export.json"], &["schema is not a folder"]);
    place.refused(&["export.json", "--out", "schema/inner"], &["schema/inner"]);
    fs::create_dir_all(place.path("out/posts.toml")).unwrap();
    place.refused(&["export.json", "--out", "out"], &["posts.toml"]);
}

/// A disk that is full leaves no half of a schema behind.
#[test]
fn a_full_disk_leaves_the_folder_as_it_was() {
    let place = with_export();
    let binary = env!("CARGO_BIN_EXE_basalt-under-test").into();
    let mut export = collections();
    export[1]["fields"] = (0..40)
        .map(|at| serde_json::json!({ "name": format!("field_{at}"), "type": "text" }))
        .collect();
    place.write("export.json", export.to_string());
    let before = place.files();
    let program = Program {
        binary,
        file_blocks: Some(2),
    };
    let args = ["import", "schema", "export.json"];
    let limit = std::time::Duration::from_secs(60);
    let ended = process::run(&program, &args, &place.path(""), limit).unwrap();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended.stderr.contains("can't write schema/users.toml"),
        "{ended:?}"
    );
    assert_eq!(place.files(), before);
}
