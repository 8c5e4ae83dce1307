//! Values that the server makes: random texts by pattern, and ids that sort by time.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use basalt_lang::pattern as dialect;
use rand::RngExt;
use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::meta::Generate;

/// Repetitions without an upper bound end this many after the lower one.
const OPEN_ENDED: u32 = 10;

/// A fresh value; "" if none is generated.
pub fn generate(how: Generate) -> String {
    match how {
        Generate::Nothing => String::new(),
        Generate::Pattern(pattern) => by_pattern(pattern),
        Generate::UuidV7 => uuid::Uuid::now_v7().to_string(),
    }
}

/// A random text that a pattern matches; "" if the pattern is no regular expression.
fn by_pattern(pattern: &'static str) -> String {
    static PARSED: Cache<Hir> = Cache::new();
    let hir = PARSED.get(pattern, |pattern| {
        regex_syntax::parse(&dialect::ascii_classes(pattern)).ok()
    });
    let mut text = String::new();
    if let Some(hir) = hir {
        append(&hir, &mut text);
    }
    text
}

fn append(hir: &Hir, text: &mut String) {
    let mut random = rand::rng();
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => text.extend(one_of(class)),
        HirKind::Capture(capture) => append(&capture.sub, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| append(part, text)),
        HirKind::Alternation(choices) => {
            let choice = choices.get(random.random_range(0..choices.len().max(1)));
            choice.into_iter().for_each(|choice| append(choice, text));
        }
        HirKind::Repetition(repetition) => {
            let most = repetition
                .max
                .unwrap_or(repetition.min.saturating_add(OPEN_ENDED));
            let times = random.random_range(repetition.min..=most.max(repetition.min));
            (0..times).for_each(|_| append(&repetition.sub, text));
        }
    }
}

/// A character of a class, each with the same chance.
fn one_of(class: &Class) -> Option<char> {
    let ranges: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => class
            .iter()
            .map(|range| (range.start().into(), range.end().into()))
            .collect(),
        Class::Bytes(class) => class
            .iter()
            .map(|range| (range.start().into(), range.end().into()))
            .collect(),
    };
    let size = |(start, end): &(u32, u32)| end - start + 1;
    let total: u32 = ranges.iter().map(size).sum();
    let mut place = rand::rng().random_range(0..total.max(1));
    for range in &ranges {
        if place < size(range) {
            // Ranges of characters leave out surrogates, so this is one.
            return char::from_u32(range.0 + place);
        }
        place -= size(range);
    }
    None
}

/// Does a text match a pattern of the schema? The build made sure that it is one.
pub fn matches(pattern: &'static str, text: &str) -> bool {
    static COMPILED: Cache<Regex> = Cache::new();
    let regex = COMPILED.get(pattern, |pattern| dialect::compile(pattern).ok());
    regex.is_some_and(|regex| regex.is_match(text))
}

/// What was made of each pattern. Bounded by the schema, which is constant.
struct Cache<T>(LazyLock<Mutex<Made<T>>>);

type Made<T> = HashMap<&'static str, Option<Arc<T>>>;

impl<T> Cache<T> {
    const fn new() -> Self {
        Cache(LazyLock::new(Mutex::default))
    }

    fn get(&self, pattern: &'static str, make: fn(&str) -> Option<T>) -> Option<Arc<T>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(pattern)
            .or_insert_with(|| make(pattern).map(Arc::new))
            .clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_texts_match_their_pattern() {
        for pattern in [
            "^[a-z0-9]{15}$",
            "^(ab|cd)-\\d{3,5}[äö]?x+$",
            "^[a-zA-Z0-9]{50}$",
        ] {
            for _ in 0..50 {
                let text = by_pattern(pattern);
                assert!(matches(pattern, &text), "{pattern} {text}");
            }
        }
        assert_ne!(by_pattern("[a-z0-9]{15}"), by_pattern("[a-z0-9]{15}"));
        assert_eq!(by_pattern("("), "");
    }

    #[test]
    fn patterns_are_made_once() {
        static MADE: Cache<String> = Cache::new();
        let first = MADE.get("a", |pattern| Some(pattern.to_owned()));
        let again = MADE.get("a", |_| None);
        assert!(first.zip(again).is_some_and(|(a, b)| Arc::ptr_eq(&a, &b)));
    }

    #[test]
    fn uuids_sort_by_time() {
        let first = generate(Generate::UuidV7);
        std::thread::yield_now();
        let second = generate(Generate::UuidV7);
        assert_eq!(first.len(), 36);
        assert!(first < second, "{first} {second}");
    }
}
