//! Schema files as documents with spans: syntax and shapes are checked here, meaning is not.

use serde_json::Value as JsonValue;
use toml::de::DeTable;

use crate::diagnostic::{Code, Diagnostic, Span, Spanned};
use crate::source::{MAX_BYTES, Source, too_large};
use format::{FieldType, Key};

mod escape;
pub mod format;
mod read;

pub(crate) use read::{Reader, in_order, json};

/// A string of a file, with the place of the whole literal, quotes included.
pub type Text = Spanned<String>;

/// One file.
#[derive(Debug)]
pub struct Document {
    /// The source's number.
    pub file: usize,
    /// The file could not be read far enough to say more than what was said already; only its
    /// name counts, so that others may refer to it.
    pub broken: bool,
    /// Some of it may be missing from what was read, since a key of the file is unknown.
    pub partial: bool,
    /// The name is the file's, since it gives none.
    pub nameless: bool,
    /// The collection's name, or the file's if that is missing.
    pub name: Text,
    /// An auth collection?
    pub is_auth: bool,
    /// The keys of the file that need no work to be found.
    pub entries: Entries,
}

/// A field as written.
#[derive(Debug, Clone)]
pub struct FieldDoc {
    /// Its name.
    pub name: Text,
    /// Its type, unless that was wrong.
    pub kind: Option<FieldType>,
    /// The keys of its table.
    pub options: Entries,
}

/// A table as written: every key is one that the table may have.
#[derive(Debug, Clone)]
pub struct Entries {
    /// Where to report what is missing.
    pub span: Span,
    /// In the order of the file.
    pub entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The key.
    pub key: &'static str,
    /// Where the key stands.
    pub key_span: Span,
    /// Where the value stands.
    pub span: Span,
    /// The value, unless that was wrong.
    pub value: Option<Value>,
}

/// A value of the shape that its key asks for.
#[derive(Debug, Clone)]
pub enum Value {
    /// `Shape::Text`, `Shape::Date`, `Shape::Choice`, `Shape::Rule`
    Text(String),
    /// `Shape::Bool`, `Shape::Rule`
    Bool(bool),
    /// `Shape::Count`
    Count(u64),
    /// `Shape::Number`
    Number(f64),
    /// `Shape::Texts`
    Texts(Vec<Text>),
    /// `Shape::Any`
    Json(JsonValue),
    /// `Shape::Table`
    Table(Entries),
    /// `Shape::Tables`
    Tables(Vec<Entries>),
    /// `Shape::Fields`
    Fields(Vec<FieldDoc>),
}

impl Entries {
    /// The entry of a key, whether or not its value was right.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    fn value(&self, key: &str) -> Option<(&Value, Span)> {
        let entry = self.entry(key)?;
        Some((entry.value.as_ref()?, entry.span))
    }

    /// Where a key's value stands, or the table if the key is absent.
    pub fn span_of(&self, key: &str) -> Span {
        self.entry(key).map_or(self.span, |entry| entry.span)
    }

    /// A string.
    pub fn text(&self, key: &str) -> Option<Text> {
        match self.value(key)? {
            (Value::Text(text), span) => Some(Spanned {
                value: text.clone(),
                span,
            }),
            _ => None,
        }
    }

    /// Does the key say `false`?
    pub fn is_false(&self, key: &str) -> bool {
        matches!(self.value(key), Some((Value::Bool(false), _)))
    }

    /// A flag; false if absent.
    pub fn flag(&self, key: &str) -> bool {
        matches!(self.value(key), Some((Value::Bool(true), _)))
    }

    /// A whole number.
    pub fn count(&self, key: &str) -> Option<u64> {
        match self.value(key)? {
            (Value::Count(count), _) => Some(*count),
            _ => None,
        }
    }

    /// A number.
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.value(key)? {
            (Value::Number(number), _) => Some(*number),
            _ => None,
        }
    }

    /// A list of strings; empty if absent.
    pub fn texts(&self, key: &str) -> &[Text] {
        match self.value(key) {
            Some((Value::Texts(texts), _)) => texts,
            _ => &[],
        }
    }

    /// Any value.
    pub fn json(&self, key: &str) -> Option<&JsonValue> {
        match self.value(key)? {
            (Value::Json(value), _) => Some(value),
            _ => None,
        }
    }

    /// A table.
    pub fn table(&self, key: &str) -> Option<&Entries> {
        match self.value(key)? {
            (Value::Table(table), _) => Some(table),
            _ => None,
        }
    }

    /// A list of tables; empty if absent.
    pub fn tables(&self, key: &str) -> &[Entries] {
        match self.value(key) {
            Some((Value::Tables(tables), _)) => tables,
            _ => &[],
        }
    }

    /// The fields; empty if absent.
    pub fn fields(&self, key: &str) -> &[FieldDoc] {
        match self.value(key) {
            Some((Value::Fields(fields), _)) => fields,
            _ => &[],
        }
    }
}

/// Reads all sources; what is wrong goes to `found`.
pub fn load(sources: &[Source], found: &mut Vec<Diagnostic>) -> Vec<Document> {
    let documents = sources.iter().enumerate();
    documents
        .map(|(file, source)| load_one(file, source, found))
        .collect()
}

/// Reads one source, which gets the given number.
pub fn load_one(file: usize, source: &Source, found: &mut Vec<Diagnostic>) -> Document {
    if source.text.len() > MAX_BYTES {
        found.push(too_large(&source.path, source.text.len() as u64));
        return broken(file, source);
    }
    let (table, errors) = DeTable::parse_recoverable(&source.text);
    let mut reader = read::Reader {
        file,
        found: Vec::new(),
    };
    let top = Span {
        file,
        start: 0,
        end: 0,
    };
    let keys: Vec<&Key> = format::FILE.iter().collect();
    let entries = reader.table(table.get_ref(), &keys, "a schema file", top);
    let is_view = entries
        .text("type")
        .is_some_and(|kind| kind.value == "view");
    let nameless = entries.text("name").is_none();
    let known = |key: &toml::Spanned<_>| {
        let key: &std::borrow::Cow<'_, str> = key.get_ref();
        keys.iter().any(|known| known.name == key.as_ref())
    };
    let mut document = Document {
        name: entries.text("name").unwrap_or_else(|| stem(file, source)),
        is_auth: entries
            .text("type")
            .is_some_and(|kind| kind.value == "auth"),
        broken: !errors.is_empty() || is_view || nameless,
        partial: !table.get_ref().keys().all(known),
        nameless,
        file,
        entries,
    };
    if !errors.is_empty() {
        // What a torn file seems to lack or to hold besides is no news.
        found.extend(syntax(file, source, errors));
        document.entries.entries.clear();
    } else if is_view {
        let message = "view collections are not supported yet";
        let span = document.entries.span_of("type");
        let label = "not supported";
        found.push(Diagnostic::new(Code::Unsupported, span, message, label));
        document.entries.entries.clear();
    } else {
        found.append(&mut reader.found);
    }
    document
}

fn broken(file: usize, source: &Source) -> Document {
    let name = stem(file, source);
    Document {
        file,
        broken: true,
        partial: true,
        nameless: true,
        is_auth: false,
        entries: Entries {
            span: name.span,
            entries: Vec::new(),
        },
        name,
    }
}

/// The file's name without extension, in place of a name that is missing.
fn stem(file: usize, source: &Source) -> Text {
    let name = source.path.rsplit('/').next().unwrap_or_default();
    let span = Span {
        file,
        start: 0,
        end: 0,
    };
    Text {
        value: name.trim_end_matches(".toml").to_owned(),
        span,
    }
}

/// What the TOML parser found, up to the first mistake that throws it off: what it reports behind
/// such a place mostly follows from it.
pub(crate) fn syntax(
    file: usize,
    source: &Source,
    mut errors: Vec<toml::de::Error>,
) -> Vec<Diagnostic> {
    errors.sort_by_key(|error| error.span().map_or(0, |range| range.start));
    let mut found = Vec::new();
    for error in errors {
        let range = error.span().unwrap_or(0..0);
        let span = Span {
            file,
            start: range.start,
            end: range.end.min(source.text.len()),
        };
        let message = format!("malformed TOML: {}", error.message());
        let mut diagnostic = Diagnostic::new(Code::Syntax, span, message, "here");
        let goes_on = GOES_ON
            .iter()
            .any(|start| error.message().starts_with(start));
        if !goes_on {
            let help = "the file must be valid TOML; what is behind this place was not checked";
            diagnostic = diagnostic.with_help(help);
        }
        found.push(diagnostic);
        if !goes_on {
            break;
        }
    }
    found
}

/// Mistakes behind which the parser knows where it is.
const GOES_ON: &[&str] = &["duplicate key", "string values must be quoted"];

/// Where some bytes of a string's value stand in the file.
pub fn inside(sources: &[Source], string: Span, bytes: basalt_lang::span::Span) -> Span {
    match sources.get(string.file) {
        Some(source) => read::inside(&source.text, string, bytes),
        None => string,
    }
}
