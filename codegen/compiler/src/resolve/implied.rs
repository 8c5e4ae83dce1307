//! What no file needs to say: the fields of every collection and of auth collections, and the
//! system collection of superusers. Written in the format itself, as one would write them.

use crate::load::{self, Document, FieldDoc};
use crate::source::Source;

const ID_BY_PATTERN: &str = r#"
[fields]
id = { type = "text", required = true, min = 15, max = 15, pattern = "^[a-z0-9]+$", autogenerate = "[a-z0-9]{15}" }
"#;

const ID_UUID: &str = r#"
[fields]
id = { type = "text", required = true, min = 36, max = 36, pattern = "^[0-9a-f-]+$" }
"#;

const ID_BY_CLIENT: &str = r#"
[fields]
id = { type = "text", required = true, min = 1, max = 100, pattern = "^[A-Za-z0-9_-]+$" }
"#;

const AUTH: &str = r#"
[fields]
password        = { type = "password", required = true, hidden = true, min = 8 }
tokenKey        = { type = "text", required = true, hidden = true, min = 30, max = 60, autogenerate = "[a-zA-Z0-9]{50}" }
email           = { type = "email", required = true }
emailVisibility = { type = "bool" }
verified        = { type = "bool" }
"#;

const SUPERUSERS: &str = r#"
name = "_superusers"
id = "pbc_3142635823"
type = "auth"

[fields]
created = { type = "autodate", on_create = true }
updated = { type = "autodate", on_create = true, on_update = true }

[auth]
token = { duration = 86400 }
"#;

/// The collection of superusers. `file` is a number that no source has.
pub(super) fn superusers(file: usize) -> Document {
    read(SUPERUSERS, file)
}

/// The implied fields of a collection, each with what its file changes about it. Whether a change
/// is allowed is for the caller to check.
pub(super) fn fields(document: &Document, no_file: usize) -> Vec<FieldDoc> {
    let own = document.entries.fields("fields");
    let generate = own
        .iter()
        .find(|field| field.name.value == "id")
        .and_then(|field| field.options.text("generate"));
    let id = match generate.as_ref().map(|generate| generate.value.as_str()) {
        Some("uuidv7") => ID_UUID,
        Some("client") => ID_BY_CLIENT,
        _ => ID_BY_PATTERN,
    };
    let mut implied = read(id, no_file).entries.fields("fields").to_vec();
    if document.is_auth {
        implied.extend_from_slice(read(AUTH, no_file).entries.fields("fields"));
    }
    for field in &mut implied {
        let change = own.iter().find(|own| own.name.value == field.name.value);
        if let Some(change) = change {
            override_by(field, change);
        }
    }
    implied
}

fn override_by(field: &mut FieldDoc, change: &FieldDoc) {
    field.name.span = change.name.span;
    field.options.span = change.options.span;
    if change.kind != field.kind {
        return;
    }
    for entry in &change.options.entries {
        let implied = &mut field.options.entries;
        implied.retain(|implied| implied.key != entry.key);
        implied.push(entry.clone());
    }
}

fn read(text: &str, file: usize) -> Document {
    let source = Source {
        path: String::new(),
        text: text.to_owned(),
    };
    load::load_one(file, &source, &mut Vec::new())
}
