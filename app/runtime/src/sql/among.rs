//! `column IN (…)` with a single bind: a statement may have only so many, and a form of its own for
//! every number of values would fill the cache of prepared statements.

use diesel::sql_types::{Nullable, Text};

use super::fragment::{Fragment, Piece};
use super::{Boxed, Pred};

/// Is the text one of the items of a JSON list?
pub(crate) fn among<T: 'static>(text: Boxed<T, Nullable<Text>>, list: String) -> Pred<T> {
    let fragment = Fragment {
        parts: vec![text],
        pieces: vec![
            Piece::Part(0),
            Piece::Sql(" IN (SELECT value FROM json_each("),
            Piece::Text(list),
            Piece::Sql("))"),
        ],
    };
    fragment.typed()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use diesel::connection::SimpleConnection;
    use diesel::prelude::*;

    use super::*;
    use crate::value::List;

    diesel::table! {
        things (id) {
            id -> Text,
        }
    }

    #[test]
    fn more_values_than_a_statement_has_binds() {
        let mut conn = crate::sql::open(":memory:").unwrap();
        let make = "CREATE TABLE things (id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
            INSERT INTO things VALUES ('7'), ('39999'), ('40000'), ('a\"b');";
        conn.batch_execute(make).unwrap();
        let mut values: Vec<_> = (0..40_000).map(|number| number.to_string()).collect();
        values.push("a\"b".to_owned());
        let mut found = |values: &[String]| -> Vec<String> {
            let condition = among(Box::new(things::id.nullable()), List::new(values).0);
            let rows = things::table.select(things::id).filter(condition);
            let rows = rows.order(things::id);
            rows.load(&mut conn).unwrap()
        };
        assert_eq!(found(&values), ["39999", "7", "a\"b"]);
        assert!(found(&[]).is_empty());
    }
}
