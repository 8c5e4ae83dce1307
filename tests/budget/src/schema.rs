//! Schemas of any number of collections, as a mixed application has them.

/// List rules, one after the other. What is in braces is replaced: another collection, and a text.
const RULES: [&str; 6] = [
    "title != '{text}'",
    "@request.auth.id != '' && author = @request.auth.id && title != '{text}'",
    "@request.auth.id != '' && author.team = @request.auth.team && title != '{text}'",
    "kinds:each != 'c' || title = '{text}'",
    "parent.author.active = true && title != '{text}'",
    "others.title ?= '{text}' || public = true",
];

/// The file of each collection: its name, and its text. The first is that of the accounts.
pub fn files(count: u16) -> Vec<(String, String)> {
    let accounts = ("users.toml".to_owned(), ACCOUNTS.to_owned());
    let others = (1..count).map(|number| (format!("{}.toml", name(number)), file(number, "a")));
    [accounts].into_iter().chain(others).collect()
}

/// The same file with another text in its list rule.
pub fn file(number: u16, text: &str) -> String {
    // The first refers to itself; relations go back, never forward.
    let parent = name((number / 2).max(1));
    let place = usize::from(number) % RULES.len();
    let rule = RULES.get(place).copied().unwrap_or_default();
    let rule = rule.replace("{text}", text);
    COLLECTION
        .replace("{name}", &name(number))
        .replace("{parent}", &parent)
        .replace("{rule}", &rule)
}

/// A collection's name.
pub fn name(number: u16) -> String {
    format!("items{number:03}")
}

const ACCOUNTS: &str = r#"name = "users"
type = "auth"
imported = true

[rules]
list   = "@request.auth.id != ''"
view   = "@request.auth.id != ''"
create = ""
update = "id = @request.auth.id"
delete = "id = @request.auth.id"

[auth]
password = { identity_fields = ["email"] }

[fields]
team   = { type = "text" }
active = { type = "bool" }
"#;

const COLLECTION: &str = r#"name = "{name}"
type = "base"
imported = true

[rules]
list   = "{rule}"
view   = "{rule}"
create = "@request.auth.id != '' && @request.body.author = @request.auth.id"
update = "@request.auth.id != '' && author = @request.auth.id"
delete = "@request.auth.id != '' && author = @request.auth.id"

[fields]
title   = { type = "text", max = 200 }
body    = { type = "editor" }
public  = { type = "bool" }
rank    = { type = "number" }
kinds   = { type = "select", values = ["a", "b", "c", "d"], max_select = 3 }
author  = { type = "relation", collection = "users", cascade_delete = true }
parent  = { type = "relation", collection = "{parent}" }
others  = { type = "relation", collection = "{parent}", max_select = 9 }
created = { type = "autodate", on_create = true }
updated = { type = "autodate", on_create = true, on_update = true }
"#;
