//! What generated inserts and updates have in common. Macros, because Diesel's bounds for writes
//! cannot be written generically over tables.

/// Writes the columns in which two records differ, of which there must be one:
/// `update_row!(conn, posts, old => new, title, public)`. Gives a `QueryResult<usize>`.
#[macro_export]
macro_rules! update_row {
    ($conn:ident, $table:ident, $old:ident => $new:ident, $($column:ident),+ $(,)?) => {{
        let changes = ($(
            ($old.$column != $new.$column).then(|| $table::$column.eq(&$new.$column)),
        )+);
        $crate::diesel::update($table::table.find(&$old.id))
            .set(changes)
            .execute($conn.get())
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
