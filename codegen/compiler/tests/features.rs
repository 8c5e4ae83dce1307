//! Whatever the format documents can be said, and is understood.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use basalt_codegen::ir::{Field, FieldKind, Generate, Rule, Schema};
use basalt_codegen::load::format::{self, FieldType};
use basalt_codegen::{Source, resolve};
use serde_json::json;

const EVERYTHING: &str = r#"
name = "everything"
id = "every_thing"
type = "auth"
renamed_from = "all"
imported = true
allow = ["lint::looser_view", "leak::unique"]

[rules]
list = "@request.auth.id != ''"
view = ""
create = '''
@request.auth.id != "" // a comment
'''
auth = "verified = true"
manage = "@request.auth.id = boss"

[auth]
password = { enabled = true, identity_fields = ["email", "nick"] }
token = { duration = 60 }

[fields]
id = { type = "text", generate = "uuidv7" }
password = { type = "password", min = 10 }
nick = { type = "text", min = 2, max = 30, pattern = '^\w+$', autogenerate = '\w{8}', present = true, help = "A name", presentable = true }
code = { type = "text", generate = "uuidv7", hidden = true }
body = { type = "editor", max_size = 1000, convert_urls = true, default = "<p>", read = "id = @request.auth.id", write = false }
rank = { type = "number", min = -1.5, max = 10, nullable = true, default = 5 }
count = { type = "number", only_int = true, min = 1, required = true }
live = { type = "bool", default = true }
mail = { type = "email", only_domains = ["example.com"], renamed_from = "post" }
site = { type = "url", except_domains = ["example.org"], default = "https://example.com" }
day = { type = "date", min = 2024-01-01, max = "2024-12-31 12:00:00Z", default = "2024-02-29" }
made = { type = "autodate", on_create = true, on_update = true, hidden = true }
kind = { type = "select", values = ["a", "b"], required = true, default = "b" }
tags = { type = "select", values = ["x", "y"], max_select = 2, default = ["x"] }
boss = { type = "relation", collection = "everything" }
crew = { type = "relation", collection = "everything", min_select = 1, max_select = 5, cascade_delete = true }
data = { type = "json", max_size = 100, default = { a = [1, "x", true] } }
pin = { type = "password", max = 20, pattern = "^[0-9]+$" }
spot = { type = "geoPoint", default = { lon = 13.4, lat = 52 } }

[[indexes]]
fields = ["nick"]
unique = true
collation = "nocase"
name = "nicks"

[[indexes]]
fields = ["boss", "rank"]
where = "live = true && rank > 1"
"#;

fn resolved(text: &str) -> Schema {
    let source = Source {
        path: "schema/everything.toml".to_owned(),
        text: text.to_owned(),
    };
    let checked = resolve(&[source]).unwrap_or_else(|report| panic!("{}", report.render(false)));
    assert!(checked.warnings.is_empty(), "{}", checked.warnings);
    checked.schema
}

fn field<'s>(schema: &'s Schema, name: &str) -> &'s Field {
    let collection = schema.collection("everything").unwrap();
    let mut fields = collection.fields.iter();
    fields.find(|field| field.name.wire == name).unwrap()
}

#[test]
fn takes_every_option() {
    let schema = resolved(EVERYTHING);
    let collection = schema.collection("everything").unwrap();
    assert_eq!(collection.renamed_from.as_deref(), Some("all"));
    assert_eq!(collection.fields.len(), 6 + 17);
    let FieldKind::Text {
        min: 36,
        max: 36,
        generate: Generate::UuidV7,
        ..
    } = field(&schema, "id").kind
    else {
        panic!("{:?}", field(&schema, "id").kind)
    };
    let FieldKind::Password { min: 10, .. } = field(&schema, "password").kind else {
        panic!("the file changes the minimum")
    };
    assert!(field(&schema, "password").hidden, "the rest stays implied");
    let FieldKind::Date { min, max } = &field(&schema, "day").kind else {
        panic!("no date")
    };
    assert_eq!(
        (min.as_str(), max.as_str()),
        ("2024-01-01 00:00:00.000Z", "2024-12-31 12:00:00.000Z")
    );
    let default = |name: &str| field(&schema, name).default.clone().unwrap();
    assert_eq!(default("day"), json!("2024-02-29 00:00:00.000Z"));
    assert_eq!(default("data"), json!({ "a": [1, "x", true] }));
    assert_eq!(default("tags"), json!(["x"]));
    let Rule::When(create) = &collection.rules.create else {
        panic!("no rule")
    };
    assert_eq!(create.location.line, 12);
    assert!(matches!(collection.rules.update, Rule::Locked));
    let names: Vec<&str> = collection
        .indexes
        .iter()
        .map(|index| index.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "nicks",
            "idx_everything_boss_rank",
            "uq_everything_tokenKey",
            "uq_everything_email",
            "idx_everything_boss"
        ]
    );
}

/// An option that this file does not try is one that nobody tries.
#[test]
fn tries_every_key_of_the_format() {
    let keys = FieldType::ALL.iter().flat_map(|kind| kind.keys());
    let tables = [format::FILE, format::INDEX, format::AUTH];
    for key in keys.chain(tables.into_iter().flatten()) {
        let words = EVERYTHING.split(|c: char| !c.is_alphanumeric() && c != '_');
        // Of no effect but a warning.
        assert!(
            key.name == "cost" || words.into_iter().any(|word| word == key.name),
            "{}",
            key.name
        );
    }
}

#[test]
fn takes_the_example_of_the_readme() {
    let readme = include_str!("../../../schema/README.md");
    let example = readme.split("```toml\n").nth(1).unwrap();
    let example = example.split("```").next().unwrap();
    let users = "name = \"users\"\ntype = \"auth\"\n";
    let sources = [("posts", example), ("users", users)].map(|(name, text)| Source {
        path: format!("schema/{name}.toml"),
        text: text.to_owned(),
    });
    let checked = resolve(&sources).unwrap_or_else(|report| panic!("{}", report.render(false)));
    assert_eq!(checked.schema.collection("posts").unwrap().fields.len(), 6);
}

#[test]
fn lets_clients_give_ids() {
    let schema = resolved(
        "name = \"everything\"\n[fields]\nid = { type = \"text\", generate = \"client\", max = 50 }\n",
    );
    let FieldKind::Text {
        min: 1,
        max: 50,
        generate: Generate::Nothing,
        ..
    } = field(&schema, "id").kind
    else {
        panic!("{:?}", field(&schema, "id").kind)
    };
}

#[test]
fn keeps_models_apart() {
    let sources = ["post", "posts", "status", "options"].map(|name| Source {
        path: format!("schema/{name}.toml"),
        text: format!("name = \"{name}\"\n"),
    });
    let schema = resolve(&sources).unwrap().schema;
    let models: Vec<&str> = schema
        .collections
        .iter()
        .map(|one| one.model.as_str())
        .collect();
    assert_eq!(
        models,
        ["Superuser", "OptionRecord", "Post", "Posts", "Status"]
    );
}

/// Files torn by accident: any report is fine, a panic is not.
#[test]
fn survives_torn_files() {
    let mut state: u64 = 7;
    let mut roll = |most: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % most
    };
    let letters: Vec<char> = "\"'=[]{}\\\n.,#0aé@(:".chars().collect();
    for _ in 0..400 {
        let mut text: Vec<char> = EVERYTHING.chars().collect();
        for _ in 0..1 + roll(4) {
            let at = roll(text.len());
            match roll(3) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, letters[roll(letters.len())]),
                _ => text[at] = letters[roll(letters.len())],
            }
        }
        let source = Source {
            path: "schema/torn.toml".to_owned(),
            text: text.into_iter().collect(),
        };
        if let Err(report) = resolve(&[source]) {
            assert!(report.render(false).len() > 20);
        }
    }
}
