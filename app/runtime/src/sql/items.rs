//! The items of a JSON list as a table of one column, for conditions on each of them.

use super::Column;

diesel::table! {
    /// What `json_each` yields; only ever read inside [`super::compare::each`].
    #[sql_name = "json_each"]
    items (value) {
        /// One item.
        value -> Nullable<Text>,
    }
}

pub use items::table;

/// The item that a condition looks at.
pub fn item() -> Column<items::table> {
    Column::Bare {
        expression: Box::new(items::value),
        strict: false,
    }
}
