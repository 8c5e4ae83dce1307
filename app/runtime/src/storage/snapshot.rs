//! One state of the database for all statements of a read, at the price of a transaction only where
//! there are several of them.

use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::{QueryResult, RunQueryDsl};

use crate::sql::{Conn, Db};

/// A reader's connection, for one job.
pub struct Snapshot<'c> {
    conn: &'c mut Conn,
    begun: bool,
}

impl<'c> Snapshot<'c> {
    pub(super) fn new(conn: &'c mut Conn) -> Self {
        Snapshot { conn, begun: false }
    }

    /// For a statement that is the last of the job: alone, it sees one state by itself.
    pub fn last(&mut self) -> &mut Conn {
        self.conn
    }

    /// For a statement that others follow: they all see the state that the first of them saw.
    ///
    /// # Errors
    /// The transaction can't be begun.
    pub fn shared(&mut self) -> QueryResult<&mut Conn> {
        if !self.begun {
            Begin.execute(self.conn)?;
            self.begun = true;
        }
        Ok(self.conn)
    }

    /// Ends the transaction, if there is one.
    pub(super) fn end(self) -> QueryResult<()> {
        if self.begun {
            Commit.execute(self.conn)?;
        }
        Ok(())
    }
}

/// Begins a transaction. Unlike Diesel's own, it is prepared once for each connection.
#[derive(QueryId)]
struct Begin;

/// Ends it.
#[derive(QueryId)]
struct Commit;

impl QueryFragment<Db> for Begin {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        pass.push_sql("BEGIN");
        Ok(())
    }
}

impl QueryFragment<Db> for Commit {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        pass.push_sql("COMMIT");
        Ok(())
    }
}

impl RunQueryDsl<Conn> for Begin {}
impl RunQueryDsl<Conn> for Commit {}
