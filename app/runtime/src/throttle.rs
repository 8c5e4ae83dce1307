//! Slows down those who guess at records: whoever often asks for what isn't there waits for the
//! answers, each time for another while, so that times tell nothing and trying takes long.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rand::RngExt;

/// Time after which all is forgotten.
const WINDOW: Duration = Duration::from_secs(3);
/// Empty lists in that time that cost nothing.
const FREE: u32 = 3;
/// Answers are held back for less than this.
const LONGEST_MS: u64 = 500;
/// Windows that are remembered.
const MAX_WINDOWS: usize = 10_000;

/// Who asked, as far as that is known, and for records of which collection.
type Key = (Option<IpAddr>, &'static str);

/// The empty lists of late, by client and collection.
#[derive(Default)]
pub struct Throttle {
    windows: Mutex<HashMap<Key, Window>>,
}

struct Window {
    start: Instant,
    used: u32,
}

impl Window {
    fn is_over(&self, now: Instant) -> bool {
        now.duration_since(self.start) >= WINDOW
    }
}

impl Throttle {
    /// Counts a filtered list in which nothing was found; returns how long to hold back its answer.
    pub fn delay(&self, client: Option<IpAddr>, collection: &'static str) -> Duration {
        if self.is_free((client, collection), Instant::now()) {
            return Duration::ZERO;
        }
        Duration::from_millis(rand::rng().random_range(0..LONGEST_MS))
    }

    fn is_free(&self, key: Key, now: Instant) -> bool {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if windows.len() >= MAX_WINDOWS && !windows.contains_key(&key) {
            windows.retain(|_, window| !window.is_over(now));
            // So many clients at once are one that has many addresses.
            if windows.len() >= MAX_WINDOWS {
                return false;
            }
        }
        let fresh = || Window {
            start: now,
            used: 0,
        };
        let window = windows.entry(key).or_insert_with(fresh);
        if window.is_over(now) {
            *window = fresh();
        }
        window.used = window.used.saturating_add(1);
        window.used <= FREE
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn client(number: usize) -> Option<IpAddr> {
        let number = u32::try_from(number).unwrap();
        Some(IpAddr::V4(number.into()))
    }

    #[test]
    fn three_of_each_window_are_free() {
        let throttle = Throttle::default();
        let start = Instant::now();
        let is_free = |client, collection, after| {
            throttle.is_free((client, collection), start + Duration::from_millis(after))
        };
        for (after, free) in [
            (0, true),
            (1, true),
            (2999, true),
            (2999, false),
            (3000, true),
        ] {
            assert_eq!(is_free(client(1), "a", after), free, "{after}");
        }
        for _ in 0..FREE {
            assert!(is_free(client(2), "a", 0));
            assert!(is_free(client(1), "b", 0));
            assert!(is_free(None, "a", 0));
        }
        assert!(!is_free(None, "a", 0));
    }

    #[test]
    fn windows_are_bounded() {
        let throttle = Throttle::default();
        let start = Instant::now();
        for number in 0..MAX_WINDOWS {
            assert!(throttle.is_free((client(number), "a"), start));
        }
        let another = (client(MAX_WINDOWS), "a");
        assert!(!throttle.is_free(another, start));
        assert!(throttle.is_free((client(0), "a"), start), "known");
        assert!(throttle.is_free(another, start + WINDOW));
        assert_eq!(throttle.windows.lock().unwrap().len(), 1);
    }
}
