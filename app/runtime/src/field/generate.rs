//! Values that the server makes: random texts by pattern, and ids that sort by time.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use basalt_lang::pattern as dialect;
use rand::RngExt;
use rand::rngs::ThreadRng;
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
    static PARSED: Cache<Recipe> = Cache::new();
    let recipe = PARSED.get(pattern, |pattern| {
        let parsed = regex_syntax::parse(&dialect::ascii_classes(pattern)).ok()?;
        Some(Recipe::of(&parsed))
    });
    let mut text = String::new();
    if let Some(recipe) = recipe {
        recipe.append(&mut rand::rng(), &mut text);
    }
    text
}

/// How to make a text that a pattern matches.
enum Recipe {
    /// Always this one.
    Literal(String),
    /// One character of these ranges, each with the same chance; with the number of characters.
    OneOf(Vec<(u32, u32)>, u32),
    /// One after the other.
    All(Vec<Recipe>),
    /// One of them.
    Choice(Vec<Recipe>),
    /// As often as one of these numbers says.
    Times(RangeInclusive<u32>, Box<Recipe>),
}

impl Recipe {
    fn of(hir: &Hir) -> Self {
        let all = |parts: &[Hir]| parts.iter().map(Recipe::of).collect();
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Recipe::All(Vec::new()),
            HirKind::Literal(literal) => {
                Recipe::Literal(String::from_utf8_lossy(&literal.0).into_owned())
            }
            HirKind::Class(class) => Recipe::one_of(class),
            HirKind::Capture(capture) => Recipe::of(&capture.sub),
            HirKind::Concat(parts) => Recipe::All(all(parts)),
            HirKind::Alternation(choices) => Recipe::Choice(all(choices)),
            HirKind::Repetition(repetition) => {
                let least = repetition.min;
                let open = least.saturating_add(OPEN_ENDED);
                let most = repetition.max.unwrap_or(open).max(least);
                Recipe::Times(least..=most, Box::new(Recipe::of(&repetition.sub)))
            }
        }
    }

    fn one_of(class: &Class) -> Self {
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
        let total = ranges.iter().map(size).sum();
        Recipe::OneOf(ranges, total)
    }

    fn append(&self, random: &mut ThreadRng, text: &mut String) {
        match self {
            Recipe::Literal(literal) => text.push_str(literal),
            Recipe::OneOf(ranges, total) => {
                let place = random.random_range(0..(*total).max(1));
                text.extend(character(ranges, place));
            }
            Recipe::All(parts) => parts.iter().for_each(|part| part.append(random, text)),
            Recipe::Choice(choices) => {
                let choice = choices.get(random.random_range(0..choices.len().max(1)));
                choice
                    .into_iter()
                    .for_each(|choice| choice.append(random, text));
            }
            Recipe::Times(times, part) => {
                // A fixed number needs no chance.
                let times = match times.start() == times.end() {
                    true => *times.start(),
                    false => random.random_range(times.clone()),
                };
                (0..times).for_each(|_| part.append(random, text));
            }
        }
    }
}

fn size((start, end): &(u32, u32)) -> u32 {
    end - start + 1
}

/// The character at a place of ranges that are put together.
fn character(ranges: &[(u32, u32)], mut place: u32) -> Option<char> {
    for range in ranges {
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
    fn each_character_and_each_number_of_them_can_come() {
        let mut seen = std::collections::BTreeSet::new();
        (0..2000).for_each(|_| {
            seen.insert(by_pattern("[ab]{1,2}|c"));
        });
        let seen: Vec<&str> = seen.iter().map(String::as_str).collect();
        assert_eq!(seen, ["a", "aa", "ab", "b", "ba", "bb", "c"]);
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
