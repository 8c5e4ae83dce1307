//! All records of a collection as JSON lines or CSV.

use std::io::Write;
use std::sync::Arc;

use anyhow::Context as _;

use super::load::each_record;
use super::written;
use crate::collection::Record;
use crate::meta::{CollectionMeta, FieldKind, FieldMeta};
use crate::registry::Entry;
use crate::sql::Conn;
use crate::wire;

/// The form of a file of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON object on each line.
    JsonLines,
    /// Comma-separated values, the names of the fields in the first line.
    Csv,
}

/// Writes all records in the order of insertion, with all their fields, hidden ones too. `secrets`
/// are the hashes of passwords, and what tokens are made with. Gives the number of records.
///
/// # Errors
/// The table can't be read, or the output not be written.
pub fn export(
    conn: &mut Conn,
    entry: &Arc<Entry>,
    format: Format,
    secrets: bool,
    out: &mut dyn Write,
) -> anyhow::Result<u64> {
    let meta = entry.meta();
    let shown = |field: &FieldMeta| secrets || !is_secret(meta, field);
    let fields = meta.fields.iter().enumerate();
    let fields: Vec<_> = fields.filter(|(_, field)| shown(field)).collect();
    match format {
        Format::JsonLines => {
            let mut line = Vec::new();
            each(conn, entry, &mut |record| {
                line.clear();
                for (number, (place, field)) in fields.iter().enumerate() {
                    line.push(if number == 0 { b'{' } else { b',' });
                    wire::write_text(&mut line, field.name);
                    line.push(b':');
                    written::write_json(&mut line, record.get(*place));
                }
                line.extend_from_slice(b"}\n");
                out.write_all(&line).context("cannot write the records")
            })
        }
        Format::Csv => {
            let mut table = csv::Writer::from_writer(out);
            table.write_record(fields.iter().map(|(_, field)| field.name))?;
            let count = each(conn, entry, &mut |record| {
                let cells = fields
                    .iter()
                    .map(|(place, field)| written::cell(field, record.get(*place)));
                table
                    .write_record(cells)
                    .context("cannot write the records")
            })?;
            table.flush().context("cannot write the records")?;
            Ok(count)
        }
    }
}

/// Hashes of passwords, and the keys of accounts that are part of what their tokens are signed with.
fn is_secret(meta: &CollectionMeta, field: &FieldMeta) -> bool {
    let key = meta.auth.is_some() && field.name == "tokenKey";
    key || matches!(field.kind, FieldKind::Password { .. })
}

fn each(
    conn: &mut Conn,
    entry: &Arc<Entry>,
    each: &mut dyn FnMut(&dyn Record) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let mut count = 0;
    each_record(conn, entry, None, &mut |record| {
        count += 1;
        each(record)
    })?;
    Ok(count)
}
