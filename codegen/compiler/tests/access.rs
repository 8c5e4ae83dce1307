//! The access matrix: that of the demo is committed, and small schemas show each kind of cell.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::path::Path;

use basalt_codegen::access::{Cell, Matrix};
use basalt_codegen::{Source, read_dir, resolve};

fn matrix(files: &[(&str, &str)]) -> Matrix {
    let sources: Vec<Source> = files
        .iter()
        .map(|(name, text)| Source {
            path: format!("schema/{name}.toml"),
            text: format!("name = '{name}'\n{text}"),
        })
        .collect();
    let checked = resolve(&sources).unwrap_or_else(|report| panic!("{}", report.render(false)));
    Matrix::of(&checked.schema)
}

/// The cells of a row, as text.
fn row(matrix: &Matrix, collection: &str, what: &str) -> Vec<String> {
    let access = matrix
        .collections
        .iter()
        .find(|it| it.collection == collection);
    let access = access.unwrap();
    let mut rows = access.actions.iter().chain(&access.fields);
    let row = rows.find(|row| row.what == what);
    let row = row.unwrap_or_else(|| panic!("no row `{what}`"));
    row.cells.iter().map(Cell::to_string).collect()
}

const USERS: &str = "type = 'auth'
[rules]
list = ''
view = ''
create = ''
update = 'id = @request.auth.id'
manage = '@request.auth.admin = true'
[fields]
admin = { type = 'bool', write = \"@request.auth.admin = true\" }
";

const STAFF: &str =
    "type = 'auth'\n[auth]\npassword = { enabled = false }\n[fields]\nrank = { type = 'number' }\n";

const NOTES: &str = "
[rules]
list = \"public = true || author = @request.auth.id && @request.auth.id != ''\"
view = \"@request.auth.collectionName = 'staff'\"
create = \"@request.method = 'POST' && @request.auth.rank > 3\"
[fields]
public = { type = 'bool' }
author = { type = 'relation', collection = 'users' }
secret = { type = 'text', hidden = true }
salary = { type = 'number', read = \"author = @request.auth.id && @request.auth.id != ''\", write = false }
made = { type = 'autodate', on_create = true }
";

fn small() -> Matrix {
    matrix(&[("users", USERS), ("staff", STAFF), ("notes", NOTES)])
}

#[test]
fn the_demos_matrix_is_committed() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
    let checked = resolve(&read_dir(&schema).unwrap()).unwrap();
    let wanted = Matrix::of(&checked.schema).markdown();
    let file = schema.join("access.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap();
    assert!(
        found == wanted,
        "the rights have changed; if that is meant: \
         basalt schema access --write schema/access.md\n{wanted}"
    );
}

#[test]
fn rules_are_folded_for_each_kind_of_caller() {
    let matrix = small();
    assert_eq!(matrix.callers, ["guest", "staff", "users", "superuser"]);
    let notes = |what| row(&matrix, "notes", what);
    let mine = "if public = true || author = @request.auth.id";
    assert_eq!(notes("list"), ["if public = true", mine, mine, "yes"]);
    assert_eq!(notes("view"), ["no", "yes", "no", "yes"]);
    let ranked = "if @request.auth.rank > 3";
    assert_eq!(notes("create"), ["no", ranked, "no", "yes"]);
    assert_eq!(notes("update"), ["no", "no", "no", "yes"]);
}

#[test]
fn fields_have_limits_of_their_own() {
    let matrix = small();
    let notes = |what| row(&matrix, "notes", what);
    assert_eq!(notes("see public"), ["yes", "yes", "yes", "yes"]);
    assert_eq!(notes("set public"), ["no", "yes", "no", "yes"]);
    assert_eq!(notes("see secret"), ["no", "no", "no", "yes"]);
    let mine = "if author = @request.auth.id";
    assert_eq!(notes("see salary"), ["no", mine, mine, "yes"]);
    assert_eq!(notes("set salary"), ["no", "no", "no", "yes"]);
    assert_eq!(notes("set made"), ["no", "no", "no", "no"]);
}

#[test]
fn accounts_have_the_limits_of_the_api() {
    let matrix = small();
    let users = |what| row(&matrix, "users", what);
    let admin = "if @request.auth.admin = true";
    assert_eq!(users("manage"), ["no", "no", admin, "yes"]);
    assert_eq!(users("see tokenKey"), ["no", "no", "no", "no"]);
    assert_eq!(
        users("see email"),
        [
            "if emailVisibility = true",
            "if emailVisibility = true",
            "if emailVisibility = true || id = @request.auth.id || @request.auth.admin = true",
            "yes"
        ]
    );
    assert_eq!(
        users("set email"),
        [
            "at creation",
            "at creation",
            "at creation, later if @request.auth.admin = true",
            "yes"
        ]
    );
    assert_eq!(users("set verified"), ["no", "no", admin, "yes"]);
    // Nobody but superusers may create or change them.
    assert_eq!(row(&matrix, "staff", "set rank"), ["no", "no", "no", "yes"]);
    let auth = |collection| row(&matrix, collection, "auth");
    assert_eq!(auth("users"), ["yes", "yes", "yes", "yes"]);
    assert_eq!(auth("staff"), ["no", "no", "no", "no"]);
    // A login shows its own record, whatever the rules say.
    assert_eq!(
        row(&matrix, "staff", "see rank"),
        ["no", "yes", "no", "yes"]
    );
}

#[test]
fn the_table_lines_up_and_markdown_escapes_bars() {
    let matrix = small();
    let table = matrix.table();
    assert!(table.contains("see public, author, made"), "{table}");
    let markdown = matrix.markdown();
    let row = "| list | if `public = true` | if `public = true \\|\\| author = @request.auth.id` |";
    assert!(markdown.contains(row), "{markdown}");
    let json: serde_json::Value = serde_json::from_str(&matrix.json()).unwrap();
    assert_eq!(
        json["collections"][1]["actions"][0]["cells"][0]["if"],
        "public = true"
    );
}

#[test]
fn nobody_logs_in_where_auth_is_false() {
    let schema = |auth: &str| matrix(&[("users", &format!("type = 'auth'\n[rules]\n{auth}"))]);
    let everyone = row(&schema(""), "users", "auth");
    let nobody = row(&schema("auth = false"), "users", "auth");
    assert_eq!(everyone, row(&schema("auth = ''"), "users", "auth"));
    assert!(everyone.contains(&"yes".to_owned()), "{everyone:?}");
    // Superusers aren't asked.
    assert!(
        nobody.iter().filter(|cell| *cell == "yes").count() <= 1,
        "{nobody:?}"
    );
    assert_ne!(everyone, nobody);
}
