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
