//! All or nothing, for one of several jobs in a transaction.

use std::panic::{AssertUnwindSafe, catch_unwind};

use diesel::connection::{AnsiTransactionManager, TransactionManager};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::{QueryResult, RunQueryDsl};

use super::tracker::{About, Subject};
use crate::error::ApiError;
use crate::sql::{Conn, Db};

type Transactions = AnsiTransactionManager;

/// Runs a job in a savepoint. Also tells whether the transaction around it is still good: some
/// errors, such as a full disk, make SQLite roll back everything.
pub(super) fn in_savepoint<R>(
    conn: &mut Conn,
    work: impl FnOnce(&mut Conn) -> Result<R, ApiError>,
) -> (Result<R, ApiError>, bool) {
    if let Err(error) = run(Open, conn) {
        return (Err(ApiError::internal(error)), false);
    }
    let inside = depth(conn);
    let result = catch_unwind(AssertUnwindSafe(|| work(conn)))
        .unwrap_or_else(|_| Err(ApiError::internal("a write panicked")));
    // A panic leaves the transactions open that the job itself began.
    while depth(conn) > inside {
        if Transactions::rollback_transaction(conn).is_err() {
            break;
        }
    }
    let ended = if result.is_ok() {
        run(Keep, conn)
    } else {
        run(Undo, conn).and_then(|()| run(Keep, conn))
    };
    let same = depth(conn) == inside;
    match (result, ended) {
        (result, Ok(())) => (result, same),
        (Ok(_), Err(error)) => (Err(ApiError::internal(error)), false),
        (Err(own), Err(_)) => (Err(own), false),
    }
}

/// How many transactions are open inside each other; 0 also if Diesel has lost count.
fn depth(conn: &mut Conn) -> u32 {
    let status = Transactions::transaction_manager_status_mut(conn);
    match status.transaction_depth() {
        Ok(Some(depth)) => depth.get(),
        Ok(None) | Err(_) => 0,
    }
}

fn run<S>(statement: S, conn: &mut Conn) -> QueryResult<()>
where
    S: QueryFragment<Db> + QueryId + RunQueryDsl<Conn>,
{
    let _about = About::new(Subject::Reading);
    statement.execute(conn).map(|_| ())
}

/// Statements that a connection prepares once. Diesel's own savepoints are parsed each time.
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $sql:literal;)+) => {$(
        $(#[$doc])*
        #[derive(QueryId)]
        struct $name;

        impl QueryFragment<Db> for $name {
            fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Db>) -> QueryResult<()> {
                pass.push_sql($sql);
                Ok(())
            }
        }

        impl RunQueryDsl<Conn> for $name {}
    )+};
}

statements! {
    /// Begins the savepoint.
    Open = "SAVEPOINT job";
    /// Ends it, with what was done inside.
    Keep = "RELEASE job";
    /// Takes back what was done inside.
    Undo = "ROLLBACK TO job";
}
