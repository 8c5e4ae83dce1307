//! Names: what a schema may use, and how a name is spelled in Rust. The only place with case
//! conversion, keyword lists and reserved names.

use std::collections::BTreeMap;

use crate::ir::{Name, SelectValue};

/// Names that no field may have: they mean something else on the wire or in the database.
const RESERVED_FIELDS: &[&str] = &[
    "null",
    "true",
    "false",
    "_rowid_",
    "collectionId",
    "collectionName",
    "expand",
];

/// More such names, in auth collections.
const RESERVED_AUTH_FIELDS: &[&str] = &["passwordConfirm", "oldPassword"];

/// How names of tables and indexes begin that SQLite or the system keep for themselves: join tables
/// and their indexes, tables that are being rebuilt, settings, and the list of migrations.
const RESERVED_IN_DATABASE: &[&str] = &[
    "sqlite_", "_link_", "_linked_", "_new_", "_params", "_guard", "__diesel",
];

/// The longest name of a collection. In Rust it can have an underscore for every other character,
/// and there it names a file, for which most systems allow 255 bytes.
const LONGEST_COLLECTION: usize = 160;

/// What can't be a plain Rust identifier: keywords of all editions, and the names that a table
/// module of Diesel defines beside its columns.
const RESERVED_IDENTIFIERS: &[&str] = &[
    "abstract",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "const",
    "continue",
    "crate",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "struct",
    "super",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "union",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
    "all_columns",
    "columns",
    "dsl",
    "star",
    "table",
    "std",
    "core",
    "alloc",
    "diesel",
    "rocket",
    "serde",
];

/// Types that every module sees, which a model must not shadow.
const RESERVED_TYPES: &[&str] = &[
    "Self", "Box", "Clone", "Copy", "Debug", "Default", "Drop", "Eq", "Err", "From", "Into",
    "Iterator", "None", "Ok", "Option", "Ord", "Result", "Send", "Some", "String", "Sync", "Vec",
];

/// Why a name can't be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// Its characters or its length.
    Form(String),
    /// It is taken by the system.
    Reserved(String),
}

/// May a collection have this name?
///
/// # Errors
/// Says why not.
pub fn check_collection(name: &str) -> Result<(), Refused> {
    check_form("collection", name, LONGEST_COLLECTION)?;
    if name.to_ascii_lowercase().starts_with("sqlite_") {
        let message =
            format!("collection name `{name}` is reserved: SQLite keeps `sqlite_…` for itself");
        return Err(Refused::Reserved(message));
    }
    Ok(())
}

/// May a field have this name?
///
/// # Errors
/// Says why not.
pub fn check_field(name: &str, is_auth: bool) -> Result<(), Refused> {
    if RESERVED_FIELDS.contains(&name) || is_auth && RESERVED_AUTH_FIELDS.contains(&name) {
        return Err(Refused::Reserved(format!(
            "field name `{name}` is reserved"
        )));
    }
    check_form("field", name, 100)
}

fn check_form(what: &str, name: &str, longest: usize) -> Result<(), Refused> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || name.len() > longest || !name.chars().all(word) {
        return Err(Refused::Form(format!(
            "{what} name `{name}` is not made of 1 to {longest} letters, digits and underscores"
        )));
    }
    if name.starts_with('_') {
        let message =
            format!("{what} name `{name}` is reserved: a leading `_` marks what the system owns");
        return Err(Refused::Reserved(message));
    }
    if name.to_ascii_lowercase().contains("_via_") {
        let message =
            format!("{what} name `{name}` is reserved: `_via_` means a back-relation in rules");
        return Err(Refused::Reserved(message));
    }
    Ok(())
}

/// May a collection have this id, or an index this name?
pub fn is_word(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (1..=100).contains(&text.len()) && text.chars().all(word)
}

/// What a name of an index begins with that makes it the system's own, if it does.
pub fn reserved_in_database(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let mut prefixes = RESERVED_IN_DATABASE.iter();
    prefixes.find(|prefix| name.starts_with(**prefix)).copied()
}

/// The three spellings of a name.
pub fn name(wire: &str) -> Name {
    Name {
        wire: wire.to_owned(),
        rust: rust(wire),
        camel: camel(wire),
    }
}

/// The spellings of a field's name, in a table of the given Rust name: Diesel lets no column be
/// called like its table.
pub fn field_name(wire: &str, table: &str) -> Name {
    let mut name = name(wire);
    if name.rust == table {
        name.rust.push('_');
    }
    name
}

/// The name of the join table of a multiple relation.
pub fn join_table(collection: &str, field: &str) -> String {
    format!("_link_{collection}_{field}")
}

/// The model's name: the last word in the singular, where its plural is regular.
pub fn model(wire: &str) -> String {
    let singular = singular(&camel(wire));
    if RESERVED_TYPES.contains(&singular.as_str()) {
        return format!("{singular}Record");
    }
    singular
}

/// The variants of a select, in order; values that look alike get a number.
pub fn select_values(values: &[String]) -> Vec<SelectValue> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut variants = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let words = words(value);
        let base = match words.concat().chars().next() {
            None => format!("Value{}", at + 1),
            Some(first) if first.is_ascii_digit() => format!("V{}", join_camel(&words)),
            Some(_) => join_camel(&words),
        };
        let mut camel = base.clone();
        let mut number = 1;
        while seen.contains_key(&camel) || camel == "Self" {
            number += 1;
            camel = format!("{base}{number}");
        }
        seen.insert(camel.clone(), at);
        variants.push(SelectValue {
            wire: value.clone(),
            camel,
        });
    }
    variants
}

fn rust(wire: &str) -> String {
    let mut snake = words(wire).join("_").to_ascii_lowercase();
    // A trailing underscore is all that tells some names apart: it is kept.
    snake.extend(wire.chars().rev().take_while(|c| *c == '_'));
    if !snake.starts_with(|c: char| c.is_ascii_alphabetic()) {
        snake.insert_str(0, "n_");
    }
    if RESERVED_IDENTIFIERS.contains(&snake.as_str()) {
        snake.push('_');
    }
    snake
}

fn camel(wire: &str) -> String {
    let mut camel = join_camel(&words(wire));
    if !camel.starts_with(|c: char| c.is_ascii_alphabetic()) {
        camel.insert(0, 'N');
    }
    if camel == "Self" {
        camel.push('_');
    }
    camel
}

/// Splits at everything that is no ASCII letter or digit, and where the case says so:
/// `emailVisibility` and `HTTPServer` have two words each.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let mut word = String::new();
    for (at, c) in chars.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let after = chars.get(at + 1);
        let starts = c.is_ascii_uppercase()
            && (before.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
                || before.is_some_and(char::is_ascii_uppercase)
                    && after.is_some_and(char::is_ascii_lowercase));
        if starts && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        word.push(*c);
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn join_camel(words: &[String]) -> String {
    let mut camel = String::new();
    for word in words {
        let mut chars = word.chars();
        if let Some(first) = chars.next() {
            camel.push(first.to_ascii_uppercase());
            camel.push_str(&chars.as_str().to_ascii_lowercase());
        }
    }
    camel
}

fn singular(camel: &str) -> String {
    let ends = |ending: &str| camel.len() > ending.len() + 1 && camel.ends_with(ending);
    let stem = |cut: usize| camel.get(..camel.len() - cut).unwrap_or(camel).to_owned();
    if ends("ies") {
        return format!("{}y", stem(3));
    }
    if ["sses", "xes", "ches", "shes"]
        .iter()
        .any(|ending| ends(ending))
    {
        return stem(2);
    }
    let not_plural = ["ss", "us", "is", "news", "series"];
    if ends("s")
        && !not_plural
            .iter()
            .any(|ending| camel.to_lowercase().ends_with(ending))
    {
        return stem(1);
    }
    camel.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_names_in_rust() {
        let cases = [
            ("emailVisibility", "email_visibility", "EmailVisibility"),
            ("type", "type_", "Type"),
            ("self", "self_", "Self_"),
            ("crate", "crate_", "Crate"),
            ("id2", "id2", "Id2"),
            ("1a", "n_1a", "N1a"),
            ("HTTPServer", "http_server", "HttpServer"),
            ("_superusers", "superusers", "Superusers"),
            ("a_", "a_", "A"),
            ("table", "table_", "Table"),
        ];
        for (wire, rust, camel) in cases {
            let name = name(wire);
            assert_eq!((name.rust.as_str(), name.camel.as_str()), (rust, camel));
        }
        assert_eq!(field_name("posts", "posts").rust, "posts_");
    }

    #[test]
    fn the_longest_names_are_names_of_files() {
        let longest = "aB".repeat(LONGEST_COLLECTION / 2);
        assert!(check_collection(&longest).is_ok());
        assert!(check_collection(&format!("{longest}a")).is_err());
        for wire in [longest, "1A".repeat(LONGEST_COLLECTION / 2)] {
            assert!(name(&wire).rust.len() + ".rs".len() <= 255);
        }
    }

    #[test]
    fn names_models_in_the_singular() {
        let cases = [
            ("posts", "Post"),
            ("categories", "Category"),
            ("boxes", "BoxRecord"),
            ("addresses", "Address"),
            ("news", "News"),
            ("status", "Status"),
            ("options", "OptionRecord"),
            ("user_groups", "UserGroup"),
            ("s", "S"),
        ];
        for (wire, expected) in cases {
            assert_eq!(model(wire), expected);
        }
    }

    #[test]
    fn makes_distinct_variants() {
        let values = ["a", "A", "in-progress", "1st", "é", "self"].map(str::to_owned);
        let variants = select_values(&values);
        let camel: Vec<&str> = variants.iter().map(|value| value.camel.as_str()).collect();
        assert_eq!(camel, ["A", "A2", "InProgress", "V1st", "Value5", "Self2"]);
    }

    #[test]
    fn refuses_what_the_system_owns() {
        assert!(check_field("title", false).is_ok());
        assert!(check_field("oldPassword", false).is_ok());
        for name in ["", "a b", "é", "expand", "_x", "a_via_b", "oldPassword"] {
            assert!(check_field(name, true).is_err(), "{name}");
        }
        assert!(check_collection("sqlite_x").is_err());
    }
}
