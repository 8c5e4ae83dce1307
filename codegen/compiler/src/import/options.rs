//! The options of fields: what they are called in an export and in a schema file, and of which
//! shape they are.

use serde_json::Value;

/// An option of a field.
#[derive(Debug)]
pub(super) struct Opt {
    /// In an export.
    pub theirs: &'static str,
    /// In a schema file; empty: nothing there corresponds to it.
    pub ours: &'static str,
    pub shape: Shape,
}

/// What an option's value is; all may be null, which means the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Flag,
    Count,
    /// 0 is no default.
    Number,
    Text,
    Texts,
}

/// The greatest whole number that JSON keeps.
const MAX_COUNT: f64 = 9_007_199_254_740_991.0;

impl Shape {
    pub(super) fn takes(self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Null) => true,
            (Shape::Flag, Value::Bool(_)) | (Shape::Text, Value::String(_)) => true,
            (Shape::Count, Value::Number(_)) => count(value).is_some(),
            (Shape::Number, Value::Number(_)) => true,
            (Shape::Texts, Value::Array(items)) => items.iter().all(Value::is_string),
            _ => false,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Shape::Flag => "true or false",
            Shape::Count => "a whole number from 0 to 2^53 - 1",
            Shape::Number => "a number or null",
            Shape::Text => "a text",
            Shape::Texts => "a list of texts",
        }
    }

    /// Is it what the option means when it is not given?
    pub(super) fn is_default(self, value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::Number(_) => self == Shape::Count && count(value) == Some(0),
            other => is_zero(other),
        }
    }
}

/// A whole number, also one that is written as a decimal.
pub(super) fn count(value: &Value) -> Option<u64> {
    let number = value.as_f64()?;
    let whole = number.fract() == 0.0 && (0.0..=MAX_COUNT).contains(&number);
    whole.then_some(number as u64)
}

/// Nothing, whatever the shape.
pub(super) fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(object) => object.is_empty(),
    }
}

const fn opt(theirs: &'static str, ours: &'static str, shape: Shape) -> Opt {
    Opt {
        theirs,
        ours,
        shape,
    }
}

/// What every field has, but for what is read from it first.
const COMMON: &[Opt] = &[
    opt("required", "required", Shape::Flag),
    opt("hidden", "hidden", Shape::Flag),
    opt("presentable", "presentable", Shape::Flag),
    opt("help", "help", Shape::Text),
    opt("id", "", Shape::Text),
    opt("system", "", Shape::Flag),
];

const TEXT: &[Opt] = &[
    opt("min", "min", Shape::Count),
    opt("max", "max", Shape::Count),
    opt("pattern", "pattern", Shape::Text),
    opt("autogeneratePattern", "autogenerate", Shape::Text),
    opt("primaryKey", "", Shape::Flag),
];

const EDITOR: &[Opt] = &[
    opt("maxSize", "max_size", Shape::Count),
    opt("convertURLs", "convert_urls", Shape::Flag),
];

const NUMBER: &[Opt] = &[
    opt("min", "min", Shape::Number),
    opt("max", "max", Shape::Number),
    opt("onlyInt", "only_int", Shape::Flag),
];

const DOMAINS: &[Opt] = &[
    opt("onlyDomains", "only_domains", Shape::Texts),
    opt("exceptDomains", "except_domains", Shape::Texts),
];

const DATE: &[Opt] = &[
    opt("min", "min", Shape::Text),
    opt("max", "max", Shape::Text),
];

const AUTODATE: &[Opt] = &[
    opt("onCreate", "on_create", Shape::Flag),
    opt("onUpdate", "on_update", Shape::Flag),
];

const SELECT: &[Opt] = &[
    opt("values", "values", Shape::Texts),
    opt("maxSelect", "max_select", Shape::Count),
];

const RELATION: &[Opt] = &[
    opt("collectionId", "collection", Shape::Text),
    opt("minSelect", "min_select", Shape::Count),
    opt("maxSelect", "max_select", Shape::Count),
    opt("cascadeDelete", "cascade_delete", Shape::Flag),
];

const FILE: &[Opt] = &[
    opt("maxSelect", "max_select", Shape::Count),
    opt("maxSize", "max_size", Shape::Count),
    opt("mimeTypes", "mime_types", Shape::Texts),
    opt("thumbs", "thumbs", Shape::Texts),
    opt("protected", "protected", Shape::Flag),
];

const JSON: &[Opt] = &[opt("maxSize", "max_size", Shape::Count)];

const PASSWORD: &[Opt] = &[
    opt("min", "min", Shape::Count),
    opt("max", "max", Shape::Count),
    opt("pattern", "pattern", Shape::Text),
    // Says how bcrypt hashes, which is not used here.
    opt("cost", "", Shape::Count),
];

/// The options of a type, its own first; of an unknown type those that every field has.
pub(super) fn of(kind: &str) -> impl Iterator<Item = &'static Opt> {
    let own: &[Opt] = match kind {
        "text" => TEXT,
        "editor" => EDITOR,
        "number" => NUMBER,
        "email" | "url" => DOMAINS,
        "date" => DATE,
        "autodate" => AUTODATE,
        "select" => SELECT,
        "relation" => RELATION,
        "file" => FILE,
        "json" => JSON,
        "password" => PASSWORD,
        _ => &[],
    };
    own.iter().chain(COMMON)
}
