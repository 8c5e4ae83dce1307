//! The boundary to generated code: what each collection's module implements.

use diesel::QueryResult;

use crate::access::Permit;
use crate::meta::CollectionMeta;
use crate::rules::{Filter, Rules};
use crate::sql::predicate::Predicate;
use crate::sql::rows::{Each, Fields};
use crate::sql::{Column, Order, Pred, order};
use crate::value::{Value, ValueRef};

/// One record, seen without its type: fields by their place in [`CollectionMeta::fields`].
pub trait Record: Send + Sync + std::any::Any {
    /// What it is a record of.
    fn meta(&self) -> &'static CollectionMeta;
    /// The id.
    fn id(&self) -> &str;
    /// A field's value; NULL out of range.
    fn get(&self, field: usize) -> ValueRef<'_>;
    /// Sets a field to a value of its type.
    fn set(&mut self, field: usize, value: Value);
}

/// The text of a record's field by name; "" if there is none.
pub fn text_of<'a>(record: &'a dyn Record, name: &str) -> &'a str {
    let place = record.meta().field_index(name);
    match place.map(|field| record.get(field)) {
        Some(ValueRef::Text(text)) => text,
        _ => "",
    }
}

/// What to read from a table.
pub struct Select<T> {
    /// Which rows; `None` for all.
    pub filter: Option<Pred<T>>,
    /// In which order.
    pub order: Vec<Order<T>>,
    /// How many at most; `None` for all.
    pub limit: Option<i64>,
    /// How many to skip.
    pub offset: i64,
}

/// A collection: the generated code implements this, thinly, and everything else is generic.
pub trait Collection: Sized + Send + Sync + 'static {
    /// Diesel's table.
    type Table: 'static;
    /// The model struct.
    type Record: Record + Clone + Default + std::fmt::Debug;

    /// Names, options and indexes.
    const META: &'static CollectionMeta;

    /// The access rules.
    fn rules() -> &'static Rules<Self>;
    /// The column of a field; `None` out of range.
    fn column(field: usize) -> Option<Column<Self::Table>>;
    /// `rowid`, the order of insertion.
    fn rowid(descending: bool) -> Order<Self::Table>;
    /// Ascending or descending by a field; `None` out of range.
    fn order(field: usize, descending: bool) -> Option<Order<Self::Table>> {
        Some(order::by(Self::column(field)?, descending))
    }
    /// The condition that some record (`holds`) or none behind a relation satisfies a plan that a
    /// client's filter was compiled to. `None` if the field is no relation.
    fn via(field: usize, inner: &Filter<'_>, holds: bool) -> Option<Predicate<Self::Table>>;

    // What reads or writes takes the connection as a permit, which only the runtime makes: an
    // application gets at records through `access`, and so through a rule or by saying that none
    // applies.

    /// Reads records.
    fn load(conn: Permit<'_>, select: Select<Self::Table>) -> QueryResult<Vec<Self::Record>>;
    /// Reads some fields of records, row by row.
    fn rows(
        conn: Permit<'_>,
        select: Select<Self::Table>,
        fields: Fields<'_, Self::Table>,
        each: Each<'_>,
    ) -> QueryResult<()>;
    /// Counts records.
    fn count(conn: Permit<'_>, filter: Option<Pred<Self::Table>>) -> QueryResult<i64>;
    /// Inserts the record and the join rows of its multiple relations.
    fn insert(conn: Permit<'_>, record: &Self::Record) -> QueryResult<()>;
    /// Writes the columns in which `new` differs from `old`, and the join rows that changed.
    fn update(conn: Permit<'_>, old: &Self::Record, new: &Self::Record) -> QueryResult<()>;
    /// Deletes the rows that satisfy a condition (their join rows go with them).
    fn delete(conn: Permit<'_>, filter: Pred<Self::Table>) -> QueryResult<usize>;
}
