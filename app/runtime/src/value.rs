//! The types of the fields of generated models, and the one value type that generic code sees.

use serde_json::value::RawValue;

/// A field's value, borrowed from a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueRef<'a> {
    /// A nullable field without a value.
    Null,
    /// Text of any kind: text, email, date, single select, single relation (empty is "").
    Text(&'a str),
    /// A number.
    Number(f64),
    /// A bool.
    Bool(bool),
    /// The JSON text of a multiple select or relation: an array of strings, compact.
    List(&'a str),
    /// The JSON text of a json field or geoPoint, compact.
    Json(&'a str),
}

/// A field's value, owned.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value: NULL where the field is nullable, else the zero value.
    Null,
    /// Text of any kind.
    Text(String),
    /// A number.
    Number(f64),
    /// A bool.
    Bool(bool),
    /// The items of a multiple select or relation.
    List(Vec<String>),
    /// Compact JSON text.
    Json(String),
}

/// What a type must do to be a field of a generated model.
pub trait FieldValue {
    /// The value as generic code sees it.
    fn get(&self) -> ValueRef<'_>;
    /// Takes over a value that was cast to this field's type; another kind becomes the zero value.
    fn set(&mut self, value: Value);
}

/// A select's values, implemented by generated enums.
pub trait SelectValue: Copy + PartialEq + Send + Sync + 'static {
    /// The wire form.
    fn as_str(self) -> &'static str;
    /// From the wire form.
    fn parse(text: &str) -> Option<Self>;
}

/// A multiple select or relation: its items, kept as the JSON text that the table holds, because
/// rows are returned far more often than they are looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List(pub(crate) String);

/// The value of a json field (or geoPoint): compact JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json(pub(crate) String);

impl Default for List {
    fn default() -> Self {
        List("[]".to_owned())
    }
}

impl Default for Json {
    fn default() -> Self {
        Json("null".to_owned())
    }
}

impl List {
    /// From items.
    pub fn new(items: &[String]) -> Self {
        List(serde_json::to_string(items).unwrap_or_else(|_| "[]".to_owned()))
    }

    /// The items.
    pub fn items(&self) -> Vec<String> {
        serde_json::from_str(&self.0).unwrap_or_default()
    }

    /// The JSON text.
    pub fn as_json(&self) -> &str {
        &self.0
    }
}

impl Json {
    /// From JSON text, which must be valid.
    pub fn parse(text: &str) -> Option<Self> {
        let raw: &RawValue = serde_json::from_str(text).ok()?;
        Some(Json(raw.get().to_owned()))
    }

    /// The JSON text.
    pub fn as_json(&self) -> &str {
        &self.0
    }
}
