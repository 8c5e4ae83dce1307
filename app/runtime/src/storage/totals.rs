//! The totals of lists, counted once for each state of the collections that they depend on.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use diesel::QueryResult;

use super::Marks;
use crate::sql::{Db, Pred};

/// Totals in each half of the cache.
const HALF: usize = 2048;

/// Longer conditions are not remembered.
const LONGEST_KEY: usize = 4096;

/// Totals that were counted, by condition. Bounded, exact, never stale: a condition depends on its
/// values and on records, and never on the database's clock.
#[derive(Clone, Default)]
pub struct Totals {
    halves: Arc<Mutex<Halves>>,
    /// Count always, and remember that?
    anew: bool,
}

/// What is used moves to the young half; when that is full, it becomes the old one.
#[derive(Default)]
struct Halves {
    young: HashMap<String, Entry>,
    old: HashMap<String, Entry>,
}

#[derive(Clone)]
struct Entry {
    marks: Marks,
    total: i64,
}

/// What tells one count from another: the collection, and the condition with its values.
///
/// # Errors
/// The condition is no SQL, since it doesn't fit the collection.
pub fn key<T>(collection: &str, condition: Option<&Pred<T>>) -> QueryResult<String> {
    let mut key = collection.to_owned();
    if let Some(condition) = condition {
        // What doesn't become SQL fails here; `format!` would panic.
        write!(key, " {}", diesel::debug_query::<Db, _>(condition)).map_err(|_| {
            let message = format!("a condition doesn't fit {collection}");
            diesel::result::Error::QueryBuilderError(message.into())
        })?;
    }
    Ok(key)
}

impl Totals {
    /// The same totals for a request that wants none which was counted before it: each is counted,
    /// and remembered for others.
    #[must_use]
    pub fn anew(self, anew: bool) -> Self {
        Totals { anew, ..self }
    }

    /// The total for `key` (see [`key`]) at `marks`, which must name every collection that the
    /// condition reads, and must have been taken before the read began. Counts if it must.
    ///
    /// # Errors
    /// Those of `count`.
    pub fn total(
        &self,
        key: String,
        marks: Marks,
        count: impl FnOnce() -> QueryResult<i64>,
    ) -> QueryResult<i64> {
        if let Some(total) = self.known(&key, &marks) {
            return Ok(total);
        }
        let total = count()?;
        self.keep(key, marks, total);
        Ok(total)
    }

    /// The remembered total, if it is still right and may be used.
    pub fn known(&self, key: &str, marks: &Marks) -> Option<i64> {
        (!self.anew).then(|| self.find(key, marks))?
    }

    /// Remembers a total, with the same marks. What is counted now is at least as new as they are.
    /// Should it be newer, then the collections have moved on, and nobody asks for them any more.
    pub fn keep(&self, key: String, marks: Marks, total: i64) {
        if key.len() <= LONGEST_KEY {
            self.with(|halves| halves.put(key, Entry { marks, total }));
        }
    }

    /// The remembered total, if it is still right.
    pub fn find(&self, key: &str, marks: &Marks) -> Option<i64> {
        self.with(|halves| {
            let entry = match halves.young.get(key) {
                Some(entry) => entry.clone(),
                None => {
                    let entry = halves.old.remove(key)?;
                    halves.put(key.to_owned(), entry.clone());
                    entry
                }
            };
            (entry.marks == *marks).then_some(entry.total)
        })
    }

    fn with<R>(&self, act: impl FnOnce(&mut Halves) -> R) -> R {
        act(&mut self.halves.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Halves {
    fn put(&mut self, key: String, entry: Entry) {
        if self.young.len() >= HALF && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, entry);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::generations::Generations;
    use super::*;
    use crate::sql::fragment::{Fragment, Piece};

    fn marks() -> Marks {
        Generations::default().marks(&["posts"])
    }

    #[test]
    fn counts_once() {
        let totals = Totals::default();
        assert_eq!(totals.total("k".to_owned(), marks(), || Ok(3)).unwrap(), 3);
        assert_eq!(totals.total("k".to_owned(), marks(), || Ok(4)).unwrap(), 3);
        assert_eq!(totals.total("l".to_owned(), marks(), || Ok(4)).unwrap(), 4);
    }

    #[test]
    fn counts_anew_if_told_and_remembers_that() {
        let totals = Totals::default();
        assert_eq!(totals.total("k".to_owned(), marks(), || Ok(3)).unwrap(), 3);
        let anew = totals.clone().anew(true);
        assert_eq!(anew.total("k".to_owned(), marks(), || Ok(4)).unwrap(), 4);
        assert_eq!(totals.total("k".to_owned(), marks(), || Ok(5)).unwrap(), 4);
    }

    #[test]
    fn errors_are_not_remembered() {
        let totals = Totals::default();
        let failed = totals.total("k".to_owned(), marks(), || {
            Err(diesel::result::Error::NotFound)
        });
        assert!(failed.is_err());
        assert_eq!(totals.find("k", &marks()), None);
    }

    #[test]
    fn a_condition_that_fits_nothing_is_an_error() {
        let broken = Fragment {
            parts: Vec::new(),
            pieces: vec![Piece::Broken("no such column".to_owned())],
        };
        let broken: Pred<()> = broken.typed();
        let said = key("posts", Some(&broken)).unwrap_err().to_string();
        assert!(said.contains("posts"), "{said}");
        assert_eq!(key::<()>("posts", None).unwrap(), "posts");
    }

    #[test]
    fn stays_bounded_and_keeps_what_is_used() {
        let totals = Totals::default();
        for number in 0..HALF * 5 {
            let key = number.to_string();
            totals.total(key, marks(), || Ok(1)).unwrap();
            totals
                .total("used".to_owned(), marks(), || Ok(number as i64))
                .unwrap();
        }
        assert_eq!(totals.find("used", &marks()), Some(0));
        let held = totals.with(|halves| halves.young.len() + halves.old.len());
        assert!(held <= 2 * HALF, "{held}");
    }
}
