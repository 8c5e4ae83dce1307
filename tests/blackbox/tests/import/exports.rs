//! Exports as files.

use std::fs::File;

use serde_json::{Value, json};

use crate::support::{Place, collections};

#[test]
fn what_is_no_export_is_refused() {
    let place = Place::new();
    let export = collections().to_string();
    place.write("cut.json", &export[..export.len() - 40]);
    let said = place.refused(&["cut.json"], &["cut.json:1:", "this is not JSON: EOF"]);
    assert!(
        said.contains("help: export the collections again"),
        "{said}"
    );

    place.write("latin.json", b"[{\"name\": \"caf\xe9\"}]");
    place.refused(&["latin.json"], &["latin.json is not UTF-8: byte 14"]);

    place.write("empty.json", "");
    place.refused(&["empty.json"], &["this is not JSON"]);

    let large = File::create(place.path("large.json")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    let before = place.import(&["large.json"]);
    assert_eq!(before.code, Some(1));
    assert!(
        before.stderr.contains("67108865 bytes: that is no export"),
        "{before:?}"
    );
}

#[test]
fn deep_and_large_exports_give_a_report() {
    let place = Place::new();
    place.write("deep.json", "[".repeat(1_000_000));
    place.refused(&["deep.json"], &["this is not JSON: recursion limit"]);
    let many: Vec<Value> = (0..10_001).map(|_| json!({})).collect();
    place.write("many.json", Value::from(many).to_string());
    place.refused(&["many.json"], &["the export has 10001 collections"]);
    let rule = format!("{}title = 'a'", "(".repeat(100_000));
    place.write(
        "rule.json",
        json!([{ "name": "posts", "type": "base", "fields": [], "listRule": rule }]).to_string(),
    );
    place.refused(&["rule.json"], &["the rule `list` left out"]);
}

/// A loss is for the user to decide on.
#[test]
fn what_is_lost_must_be_wanted() {
    let place = Place::new();
    let mut export = collections();
    export[0]["indexes"][0] = json!("CREATE UNIQUE INDEX `lower` ON `posts` (lower(title))");
    export[0]["fields"][1] = json!({ "name": "image", "type": "file" });
    export[0]["viewRule"] = json!("image != ''");
    place.write("export.json", export.to_string());
    place.refused(
        &["export.json"],
        &[
            "not everything can be brought over; nothing was written",
            "later: posts.toml: field `image` left out: file fields are not supported yet",
            "later: posts.toml: the rule `view` left out: unknown field `image`",
            "error: posts.toml: the index `CREATE UNIQUE INDEX `lower` ON `posts` (lower(title))` left out",
            "add --keep-going",
        ],
    );
    let said = place.imported(&["export.json", "--keep-going"]);
    assert!(
        said.contains("Left out, and in the files as comments:"),
        "{said}"
    );
    let posts = place.read("schema/posts.toml");
    for line in [
        "# view = \"image != ''\"",
        "# image = { type = \"file\" }",
        "# CREATE UNIQUE INDEX `lower` ON `posts` (lower(title))",
    ] {
        assert!(posts.lines().any(|found| found == line), "{line}\n{posts}");
    }
}

#[test]
fn nothing_but_views_is_nothing() {
    let place = Place::new();
    let view =
        json!([{ "name": "stats", "type": "view", "viewQuery": "SELECT 1 AS id", "fields": [] }]);
    place.write("export.json", view.to_string());
    place.refused(&["export.json"], &["none of the collections can be built"]);
}

#[test]
fn the_list_of_the_api_is_an_export() {
    let place = Place::new();
    let list = json!({ "page": 1, "perPage": 500, "totalItems": 2, "items": collections() });
    place.write("list.json", list.to_string());
    place.imported(&["list.json"]);
    let page = json!({ "page": 1, "perPage": 2, "totalItems": 9, "items": collections() });
    place.write("page.json", page.to_string());
    place.refused(&["page.json"], &["one page of a list: 2 of 9 collections"]);
}

#[test]
fn commands_that_are_not_understood_end_with_2() {
    let place = Place::new();
    for args in [&[][..], &["a", "b"], &["a", "--nothing"]] {
        let ended = place.import(args);
        assert_eq!(ended.code, Some(2), "{ended:?}");
    }
    let help = place.import(&["--help"]);
    assert_eq!(help.code, Some(0));
    assert!(
        help.stdout
            .contains("Examples:\n  basalt import schema pb_schema.json")
    );
}
