//! "Contains this text", for patterns of LIKE that say no more than that: the same answer from a
//! search that looks at many bytes at a time.

use memchr::{memchr, memchr2};

/// Bytes of texts, the most frequent first. What is not listed is rarer.
const FREQUENT: &[u8] = b" etaoinsrlhdcumpfgybvw.,kxjqz-0123456789";

/// Characters that LIKE doesn't compare by their bytes.
const ODD: [char; 4] = ['\0', '\u{fffd}', '\u{fffe}', '\u{ffff}'];

/// The text that `LIKE pattern ESCAPE '\'` looks for, if the pattern says "contains" and no more.
/// None with a zero byte, at which LIKE takes a pattern to end, and none with characters that LIKE
/// takes for one another.
pub(super) fn wanted(pattern: &str) -> Option<String> {
    let inner = pattern.strip_prefix('%')?.strip_suffix('%')?;
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(char) = chars.next() {
        text.push(match char {
            '\\' => chars.next()?,
            '%' | '_' => return None,
            char => char,
        });
    }
    (!text.is_empty() && !text.contains(ODD)).then_some(text)
}

/// A text, prepared for being looked for: in bytes, but for the case of ASCII letters.
#[derive(Debug)]
pub(super) struct Search {
    text: Vec<u8>,
    /// Where its rarest byte stands, and that byte in both cases.
    rare: (usize, u8, u8),
}

impl Search {
    pub(super) fn new(text: &[u8]) -> Self {
        // The greater, the rarer.
        let rarity = |byte: &u8| {
            let place = FREQUENT
                .iter()
                .position(|it| *it == byte.to_ascii_lowercase());
            place.unwrap_or(FREQUENT.len())
        };
        let rarest = text.iter().enumerate().max_by_key(|(_, byte)| rarity(byte));
        let (at, byte) = rarest.map_or((0, 0), |(at, byte)| (at, *byte));
        Search {
            text: text.to_vec(),
            rare: (at, byte.to_ascii_lowercase(), byte.to_ascii_uppercase()),
        }
    }

    /// Is it in this text, or in the part of it before a zero byte, at which LIKE stops?
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        let before = self.find(text).and_then(|at| text.get(..at));
        before.is_some_and(|before| memchr(0, before).is_none())
    }

    fn find(&self, text: &[u8]) -> Option<usize> {
        let (offset, lower, upper) = self.rare;
        let mut at = offset;
        loop {
            at += memchr2(lower, upper, text.get(at..)?)?;
            let start = at - offset;
            let here = text.get(start..start + self.text.len())?;
            if here.eq_ignore_ascii_case(&self.text) {
                return Some(start);
            }
            at += 1;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests;
