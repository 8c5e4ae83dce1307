//! TOML values against the format: every mistake is noted at its place, and what is right is kept.

use basalt_lang::span::Span as Bytes;
use serde_json::Value as JsonValue;
use toml::Spanned as TomlSpanned;
use toml::de::{DeTable, DeValue};

use super::format::{FieldType, Key, Shape};
use super::{Entries, Entry, FieldDoc, Value};
use crate::diagnostic::{Code, Diagnostic, Span, Spanned};

/// The greatest whole number that every client can hold.
const MAX_COUNT: u64 = (1 << 53) - 1;

type Node<'a> = TomlSpanned<DeValue<'a>>;

/// Reads one file's values and collects what is wrong with them.
pub(crate) struct Reader {
    /// The source's number.
    pub file: usize,
    /// What was wrong.
    pub found: Vec<Diagnostic>,
}

impl Reader {
    fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span {
            file: self.file,
            start: range.start,
            end: range.end,
        }
    }

    /// A table with known keys. `what` names it in messages, `span` is where to miss a key.
    pub(crate) fn table(
        &mut self,
        table: &DeTable<'_>,
        keys: &[&'static Key],
        what: &str,
        span: Span,
    ) -> Entries {
        let mut entries = Entries {
            span,
            entries: Vec::new(),
        };
        for (name, node) in in_order(table) {
            let key_span = self.span(name.span());
            let name = name.get_ref().as_ref();
            let Some(key) = keys.iter().find(|key| key.name == name) else {
                let message = format!("unknown key `{name}` in {what}");
                let known = keys.iter().map(|key| key.name);
                let found = Diagnostic::new(Code::UnknownKey, key_span, message, "no such key");
                self.found.push(found.suggest(name, known));
                continue;
            };
            let value = self.value(key, node);
            entries.entries.push(Entry {
                key: key.name,
                key_span,
                span: self.span(node.span()),
                value,
            });
        }
        for key in keys.iter().filter(|key| key.required) {
            if entries.entry(key.name).is_none() {
                let message = format!("{what} needs the key `{}`", key.name);
                let found = Diagnostic::new(Code::MissingKey, span, message, "missing here");
                self.found.push(found.with_help(format!(
                    "add `{} = …`: {}",
                    key.name,
                    decapitalize(key.doc)
                )));
            }
        }
        entries
    }

    /// The value of one key; `None` if it has the wrong shape, which is noted.
    fn value(&mut self, key: &Key, node: &Node<'_>) -> Option<Value> {
        let value = match (key.shape, node.get_ref()) {
            (Shape::Text, DeValue::String(text)) => Some(Value::Text(text.to_string())),
            (Shape::Bool, DeValue::Boolean(flag)) => Some(Value::Bool(*flag)),
            (Shape::Count, value) => count(value).map(Value::Count),
            (Shape::Number, value) => number(value).map(Value::Number),
            (Shape::Date, DeValue::String(text)) => Some(Value::Text(text.to_string())),
            (Shape::Date, DeValue::Datetime(date)) => Some(Value::Text(date.to_string())),
            (Shape::Texts, DeValue::Array(items)) => return self.texts(key, items),
            (Shape::Choice(choices), DeValue::String(text)) => {
                return self.choice(key, choices, text, self.span(node.span()));
            }
            (Shape::Any, value) => json(value).map(Value::Json),
            (Shape::Rule, DeValue::String(text)) => Some(Value::Text(text.to_string())),
            (Shape::Rule, DeValue::Boolean(false)) => Some(Value::Bool(false)),
            (Shape::Table(keys), DeValue::Table(table)) => {
                let keys: Vec<&Key> = keys.iter().collect();
                let span = self.span(node.span());
                let what = format!("`{}`", key.name);
                Some(Value::Table(self.table(table, &keys, &what, span)))
            }
            (Shape::Tables(keys), DeValue::Array(items)) => {
                return Some(Value::Tables(self.tables(key, keys, items)));
            }
            (Shape::Fields, DeValue::Table(table)) => Some(Value::Fields(self.fields(table))),
            _ => None,
        };
        if value.is_none() {
            self.wrong_type(key, expected(key.shape), node);
        }
        value
    }

    fn wrong_type(&mut self, key: &Key, expected: &str, node: &Node<'_>) {
        let given = node.get_ref().type_str();
        let message = format!("`{}` must be {expected}", key.name);
        let label = match given {
            "integer" | "float" if expected.contains("number") => "not such a number".to_owned(),
            "integer" | "float" => "this is a number".to_owned(),
            "array" => "this is an array".to_owned(),
            given => format!("this is a {given}"),
        };
        let found = Diagnostic::new(Code::WrongType, self.span(node.span()), message, label);
        self.found.push(match key.shape {
            Shape::Rule => found.with_help(
                "write a rule in quotes, `false` for superusers only, or leave it out to add nothing",
            ),
            Shape::Texts => found.with_help(format!(
                "write `{} = [\"…\"]`: {}",
                key.name,
                decapitalize(key.doc)
            )),
            _ => found.with_help(key.doc),
        });
    }

    fn texts(&mut self, key: &Key, items: &[Node<'_>]) -> Option<Value> {
        let mut texts = Vec::new();
        let before = self.found.len();
        for item in items {
            match item.get_ref() {
                DeValue::String(text) => texts.push(Spanned {
                    value: text.to_string(),
                    span: self.span(item.span()),
                }),
                _ => self.wrong_type(key, expected(Shape::Texts), item),
            }
        }
        (self.found.len() == before).then_some(Value::Texts(texts))
    }

    fn choice(
        &mut self,
        key: &Key,
        choices: &'static [&'static str],
        text: &str,
        span: Span,
    ) -> Option<Value> {
        if let Some(choice) = choices.iter().find(|choice| **choice == text) {
            return Some(Value::Text((*choice).to_owned()));
        }
        let (code, message) = match key.name {
            "type" => (
                Code::UnknownCollectionType,
                format!("unknown collection type `{text}`"),
            ),
            name => (Code::UnknownChoice, format!("`{name}` can't be `{text}`")),
        };
        let list = choices.join("`, `");
        let found = Diagnostic::new(code, span, message, format!("not one of `{list}`"));
        self.found
            .push(found.suggest(text, choices.iter().copied()));
        None
    }

    fn tables(&mut self, key: &Key, keys: &'static [Key], items: &[Node<'_>]) -> Vec<Entries> {
        let keys: Vec<&Key> = keys.iter().collect();
        let mut tables = Vec::new();
        for item in items {
            match item.get_ref() {
                DeValue::Table(table) => {
                    let span = self.span(item.span());
                    let what = format!("`[[{}]]`", key.name);
                    tables.push(self.table(table, &keys, &what, span));
                }
                _ => self.wrong_type(key, "a list of tables", item),
            }
        }
        tables
    }

    fn fields(&mut self, table: &DeTable<'_>) -> Vec<FieldDoc> {
        let entries = in_order(table);
        let fields = entries.into_iter().map(|(name, node)| {
            let name = Spanned {
                value: name.get_ref().to_string(),
                span: self.span(name.span()),
            };
            self.field(name, node)
        });
        fields.collect()
    }

    /// One field; without a usable type nothing else of it is looked at.
    fn field(&mut self, name: Spanned<String>, node: &Node<'_>) -> FieldDoc {
        let mut doc = FieldDoc {
            options: Entries {
                span: name.span,
                entries: Vec::new(),
            },
            kind: None,
            name,
        };
        let DeValue::Table(table) = node.get_ref() else {
            let message = format!("field `{}` must be a table", doc.name.value);
            let span = self.span(node.span());
            let found = Diagnostic::new(Code::WrongType, span, message, "not a table");
            self.found
                .push(found.with_help("write e.g. `{ type = \"text\" }`"));
            return doc;
        };
        doc.kind = self.field_type(&doc.name, table);
        if let Some(kind) = doc.kind {
            const TYPE: Key = Key {
                name: "type",
                shape: Shape::Text,
                required: true,
                doc: "The field's type.",
            };
            let keys: Vec<&Key> = [&TYPE].into_iter().chain(kind.keys()).collect();
            let what = format!("the {} field `{}`", kind.name(), doc.name.value);
            doc.options = self.table(table, &keys, &what, doc.name.span);
        }
        doc
    }

    fn field_type(&mut self, name: &Spanned<String>, table: &DeTable<'_>) -> Option<FieldType> {
        let name_text = &name.value;
        let Some(node) = table.get("type") else {
            let message = format!("field `{name_text}` needs the key `type`");
            let found = Diagnostic::new(Code::MissingKey, name.span, message, "has no type");
            self.found
                .push(found.with_help("write e.g. `{ type = \"text\" }`"));
            return None;
        };
        let span = self.span(node.span());
        let DeValue::String(text) = node.get_ref() else {
            let message = "`type` must be a string";
            let found = Diagnostic::new(Code::WrongType, span, message, "not a string");
            self.found
                .push(found.with_help("write e.g. `type = \"text\"`"));
            return None;
        };
        if text == "file" {
            let message = "file fields are not supported yet";
            let found = Diagnostic::new(Code::Unsupported, span, message, "not supported");
            self.found.push(found);
            return None;
        }
        let kind = FieldType::parse(text);
        if kind.is_none() {
            let message = format!("unknown field type `{text}`");
            let found = Diagnostic::new(Code::UnknownFieldType, span, message, "no such type");
            let known = FieldType::ALL.iter().map(|kind| kind.name());
            self.found.push(found.suggest(text, known));
        }
        kind
    }
}

/// The entries in the order of the file (the parser sorts them by name).
pub(crate) fn in_order<'t, 'i>(
    table: &'t DeTable<'i>,
) -> Vec<(&'t TomlSpanned<std::borrow::Cow<'i, str>>, &'t Node<'i>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    entries
}

fn expected(shape: Shape) -> &'static str {
    match shape {
        Shape::Text | Shape::Choice(_) => "a string",
        Shape::Bool => "true or false",
        Shape::Count => "a whole number from 0 to 2^53 - 1",
        Shape::Number => "a finite number",
        Shape::Date => "a date",
        Shape::Texts => "a list of strings",
        Shape::Any => "a value that JSON can hold",
        Shape::Rule => "a rule, or false for superusers only",
        Shape::Table(_) | Shape::Fields => "a table",
        Shape::Tables(_) => "a list of tables",
    }
}

fn count(value: &DeValue<'_>) -> Option<u64> {
    let integer = value.as_integer()?;
    let count = u64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
    (count <= MAX_COUNT).then_some(count)
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    let number = match value {
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .map(|whole| whole as f64),
        DeValue::Float(float) => float.as_str().parse().ok(),
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite())
}

/// The value as JSON; `None` if it holds a number that JSON can't say.
pub(crate) fn json(value: &DeValue<'_>) -> Option<JsonValue> {
    Some(match value {
        DeValue::String(text) => JsonValue::from(text.as_ref()),
        DeValue::Boolean(flag) => JsonValue::from(*flag),
        DeValue::Integer(integer) => {
            JsonValue::from(i64::from_str_radix(integer.as_str(), integer.radix()).ok()?)
        }
        DeValue::Float(_) => JsonValue::from(number(value)?),
        DeValue::Datetime(date) => JsonValue::from(date.to_string()),
        DeValue::Array(items) => {
            let items = items.iter().map(|item| json(item.get_ref()));
            JsonValue::Array(items.collect::<Option<_>>()?)
        }
        DeValue::Table(table) => {
            let entries = in_order(table);
            let entries = entries
                .into_iter()
                .map(|(name, node)| Some((name.get_ref().to_string(), json(node.get_ref())?)));
            JsonValue::Object(entries.collect::<Option<_>>()?)
        }
    })
}

fn decapitalize(text: &str) -> String {
    let mut chars = text.trim_end_matches('.').chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// The bytes of a string's value, as a place in the file.
pub(super) fn inside(text: &str, string: Span, bytes: Bytes) -> Span {
    let raw = text.get(string.start..string.end).unwrap_or_default();
    let place = |decoded| string.start + super::escape::raw_offset(raw, decoded);
    let start = place(bytes.start).min(string.end);
    // The end is where the last byte comes from, and one further: escapes behind it stay outside.
    let end = if bytes.end > bytes.start {
        place(bytes.end).clamp(start, string.end)
    } else {
        start
    };
    Span {
        file: string.file,
        start,
        end,
    }
}
