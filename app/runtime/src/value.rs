//! The types of the fields of generated models, and the one value type that generic code sees.

mod choice;
mod date_time;
mod json;
mod link;
mod list;

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql};
use diesel::sql_types::Text;

use crate::sql::Db;

pub use choice::{Choice, Choices, SelectValue};
pub use date_time::DateTime;
pub use json::{GeoPoint, Json};
pub use link::Link;
pub use list::List;

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

impl ValueRef<'_> {
    /// The items of a select or relation, multiple or not: a single one that is empty has none.
    pub fn items(self) -> Vec<String> {
        match self {
            ValueRef::Text(item) if !item.is_empty() => vec![item.to_owned()],
            ValueRef::List(json) => serde_json::from_str(json).unwrap_or_default(),
            _ => Vec::new(),
        }
    }
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
    /// What a nullable field of this type shows when it has no value.
    fn null() -> ValueRef<'static>
    where
        Self: Sized,
    {
        ValueRef::Null
    }
    /// The value as generic code sees it.
    fn get(&self) -> ValueRef<'_>;
    /// Takes over a value that was cast to this field's type; another kind becomes the zero value.
    fn set(&mut self, value: Value);
}

impl FieldValue for String {
    fn get(&self) -> ValueRef<'_> {
        ValueRef::Text(self)
    }

    fn set(&mut self, value: Value) {
        *self = match value {
            Value::Text(text) => text,
            _ => String::new(),
        };
    }
}

impl FieldValue for f64 {
    fn get(&self) -> ValueRef<'_> {
        ValueRef::Number(*self)
    }

    fn set(&mut self, value: Value) {
        *self = match value {
            Value::Number(number) => number,
            _ => 0.0,
        };
    }
}

impl FieldValue for bool {
    fn get(&self) -> ValueRef<'_> {
        ValueRef::Bool(*self)
    }

    fn set(&mut self, value: Value) {
        *self = matches!(value, Value::Bool(true));
    }
}

/// A nullable field.
impl<T: FieldValue + Default> FieldValue for Option<T> {
    fn get(&self) -> ValueRef<'_> {
        self.as_ref().map_or(T::null(), FieldValue::get)
    }

    fn set(&mut self, value: Value) {
        *self = match value {
            Value::Null => None,
            value => {
                let mut inner = T::default();
                inner.set(value);
                Some(inner)
            }
        };
    }
}

/// Reads a text column, for the types here that keep a text.
fn read_text(bytes: <Db as Backend>::RawValue<'_>) -> deserialize::Result<String> {
    <String as FromSql<Text, Db>>::from_sql(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set<T: FieldValue + Default>(value: Value) -> T {
        let mut field = T::default();
        field.set(value);
        field
    }

    #[test]
    fn values_go_in_and_come_out() {
        assert_eq!(
            set::<String>(Value::Text("a".into())).get(),
            ValueRef::Text("a")
        );
        assert_eq!(set::<f64>(Value::Number(2.5)).get(), ValueRef::Number(2.5));
        assert_eq!(set::<bool>(Value::Bool(true)).get(), ValueRef::Bool(true));
        assert_eq!(
            set::<List>(Value::List(vec!["a\"b".into()])).get(),
            ValueRef::List(r#"["a\"b"]"#)
        );
        assert_eq!(
            set::<Json>(Value::Json("[1]".into())).get(),
            ValueRef::Json("[1]")
        );
        assert_eq!(
            set::<Link>(Value::Text("x".into())).get(),
            ValueRef::Text("x")
        );
    }

    #[test]
    fn selects_and_relations_have_items() {
        for (value, items) in [
            (ValueRef::List(r#"["a","b\"c"]"#), &["a", "b\"c"][..]),
            (ValueRef::List("[]"), &[]),
            (ValueRef::Text("a"), &["a"]),
            (ValueRef::Text(""), &[]),
            (ValueRef::Null, &[]),
            (ValueRef::Bool(true), &[]),
        ] {
            assert_eq!(value.items(), items, "{value:?}");
        }
    }

    #[test]
    fn another_kind_becomes_the_zero_value() {
        assert_eq!(set::<String>(Value::Number(1.0)).get(), ValueRef::Text(""));
        assert_eq!(set::<f64>(Value::Null).get(), ValueRef::Number(0.0));
        assert_eq!(
            set::<bool>(Value::Text("true".into())).get(),
            ValueRef::Bool(false)
        );
        assert_eq!(set::<List>(Value::Null).get(), ValueRef::List("[]"));
        assert_eq!(set::<Json>(Value::Null).get(), ValueRef::Json("null"));
        assert_eq!(set::<Link>(Value::Null).get(), ValueRef::Text(""));
        assert_eq!(set::<DateTime>(Value::Bool(true)).get(), ValueRef::Text(""));
        assert_eq!(
            set::<GeoPoint>(Value::Null).get(),
            ValueRef::Json(r#"{"lon":0,"lat":0}"#)
        );
    }

    #[test]
    fn nullable_fields_tell_null_from_zero() {
        assert_eq!(set::<Option<f64>>(Value::Null).get(), ValueRef::Null);
        assert_eq!(
            set::<Option<f64>>(Value::Number(0.0)).get(),
            ValueRef::Number(0.0)
        );
    }
}
