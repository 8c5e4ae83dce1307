//! Comparison without regard to ASCII case, in the form that an index with that collation serves.

use diesel::expression::{AsExpression, Expression};
use diesel::sql_types::{Nullable, Text};

diesel::infix_operator!(NocaseEqual, " COLLATE NOCASE = ");

/// `column COLLATE NOCASE = value`
pub fn nocase_equal<E>(
    column: E,
    value: String,
) -> NocaseEqual<E, <String as AsExpression<Nullable<Text>>>::Expression>
where
    E: Expression<SqlType = Nullable<Text>>,
{
    NocaseEqual::new(column, AsExpression::<Nullable<Text>>::as_expression(value))
}
