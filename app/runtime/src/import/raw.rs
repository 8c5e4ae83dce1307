//! Rows of any table as SQLite holds them, whatever their columns were declared as.

use anyhow::Context as _;
use diesel::result::Error as DbError;
use diesel::row::{Field as _, Row as _};
use diesel::sql_types::Text;
use diesel::sqlite::SqliteType;

use crate::sql::Conn;
use crate::sql::rows::{self, Row};

/// A value as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub enum Raw {
    /// No value.
    Null,
    /// An integer.
    Integer(i64),
    /// Any other number.
    Real(f64),
    /// A text.
    Text(String),
    /// A text that is not valid UTF-8.
    Garbled,
    /// Bytes.
    Blob,
}

/// What to read.
pub struct Reading<'a> {
    /// The table.
    pub table: &'a str,
    /// Its columns, in the order of the values that come.
    pub columns: &'a [&'a str],
    /// Only the row with this id.
    pub id: Option<&'a str>,
}

/// Takes the values of each row, in the order of insertion.
pub type EachRow<'a> = &'a mut dyn FnMut(&mut Vec<Raw>) -> anyhow::Result<()>;

impl Reading<'_> {
    /// Reads the rows, one after the other: never more than one is in memory.
    ///
    /// # Errors
    /// What SQLite says of the table, or what `each` says, which ends the reading.
    pub fn each(&self, conn: &mut Conn, each: EachRow<'_>) -> anyhow::Result<()> {
        let columns: Vec<String> = self.columns.iter().map(|name| quoted(name)).collect();
        let (columns, table) = (columns.join(", "), quoted(self.table));
        let mut refusal = None;
        let mut values = Vec::with_capacity(self.columns.len());
        let mut one = |row: &Row<'_, '_>| {
            values.clear();
            values.extend((0..row.field_count()).map(|place| value(row, place)));
            each(&mut values).map_err(|error| {
                refusal = Some(error);
                DbError::RollbackTransaction
            })
        };
        let text = format!("SELECT {columns} FROM {table}");
        let done = match self.id {
            None => rows::each(
                conn,
                diesel::sql_query(format!("{text} ORDER BY rowid")),
                &mut one,
            ),
            Some(id) => rows::each(
                conn,
                diesel::sql_query(format!("{text} WHERE \"id\" = ?")).bind::<Text, _>(id),
                &mut one,
            ),
        };
        match refusal {
            Some(error) => Err(error),
            None => done.with_context(|| format!("cannot read the table `{}`", self.table)),
        }
    }
}

/// A name as it stands in a statement. Within `"`, SQLite would take a column that isn't there for a
/// text.
pub fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

fn value(row: &Row<'_, '_>, place: usize) -> Raw {
    let field = row.get(place);
    let Some(mut value) = field.as_ref().and_then(|field| field.value()) else {
        return Raw::Null;
    };
    match value.value_type() {
        None => Raw::Null,
        Some(SqliteType::SmallInt | SqliteType::Integer | SqliteType::Long) => {
            Raw::Integer(value.read_long())
        }
        Some(SqliteType::Float | SqliteType::Double) => Raw::Real(value.read_double()),
        Some(SqliteType::Text) => match std::str::from_utf8(value.read_blob()) {
            Ok(text) => Raw::Text(text.to_owned()),
            Err(_) => Raw::Garbled,
        },
        Some(_) => Raw::Blob,
    }
}
