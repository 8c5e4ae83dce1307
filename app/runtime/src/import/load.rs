//! Puts records into a collection, one after the other: checked, and counted.

use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error as DbError};
use diesel::sql_types::BigInt;

use super::convert;
use super::raw::{Raw, Reading, quoted};
use super::report::Tally;
use super::sum::{self, Sum};
use crate::api::check::violated_fields;
use crate::auth::hashing::{bcrypt_cost, is_hash};
use crate::auth::secrets::note_bcrypt;
use crate::collection::Record;
use crate::field::{cast, validate};
use crate::meta::{CollectionMeta, FieldKind, FieldMeta};
use crate::registry::Entry;
use crate::sql::Conn;
use crate::value::ValueRef;

/// The highest cost of a bcrypt hash: some three seconds. As long as such a hash is left, every
/// login of the collection takes as long.
const MOST_COST: u32 = 16;

/// How strict an import is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner {
    /// Leave out what is refused, instead of giving up.
    pub keep_going: bool,
    /// Take over what the schema's options would refuse.
    pub as_is: bool,
}

/// Which columns of a table go into which fields of a collection.
pub struct Columns {
    /// The collection.
    pub entry: Arc<Entry>,
    /// The table that is read.
    pub table: String,
    /// The fields, by their places, each with a column of the same name.
    pub places: Vec<usize>,
}

impl Columns {
    /// All fields of a collection, from its own table.
    pub fn own(entry: &Arc<Entry>) -> Self {
        Columns {
            entry: Arc::clone(entry),
            table: entry.meta().name.to_owned(),
            places: (0..entry.meta().fields.len()).collect(),
        }
    }

    /// Hands over the values of each row.
    ///
    /// # Errors
    /// As [`Reading::each`].
    pub fn each(
        &self,
        conn: &mut Conn,
        id: Option<&str>,
        each: &mut dyn FnMut(&mut Vec<Raw>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let meta = self.entry.meta();
        let fields = self.places.iter().filter_map(|place| meta.field(*place));
        let columns: Vec<&str> = fields.map(|field| field.name).collect();
        let reading = Reading {
            table: &self.table,
            columns: &columns,
            id,
        };
        reading.each(conn, each)
    }

    /// The record that these values are. Fields without a column get what a new record has in them.
    ///
    /// # Errors
    /// The field and what is wrong with its value.
    pub fn record(&self, values: &mut Vec<Raw>) -> Result<Box<dyn Record>, String> {
        let mut record = self.entry.blank();
        let meta = self.entry.meta();
        if self.places.len() < meta.fields.len() {
            for (place, field) in meta.fields.iter().enumerate() {
                record.set(place, cast::initial(field));
            }
        }
        for (place, raw) in self.places.iter().zip(values.drain(..)) {
            let Some(field) = meta.field(*place) else {
                continue;
            };
            let value = convert::value(field, raw);
            let value = value.map_err(|reason| format!("{}: {reason}", field.name))?;
            record.set(*place, value);
        }
        Ok(record)
    }
}

/// Hands over the records of a collection, in the order of insertion; only that with an id, if there
/// is one.
///
/// # Errors
/// What SQLite says, or a record that can't be what this program has written.
pub fn each_record(
    conn: &mut Conn,
    entry: &Arc<Entry>,
    id: Option<&str>,
    each: &mut dyn FnMut(&dyn Record) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let columns = Columns::own(entry);
    columns.each(conn, id, &mut |values| {
        let id = id_of(values);
        let record = columns.record(values);
        let name = entry.meta().name;
        each(
            &*record
                .map_err(|reason| anyhow!("the record `{id}` of `{name}` is spoilt: {reason}"))?,
        )
    })
}

/// The id among the values of a row, which is the first of them.
pub fn id_of(values: &[Raw]) -> String {
    match values.first() {
        Some(Raw::Text(id)) => id.clone(),
        _ => String::new(),
    }
}

/// What is stored in a collection now.
///
/// # Errors
/// As [`each_record`].
pub fn stored(conn: &mut Conn, entry: &Arc<Entry>) -> anyhow::Result<Sum> {
    let mut sum = Sum::default();
    each_record(conn, entry, None, &mut |record| {
        sum.add(sum::print(record));
        Ok(())
    })?;
    Ok(sum)
}

/// What is stored under an id, as a digest.
///
/// # Errors
/// As [`each_record`].
pub fn stored_one(conn: &mut Conn, entry: &Arc<Entry>, id: &str) -> anyhow::Result<Option<u128>> {
    let mut found = None;
    each_record(conn, entry, Some(id), &mut |record| {
        found = Some(sum::print(record));
        Ok(())
    })?;
    Ok(found)
}

/// Records on their way into one collection.
pub struct Load<'a> {
    conn: &'a mut Conn,
    manner: Manner,
    loaded: Loaded,
    /// The highest cost of a bcrypt hash among them.
    bcrypt: Option<u32>,
}

/// What came of loading one collection.
pub struct Loaded {
    /// The collection.
    pub entry: Arc<Entry>,
    /// What was here before.
    pub before: Sum,
    /// The last row that was here before.
    pub last: i64,
    /// What became of the records.
    pub tally: Tally,
}

#[derive(QueryableByName)]
struct Last {
    #[diesel(sql_type = BigInt)]
    last: i64,
}

impl<'a> Load<'a> {
    /// Begins.
    ///
    /// # Errors
    /// The collection's table can't be read.
    pub fn begin(conn: &'a mut Conn, entry: &Arc<Entry>, manner: Manner) -> anyhow::Result<Self> {
        let table = quoted(entry.meta().name);
        let query = format!("SELECT coalesce(max(rowid), 0) AS last FROM {table}");
        let Last { last } = diesel::sql_query(query).get_result(conn)?;
        let loaded = Loaded {
            entry: Arc::clone(entry),
            before: stored(conn, entry)?,
            last,
            tally: Tally::default(),
        };
        Ok(Load {
            conn,
            manner,
            loaded,
            bcrypt: None,
        })
    }

    /// Takes over a record, or counts why not. `at` says where it comes from.
    ///
    /// # Errors
    /// The database fails, which ends the import.
    pub fn add(&mut self, record: &dyn Record, at: impl Fn() -> String) -> anyhow::Result<()> {
        let Loaded {
            entry,
            before,
            tally,
            ..
        } = &mut self.loaded;
        tally.read += 1;
        if let Some(fault) = fault(record, self.manner) {
            tally.refuse(|| format!("{}: {fault}", at()));
            return Ok(());
        }
        let print = sum::print(record);
        if before.count > 0
            && let Some(other) = stored_one(self.conn, entry, record.id())?
        {
            if other == print {
                tally.present += 1;
            } else {
                let reason = "a record with this id is here already, with other values";
                tally.refuse(|| format!("{}: {reason}", at()));
            }
            return Ok(());
        }
        match entry.insert_unchecked(self.conn, record) {
            Ok(()) => {
                tally.written += 1;
                tally.sum.add(print);
                if entry.meta().auth.is_some() {
                    let costs = passwords(record).filter_map(|(_, hash)| bcrypt_cost(hash));
                    self.bcrypt = costs.chain(self.bcrypt).max();
                }
                Ok(())
            }
            Err(DbError::DatabaseError(DatabaseErrorKind::UniqueViolation, info)) => {
                let fields = violated_fields(entry.meta(), info.message()).join("` and `");
                tally.refuse(|| format!("{}: another record has the same `{fields}`", at()));
                Ok(())
            }
            Err(error) => Err(error)
                .with_context(|| format!("cannot write to `{}`: {}", entry.meta().name, at())),
        }
    }

    /// Counts a record that can't be read.
    pub fn refuse(&mut self, reason: impl FnOnce() -> String) {
        self.loaded.tally.read += 1;
        self.loaded.tally.refuse(reason);
    }

    /// What came of it.
    ///
    /// # Errors
    /// The database fails.
    pub fn end(self) -> anyhow::Result<Loaded> {
        if let Some(cost) = self.bcrypt {
            note_bcrypt(self.conn, self.loaded.entry.meta().id, cost)?;
        }
        Ok(self.loaded)
    }
}

fn passwords(record: &dyn Record) -> impl Iterator<Item = (&'static FieldMeta, &str)> {
    let fields = record.meta().fields.iter().enumerate();
    fields.filter_map(|(place, field)| match (&field.kind, record.get(place)) {
        (FieldKind::Password { .. }, ValueRef::Text(hash)) => Some((field, hash)),
        _ => None,
    })
}

/// What forbids to take the record over, apart from what only the database can tell.
fn fault(record: &dyn Record, manner: Manner) -> Option<String> {
    let meta: &CollectionMeta = record.meta();
    let of = |field: &FieldMeta, message: &str| format!("{}: {message}", field.name);
    if record.id().is_empty() {
        return Some("it has no id".to_owned());
    }
    let mut hashes = passwords(record);
    let faulty = hashes.find_map(|(field, hash)| Some((field, hash_fault(hash)?)));
    if let Some((field, message)) = faulty {
        return Some(of(field, &message));
    }
    if manner.as_is {
        return None;
    }
    meta.fields.iter().enumerate().find_map(|(place, field)| {
        let error = match field.kind {
            FieldKind::Password { .. } | FieldKind::Autodate { .. } => None,
            _ if place == 0 => validate::validate_id(field, record.id()),
            _ => validate::validate(field, record.get(place)),
        };
        error.map(|error| of(field, &error.message))
    })
}

fn hash_fault(hash: &str) -> Option<String> {
    match bcrypt_cost(hash) {
        _ if hash.is_empty() => None,
        Some(cost) if cost > MOST_COST => Some(format!(
            "a bcrypt hash of cost {cost} takes too long to check: at most {MOST_COST}"
        )),
        _ if !is_hash(hash) => Some("no hash that a password can be checked against".to_owned()),
        _ => None,
    }
}
