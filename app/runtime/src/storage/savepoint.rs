//! All or nothing, for one of several jobs in a transaction. A savepoint makes SQLite keep a copy of
//! each page that the job changes, so a job goes without that has no need of it.

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
    let result = caught(conn, inside, work);
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

/// Runs a job that changes something by its last step only, which is a single statement: SQLite takes
/// back by itself what a failing statement did. `changes` counts the statements that changed
/// something; a job that fails after one of them spoils the transaction for all.
pub(super) fn alone<R>(
    conn: &mut Conn,
    changes: impl Fn() -> u64,
    work: impl FnOnce(&mut Conn) -> Result<R, ApiError>,
) -> (Result<R, ApiError>, bool) {
    let (inside, before) = (depth(conn), changes());
    let result = caught(conn, inside, work);
    let same = depth(conn) == inside;
    // A transaction can't be begun inside of one.
    let intact = result.is_ok() || (changes() == before && same && run(Begin, conn).is_err());
    (result, same && intact)
}

/// Runs a job, and ends what it may have begun by itself.
fn caught<R>(
    conn: &mut Conn,
    inside: u32,
    work: impl FnOnce(&mut Conn) -> Result<R, ApiError>,
) -> Result<R, ApiError> {
    let result = catch_unwind(AssertUnwindSafe(|| work(conn)))
        .unwrap_or_else(|_| Err(ApiError::internal("a write panicked")));
    // A panic leaves the transactions open that the job itself began.
    while depth(conn) > inside {
        if Transactions::rollback_transaction(conn).is_err() {
            break;
        }
    }
    result
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
    /// Fails unless the transaction is gone.
    Begin = "BEGIN";
    /// Begins the savepoint.
    Open = "SAVEPOINT job";
    /// Ends it, with what was done inside.
    Keep = "RELEASE job";
    /// Takes back what was done inside.
    Undo = "ROLLBACK TO job";
}
