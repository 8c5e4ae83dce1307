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

/// A single relation of a nullable field. Empty is NULL in the table and null on the wire.
#[derive(Debug, Clone, Default, PartialEq, Eq, FromSqlRow)]
pub struct NullableLink(Option<String>);

/// What both kinds have in common: all but the value of an empty one.
macro_rules! link {
    ($link:ident, empty = $empty:expr) => {
        impl $link {
            /// To the record with this id; "" is to none.
            pub fn to(id: impl Into<String>) -> Self {
                $link(Some(id.into()).filter(|id| !id.is_empty()))
            }

            /// To none.
            pub fn none() -> Self {
                $link(None)
            }

            /// The id of the record, if there is one.
            pub fn id(&self) -> Option<&str> {
                self.0.as_deref()
            }
        }

        impl FieldValue for $link {
            fn get(&self) -> ValueRef<'_> {
                self.id().map_or($empty, ValueRef::Text)
            }

            fn set(&mut self, value: Value) {
                *self = match value {
                    Value::Text(id) => $link::to(id),
                    _ => $link::none(),
                };
            }
        }

        impl FromSql<Nullable<Text>, Db> for $link {
            fn from_sql(bytes: <Db as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
                read_text(bytes).map($link::to)
            }

            fn from_nullable_sql(
                bytes: Option<<Db as Backend>::RawValue<'_>>,
            ) -> deserialize::Result<Self> {
                bytes.map_or(Ok($link::none()), Self::from_sql)
            }
        }

        impl ToSql<Nullable<Text>, Db> for $link {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
                match self.id() {
                    Some(id) => <str as ToSql<Text, Db>>::to_sql(id, out),
                    None => Ok(IsNull::Yes),
                }
            }
        }

        impl AsExpression<Nullable<Text>> for $link {
            type Expression = Bound<Nullable<Text>, Self>;

            fn as_expression(self) -> Self::Expression {
                Bound::new(self)
            }
        }

        impl<'a> AsExpression<Nullable<Text>> for &'a $link {
            type Expression = Bound<Nullable<Text>, &'a $link>;

            fn as_expression(self) -> Self::Expression {
                Bound::new(self)
            }
        }
    };
}

link!(Link, empty = ValueRef::Text(""));
link!(NullableLink, empty = ValueRef::Null);
