//! Which version each collection is at.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, PoisonError, RwLock};

use super::tracker::Touched;

/// The versions of all collections.
#[derive(Default)]
pub(super) struct Generations {
    /// Raised before and after the versions below, and so odd while they are being raised.
    changes: AtomicU64,
    /// Raised by changes that may concern any collection.
    all: Counter,
    /// Raised by changes of one table. They are only ever added, one for each table of the schema.
    tables: RwLock<HashMap<String, Counter>>,
}

type Counter = Arc<AtomicU64>;

/// The versions of some collections at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks(Vec<u64>);

/// Some collections whose common version is asked often.
#[derive(Debug)]
pub struct Watch {
    all: Counter,
    tables: Box<[Counter]>,
}

impl Watch {
    /// Another number after every commit that changed one of the collections: versions only ever
    /// rise, so their sum is the same only if each of them is.
    pub fn version(&self) -> u64 {
        let tables = self.tables.iter().map(|table| table.load(SeqCst));
        tables.fold(self.all.load(SeqCst), u64::wrapping_add)
    }

    /// How many collections there are.
    pub fn len(&self) -> usize {
        self.tables.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }
}

impl Generations {
    pub(super) fn of(&self, table: &str) -> u64 {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        self.version(&tables, table)
    }

    pub(super) fn marks(&self, names: &[&str]) -> Marks {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        Marks(
            names
                .iter()
                .map(|name| self.version(&tables, name))
                .collect(),
        )
    }

    fn version(&self, tables: &HashMap<String, Counter>, name: &str) -> u64 {
        let table = tables.get(name).map_or(0, |table| table.load(SeqCst));
        self.all.load(SeqCst).wrapping_add(table)
    }

    pub(super) fn watch<'n>(&self, names: impl Iterator<Item = &'n str>) -> Watch {
        Watch {
            all: Arc::clone(&self.all),
            tables: names.map(|name| self.counter(name)).collect(),
        }
    }

    /// A number that is the same twice only if no version was raised between; `None` while one is.
    pub(super) fn changes(&self) -> Option<u64> {
        let changes = self.changes.load(SeqCst);
        changes.is_multiple_of(2).then_some(changes)
    }

    /// After a commit.
    pub(super) fn raise(&self, touched: Touched) {
        if touched.is_empty() {
            return;
        }
        self.changes.fetch_add(1, SeqCst);
        if touched.all {
            self.all.fetch_add(1, SeqCst);
        }
        for table in touched.tables {
            self.counter(&table).fetch_add(1, SeqCst);
        }
        self.changes.fetch_add(1, SeqCst);
    }

    fn counter(&self, table: &str) -> Counter {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(counter) = tables.get(table) {
            return Arc::clone(counter);
        }
        drop(tables);
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(tables.entry(table.to_owned()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_rises_with_each_change_of_its_collections() {
        let generations = Generations::default();
        let watch = generations.watch(["posts", "users"].into_iter());
        let raise = |all, tables: &[&str]| {
            let (before, marks) = (watch.version(), generations.marks(&["posts", "users"]));
            let changes = generations.changes();
            let tables = tables.iter().map(|it| (*it).to_owned()).collect();
            generations.raise(Touched { all, tables });
            let risen = watch.version() != before;
            assert_eq!(generations.marks(&["posts", "users"]) != marks, risen);
            (risen, generations.changes() != changes)
        };
        assert_eq!(raise(false, &["posts"]), (true, true));
        assert_eq!(raise(false, &["users", "tags"]), (true, true));
        assert_eq!(raise(false, &["tags"]), (false, true));
        assert_eq!(raise(true, &[]), (true, true));
        assert_eq!(raise(false, &[]), (false, false));
    }
}
