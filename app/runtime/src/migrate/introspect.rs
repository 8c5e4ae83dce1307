//! What a database holds, by SQLite's own account.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use crate::sql::Conn;

/// A column as SQLite declares it.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub(super) struct ColumnInfo {
    /// Its name.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Its declared type.
    #[diesel(sql_type = Text)]
    pub kind: String,
    /// 1 if it refuses NULL.
    #[diesel(sql_type = BigInt)]
    pub not_null: i64,
    /// Its place in the primary key, from 1; else 0.
    #[diesel(sql_type = BigInt)]
    pub key: i64,
}

/// A unique index, columns in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct UniqueInfo {
    /// The columns' names, each with whether it disregards case.
    pub columns: Vec<(String, bool)>,
    /// Has a condition.
    pub partial: bool,
}

#[derive(QueryableByName)]
struct IndexedColumn {
    #[diesel(sql_type = Text)]
    index_name: String,
    #[diesel(sql_type = BigInt)]
    partial: i64,
    #[diesel(sql_type = Nullable<Text>)]
    column_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    collation: Option<String>,
}

/// The columns of a table; none if there is no such table.
pub(super) fn columns(conn: &mut Conn, table: &str) -> QueryResult<Vec<ColumnInfo>> {
    diesel::sql_query(
        "SELECT name, type AS kind, CAST(\"notnull\" AS INTEGER) AS not_null, \
         CAST(pk AS INTEGER) AS key FROM pragma_table_info(?)",
    )
    .bind::<Text, _>(table)
    .load(conn)
}

/// A foreign key of one column.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub(super) struct Reference {
    /// The column.
    #[diesel(sql_type = Text)]
    pub column: String,
    /// The table that it points to.
    #[diesel(sql_type = Text)]
    pub target: String,
    /// What a delete there does, e.g. `SET NULL`.
    #[diesel(sql_type = Text)]
    pub on_delete: String,
}

/// The foreign keys of a table.
pub(super) fn references(conn: &mut Conn, table: &str) -> QueryResult<Vec<Reference>> {
    diesel::sql_query(
        "SELECT \"from\" AS \"column\", \"table\" AS target, on_delete \
         FROM pragma_foreign_key_list(?) ORDER BY \"from\"",
    )
    .bind::<Text, _>(table)
    .load(conn)
}

/// The unique indexes of a table by name, without the one of its primary key.
pub(super) fn unique_indexes(
    conn: &mut Conn,
    table: &str,
) -> QueryResult<BTreeMap<String, UniqueInfo>> {
    let rows: Vec<IndexedColumn> = diesel::sql_query(
        "SELECT list.name AS index_name, list.partial AS partial, \
         item.name AS column_name, item.coll AS collation \
         FROM pragma_index_list(?) AS list, pragma_index_xinfo(list.name) AS item \
         WHERE list.\"unique\" = 1 AND list.origin = 'c' AND item.key = 1 \
         ORDER BY list.name, item.seqno",
    )
    .bind::<Text, _>(table)
    .load(conn)?;
    let mut indexes: BTreeMap<String, UniqueInfo> = BTreeMap::new();
    for row in rows {
        let index = indexes.entry(row.index_name).or_default();
        index.partial = row.partial != 0;
        let nocase = row.collation.is_some_and(|name| name == "NOCASE");
        index
            .columns
            .push((row.column_name.unwrap_or_default(), nocase));
    }
    Ok(indexes)
}
