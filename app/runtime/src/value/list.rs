//! Lists of ids: the type of multiple relations.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Text;

use super::{FieldValue, Value, ValueRef, read_text};
use crate::sql::Db;

/// A multiple relation: its items, kept as the JSON text that the table holds, because rows are
/// returned far more often than they are looked into.
#[derive(Debug, Clone, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub struct List(pub(crate) String);

impl Default for List {
    fn default() -> Self {
        List("[]".to_owned())
    }
}

impl List {
    /// From items.
    pub fn new(items: &[String]) -> Self {
        List(serde_json::to_string(items).unwrap_or_else(|_| "[]".to_owned()))
    }

    /// The items.
    pub fn items(&self) -> Vec<String> {
        ValueRef::List(&self.0).items()
    }

    /// The JSON text.
    pub fn as_json(&self) -> &str {
        &self.0
    }
}

impl FieldValue for List {
    fn get(&self) -> ValueRef<'_> {
        ValueRef::List(&self.0)
    }

    fn set(&mut self, value: Value) {
        *self = match value {
            Value::List(items) => List::new(&items),
            _ => List::default(),
        };
    }
}

impl FromSql<Text, Db> for List {
    fn from_sql(bytes: <Db as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        read_text(bytes).map(List)
    }
}

impl ToSql<Text, Db> for List {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
        <str as ToSql<Text, Db>>::to_sql(&self.0, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_survive_the_json_text() {
        let items = vec!["a".to_owned(), "b \"c\"".to_owned(), "ü".to_owned()];
        assert_eq!(List::new(&items).items(), items);
        assert_eq!(List::default().items(), Vec::<String>::new());
    }
}
