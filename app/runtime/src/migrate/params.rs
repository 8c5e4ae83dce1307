//! Settings that the runtime keeps in the database itself, such as the secrets of tokens.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use crate::sql::Conn;

diesel::table! {
    _params (key) {
        key -> Text,
        value -> Text,
    }
}

/// Creates the runtime's own tables if they aren't there: they belong to no migration.
pub fn ensure_system_tables(conn: &mut Conn) -> QueryResult<()> {
    conn.batch_execute(
        "CREATE TABLE IF NOT EXISTS \"_params\" (\n  \
           \"key\" TEXT PRIMARY KEY NOT NULL,\n  \
           \"value\" TEXT NOT NULL\n\
         ) WITHOUT ROWID;",
    )
}

/// The value of a setting.
pub fn get_param(conn: &mut Conn, key: &str) -> QueryResult<Option<String>> {
    _params::table
        .find(key)
        .select(_params::value)
        .first(conn)
        .optional()
}

/// Sets a setting.
pub fn set_param(conn: &mut Conn, key: &str, value: &str) -> QueryResult<()> {
    diesel::insert_into(_params::table)
        .values((_params::key.eq(key), _params::value.eq(value)))
        .on_conflict(_params::key)
        .do_update()
        .set(_params::value.eq(value))
        .execute(conn)?;
    Ok(())
}

/// Forgets a setting.
pub fn remove_param(conn: &mut Conn, key: &str) -> QueryResult<()> {
    diesel::delete(_params::table.find(key)).execute(conn)?;
    Ok(())
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = BigInt)]
    found: i64,
}

/// Is there a text in a column that starts so? Reads the table until one is found. The names are
/// those of a collection and its field.
pub fn any_starts_with(
    conn: &mut Conn,
    table: &str,
    column: &str,
    start: &str,
) -> QueryResult<bool> {
    let query = format!(
        "SELECT EXISTS (SELECT 1 FROM \"{table}\" WHERE substr(\"{column}\", 1, ?) = ?) AS found"
    );
    let found: Found = diesel::sql_query(query)
        .bind::<BigInt, _>(i64::try_from(start.len()).unwrap_or(i64::MAX))
        .bind::<Text, _>(start)
        .get_result(conn)?;
    Ok(found.found != 0)
}
