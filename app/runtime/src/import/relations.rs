//! What only shows when all records are there: relations to nowhere, ids that differ in case only,
//! accounts of two collections with the same id.

use std::cmp::Ordering;
use std::sync::Arc;

use anyhow::ensure;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use super::load::{Loaded, Manner, stored, stored_one};
use super::raw::quoted;
use crate::field::validate;
use crate::meta::{FieldKind, FieldMeta};
use crate::registry::Entry;
use crate::sql::Conn;

/// So many records are looked at in one go.
const PART: usize = 500;

/// A condition that a record must not satisfy, and what it means.
struct Fault {
    condition: String,
    reason: Reason,
}

enum Reason {
    Lost { field: usize, target: &'static str },
    Twin,
    Account { other: &'static str },
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Text)]
    id: String,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Finds the records that can't stay and, if that is wanted, takes them out again, with those that
/// can't be without them. What was there before the import always stays.
///
/// # Errors
/// The database fails.
pub fn check(conn: &mut Conn, manner: Manner, all: &mut [Loaded]) -> anyhow::Result<()> {
    let faults: Vec<_> = all.iter().map(|one| faults(one, all, manner)).collect();
    loop {
        let mut removed = 0;
        for (one, faults) in all.iter_mut().zip(&faults) {
            removed += refuse(conn, one, faults, manner)?;
        }
        if removed == 0 {
            return Ok(());
        }
    }
}

/// Compares what was read with what is stored now, in both directions: nothing is missing, nothing
/// is there that wasn't read.
///
/// # Errors
/// They differ, or the database fails.
pub fn verify(conn: &mut Conn, all: &[Loaded]) -> anyhow::Result<()> {
    for one in all {
        let name = one.entry.meta().name;
        let (wanted, found) = (one.before.with(one.tally.sum), stored(conn, &one.entry)?);
        ensure!(
            wanted == found,
            "`{name}` holds {found} after the import, not {wanted}: nothing was changed"
        );
        for field in one
            .entry
            .meta()
            .fields
            .iter()
            .filter(|field| is_linked(field))
        {
            let (table, column) = (quoted(name), quoted(field.name));
            let link = quoted(&link_table(name, field.name));
            let query = format!(
                "SELECT (SELECT coalesce(sum(json_array_length({column})), 0) FROM {table}) \
                 - (SELECT count(*) FROM {link}) AS count"
            );
            let missing: Count = diesel::sql_query(query).get_result(conn)?;
            ensure!(
                missing.count == 0,
                "`{name}.{}` misses {} links after the import: nothing was changed",
                field.name,
                missing.count
            );
        }
    }
    let query = "SELECT count(*) AS count FROM pragma_foreign_key_check";
    let broken: Count = diesel::sql_query(query).get_result(conn)?;
    ensure!(
        broken.count == 0,
        "{} relations lead nowhere after the import: nothing was changed",
        broken.count
    );
    Ok(())
}

fn is_linked(field: &FieldMeta) -> bool {
    matches!(field.kind, FieldKind::Relation { .. }) && field.kind.is_many()
}

fn faults(one: &Loaded, all: &[Loaded], manner: Manner) -> Vec<Fault> {
    let meta = one.entry.meta();
    let mut faults = Vec::new();
    for (field, declared) in meta.fields.iter().enumerate() {
        if let FieldKind::Relation {
            collection: target, ..
        } = declared.kind
        {
            faults.push(Fault {
                condition: lost(meta.name, declared, target),
                reason: Reason::Lost { field, target },
            });
        }
    }
    if manner.as_is
        || meta
            .fields
            .first()
            .is_some_and(validate::has_own_id_pattern)
    {
        let table = quoted(meta.name);
        let condition = format!(
            "\"id\" IN (SELECT \"id\" FROM (SELECT \"id\", row_number() OVER \
             (PARTITION BY lower(\"id\") ORDER BY rowid) AS place FROM {table}) WHERE place > 1)"
        );
        faults.push(Fault {
            condition,
            reason: Reason::Twin,
        });
    }
    if meta.auth.is_some() && !manner.as_is {
        let accounts = all.iter().filter(|other| other.entry.meta().auth.is_some());
        for other in accounts {
            let name = other.entry.meta().name;
            let which = match name.cmp(meta.name) {
                Ordering::Less => String::new(),
                Ordering::Equal => continue,
                // Of two new ones, only one is refused.
                Ordering::Greater => format!("WHERE rowid <= {}", other.last),
            };
            let condition = format!("\"id\" IN (SELECT \"id\" FROM {} {which})", quoted(name));
            faults.push(Fault {
                condition,
                reason: Reason::Account { other: name },
            });
        }
    }
    faults
}

/// The records of which a relation leads to a record that isn't there.
fn lost(table: &str, field: &FieldMeta, target: &str) -> String {
    let target = quoted(target);
    if field.kind.is_many() {
        let link = quoted(&link_table(table, field.name));
        return format!(
            "\"id\" IN (SELECT \"owner\" FROM {link} WHERE NOT EXISTS \
             (SELECT 1 FROM {target} WHERE \"id\" = {link}.\"target\"))"
        );
    }
    let (table, column) = (quoted(table), quoted(field.name));
    format!(
        "{column} IS NOT NULL AND NOT EXISTS \
         (SELECT 1 FROM {target} AS _there_ WHERE _there_.\"id\" = {table}.{column})"
    )
}

fn link_table(table: &str, field: &str) -> String {
    format!("_link_{table}_{field}")
}

/// Counts the new records with a fault; gives the number of those that were taken out.
fn refuse(
    conn: &mut Conn,
    one: &mut Loaded,
    faults: &[Fault],
    manner: Manner,
) -> anyhow::Result<u64> {
    if faults.is_empty() {
        return Ok(0);
    }
    let (table, last) = (quoted(one.entry.meta().name), one.last);
    let faulty: Vec<String> = faults
        .iter()
        .map(|fault| format!("({})", fault.condition))
        .collect();
    let bad = format!("rowid > {last} AND ({})", faulty.join(" OR "));
    let mut removed = 0;
    loop {
        let query = format!("SELECT \"id\" FROM {table} WHERE {bad} ORDER BY rowid LIMIT {PART}");
        let found: Vec<Found> = diesel::sql_query(query).load(conn)?;
        for Found { id } in &found {
            let reason = if one.tally.has_place() {
                reason(conn, &one.entry, faults, id)?
            } else {
                String::new()
            };
            if manner.keep_going {
                remove(conn, one, id)?;
                removed += 1;
            }
            one.tally.refuse(|| format!("`{id}`: {reason}"));
        }
        if found.len() < PART {
            return Ok(removed);
        }
        if !manner.keep_going {
            let query = format!("SELECT count(*) AS count FROM {table} WHERE {bad}");
            let all: Count = diesel::sql_query(query).get_result(conn)?;
            let counted = u64::try_from(all.count).unwrap_or_default();
            one.tally.refused += counted.saturating_sub(PART as u64);
            return Ok(0);
        }
    }
}

/// Which of the faults it is.
fn reason(
    conn: &mut Conn,
    entry: &Arc<Entry>,
    faults: &[Fault],
    id: &str,
) -> anyhow::Result<String> {
    let table = quoted(entry.meta().name);
    for fault in faults {
        let query = format!(
            "SELECT count(*) AS count FROM {table} WHERE \"id\" = ? AND ({})",
            fault.condition
        );
        let holds: Count = diesel::sql_query(query)
            .bind::<Text, _>(id)
            .get_result(conn)?;
        if holds.count > 0 {
            return explain(conn, entry, &fault.reason, id);
        }
    }
    Ok("it can't stay".to_owned())
}

fn explain(
    conn: &mut Conn,
    entry: &Arc<Entry>,
    reason: &Reason,
    id: &str,
) -> anyhow::Result<String> {
    let (field, target) = match reason {
        Reason::Twin => {
            return Ok("another record's id differs from this one in letter case only".to_owned());
        }
        Reason::Account { other } => return Ok(format!("an account of `{other}` has the same id")),
        Reason::Lost { field, target } => (*field, *target),
    };
    let name = entry.meta().field(field).map_or("", |field| field.name);
    let record = entry.find_unchecked(conn, 0, id, false, Some(1))?.pop();
    for item in record
        .map(|record| record.get(field).items())
        .unwrap_or_default()
    {
        let query = format!(
            "SELECT count(*) AS count FROM {} WHERE \"id\" = ?",
            quoted(target)
        );
        let there: Count = diesel::sql_query(query)
            .bind::<Text, _>(&item)
            .get_result(conn)?;
        if there.count == 0 {
            return Ok(format!("{name}: there is no record `{item}` in `{target}`"));
        }
    }
    Ok(format!("{name}: leads to a record that isn't there"))
}

/// Takes a record out again. Foreign keys are not in force meanwhile.
fn remove(conn: &mut Conn, one: &mut Loaded, id: &str) -> anyhow::Result<()> {
    if let Some(print) = stored_one(conn, &one.entry, id)? {
        one.tally.sum.remove(print);
        one.tally.written = one.tally.written.saturating_sub(1);
    }
    let meta = one.entry.meta();
    for field in meta.fields.iter().filter(|field| is_linked(field)) {
        let link = quoted(&link_table(meta.name, field.name));
        diesel::sql_query(format!("DELETE FROM {link} WHERE \"owner\" = ?"))
            .bind::<Text, _>(id)
            .execute(conn)?;
    }
    one.entry.delete_unchecked(conn, id)?;
    Ok(())
}
