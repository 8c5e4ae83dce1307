//! No input brings the stages down, on a small stack too.

use std::thread;

use super::fixture::{C, Fixture};
use crate::check::MAX_DEPTH;
use crate::parser::MAX_COMPARISONS;
use crate::{Caller, Scope, compile, parse_sort};

/// xorshift: the same inputs at every run.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }
}

/// Runs every stage for every caller; spans must lie inside the text.
fn survive(schema: &Fixture, text: &str) {
    for caller in [Caller::Rule, Caller::Superuser, Caller::Client] {
        let scope = Scope::new(schema, C, caller);
        let findings = match compile(text, &scope) {
            Ok(compiled) => {
                assert!(!compiled.typed.to_string().is_empty());
                assert!(!compiled.plan.describe(schema, C).is_empty());
                compiled.warnings
            }
            Err(errors) => {
                assert!(!errors.is_empty(), "{text:?}");
                errors
            }
        };
        for finding in findings.iter().chain(parse_sort(text, &scope).err().iter()) {
            let inside = text.get(finding.span.start..finding.span.end);
            assert!(inside.is_some(), "{text:?}: {finding:?}");
        }
    }
}

#[test]
fn token_soups_never_panic() {
    const WORDS: &[&str] = &[
        "title",
        "n",
        "public",
        "kind",
        "sm",
        "j",
        "j.a",
        "created",
        "r",
        "rm",
        "rm.title",
        "r.rm.n",
        "rm.rm.sm",
        "author.email",
        "authors.email",
        "lo.title",
        "geo.lon",
        "secret",
        ":each",
        ":lower",
        ":length",
        ":isset",
        ".id",
        ".",
        ":",
        "@request.auth.id",
        "@request.body.sm",
        "@request.body.n",
        "@request.query.a",
        "@request",
        "@collection.x.n",
        "@now",
        "c_via_self.id",
        "x_via_p.n",
        "x_via_ps.p",
        "@collection.x:a.",
        "@request.auth.friends.",
        "@request.body.rm.",
        ":changed",
        "strftime(",
        "geoDistance(",
        "(",
        ")",
        "(",
        ")",
        ",",
        "&&",
        "||",
        "&&",
        "||",
        "&&",
        "=",
        "!=",
        ">",
        "<=",
        "~",
        "!~",
        "?=",
        "?!=",
        "?~",
        "=",
        "?=",
        "'x'",
        "''",
        "\"a\"",
        "'",
        "1",
        "-2.5",
        "null",
        "true",
        " ",
        "\n",
        "//",
        "\\",
        "é",
        "\0",
        "-",
    ];
    let schema = Fixture::new();
    let mut dice = Dice(0x5eed_1234_5678_9abc);
    for _ in 0..20_000 {
        let length = dice.below(24);
        let text: String = (0..length)
            .map(|_| WORDS[dice.below(WORDS.len())])
            .collect();
        survive(&schema, &text);
    }
}

#[test]
fn valid_combinations_never_panic() {
    const LEFT: &[&str] = &[
        "title",
        "n",
        "kind",
        "sm",
        "sm:each",
        "rm.title",
        "rm.sm:each",
        "r.rm.n",
        "rm.rm.title",
        "rm:each",
        "authors.email",
        "j.k",
        "rm.j.k",
        "r.n",
        "@request.body.sm:each",
        "1",
    ];
    const OPS: &[&str] = &["=", "!=", ">", "~", "?=", "?!=", "?<", "?!~"];
    const RIGHT: &[&str] = &[
        "'a'",
        "''",
        "null",
        "1",
        "title",
        "@request.auth.id",
        "@request.body.sm:each",
    ];
    let schema = Fixture::new();
    let mut dice = Dice(0x0dd5_eed5_1234_abcd);
    let mut compiled = 0;
    for _ in 0..4_000 {
        let mut text = String::new();
        let mut open = 0;
        for place in 0..=dice.below(8) {
            if place > 0 {
                text.push_str([" && ", " || "][dice.below(2)]);
            }
            if dice.below(3) == 0 {
                text.push('(');
                open += 1;
            }
            let (left, op) = (LEFT[dice.below(LEFT.len())], OPS[dice.below(OPS.len())]);
            text.push_str(&format!("{left} {op} {}", RIGHT[dice.below(RIGHT.len())]));
            if open > 0 && dice.below(2) == 0 {
                text.push(')');
                open -= 1;
            }
        }
        text.push_str(&")".repeat(open));
        survive(&schema, &text);
        let scope = Scope::new(&schema, C, Caller::Superuser);
        compiled += usize::from(compile(&text, &scope).is_ok());
    }
    assert!(compiled > 1_000, "only {compiled} of the texts were valid");
}

#[test]
fn random_bytes_never_panic() {
    let schema = Fixture::new();
    let mut dice = Dice(0xfeed_beef_0bad_cafe);
    for _ in 0..20_000 {
        let length = dice.below(40);
        let bytes: Vec<u8> = (0..length)
            .map(|_| u8::try_from(dice.below(256)).unwrap())
            .collect();
        survive(&schema, &String::from_utf8_lossy(&bytes));
        let ascii: String = bytes.iter().map(|byte| char::from(byte & 0x7f)).collect();
        survive(&schema, &ascii);
    }
}

#[test]
fn huge_and_deep_texts_need_no_stack() {
    let zigzag = |count: usize| {
        let steps = (1..count).map(|i| ["rm.n = 1 && (", "rm.n ?= 2 || ("][i % 2]);
        format!(
            "{}n = 3{}",
            steps.collect::<String>(),
            ")".repeat(count - 1)
        )
    };
    let plain = |count: usize| zigzag(count).replace("rm.n ?", "n ").replace("rm.n", "n");
    let deepest = plain(MAX_DEPTH + 1);
    let texts = [
        "(".repeat(100_000),
        format!("{}n=1{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("{}n=1{}", "(".repeat(1_500), ")".repeat(1_500)),
        "a".repeat(10_000_000),
        format!("title = '{}'", "x".repeat(10_000_000)),
        "n=1&&".repeat(2_000_000),
        "f(".repeat(1_000_000),
        "r.".repeat(100_000) + "title = 'x'",
        plain(MAX_COMPARISONS),
        zigzag(MAX_COMPARISONS),
        zigzag(MAX_DEPTH + 1),
        zigzag(6),
    ];
    thread::Builder::new()
        .stack_size(512 * 1024)
        .spawn(move || {
            let schema = Fixture::new();
            let scope = Scope::new(&schema, C, Caller::Rule);
            assert!(compile(&deepest, &scope).is_ok());
            for text in &texts {
                match compile(text, &scope) {
                    Ok(compiled) => {
                        assert!(!compiled.plan.describe(&schema, C).is_empty());
                        assert!(!compiled.typed.to_string().is_empty());
                    }
                    Err(errors) => assert!(!errors.is_empty()),
                }
            }
        })
        .unwrap()
        .join()
        .unwrap();
}
