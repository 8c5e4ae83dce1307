//! Single relations: an id, or nothing, which is NULL in the table so that the foreign key holds.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::internal::derives::as_expression::Bound;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{Nullable, Text};

use super::{FieldValue, Value, ValueRef, read_text};
use crate::sql::Db;

/// A single relation. Empty is NULL in the table and "" on the wire.
#[derive(Debug, Clone, Default, PartialEq, Eq, FromSqlRow)]
pub struct Link(Option<String>);

impl Link {
    /// To the record with this id; "" is to none.
    pub fn to(id: impl Into<String>) -> Self {
        Link(Some(id.into()).filter(|id| !id.is_empty()))
    }

    /// To none.
    pub fn none() -> Self {
        Link(None)
    }

    /// The id of the record, if there is one.
    pub fn id(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl FieldValue for Link {
    fn get(&self) -> ValueRef<'_> {
        self.id().map_or(ValueRef::Text(""), ValueRef::Text)
    }

    fn set(&mut self, value: Value) {
        *self = match value {
            Value::Text(id) => Link::to(id),
            _ => Link::none(),
        };
    }
}

impl FromSql<Nullable<Text>, Db> for Link {
    fn from_sql(bytes: <Db as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        read_text(bytes).map(Link::to)
    }

    fn from_nullable_sql(
        bytes: Option<<Db as Backend>::RawValue<'_>>,
    ) -> deserialize::Result<Self> {
        bytes.map_or(Ok(Link::none()), Self::from_sql)
    }
}

impl ToSql<Nullable<Text>, Db> for Link {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
        match self.id() {
            Some(id) => <str as ToSql<Text, Db>>::to_sql(id, out),
            None => Ok(IsNull::Yes),
        }
    }
}

impl AsExpression<Nullable<Text>> for Link {
    type Expression = Bound<Nullable<Text>, Self>;

    fn as_expression(self) -> Self::Expression {
        Bound::new(self)
    }
}

impl<'a> AsExpression<Nullable<Text>> for &'a Link {
    type Expression = Bound<Nullable<Text>, &'a Link>;

    fn as_expression(self) -> Self::Expression {
        Bound::new(self)
    }
}
