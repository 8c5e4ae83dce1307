//! The differences that are meant. Each has a section in `docs/differences.md` and a test.

use regex::Regex;

use crate::judge::Listed;

/// One question with both answers.
#[derive(Debug)]
pub struct Case<'a> {
    /// The filter or rule.
    pub text: &'a str,
    /// The list rules that hold beside it.
    pub rules: &'a str,
    /// What our server says.
    pub ours: &'a Listed,
    /// What the peer says.
    pub peer: &'a Listed,
}

/// A difference that is meant.
pub struct Known {
    /// Its heading in `docs/differences.md`.
    pub name: &'static str,
    /// Is this case one of it?
    pub explains: fn(&Case<'_>) -> bool,
}

/// All of them.
pub const KNOWN: &[Known] = &[
    Known {
        name: "Quotes in comments",
        explains: |case| only_we_accept(case) && has_quote_in_comment(case.text),
    },
    Known {
        name: "Two spellings of one collection",
        explains: |case| only_we_accept(case) && is_spelled_twice(case),
    },
    Known {
        name: "One alias for two collections",
        explains: |case| (only_we_accept(case) || both_accept(case)) && has_shared_alias(case.text),
    },
    Known {
        name: "`:isset` on the right of `!=`",
        explains: |case| both_accept(case) && has_truth_test(case.text),
    },
    Known {
        name: "Functions on the right of `~`",
        explains: |case| both_accept(case) && has_function_as_pattern(case.text),
    },
    Known {
        name: "Unknown modifiers behind `@request.body`",
        explains: |case| only_peer_accepts(case) && has_unknown_modifier(case.text),
    },
    Known {
        name: "Paths of too many steps behind `@request.body`",
        explains: |case| only_peer_accepts(case) && has_long_body_path(case.text),
    },
    Known {
        name: "Distances of several places beside several values",
        explains: |case| {
            let fewer = case.ours.total <= case.peer.total;
            both_accept(case) && fewer && has_distances_beside_values(case.text)
        },
    },
    Known {
        name: "Hidden addresses as arguments",
        explains: |case| both_accept(case) && has_email_as_argument(case),
    },
];

/// The difference that explains a case.
pub fn known(case: &Case<'_>) -> Option<&'static Known> {
    KNOWN.iter().find(|known| (known.explains)(case))
}

fn only_we_accept(case: &Case<'_>) -> bool {
    case.ours.status == 200 && case.peer.status == 400
}

fn only_peer_accepts(case: &Case<'_>) -> bool {
    case.ours.status == 400 && case.peer.status == 200
}

fn both_accept(case: &Case<'_>) -> bool {
    case.ours.status == 200 && case.peer.status == 200
}

/// All matches of a pattern, with its first group in lower case as the key.
fn matches<'t>(pattern: &str, text: &'t str) -> Vec<(String, &'t str)> {
    let Ok(pattern) = Regex::new(pattern) else {
        return Vec::new();
    };
    let found = pattern.captures_iter(text).filter_map(|found| {
        let (whole, key) = (found.get(0)?, found.get(1)?);
        Some((key.as_str().to_lowercase(), whole.as_str()))
    });
    found.collect()
}

/// Is there a key with two different matches?
fn disagree(matches: &[(String, &str)]) -> bool {
    let other = |(key, one): &(String, &str)| {
        matches
            .iter()
            .any(|(same, other)| same == key && other != one)
    };
    matches.iter().any(other)
}

/// The peer takes a quote in a comment for the beginning of a text, where it looks for the end of
/// a group.
fn has_quote_in_comment(text: &str) -> bool {
    text.contains('(') && !matches(r#"(//)[^\n]*['"]"#, text).is_empty()
}

/// The peer joins the same rows twice, under names that differ in letter case only.
fn is_spelled_twice(case: &Case<'_>) -> bool {
    let text = format!("{}\n{}", case.text, case.rules);
    disagree(&matches(r"(\w+_via_\w+)", &text)) || disagree(&matches(r"@(collection\.\w+)", &text))
}

/// The peer joins two collections under one name.
fn has_shared_alias(text: &str) -> bool {
    disagree(&matches(r"@collection\.\w+:(\w+)", text))
}

/// The peer asks whether the left side is true, whatever it is.
fn has_truth_test(text: &str) -> bool {
    !matches(r"(!=)\s*@request\.[\w.]+:isset", text).is_empty()
}

/// The peer puts the wildcards around the function's own arguments.
fn has_function_as_pattern(text: &str) -> bool {
    !matches(r"(~)\s*(?:strftime|geoDistance)\(", text).is_empty()
}

/// The peer takes a field with such a modifier for one that isn't there.
fn has_unknown_modifier(text: &str) -> bool {
    !matches(r"@request\.body\.\w+\.[\w.]+(:nope)", text).is_empty()
}

/// The peer takes it for null: the relation of the body, more than six others, and the field.
fn has_long_body_path(text: &str) -> bool {
    !matches(r"@request\.body((?:\.\w+){9,})", text).is_empty()
}

/// Where a path has several values: its segments can't be told from their names otherwise.
const SEVERAL: &str = r"(?:\w+_via_\w+\.|[a-z]+s\.|:each|@collection\.)";

/// The peer compares one distance with all values, where we compare each: so we never find more.
fn has_distances_beside_values(text: &str) -> bool {
    let distance = format!(r"geoDistance\([^()]*{SEVERAL}[^()]*\)");
    let path = format!(r"[\w.@:]*{SEVERAL}[\w.@:]*");
    let op = r"\s*(!=|>=|<=|!~|=|>|<|~)\s*";
    [
        format!("{distance}{op}{path}"),
        format!("{path}{op}{distance}"),
    ]
    .iter()
    .any(|pattern| !matches(pattern, text).is_empty())
}

/// The peer reads an address that the client may not see. (List rules are given for clients only.)
fn has_email_as_argument(case: &Case<'_>) -> bool {
    let calls = r"(?:geoDistance|strftime)\(([^()]*\bemail\b)";
    !case.rules.is_empty() && !matches(calls, case.text).is_empty()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn name(text: &str, ours: u16, peer: u16) -> Option<&'static str> {
        let listed = |status| Listed {
            status,
            total: -1,
            ids: Vec::new(),
        };
        let case = Case {
            text,
            rules: "r_via_c.d = 1",
            ours: &listed(ours),
            peer: &listed(peer),
        };
        known(&case).map(|known| known.name)
    }

    #[test]
    fn differences_are_told_apart() {
        let quote = "(a = 1 // it's\n && b = 1)";
        let twice = "r_via_a.x = 1 && R_via_a.y ?= 2";
        let alias = "@collection.a:o.x = @collection.b:o.x";
        let modifier = "'' ~ @request.body.a.b:nope";
        assert_eq!(name(quote, 200, 400), Some("Quotes in comments"));
        assert_eq!(name(quote, 400, 200), None);
        assert_eq!(name("a = 1 // its\n && (b = 'x')", 200, 400), None);
        assert_eq!(
            name(twice, 200, 400),
            Some("Two spellings of one collection")
        );
        assert_eq!(name("r_via_a.x = 1 && r_via_a.y ?= 2", 200, 400), None);
        assert!(name("R_via_c.x = 1", 200, 400).is_some());
        let shared = Some("One alias for two collections");
        assert_eq!(name(alias, 200, 400), shared);
        assert_eq!(name(alias, 200, 200), shared);
        assert_eq!(name(alias, 400, 200), None);
        assert_eq!(
            name("@collection.a:o.x = @collection.a:o.y", 200, 400),
            None
        );
        let names = Some("Unknown modifiers behind `@request.body`");
        assert_eq!(name(modifier, 400, 200), names);
        assert_eq!(name("@request.body.a.b:lower = 1", 400, 200), None);
        assert_eq!(name(modifier, 200, 200), None);
        let isset = Some("`:isset` on the right of `!=`");
        assert_eq!(name("t ?!= @request.body.a.b:isset", 200, 200), isset);
        assert_eq!(name("@request.body.a:isset != t", 200, 200), None);
        let pattern = Some("Functions on the right of `~`");
        assert_eq!(name("t !~ strftime('%Y', d)", 200, 200), pattern);
        assert_eq!(name("strftime('%Y', d) ~ t", 200, 200), None);
        let long = Some("Paths of too many steps behind `@request.body`");
        let path = |steps: usize| format!("@request.body{} = 1", ".a".repeat(steps));
        assert_eq!(name(&path(9), 400, 200), long);
        assert_eq!(name(&path(8), 400, 200), None);
        let distance = Some("Distances of several places beside several values");
        let far = "geoDistance(1, 0, x_via_y.n, 0)";
        assert_eq!(name(&format!("{far} != as.t"), 200, 200), distance);
        assert_eq!(name(&format!("m:each < {far}"), 200, 200), distance);
        assert_eq!(name(&format!("{far} ?!= as.t"), 200, 200), None);
        assert_eq!(name(&format!("{far} != a.t"), 200, 200), None);
        let one = "geoDistance(1, 0, a.n, 0) != as.t";
        assert_eq!(name(one, 200, 200), None);
        let hidden = Some("Hidden addresses as arguments");
        let address = "geoDistance(0, owner.email, 1, 1) != 1";
        assert_eq!(name(address, 200, 200), hidden);
        assert_eq!(name("geoDistance(0, emails, 1, 1) != 1", 200, 200), None);
    }
}
