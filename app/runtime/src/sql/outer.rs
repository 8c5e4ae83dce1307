//! Names a column of the enclosing query inside a sub-select, which Diesel cannot type on its own.

use diesel::backend::Backend;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;

/// A column of the enclosing query. Must never be used where the sub-select is over the same
/// table, since the inner one would shadow it: relations to the own collection use `IN` only.
#[derive(Debug, Clone, Copy)]
pub struct Outer<C>(pub C);

impl<C: Expression> Expression for Outer<C> {
    type SqlType = C::SqlType;
}

impl<C: Expression, QS> AppearsOnTable<QS> for Outer<C> {}
impl<C: Expression, QS> SelectableExpression<QS> for Outer<C> {}

impl<C, GB> ValidGrouping<GB> for Outer<C> {
    type IsAggregate = diesel::expression::is_aggregate::Never;
}

impl<C: QueryId> QueryId for Outer<C> {
    type QueryId = Outer<C::QueryId>;
    const HAS_STATIC_QUERY_ID: bool = C::HAS_STATIC_QUERY_ID;
}

impl<C: QueryFragment<DB>, DB: Backend> QueryFragment<DB> for Outer<C> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(pass)
    }
}
