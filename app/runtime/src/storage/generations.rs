//! Which version each collection is at.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::tracker::Touched;

/// The versions of all collections.
#[derive(Default)]
pub(super) struct Generations(Mutex<Versions>);

#[derive(Default)]
struct Versions {
    /// Raised by changes that may concern any collection.
    all: u64,
    /// Raised by changes of one table.
    tables: BTreeMap<String, u64>,
}

/// The versions of some collections at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks(Vec<u64>);

impl Generations {
    pub(super) fn of(&self, table: &str) -> u64 {
        lock(&self.0).of(table)
    }

    pub(super) fn marks(&self, tables: &[&str]) -> Marks {
        let versions = lock(&self.0);
        Marks(tables.iter().map(|table| versions.of(table)).collect())
    }

    /// After a commit.
    pub(super) fn raise(&self, touched: Touched) {
        let mut versions = lock(&self.0);
        if touched.all {
            versions.all += 1;
        }
        for table in touched.tables {
            *versions.tables.entry(table).or_default() += 1;
        }
    }
}

impl Versions {
    fn of(&self, table: &str) -> u64 {
        self.all + self.tables.get(table).copied().unwrap_or(0)
    }
}

fn lock<V>(mutex: &Mutex<V>) -> MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
