//! What generated inserts and updates have in common. Macros, because Diesel's bounds for writes
//! cannot be written generically over tables.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::Text;

use super::{Conn, Db};
use crate::value::List;

/// An update of so many columns is prepared once for each choice of columns; of more, each time,
/// since there are too many choices.
const PREPARED: usize = 3;

/// An update of one row. Diesel's own is never kept prepared.
pub struct Update<'a, F, S> {
    /// The table.
    pub table: F,
    /// The columns and their values.
    pub set: S,
    /// How many columns they are.
    pub columns: usize,
    /// The row's id.
    pub id: &'a str,
}

impl<F, S> QueryId for Update<'_, F, S> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<F, S> QueryFragment<Db> for Update<'_, F, S>
where
    F: QueryFragment<Db>,
    S: QueryFragment<Db>,
{
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        if self.columns > PREPARED {
            pass.unsafe_to_cache_prepared();
        }
        pass.push_sql("UPDATE ");
        self.table.walk_ast(pass.reborrow())?;
        pass.push_sql(" SET ");
        self.set.walk_ast(pass.reborrow())?;
        pass.push_sql(" WHERE ");
        pass.push_identifier("id")?;
        pass.push_sql(" = ");
        pass.push_bind_param::<Text, str>(self.id)
    }
}

impl<F, S> RunQueryDsl<Conn> for Update<'_, F, S> {}

/// Writes the columns in which two records differ:
/// `update_row!(conn, posts, old => new, title, public)`. Gives a `QueryResult<()>`.
#[macro_export]
macro_rules! update_row {
    ($conn:ident, $table:ident, $old:ident => $new:ident, $($column:ident),+ $(,)?) => {{
        let columns = 0 $(+ usize::from($old.$column != $new.$column))+;
        let changes = ($(
            ($old.$column != $new.$column).then(|| $table::$column.eq(&$new.$column)),
        )+);
        let update = $crate::sql::write::Update {
            table: $crate::diesel::QuerySource::from_clause(&$table::table),
            set: changes.as_changeset(),
            columns,
            id: &$old.id,
        };
        match columns {
            0 => Ok(()),
            _ => update.execute($conn.get()).map(|_| ()),
        }
    }};
}

/// Inserts the rows of a join table for all items of a list:
/// `insert_links!(conn, link_permissions, record.id, record.permissions)`. Gives a
/// `QueryResult<()>`. An item that occurs twice has its first position.
#[macro_export]
macro_rules! insert_links {
    ($conn:ident, $link:ident, $owner:expr, $list:expr) => {
        (0_i32..)
            .zip($list.items())
            .try_for_each(|(position, target)| {
                let row = (
                    $link::owner.eq(&$owner),
                    $link::target.eq(&target),
                    $link::position.eq(position),
                );
                $crate::diesel::insert_or_ignore_into($link::table)
                    .values(row)
                    .execute($conn.get())
                    .map(|_| ())
            })
    };
}

/// Changes the rows of a join table where the lists of two records differ:
/// `update_links!(conn, link_permissions, old => new, permissions)`. Gives a `QueryResult<()>`.
#[macro_export]
macro_rules! update_links {
    ($conn:ident, $link:ident, $old:ident => $new:ident, $column:ident) => {{
        let (gone, come) = $crate::sql::write::differences(&$old.$column, &$new.$column);
        let removed = gone.iter().try_for_each(|target| {
            let row = $link::owner.eq(&$old.id).and($link::target.eq(target));
            $crate::diesel::delete($link::table.filter(row))
                .execute($conn.get())
                .map(|_| ())
        });
        removed.and_then(|()| {
            come.iter().try_for_each(|(target, position)| {
                let row = (
                    $link::owner.eq(&$old.id),
                    $link::target.eq(target),
                    $link::position.eq(position),
                );
                $crate::diesel::insert_into($link::table)
                    .values(row)
                    .execute($conn.get())
                    .map(|_| ())
            })
        })
    }};
}

/// The rows of a join table that go, and those that come with their positions. An item that occurs
/// twice has its first position; one that moves goes and comes.
pub fn differences(old: &List, new: &List) -> (Vec<String>, Vec<(String, i32)>) {
    if old == new {
        return (Vec::new(), Vec::new());
    }
    let (before, after) = (positions(old), positions(new));
    let differs = |from: &BTreeMap<String, i32>, to: &BTreeMap<String, i32>| {
        let other = from.iter().filter(|(item, at)| to.get(*item) != Some(*at));
        let other = other.map(|(item, at)| (item.clone(), *at));
        other.collect::<Vec<_>>()
    };
    let gone = differs(&before, &after).into_iter().map(|(item, _)| item);
    (gone.collect(), differs(&after, &before))
}

fn positions(list: &List) -> BTreeMap<String, i32> {
    let mut positions = BTreeMap::new();
    for (position, item) in (0..).zip(list.items()) {
        positions.entry(item).or_insert(position);
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: &[&str]) -> List {
        List::new(
            &items
                .iter()
                .map(|item| (*item).to_owned())
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn only_what_differs_is_written() {
        let (gone, come) = differences(&list(&["a", "b", "c"]), &list(&["a", "c", "d", "d"]));
        assert_eq!(gone, ["b", "c"]);
        assert_eq!(come, [("c".to_owned(), 1), ("d".to_owned(), 2)]);
        let same = list(&["a", "b"]);
        assert_eq!(differences(&same, &same), (Vec::new(), Vec::new()));
    }
}
