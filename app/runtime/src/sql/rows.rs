//! Reading some fields of a table row by row, without records in between.

use std::marker::PhantomData;

use diesel::connection::{DefaultLoadingMode, LoadConnection};
use diesel::expression::expression_types::Untyped;
use diesel::expression::{
    AppearsOnTable, Expression, QueryMetadata, SelectableExpression, ValidGrouping, is_aggregate,
};
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::row::{Field as _, Row as _};
use diesel::sql_types::BigInt;
use diesel::{QueryResult, RunQueryDsl};

use super::fragment::Shapes;
use super::{Conn, Db};
use crate::meta::CollectionMeta;

/// A row of a running statement.
pub type Row<'c, 'q> = <Conn as LoadConnection<DefaultLoadingMode>>::Row<'c, 'q>;

/// Takes the rows, one after the other.
pub type Each<'a> = &'a mut dyn FnMut(&Row<'_, '_>) -> QueryResult<()>;

/// A connection keeps the statements of so many choices of fields.
static SHAPES: Shapes = Shapes::new(16);

/// And of so many sizes of pages.
static LIMITS: Shapes = Shapes::new(8);

/// Which fields of a table are read, in the order of the row's columns.
pub struct Fields<'a, T> {
    meta: &'static CollectionMeta,
    places: &'a [usize],
    /// Is the statement one that a connection keeps?
    kept: bool,
    table: PhantomData<fn() -> T>,
}

impl<'a, T> Fields<'a, T> {
    /// The fields at these places. `meta` must be that of the table `T`.
    pub(crate) fn new(meta: &'static CollectionMeta, places: &'a [usize]) -> Self {
        Fields {
            meta,
            places,
            kept: true,
            table: PhantomData,
        }
    }

    /// The same for fields that a client chose, of which there are too many choices to keep the
    /// statements of all.
    #[must_use]
    pub(crate) fn chosen(self) -> Self {
        let kept = SHAPES.knows((self.meta.name, self.places));
        Fields { kept, ..self }
    }
}

impl<T> QueryFragment<Db> for Fields<'_, T> {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        if !self.kept {
            pass.unsafe_to_cache_prepared();
        }
        let fields = self
            .places
            .iter()
            .filter_map(|place| self.meta.field(*place));
        for (number, field) in fields.enumerate() {
            if number > 0 {
                pass.push_sql(", ");
            }
            pass.push_identifier(self.meta.name)?;
            pass.push_sql(".");
            pass.push_identifier(field.name)?;
        }
        Ok(())
    }
}

impl<T> Expression for Fields<'_, T> {
    type SqlType = Untyped;
}

impl<T> AppearsOnTable<T> for Fields<'_, T> {}
impl<T> SelectableExpression<T> for Fields<'_, T> {}

impl<T> ValidGrouping<()> for Fields<'_, T> {
    type IsAggregate = is_aggregate::No;
}

/// Runs a query and hands over its rows.
///
/// # Errors
/// The query's, or that of `each`, which ends the reading.
pub fn each<'q, Q>(conn: &mut Conn, query: Q, each: Each<'_>) -> QueryResult<()>
where
    Q: Query + QueryFragment<Db> + QueryId + 'q,
    Db: QueryMetadata<Q::SqlType>,
{
    for row in LoadConnection::<DefaultLoadingMode>::load(conn, query)? {
        each(&row?)?;
    }
    Ok(())
}

/// The text in a column; empty if there is none.
pub(crate) fn text(row: &Row<'_, '_>, column: usize) -> String {
    let field = row.get(column);
    let value = field.as_ref().and_then(|field| field.value());
    value.map_or_else(String::new, |mut value| value.read_text().to_owned())
}

/// A query with as many rows as a page has. The number is in the text, since SQLite plans a query by
/// it: where it is bound, every statement is planned anew, which costs more than reading a page.
pub struct Limited<Q> {
    query: Q,
    limit: Option<i64>,
    offset: i64,
    /// Is the statement one that a connection keeps?
    kept: bool,
}

impl<Q> Limited<Q> {
    /// At most `limit` rows, without the first `offset`.
    pub fn new(query: Q, limit: Option<i64>, offset: i64) -> Self {
        Limited {
            query,
            limit,
            offset,
            kept: limit.is_none_or(|limit| limit <= 1 || LIMITS.knows(limit)),
        }
    }
}

impl<Q: QueryFragment<Db>> QueryFragment<Db> for Limited<Q> {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        if !self.kept {
            pass.unsafe_to_cache_prepared();
        }
        self.query.walk_ast(pass.reborrow())?;
        if self.limit.is_some() || self.offset > 0 {
            pass.push_sql(" LIMIT ");
            // Negative: without a limit.
            pass.push_sql(&self.limit.unwrap_or(-1).to_string());
        }
        if self.offset > 0 {
            pass.push_sql(" OFFSET ");
            pass.push_bind_param::<BigInt, _>(&self.offset)?;
        }
        Ok(())
    }
}

impl<Q> QueryId for Limited<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q: Query> Query for Limited<Q> {
    type SqlType = Q::SqlType;
}

impl<Q> RunQueryDsl<Conn> for Limited<Q> {}

/// Narrows a boxed query to what a [`Select`](crate::collection::Select) says:
/// `narrow!(posts::table.into_boxed().select(columns), select)`.
#[macro_export]
macro_rules! narrow {
    ($query:expr, $select:ident) => {{
        let mut query = $query;
        if let Some(filter) = $select.filter {
            query = query.filter(filter);
        }
        for order in $select.order {
            query = query.then_order_by(order);
        }
        $crate::sql::rows::Limited::new(query, $select.limit, $select.offset)
    }};
}
