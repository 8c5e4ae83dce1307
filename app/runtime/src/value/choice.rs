//! Selects: the stored text, and its typed reading by the enum that the generator makes of the
//! values. A text that is no value (any more) stays as it is.

use std::marker::PhantomData;

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Text;

use super::{FieldValue, List, Value, ValueRef, read_text};
use crate::sql::Db;

/// A select's values, implemented by generated enums.
pub trait SelectValue: Copy + PartialEq + Send + Sync + 'static {
    /// The wire form.
    fn as_str(self) -> &'static str;
    /// From the wire form.
    fn parse(text: &str) -> Option<Self>;
}

/// Implements [`SelectValue`] for an enum: `select_value!(PostType { A = "a", B = "b" });`.
#[macro_export]
macro_rules! select_value {
    ($name:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        impl $crate::value::SelectValue for $name {
            fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }

            fn parse(text: &str) -> ::std::option::Option<Self> {
                match text {
                    $($text => ::std::option::Option::Some($name::$variant),)*
                    _ => ::std::option::Option::None,
                }
            }
        }
    };
}

/// A single select; "" when nothing is chosen.
#[derive(Debug, Clone, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub struct Choice<E: SelectValue> {
    text: String,
    values: PhantomData<E>,
}

/// A multiple select, kept as the JSON text that the table holds.
#[derive(Debug, Clone, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub struct Choices<E: SelectValue> {
    list: List,
    values: PhantomData<E>,
}

impl<E: SelectValue> Choice<E> {
    /// From the wire form.
    fn from_text(text: String) -> Self {
        Choice {
            text,
            values: PhantomData,
        }
    }

    /// What is chosen; `None` if nothing is, or a text that is no value any more.
    pub fn value(&self) -> Option<E> {
        E::parse(&self.text)
    }

    /// The wire form.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl<E: SelectValue> Choices<E> {
    fn from_list(list: List) -> Self {
        Choices {
            list,
            values: PhantomData,
        }
    }

    /// From what is chosen, in order.
    pub fn new(values: &[E]) -> Self {
        let items: Vec<String> = values.iter().map(|v| v.as_str().to_owned()).collect();
        Choices::from_list(List::new(&items))
    }

    /// What is chosen, in order, without texts that are no values any more.
    pub fn values(&self) -> Vec<E> {
        let items = self.items();
        items.iter().filter_map(|item| E::parse(item)).collect()
    }

    /// The wire forms of all that is stored, in order.
    pub fn items(&self) -> Vec<String> {
        self.list.items()
    }

    /// The JSON text.
    pub fn as_json(&self) -> &str {
        self.list.as_json()
    }
}

impl<E: SelectValue> Default for Choice<E> {
    fn default() -> Self {
        Choice::from_text(String::new())
    }
}

impl<E: SelectValue> Default for Choices<E> {
    fn default() -> Self {
        Choices::from_list(List::default())
    }
}

impl<E: SelectValue> From<E> for Choice<E> {
    fn from(value: E) -> Self {
        Choice::from_text(value.as_str().to_owned())
    }
}

impl<E: SelectValue> FieldValue for Choice<E> {
    fn get(&self) -> ValueRef<'_> {
        ValueRef::Text(&self.text)
    }

    fn set(&mut self, value: Value) {
        self.text.set(value);
    }
}

impl<E: SelectValue> FieldValue for Choices<E> {
    fn get(&self) -> ValueRef<'_> {
        self.list.get()
    }

    fn set(&mut self, value: Value) {
        self.list.set(value);
    }
}

impl<E: SelectValue> FromSql<Text, Db> for Choice<E> {
    fn from_sql(bytes: <Db as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        read_text(bytes).map(Choice::from_text)
    }
}

impl<E: SelectValue + std::fmt::Debug> ToSql<Text, Db> for Choice<E> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
        <str as ToSql<Text, Db>>::to_sql(&self.text, out)
    }
}

impl<E: SelectValue> FromSql<Text, Db> for Choices<E> {
    fn from_sql(bytes: <Db as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        read_text(bytes).map(|text| Choices::from_list(List(text)))
    }
}

impl<E: SelectValue + std::fmt::Debug> ToSql<Text, Db> for Choices<E> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
        <str as ToSql<Text, Db>>::to_sql(self.list.as_json(), out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Color {
        Red,
        DarkBlue,
    }

    select_value!(Color {
        Red = "red",
        DarkBlue = "dark blue"
    });

    #[test]
    fn unknown_texts_stay_readable() {
        let old = Choice::<Color>::from_text("green".to_owned());
        assert_eq!((old.value(), old.as_str()), (None, "green"));
        let old = Choices::<Color>::from_list(List(r#"["green","dark blue"]"#.to_owned()));
        assert_eq!(old.values(), vec![Color::DarkBlue]);
        assert_eq!(old.items(), vec!["green", "dark blue"]);
    }

    #[test]
    fn values_become_texts() {
        assert_eq!(Choice::from(Color::DarkBlue).as_str(), "dark blue");
        assert_eq!(Choice::<Color>::default().value(), None);
        let chosen = Choices::new(&[Color::DarkBlue, Color::Red]);
        assert_eq!(chosen.as_json(), r#"["dark blue","red"]"#);
    }
}
