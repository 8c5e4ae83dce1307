//! How many statements a connection keeps. Diesel keeps every one that may be asked again, for as
//! long as the connection lives, and what clients choose (filter, order, fields, size of the page)
//! multiplies: nothing else bounds all sources of statements at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use diesel::Connection;
use diesel::connection::InstrumentationEvent;

use crate::sql::Conn;

/// A connection that keeps more than this is opened anew. A statement takes some 10 KB, and 50
/// collections that are asked in ten ways each need half of them.
pub(super) const MOST: usize = 1000;

/// The statements that one connection keeps.
pub(super) struct Statements(Arc<AtomicUsize>);

impl Statements {
    /// Counts those of a new connection.
    pub(super) fn of(conn: &mut Conn) -> Self {
        let kept = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&kept);
        conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if let InstrumentationEvent::CacheQuery { .. } = event {
                counter.fetch_add(1, Relaxed);
            }
        });
        Statements(kept)
    }

    /// Are there more than a connection should keep?
    pub(super) fn are_too_many(&self) -> bool {
        self.0.load(Relaxed) > MOST
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use diesel::query_builder::{AstPass, QueryFragment, QueryId};
    use diesel::{QueryResult, RunQueryDsl};

    use super::super::{Open, Reader};
    use super::MOST;
    use crate::error::ApiError;
    use crate::sql::{Conn, Db};

    /// One of many statements.
    struct Numbered(usize);

    impl QueryId for Numbered {
        type QueryId = ();
        const HAS_STATIC_QUERY_ID: bool = false;
    }

    impl QueryFragment<Db> for Numbered {
        fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Db>) -> QueryResult<()> {
            pass.push_sql(&format!("SELECT {}", self.0));
            Ok(())
        }
    }

    impl RunQueryDsl<Conn> for Numbered {}

    fn ask(reader: &mut Reader, number: usize, alone: bool) {
        let run = |conn: &mut Conn| {
            let done = Numbered(number).execute(conn);
            done.map(drop).map_err(ApiError::internal)
        };
        if alone {
            reader.look(|snapshot| run(snapshot.last())).unwrap();
        } else {
            reader.read(run).unwrap();
        }
    }

    #[test]
    fn a_reader_begins_anew_when_it_keeps_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.db");
        let open = Some(Open::new(&path).unwrap());
        let mut reader = Reader { path, open };
        for round in 0..2 {
            let kept = |reader: &Reader| reader.open.is_some();
            for number in 0..MOST {
                ask(&mut reader, number, round == 0);
                ask(&mut reader, 0, round == 0);
                assert!(kept(&reader), "{number}");
            }
            ask(&mut reader, MOST, round == 0);
            assert!(!kept(&reader));
        }
    }
}
