//! Does the database have the tables that this program was made for? Asked at each start, so that
//! a forgotten migration is one clear line and not a failure of every second request.

use crate::meta::{CollectionMeta, FieldKind, FieldMeta};
use crate::sql::Conn;

use super::MigrateError;
use super::introspect::{ColumnInfo, Reference, UniqueInfo, columns, references, unique_indexes};

/// Compares tables, columns, types, what may be null, foreign keys and unique indexes with the metadata. Tables
/// and plain indexes of the application's own are no business of ours.
pub fn check_fits(
    conn: &mut Conn,
    collections: &[&'static CollectionMeta],
) -> Result<(), MigrateError> {
    let mut differences = Vec::new();
    for meta in collections {
        check_table(conn, meta, &mut differences)?;
    }
    if differences.is_empty() {
        Ok(())
    } else {
        Err(MigrateError::Mismatch(differences))
    }
}

fn check_table(
    conn: &mut Conn,
    meta: &CollectionMeta,
    differences: &mut Vec<String>,
) -> Result<(), MigrateError> {
    let found = columns(conn, meta.name)?;
    if found.is_empty() {
        differences.push(format!("there is no table `{}`", meta.name));
        return Ok(());
    }
    for field in meta.fields {
        let name = format!("`{}.{}`", meta.name, field.name);
        match found.iter().find(|column| column.name == field.name) {
            Some(column) => differences.extend(column_difference(&name, field, column)),
            None => differences.push(format!("there is no column {name}")),
        }
    }
    check_references(conn, meta, differences)?;
    for column in &found {
        if meta.field_index(&column.name).is_none() {
            differences.push(format!(
                "column `{}.{}` is no field",
                meta.name, column.name
            ));
        }
    }
    check_unique(conn, meta, differences)
}

/// The foreign keys of the table, and the join tables with theirs.
fn check_references(
    conn: &mut Conn,
    meta: &CollectionMeta,
    differences: &mut Vec<String>,
) -> Result<(), MigrateError> {
    let mut wanted = Vec::new();
    for field in meta.fields {
        let FieldKind::Relation { collection, .. } = field.kind else {
            continue;
        };
        if !field.kind.is_many() {
            wanted.push(reference(field.name, collection, "SET NULL"));
            continue;
        }
        let link = format!("_link_{}_{}", meta.name, field.name);
        if columns(conn, &link)?.is_empty() {
            differences.push(format!("there is no join table `{link}`"));
            continue;
        }
        let ends = [("owner", meta.name), ("target", collection)];
        let ends = ends.map(|(column, target)| reference(column, target, "CASCADE"));
        compare_references(&link, &references(conn, &link)?, &ends, differences);
    }
    let found = references(conn, meta.name)?;
    compare_references(meta.name, &found, &wanted, differences);
    Ok(())
}

fn reference(column: &str, target: &str, on_delete: &str) -> Reference {
    Reference {
        column: column.to_owned(),
        target: target.to_owned(),
        on_delete: on_delete.to_owned(),
    }
}

fn compare_references(
    table: &str,
    found: &[Reference],
    wanted: &[Reference],
    differences: &mut Vec<String>,
) {
    for one in wanted.iter().filter(|one| !found.contains(one)) {
        differences.push(format!(
            "column `{table}.{}` is no reference to `{}` (ON DELETE {})",
            one.column, one.target, one.on_delete
        ));
    }
    let known = |one: &&Reference| wanted.iter().any(|other| other.column == one.column);
    for one in found.iter().filter(|one| !known(one)) {
        differences.push(format!(
            "column `{table}.{}` is a reference to `{}`, but no relation",
            one.column, one.target
        ));
    }
}

fn column_difference(name: &str, field: &FieldMeta, column: &ColumnInfo) -> Option<String> {
    let kind = match field.kind {
        FieldKind::Number { .. } => "NUMERIC",
        FieldKind::Bool => "BOOLEAN",
        _ => "TEXT",
    };
    let single_relation = matches!(field.kind, FieldKind::Relation { .. }) && !field.kind.is_many();
    let not_null = !field.nullable && !single_relation;
    let key = field.name == "id";
    if column.kind != kind {
        Some(format!("column {name} is {}, not {kind}", column.kind))
    } else if (column.key == 1) != key {
        Some(format!(
            "column {name} {} the primary key",
            if key { "isn't" } else { "is" }
        ))
    } else if (column.not_null != 0) != not_null {
        Some(format!(
            "column {name} {} be null",
            if not_null { "may" } else { "may not" }
        ))
    } else {
        None
    }
}

fn check_unique(
    conn: &mut Conn,
    meta: &CollectionMeta,
    differences: &mut Vec<String>,
) -> Result<(), MigrateError> {
    let found = unique_indexes(conn, meta.name)?;
    for index in meta.unique {
        let wanted = UniqueInfo {
            columns: index
                .fields
                .iter()
                .filter_map(|place| meta.field(*place))
                .map(|field| (field.name.to_owned(), index.nocase))
                .collect(),
            partial: index.partial,
        };
        match found.get(index.name) {
            Some(other) if *other == wanted => {}
            Some(_) => differences.push(format!(
                "the unique index `{}` of `{}` is another",
                index.name, meta.name
            )),
            None => differences.push(format!(
                "there is no unique index `{}` on `{}`",
                index.name, meta.name
            )),
        }
    }
    for name in found.keys() {
        if !meta.unique.iter().any(|index| index.name == name) {
            differences.push(format!(
                "`{}` has a unique index `{name}` that isn't in the schema",
                meta.name
            ));
        }
    }
    Ok(())
}
