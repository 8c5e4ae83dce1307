//! How a snapshot looks as SQLite's tables and indexes: one function a statement, no IO.

pub mod filter;

use serde_json::Value as JsonValue;

use crate::snapshot::{Collection, Field, Index, Kind};

/// The prefix of the names of join tables.
pub const LINK_PREFIX: &str = "_link_";

/// A name in double quotes.
pub fn ident(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text in single quotes. NUL bytes, which end a statement, are left out.
pub fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\0', "").replace('\'', "''"))
}

/// The name of the join table of a multiple relation.
pub fn link_table(collection: &str, field: &str) -> String {
    format!("{LINK_PREFIX}{collection}_{field}")
}

/// The name that a table bears for a while, when its own is still taken.
pub fn aside(name: &str) -> String {
    format!("_new_{name}")
}

/// The name of the join table's index; tables and indexes share one space of names.
pub fn link_index(collection: &str, field: &str) -> String {
    format!("_linked_{collection}_{field}")
}

/// The column's type and constraints, e.g. `TEXT NOT NULL DEFAULT ''`.
pub fn column_type(field: &Field) -> String {
    if field.name == "id" {
        return "TEXT PRIMARY KEY NOT NULL".to_owned();
    }
    if let Some(target) = single_target(field) {
        return format!(
            "TEXT REFERENCES {} (\"id\") ON DELETE SET NULL",
            ident(target)
        );
    }
    let name = match field.kind {
        Kind::Number => "NUMERIC",
        Kind::Bool => "BOOLEAN",
        _ => "TEXT",
    };
    let not_null = if field.nullable { "" } else { " NOT NULL" };
    format!("{name}{not_null} DEFAULT {}", default_value(field))
}

/// The target of a relation to one record. Such a column is NULL when it is empty.
pub fn single_target(field: &Field) -> Option<&str> {
    match &field.kind {
        Kind::Relation {
            collection,
            many: false,
        } => Some(collection),
        _ => None,
    }
}

/// What the column holds in a record that was made without the field, as SQL. Relations start
/// empty whatever their default: it may name records that aren't there, and a column alone can't
/// fill the join table. A create stores the default in both.
pub fn default_value(field: &Field) -> String {
    if matches!(field.kind, Kind::Relation { .. }) {
        return zero(&field.kind).to_owned();
    }
    match &field.default {
        Some(value) => stored(&field.kind, value),
        None if field.nullable => "NULL".to_owned(),
        None => zero(&field.kind).to_owned(),
    }
}

/// The zero value of a type, as SQL.
pub fn zero(kind: &Kind) -> &'static str {
    match kind {
        Kind::Number => "0",
        Kind::Bool => "FALSE",
        Kind::Select { many: true, .. } | Kind::Relation { many: true, .. } => "'[]'",
        Kind::Relation { many: false, .. } => "NULL",
        Kind::Json => "'null'",
        Kind::GeoPoint => "'{\"lon\":0,\"lat\":0}'",
        _ => "''",
    }
}

/// A default of the schema in the form in which the column stores it.
fn stored(kind: &Kind, value: &JsonValue) -> String {
    let is_json = matches!(
        kind,
        Kind::Json | Kind::GeoPoint | Kind::Select { many: true, .. }
    );
    match value {
        _ if is_json => literal(&value.to_string()),
        JsonValue::Null => "NULL".to_owned(),
        JsonValue::Bool(true) => "TRUE".to_owned(),
        JsonValue::Bool(false) => "FALSE".to_owned(),
        JsonValue::Number(number) => match number.as_f64() {
            // As the column stores it: 1.0 is the integer 1.
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => format!("{float:.0}"),
            _ => number.to_string(),
        },
        JsonValue::String(text) => literal(text),
        other => literal(&other.to_string()),
    }
}

/// `CREATE TABLE` under a name of choice (rebuilds use another one for a while).
pub fn create_table(collection: &Collection, name: &str) -> String {
    let columns: Vec<String> = collection
        .fields
        .iter()
        .map(|field| format!("  {} {}", ident(&field.name), column_type(field)))
        .collect();
    format!(
        "CREATE TABLE {} (\n{}\n);\n",
        ident(name),
        columns.join(",\n")
    )
}

/// The join table of a multiple relation with its index.
pub fn create_link(collection: &str, field: &str, target: &str) -> String {
    format!(
        "CREATE TABLE {table} (\n  \
           \"owner\" TEXT NOT NULL REFERENCES {owner} (\"id\") ON DELETE CASCADE,\n  \
           \"target\" TEXT NOT NULL REFERENCES {target} (\"id\") ON DELETE CASCADE,\n  \
           \"position\" INTEGER NOT NULL,\n  \
           PRIMARY KEY (\"owner\", \"target\")\n\
         ) WITHOUT ROWID;\n{index}",
        table = ident(&link_table(collection, field)),
        owner = ident(collection),
        target = ident(target),
        index = create_link_index(collection, field),
    )
}

/// The index of a join table, for the way from a target to its owners.
pub fn create_link_index(collection: &str, field: &str) -> String {
    format!(
        "CREATE INDEX {} ON {} (\"target\", \"owner\");\n",
        ident(&link_index(collection, field)),
        ident(&link_table(collection, field)),
    )
}

/// Drops the index of a join table.
pub fn drop_link_index(collection: &str, field: &str) -> String {
    format!("DROP INDEX {};\n", ident(&link_index(collection, field)))
}

/// Drops a join table, and its index with it.
pub fn drop_link(collection: &str, field: &str) -> String {
    format!("DROP TABLE {};\n", ident(&link_table(collection, field)))
}

/// `CREATE INDEX`, with its reason as a comment.
pub fn create_index(collection: &str, index: &Index) -> String {
    let collation = if index.nocase { " COLLATE NOCASE" } else { "" };
    let columns: Vec<String> = index
        .columns
        .iter()
        .map(|column| format!("{}{collation}", ident(column)))
        .collect();
    let filter = match &index.filter {
        Some(filter) => format!(" WHERE {filter}"),
        None => String::new(),
    };
    format!(
        "{}CREATE {}INDEX {} ON {} ({}){filter};\n",
        comment(&index.reason),
        if index.unique { "UNIQUE " } else { "" },
        ident(&index.name),
        ident(collection),
        columns.join(", "),
    )
}

/// A text as comment lines; a line break in it can't end the comment.
pub fn comment(text: &str) -> String {
    text.lines().map(|line| format!("-- {line}\n")).collect()
}
