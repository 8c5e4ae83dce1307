//! A map that never holds more than so many entries, and forgets what wasn't used for long.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// What is used moves to the young half; when that is full, it becomes the old one, and the old
/// one is forgotten. Every operation takes constant time.
pub(crate) struct Bounded<K, V> {
    half: usize,
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K: Eq + Hash, V> Bounded<K, V> {
    /// Holds at most twice `half` entries.
    pub(crate) fn new(half: usize) -> Self {
        Bounded {
            half,
            young: HashMap::new(),
            old: HashMap::new(),
        }
    }

    /// An entry, which counts as used.
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.rejuvenate(key);
        self.young.get(key)
    }

    /// The same, to be changed.
    pub(crate) fn get_mut<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.rejuvenate(key);
        self.young.get_mut(key)
    }

    /// Moves an entry to the young half if it is in the old one.
    fn rejuvenate<Q: Eq + Hash + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        // Even an empty map would hash the key.
        if !self.old.is_empty()
            && let Some((key, value)) = self.old.remove_entry(key)
        {
            self.put(key, value);
        }
    }

    /// Adds an entry, or replaces it.
    pub(crate) fn put(&mut self, key: K, value: V) {
        if self.young.len() >= self.half && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.old.remove(&key);
        self.young.insert(key, value);
    }

    /// Forgets an entry.
    pub(crate) fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.young.remove(key);
        self.old.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::Bounded;

    #[test]
    fn keeps_what_is_used_and_forgets_the_rest() {
        let mut map = Bounded::new(10);
        for number in 0..100 {
            map.put(number, number);
            map.put(-1, -number);
            assert_eq!(map.get(&-1), Some(&-number));
            assert!(map.young.len() + map.old.len() <= 20);
        }
        assert_eq!(map.get(&99), Some(&99));
        assert_eq!(map.get(&0), None);
    }

    #[test]
    fn an_entry_is_in_one_half_only() {
        let mut map = Bounded::new(1);
        map.put('a', 1);
        map.put('b', 2);
        map.put('a', 3);
        assert_eq!(map.get(&'a'), Some(&3));
        map.remove(&'a');
        assert_eq!(map.get(&'a'), None);
    }
}
