//! A field of an export as a line of a schema file.

use std::collections::BTreeMap;

use serde_json::Value;

use super::draft::{Item, Part};
use super::export::Field;
use super::options::{self, Opt, count};
use super::{Found, SUPERUSERS_ID, write};
use crate::load::format::FieldType;

/// A field that every collection, or every auth collection, has: its name, its type, its options.
type Implied = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

/// As TOML: what the options of implied fields are when the file says nothing.
const IMPLIED: &[Implied] = &[
    (
        "id",
        "text",
        &[
            ("required", "true"),
            ("min", "15"),
            ("max", "15"),
            ("pattern", "\"^[a-z0-9]+$\""),
            ("autogenerate", "\"[a-z0-9]{15}\""),
        ],
    ),
    (
        "password",
        "password",
        &[("required", "true"), ("hidden", "true"), ("min", "8")],
    ),
    (
        "tokenKey",
        "text",
        &[
            ("required", "true"),
            ("hidden", "true"),
            ("min", "30"),
            ("max", "60"),
            ("autogenerate", "\"[a-zA-Z0-9]{50}\""),
        ],
    ),
    ("email", "email", &[("required", "true")]),
    ("emailVisibility", "bool", &[]),
    ("verified", "bool", &[]),
];

/// Is it a field that every collection, or every auth collection, has?
pub(super) fn is_implied(name: &str) -> bool {
    IMPLIED.iter().any(|(implied, ..)| *implied == name)
}

/// The fields of a collection, and those that it has without saying so.
pub(super) fn with_implied(fields: &[Field], auth: bool) -> Vec<(&str, &str)> {
    let mut all: Vec<(&str, &str)> = fields
        .iter()
        .map(|field| (field.name.as_str(), field.kind.as_str()))
        .collect();
    for (at, (name, kind, _)) in IMPLIED.iter().enumerate() {
        let said = fields.iter().any(|field| field.name == *name);
        if !said && (at == 0 || auth) {
            all.push((name, kind));
        }
    }
    all
}

/// What a field is read with.
pub(super) struct Setting<'a> {
    pub auth: bool,
    /// Names of collections by id.
    pub names: &'a BTreeMap<String, String>,
}

/// The field as an item; nothing if it says only what is implied. What is left out is added to
/// `found`.
pub(super) fn item(field: &Field, setting: &Setting<'_>, found: &mut Vec<Found>) -> Option<Item> {
    let subject = format!("field `{}`", field.name);
    let implied = IMPLIED.iter().position(|(name, ..)| *name == field.name);
    let implied = implied.filter(|at| *at == 0 || setting.auth);
    let implied = implied.and_then(|at| IMPLIED.get(at));
    let same_kind = implied.is_some_and(|(_, kind, _)| *kind == field.kind);
    let implied = implied.map(|(.., options)| *options);
    let mut notes = unknown_options(field, found);
    let mut parts = vec![format!("type = {}", write::string(&field.kind))];
    let mut left_out = None;
    for option in options::of(&field.kind) {
        let given = field.options.get(option.theirs).unwrap_or(&Value::Null);
        let said = match option.theirs {
            "collectionId" => {
                let target = target(given, setting.names);
                left_out = target.as_ref().err().cloned();
                let id = given.as_str().unwrap_or_default();
                let name = target.unwrap_or(id);
                Some(format!("collection = {}", write::string(name)))
            }
            "values" => values(given, &mut notes),
            "maxSelect" => max_select(field, given),
            _ => said(option, given, implied),
        };
        parts.extend(said);
    }
    match field.kind.as_str() {
        // Once there is such a type, its options are those of `options.rs`.
        "file" if FieldType::parse("file").is_none() => {
            let reason = "file fields are not supported yet";
            found.push(Found::not_yet(&subject, reason).of_field(&field.name));
            left_out = Some(reason.to_owned());
        }
        kind if FieldType::parse(kind).is_none() => {
            left_out = Some(format!("there is no field type `{kind}`"));
        }
        _ => {}
    }
    if let Some(reason) = left_out.as_ref().filter(|_| field.kind != "file") {
        found.push(Found::left_out(&subject, reason).of_field(&field.name));
    }
    if same_kind && parts.len() == 1 && notes.is_empty() && left_out.is_none() {
        return None;
    }
    let known = field.kind == "file" || FieldType::parse(&field.kind).is_some();
    let value = match known {
        true => format!("{{ {} }}", parts.join(", ")),
        // Nobody knows how its options would be written.
        false => Value::Object(field.options.clone()).to_string(),
    };
    let text = format!("{} = {value}", write::key(&field.name));
    let mut item = Item::new(Part::Field(field.name.clone()), text);
    item.notes = notes;
    item.left_out = left_out;
    Some(item)
}

/// An option, unless it is what a field without it has.
fn said(option: &Opt, given: &Value, implied: Option<&[(&str, &str)]>) -> Option<String> {
    // An option that is not there at all is as implied, too.
    if option.ours.is_empty() || implied.is_some() && given.is_null() {
        return None;
    }
    let value = write::value(given, option.shape);
    match implied {
        Some(implied) => {
            let same = |(key, _): &&(&str, &str)| *key == option.ours;
            match implied.iter().find(same) {
                Some((_, implied)) if *implied == value => return None,
                // Older accounts were made with `_` among the letters; nobody ever sees them.
                Some(_) if value == "\"[a-zA-Z0-9_]{50}\"" => return None,
                Some(_) => {}
                None if option.shape.is_default(given) => return None,
                None => {}
            }
        }
        None if option.shape.is_default(given) => return None,
        None => {}
    }
    Some(format!("{} = {value}", option.ours))
}

fn target<'a>(id: &Value, names: &'a BTreeMap<String, String>) -> Result<&'a str, String> {
    let id = id.as_str().unwrap_or_default();
    match names.get(id) {
        Some(name) => Ok(name),
        None if id == SUPERUSERS_ID => Ok("_superusers"),
        None if id.is_empty() => Err("it leads to no collection".to_owned()),
        None => Err(format!(
            "it leads to a collection `{id}` that the export lacks"
        )),
    }
}

/// The values of a select; what PocketBase doesn't check is put in order.
fn values(given: &Value, notes: &mut Vec<String>) -> Option<String> {
    let values = distinct(given)?;
    if given
        .as_array()
        .is_some_and(|all| all.len() != values.len())
    {
        notes.push("Without the values that were empty or listed before.".to_owned());
    }
    Some(format!("values = {}", write::strings(values)))
}

fn distinct(values: &Value) -> Option<Vec<&str>> {
    let mut once: Vec<&str> = Vec::new();
    for value in values.as_array()?.iter().filter_map(Value::as_str) {
        if !value.is_empty() && !once.contains(&value) {
            once.push(value);
        }
    }
    Some(once)
}

/// How many may be chosen; no more than there are.
fn max_select(field: &Field, given: &Value) -> Option<String> {
    let mut most = count(given).filter(|most| *most > 1)?;
    let values = field.options.get("values").and_then(distinct);
    // With one value it would be another type of field.
    if let Some(values) = values.filter(|values| field.kind == "select" && values.len() > 1) {
        most = most.min(values.len() as u64);
    }
    Some(format!("max_select = {most}"))
}

/// Notes about options that nothing here knows, and that say something.
fn unknown_options(field: &Field, found: &mut Vec<Found>) -> Vec<String> {
    let known: Vec<&str> = options::of(&field.kind)
        .map(|option| option.theirs)
        .chain(["name", "type"])
        .collect();
    if FieldType::parse(&field.kind).is_none() && field.kind != "file" {
        return Vec::new();
    }
    let mut notes = Vec::new();
    for (key, value) in &field.options {
        if known.contains(&key.as_str()) || options::is_zero(value) {
            continue;
        }
        let shown = value.to_string();
        let reason = format!("the option `{key}` (here {shown}) is unknown");
        let subject = format!("an option of field `{}`", field.name);
        found.push(Found::left_out(&subject, &reason));
        notes.push(format!("Left out: {reason}."));
    }
    notes
}
