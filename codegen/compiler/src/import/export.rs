//! An export of collections as JSON: read into plain data, every wrong shape reported at once.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{auth, options};
use crate::diagnostic::{Code, Diagnostic, Report, Span, visible};
use crate::name;
use crate::source::Source;

/// No project has more.
const MOST_COLLECTIONS: usize = 10_000;

/// A collection as exported.
#[derive(Debug)]
pub(super) struct Collection {
    pub id: Option<String>,
    pub name: String,
    pub kind: Kind,
    /// Absent: locked.
    pub rules: Vec<(&'static str, String)>,
    /// `authRule` is `null`: nobody may log in.
    pub nobody_logs_in: bool,
    pub fields: Vec<Field>,
    pub indexes: Vec<String>,
    pub query: String,
    /// Everything else.
    pub options: Map<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Base,
    Auth,
    View,
}

/// A field as exported. The options of a known type have the right shapes.
#[derive(Debug)]
pub(super) struct Field {
    pub name: String,
    pub kind: String,
    pub options: Map<String, Value>,
}

/// Rules of the export and of a schema file.
const RULES: &[(&str, &str)] = &[
    ("listRule", "list"),
    ("viewRule", "view"),
    ("createRule", "create"),
    ("updateRule", "update"),
    ("deleteRule", "delete"),
    ("authRule", "auth"),
    ("manageRule", "manage"),
];

/// Reads an export. `path` is what reports call it.
pub(super) fn read(path: &str, text: &str) -> Result<Vec<Collection>, Report> {
    let source = Source {
        path: path.to_owned(),
        text: text.to_owned(),
    };
    let value = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}'))
        .map_err(|error| Report::new(vec![malformed(&error, &source)], &[source]))?;
    let mut reader = Reader {
        path,
        found: Vec::new(),
    };
    let collections = reader.all(&value);
    if reader.found.is_empty() {
        return Ok(collections);
    }
    Err(Report::new(reader.found, &[]))
}

fn malformed(error: &serde_json::Error, source: &Source) -> Diagnostic {
    let start = offset(&source.text, error.line(), error.column());
    let span = Span {
        file: 0,
        start,
        end: start,
    };
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default();
    let message = format!("this is not JSON: {reason}");
    Diagnostic::new(Code::ImportSyntax, span, message, "here")
}

/// The byte of a line and column as JSON's parser counts them, columns being bytes.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = before.map(str::len).sum();
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

struct Reader<'a> {
    path: &'a str,
    found: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn report(&mut self, code: Code, message: String) {
        self.found
            .push(Diagnostic::of_path(code, self.path, message));
    }

    fn wrong(&mut self, what: &str, must: &str, value: &Value) {
        let odd = value.as_array().and_then(|list| {
            // Of a list, what in it is wrong.
            list.iter().find(|item| !item.is_string())
        });
        let message = match odd {
            Some(item) => format!("{what} must be {must}, not a list with {}", kind_of(item)),
            None => format!("{what} must be {must}, not {}", kind_of(value)),
        };
        self.report(Code::ImportShape, message);
    }

    fn all(&mut self, value: &Value) -> Vec<Collection> {
        let list = match value {
            Value::Array(list) => Some(list),
            Value::Object(object) => ["items", "collections"]
                .iter()
                .find_map(|key| object.get(*key)?.as_array()),
            _ => None,
        };
        let Some(list) = list else {
            let must = "a list of collections, or an object with such a list as `items`";
            self.wrong("an export", must, value);
            return Vec::new();
        };
        if list.is_empty() {
            self.report(
                Code::ImportShape,
                "the export has no collections".to_owned(),
            );
        }
        if list.len() > MOST_COLLECTIONS {
            let message = format!("the export has {} collections", list.len());
            self.report(Code::ImportShape, message);
            return Vec::new();
        }
        self.pages(value, list.len());
        let read = list.iter().enumerate();
        let read: Vec<Collection> = read
            .filter_map(|(at, value)| self.collection(at, value))
            .collect();
        self.duplicates(&read);
        read
    }

    /// A page of the API's list must be the whole list.
    fn pages(&mut self, value: &Value, here: usize) {
        let total = value.get("totalItems").and_then(Value::as_u64);
        if let Some(total) = total.filter(|total| *total > here as u64) {
            let message = format!("this is one page of a list: {here} of {total} collections");
            self.report(Code::ImportShape, message);
        }
    }

    fn collection(&mut self, at: usize, value: &Value) -> Option<Collection> {
        let what = format!("collection number {}", at + 1);
        let Value::Object(object) = value else {
            self.wrong(&what, "an object", value);
            return None;
        };
        let Some(name) = object.get("name").and_then(Value::as_str) else {
            self.report(Code::ImportShape, format!("{what} has no `name`"));
            return None;
        };
        // It becomes the name of a file.
        if !name::is_word(name) && name::check_collection(name).is_err() {
            let message = format!("`{}` can't be the name of a collection", visible(name));
            self.report(Code::ImportShape, message);
            return None;
        }
        if object.get("fields").is_none() && object.get("schema").is_some() {
            let message = format!(
                "collection `{name}` has a `schema` instead of `fields`: this is an export of a \
                 PocketBase before 0.23; open the project with a current one, and export again"
            );
            self.report(Code::ImportShape, message);
            return None;
        }
        let kind = self.kind(name, object)?;
        let mut rules = Vec::new();
        for (key, ours) in RULES {
            if let Some(rule) = self.text(name, object, key) {
                rules.push((*ours, rule));
            }
        }
        if kind == Kind::Auth {
            self.auth(name, object);
        }
        let mut options = object.clone();
        options.retain(|key, _| !KNOWN.contains(&key.as_str()));
        Some(Collection {
            id: self.id(name, object),
            kind,
            nobody_logs_in: kind == Kind::Auth && object.get("authRule") == Some(&Value::Null),
            rules,
            fields: self.fields(name, object, kind),
            indexes: self.indexes(name, object),
            query: self.text(name, object, "viewQuery").unwrap_or_default(),
            options,
            name: name.to_owned(),
        })
    }

    fn auth(&mut self, name: &str, object: &Map<String, Value>) {
        let mut before = "";
        for (option, key, shape) in auth::SHAPES {
            let what = format!("`{option}.{key}` of collection `{name}`");
            let again = before == *option;
            before = option;
            match object.get(*option) {
                None | Some(Value::Null) => {}
                Some(Value::Object(parts)) => match parts.get(*key) {
                    Some(value) if !shape.takes(value) => self.wrong(&what, shape.name(), value),
                    _ => {}
                },
                Some(_) if again => {}
                Some(other) => {
                    let what = format!("`{option}` of collection `{name}`");
                    self.wrong(&what, "an object", other);
                }
            }
        }
    }

    fn kind(&mut self, name: &str, object: &Map<String, Value>) -> Option<Kind> {
        match object.get("type").and_then(Value::as_str) {
            Some("base") => Some(Kind::Base),
            Some("auth") => Some(Kind::Auth),
            Some("view") => Some(Kind::View),
            Some(other) => {
                let other = visible(other);
                let message = format!("collection `{name}` is of the unknown type `{other}`");
                self.report(Code::ImportShape, message);
                None
            }
            None => {
                self.report(
                    Code::ImportShape,
                    format!("collection `{name}` has no `type`"),
                );
                None
            }
        }
    }

    fn id(&mut self, name: &str, object: &Map<String, Value>) -> Option<String> {
        let id = self.text(name, object, "id").filter(|id| !id.is_empty())?;
        if !name::is_word(&id) {
            let message = format!("the id of collection `{name}` is `{}`", visible(&id));
            self.report(Code::ImportShape, message);
        }
        Some(id)
    }

    /// A text, or nothing.
    fn text(&mut self, name: &str, object: &Map<String, Value>, key: &str) -> Option<String> {
        match object.get(key)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => {
                let what = format!("`{key}` of collection `{name}`");
                self.wrong(&what, "a text or null", other);
                None
            }
        }
    }

    fn list<'v>(&mut self, what: &str, value: Option<&'v Value>) -> &'v [Value] {
        match value {
            None | Some(Value::Null) => &[],
            Some(Value::Array(list)) => list,
            Some(other) => {
                self.wrong(what, "a list", other);
                &[]
            }
        }
    }

    fn indexes(&mut self, name: &str, object: &Map<String, Value>) -> Vec<String> {
        let what = format!("`indexes` of collection `{name}`");
        let mut texts = Vec::new();
        for item in self.list(&what, object.get("indexes")) {
            match item.as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => self.wrong(&format!("an item of {what}"), "a text", item),
            }
        }
        texts
    }

    fn fields(&mut self, name: &str, object: &Map<String, Value>, kind: Kind) -> Vec<Field> {
        let what = format!("`fields` of collection `{name}`");
        if object.get("fields").is_none() && kind != Kind::View {
            self.report(
                Code::ImportShape,
                format!("collection `{name}` has no `fields`"),
            );
        }
        let mut fields: Vec<Field> = Vec::new();
        let list = self.list(&what, object.get("fields"));
        for (at, item) in list.iter().enumerate() {
            let Some(field) = self.field(name, at, item) else {
                continue;
            };
            let same = |other: &&Field| other.name.eq_ignore_ascii_case(&field.name);
            if let Some(other) = fields.iter().find(same) {
                let message = format!(
                    "collection `{name}` has the fields `{}` and `{}`",
                    other.name, field.name
                );
                self.report(Code::ImportDuplicate, message);
            }
            fields.push(field);
        }
        fields
    }

    fn field(&mut self, collection: &str, at: usize, value: &Value) -> Option<Field> {
        let what = format!("field number {} of collection `{collection}`", at + 1);
        let Value::Object(object) = value else {
            self.wrong(&what, "an object", value);
            return None;
        };
        let Some(name) = object.get("name").and_then(Value::as_str) else {
            self.report(Code::ImportShape, format!("{what} has no `name`"));
            return None;
        };
        if !name::is_word(name) {
            let message = format!("`{}` can't be the name of a field", visible(name));
            self.report(Code::ImportShape, format!("{what}: {message}"));
            return None;
        }
        let Some(kind) = object.get("type").and_then(Value::as_str) else {
            let message = format!("field `{name}` of collection `{collection}` has no `type`");
            self.report(Code::ImportShape, message);
            return None;
        };
        for option in options::of(kind) {
            let given = object.get(option.theirs).unwrap_or(&Value::Null);
            if !option.shape.takes(given) {
                let what = format!(
                    "`{}` of field `{name}` of collection `{collection}`",
                    option.theirs
                );
                self.wrong(&what, option.shape.name(), given);
            }
        }
        Some(Field {
            name: name.to_owned(),
            kind: kind.to_owned(),
            options: object.clone(),
        })
    }

    /// Names and ids are told apart whatever their case.
    fn duplicates(&mut self, read: &[Collection]) {
        let mut names: BTreeMap<String, &str> = BTreeMap::new();
        let mut ids: BTreeMap<String, &str> = BTreeMap::new();
        for collection in read {
            let name = collection.name.as_str();
            if let Some(other) = names.insert(name.to_ascii_lowercase(), name) {
                let message = format!("there are the collections `{other}` and `{name}`");
                self.report(Code::ImportDuplicate, message);
            }
            let Some(id) = &collection.id else {
                continue;
            };
            if let Some(other) = ids.insert(id.to_ascii_lowercase(), name) {
                let message = format!("collections `{other}` and `{name}` have the same id `{id}`");
                self.report(Code::ImportDuplicate, message);
            }
        }
    }
}

/// What the reader looks at by itself.
const KNOWN: &[&str] = &[
    "id",
    "name",
    "type",
    "system",
    "fields",
    "indexes",
    "created",
    "updated",
    "listRule",
    "viewRule",
    "createRule",
    "updateRule",
    "deleteRule",
    "authRule",
    "manageRule",
    "viewQuery",
];

/// What a value is, for a report.
pub(super) fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("the text `{}`", visible(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
