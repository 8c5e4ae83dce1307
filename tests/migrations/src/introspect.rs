//! The tables of a database by SQLite's account, and what they should be by the schema's: written
//! down a second time here, so that a mistake in the generator's own table of types shows.

use std::collections::{BTreeMap, BTreeSet};

use basalt_codegen::ir::{self, FieldKind};
use basalt_runtime::sql::Conn;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// "TYPE null|not-null key? default" by name.
    pub columns: BTreeMap<String, String>,
    /// "column -> table(column) action".
    pub references: BTreeSet<String>,
    /// "unique? (columns) where?" by name.
    pub indexes: BTreeMap<String, String>,
}

/// All tables of collections and their join tables, by name.
pub type Tables = BTreeMap<String, Table>;

#[derive(QueryableByName)]
struct Column {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = BigInt)]
    not_null: i64,
    #[diesel(sql_type = BigInt)]
    key: i64,
    #[diesel(sql_type = Nullable<Text>)]
    default_value: Option<String>,
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    text: String,
}

const COLUMNS: &str = "\
    SELECT m.name AS table_name, c.name AS name, c.type AS kind, \
    CAST(c.\"notnull\" AS INTEGER) AS not_null, CAST(c.pk AS INTEGER) AS key, \
    c.dflt_value AS default_value \
    FROM sqlite_schema AS m, pragma_table_info(m.name) AS c \
    WHERE m.type = 'table' AND m.name NOT IN ('__diesel_schema_migrations', '_params')";

const REFERENCES: &str = "\
    SELECT m.name AS table_name, f.\"from\" AS name, \
    f.\"from\" || ' -> ' || f.\"table\" || '(' || f.\"to\" || ') ' || f.on_delete || ' ' || \
    f.on_update AS text \
    FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table'";

const INDEXES: &str = "\
    SELECT m.name AS table_name, i.name AS name, \
    iif(i.\"unique\", 'unique ', '') || '(' || ( \
      SELECT group_concat(x.name || iif(x.coll = 'NOCASE', ' nocase', ''), ', ' ORDER BY x.seqno) \
      FROM pragma_index_xinfo(i.name) AS x WHERE x.key = 1 \
    ) || ')' || iif(i.partial, substr(s.sql, instr(s.sql, ' WHERE ')), '') AS text \
    FROM sqlite_schema AS m, pragma_index_list(m.name) AS i \
    JOIN sqlite_schema AS s ON s.name = i.name \
    WHERE m.type = 'table' AND i.origin = 'c'";

/// What the database holds.
pub fn found(conn: &mut Conn) -> Tables {
    let mut tables = Tables::new();
    for column in diesel::sql_query(COLUMNS).load::<Column>(conn).unwrap() {
        let text = describe(
            &column.kind,
            column.not_null != 0,
            column.key != 0,
            column.default_value.as_deref(),
        );
        tables
            .entry(column.table_name)
            .or_default()
            .columns
            .insert(column.name, text);
    }
    for line in diesel::sql_query(REFERENCES).load::<Line>(conn).unwrap() {
        let table = tables.get_mut(&line.table_name).unwrap();
        table.references.insert(line.text);
    }
    for line in diesel::sql_query(INDEXES).load::<Line>(conn).unwrap() {
        let table = tables.get_mut(&line.table_name).unwrap();
        table.indexes.insert(line.name, line.text);
    }
    tables
}

/// What it should hold by the schema. Conditions of indexes are left to the other tests.
pub fn wanted(schema: &ir::Schema) -> Tables {
    let mut tables = Tables::new();
    for collection in &schema.collections {
        let name = &collection.name.wire;
        let mut table = Table::default();
        for field in &collection.fields {
            let column = field.name.wire.clone();
            table.columns.insert(column.clone(), wanted_column(field));
            if let FieldKind::Relation { target, .. } = &field.kind {
                let target = &schema.collections[target.0].name.wire;
                if field.kind.is_many() {
                    let (link, join) = join_table(name, &column, target);
                    tables.insert(link, join);
                } else {
                    let text = format!("{column} -> {target}(id) SET NULL NO ACTION");
                    table.references.insert(text);
                }
            }
        }
        for index in &collection.indexes {
            let columns: Vec<String> = index
                .columns
                .iter()
                .map(|id| {
                    let column = &collection.fields[id.0].name.wire;
                    format!("{column}{}", if index.nocase { " nocase" } else { "" })
                })
                .collect();
            let unique = if index.unique { "unique " } else { "" };
            let text = format!("{unique}({})", columns.join(", "));
            table.indexes.insert(index.name.clone(), text);
        }
        tables.insert(name.clone(), table);
    }
    tables
}

/// The tables without the conditions of their indexes.
pub fn without_conditions(mut tables: Tables) -> Tables {
    for table in tables.values_mut() {
        for text in table.indexes.values_mut() {
            *text = text.split(" WHERE ").next().unwrap().to_owned();
        }
    }
    tables
}

fn describe(kind: &str, not_null: bool, key: bool, default: Option<&str>) -> String {
    let not_null = if not_null { "not-null" } else { "null" };
    let key = if key { " key" } else { "" };
    format!("{kind} {not_null}{key} {}", default.unwrap_or("-"))
}

fn join_table(owner: &str, field: &str, target: &str) -> (String, Table) {
    let mut join = Table::default();
    let column = |kind, key| describe(kind, true, key, None);
    join.columns.insert("owner".into(), column("TEXT", true));
    join.columns.insert("target".into(), column("TEXT", true));
    join.columns
        .insert("position".into(), column("INTEGER", false));
    join.references
        .insert(format!("owner -> {owner}(id) CASCADE NO ACTION"));
    join.references
        .insert(format!("target -> {target}(id) CASCADE NO ACTION"));
    join.indexes
        .insert(format!("_linked_{owner}_{field}"), "(target, owner)".into());
    (format!("_link_{owner}_{field}"), join)
}

fn wanted_column(field: &ir::Field) -> String {
    if field.name.wire == "id" {
        return describe("TEXT", true, true, None);
    }
    let (kind, zero) = match &field.kind {
        FieldKind::Number { .. } => ("NUMERIC", "0"),
        FieldKind::Bool => ("BOOLEAN", "FALSE"),
        FieldKind::Json { .. } => ("TEXT", "'null'"),
        FieldKind::GeoPoint => ("TEXT", "'{\"lon\":0,\"lat\":0}'"),
        // A relation starts empty, whatever its default.
        FieldKind::Relation { .. } if field.kind.is_many() => {
            return describe("TEXT", true, false, Some("'[]'"));
        }
        FieldKind::Relation { .. } => return "TEXT null -".to_owned(),
        kind if kind.is_many() => ("TEXT", "'[]'"),
        _ => ("TEXT", "''"),
    };
    let default = match (&field.default, field.nullable) {
        (Some(value), _) if !value.is_null() => match value.as_bool() {
            Some(flag) => flag.to_string().to_uppercase(),
            None if value.is_number() => value.to_string(),
            None => {
                let text = value.to_string();
                format!("'{}'", value.as_str().unwrap_or(&text).replace('\'', "''"))
            }
        },
        (_, true) => "NULL".to_owned(),
        (_, false) => zero.to_owned(),
    };
    describe(kind, !field.nullable, false, Some(&default))
}
