//! The bytes of answers, kept for the next request that asks for the same, as long as no
//! collection changes on which they depend.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use twox_hash::XxHash3_128;

use super::Watch;

/// Longer answers are not kept.
const LONGEST: usize = 256 << 10;
/// What an entry takes besides its key and bytes: the maps' own share, counters, headers.
const OVERHEAD: usize = 256;

/// Kept answers by what was asked and by whom. Bounded by their bytes, exact, never stale.
pub struct Answers {
    /// Bytes of each half.
    half: usize,
    halves: Mutex<Halves>,
}

/// What is used moves to the young half; when that is full, it becomes the old one, and the old
/// one is forgotten. Every operation takes constant time.
#[derive(Default)]
struct Halves {
    young: HashMap<Box<str>, Arc<Answer>>,
    old: HashMap<Box<str>, Arc<Answer>>,
    /// Bytes of the young half.
    bytes: usize,
}

/// An answer with what it depends on.
pub struct Answer {
    /// The JSON text.
    pub body: Arc<Vec<u8>>,
    /// A strong entity tag, quoted, made from the bytes.
    pub tag: String,
    /// Found nothing, where whoever often asks for nothing waits for the answers?
    pub late: bool,
    watch: Watch,
    version: u64,
}

impl Answer {
    /// An answer that was read after `watch`, which has everything on which it depends, was at
    /// `version`.
    pub fn new(mut body: Vec<u8>, late: bool, watch: Watch, version: u64) -> Self {
        // It is counted by what it takes.
        body.shrink_to_fit();
        let tag = format!("\"{:032x}\"", XxHash3_128::oneshot(&body));
        Answer {
            body: Arc::new(body),
            tag,
            late,
            watch,
            version,
        }
    }

    /// Is it what would be answered now?
    fn holds(&self) -> bool {
        self.watch.version() == self.version
    }

    fn weight(&self, key: &str) -> usize {
        let watched = self.watch.len() * size_of::<usize>();
        key.len() + self.body.len() + self.tag.len() + watched + OVERHEAD
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answer({} bytes, {})", self.body.len(), self.tag)
    }
}

impl Answers {
    /// Keeps at most so many bytes; none at all with 0.
    pub fn new(bytes: usize) -> Self {
        Answers {
            half: bytes / 2,
            halves: Mutex::default(),
        }
    }

    /// Are any answers kept?
    pub fn are_kept(&self) -> bool {
        self.half > 0
    }

    /// The answer to a request, if it still holds.
    pub fn find(&self, key: &str) -> Option<Arc<Answer>> {
        let (answer, _dropped) = self.with(|halves| halves.find(self.half, key));
        answer
    }

    /// Keeps an answer, unless it is too long.
    pub fn keep(&self, key: String, answer: Arc<Answer>) {
        let weight = answer.weight(&key);
        if answer.body.len() <= LONGEST && weight <= self.half {
            let _dropped = self.with(|halves| halves.put(self.half, key.into(), answer));
        }
    }

    /// Bytes that are taken by kept answers.
    pub fn bytes(&self) -> usize {
        self.with(|halves| {
            let all = halves.young.iter().chain(&halves.old);
            all.map(|(key, answer)| answer.weight(key)).sum()
        })
    }

    fn with<R>(&self, act: impl FnOnce(&mut Halves) -> R) -> R {
        act(&mut self.halves.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A half that is forgotten: it is freed after the lock.
type Dropped = HashMap<Box<str>, Arc<Answer>>;

impl Halves {
    fn find(&mut self, half: usize, key: &str) -> (Option<Arc<Answer>>, Dropped) {
        if let Some(answer) = self.young.get(key) {
            // One that doesn't hold is about to be replaced.
            return (answer.holds().then(|| Arc::clone(answer)), Dropped::new());
        }
        match self.old.remove_entry(key) {
            Some((key, answer)) if answer.holds() => {
                let dropped = self.put(half, key, Arc::clone(&answer));
                (Some(answer), dropped)
            }
            _ => (None, Dropped::new()),
        }
    }

    fn put(&mut self, half: usize, key: Box<str>, answer: Arc<Answer>) -> Dropped {
        let weight = answer.weight(&key);
        let mut dropped = Dropped::new();
        if let Some((key, before)) = self.young.remove_entry(&key) {
            self.bytes = self.bytes.saturating_sub(before.weight(&key));
        } else if let Some((key, before)) = self.old.remove_entry(&key) {
            dropped.insert(key, before);
        }
        if self.bytes + weight > half {
            dropped = std::mem::replace(&mut self.old, std::mem::take(&mut self.young));
            self.bytes = 0;
        }
        self.bytes += weight;
        self.young.insert(key, answer);
        dropped
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::generations::Generations;
    use super::super::tracker::Touched;
    use super::*;

    fn answer(generations: &Generations, size: usize) -> Arc<Answer> {
        let watch = generations.watch(["posts"].into_iter());
        let version = watch.version();
        Arc::new(Answer::new(vec![b'x'; size], false, watch, version))
    }

    #[test]
    fn stays_within_its_bytes_and_keeps_what_is_used() {
        let generations = Generations::default();
        let answers = Answers::new(100_000);
        answers.keep("used".to_owned(), answer(&generations, 1000));
        for number in 0..1000 {
            answers.keep(
                number.to_string(),
                answer(&generations, 100 + number % 3000),
            );
            assert!(answers.find("used").is_some(), "{number}");
            assert!(answers.bytes() <= 100_000);
        }
        assert!(answers.find("999").is_some());
        assert!(answers.find("1").is_none());
    }

    #[test]
    fn replacing_frees_what_was_there() {
        let generations = Generations::default();
        let answers = Answers::new(10_000);
        answers.keep("other".to_owned(), answer(&generations, 100));
        for _ in 0..1000 {
            answers.keep("same".to_owned(), answer(&generations, 3000));
        }
        assert!(answers.find("other").is_some());
    }

    #[test]
    fn long_answers_are_not_kept_and_nothing_without_room() {
        let generations = Generations::default();
        let answers = Answers::new(10 << 20);
        answers.keep("a".to_owned(), answer(&generations, LONGEST + 1));
        assert!(answers.find("a").is_none());
        let none = Answers::new(0);
        none.keep("a".to_owned(), answer(&generations, 1));
        assert!(none.find("a").is_none() && !none.are_kept());
    }

    #[test]
    fn what_no_longer_holds_is_found_in_neither_half() {
        let generations = Generations::default();
        let answers = Answers::new(10_000);
        let change = || {
            let tables = ["posts".to_owned()].into_iter().collect();
            generations.raise(Touched { all: false, tables });
        };
        answers.keep("young".to_owned(), answer(&generations, 100));
        change();
        assert!(answers.find("young").is_none());
        answers.keep("old".to_owned(), answer(&generations, 100));
        answers.keep("used".to_owned(), answer(&generations, 100));
        // The young half becomes the old one.
        answers.keep("large".to_owned(), answer(&generations, 4000));
        assert!(answers.with(|halves| halves.old.contains_key("old")));
        assert!(answers.find("used").is_some());
        change();
        assert!(answers.find("old").is_none());
    }

    #[test]
    fn the_tag_tells_the_bytes() {
        let generations = Generations::default();
        let (one, two) = (answer(&generations, 10), answer(&generations, 11));
        assert_eq!(one.tag, answer(&generations, 10).tag);
        assert_ne!(one.tag, two.tag);
        assert_eq!(one.tag.len(), 34);
    }
}
