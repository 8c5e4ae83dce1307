//! The search answers as LIKE does.

use basalt_lang::eval::like_pattern;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Bool, Nullable, Text};
use rand::prelude::*;

use super::*;
use crate::sql::{self, Conn};

#[derive(QueryableByName)]
struct Answers {
    #[diesel(sql_type = Nullable<Bool>)]
    ours: Option<bool>,
    #[diesel(sql_type = Nullable<Bool>)]
    theirs: Option<bool>,
}

/// Both answers for a value, which is SQL or given as the third argument.
fn both(conn: &mut Conn, value: &str, sought: &str, given: &str) -> Answers {
    let both =
        format!("SELECT contains(?1, {value}) AS ours, {value} LIKE ?2 ESCAPE '\\' AS theirs, ?3");
    sql_query(both)
        .bind::<Text, _>(sought)
        .bind::<Text, _>(like_pattern(sought))
        .bind::<Text, _>(given)
        .get_result(conn)
        .unwrap()
}

/// Few different characters, so that texts nearly match again and again.
const LETTERS: [&[char]; 4] = [
    &['a', 'b'],
    &['a', 'A', 'b', 'B', ' '],
    &[
        'e', 'é', 'É', 'E', '\u{301}', 'ß', '@', '`', '[', '{', '\u{7f}', '€', '😀',
    ],
    &[
        'i', 'I', 'ı', 'İ', 'k', 'K', '\u{212a}', '\0', '_', '%', '\\', '\u{fffe}', '\u{fffd}',
    ],
];

fn text(random: &mut StdRng, letters: &[char], most: usize) -> String {
    let length = random.random_range(0..=most);
    (0..length)
        .map(|_| *letters.choose(random).unwrap())
        .collect()
}

#[test]
fn answers_as_like_does() {
    let mut conn = sql::open(":memory:").unwrap();
    let mut random = StdRng::seed_from_u64(7);
    let (mut asked, mut found) = (0, 0);
    for round in 0..20_000 {
        let letters = LETTERS[round % LETTERS.len()];
        let value = text(&mut random, letters, [4, 40, 140][round % 3]);
        let sought = if random.random_bool(0.3) {
            // Something that is there, but for the case.
            let chars: Vec<char> = value.chars().collect();
            let from = random.random_range(0..=chars.len());
            let part: String = chars[from..].iter().take(35).collect();
            part.to_ascii_uppercase()
        } else {
            text(&mut random, letters, 5)
        };
        if wanted(&like_pattern(&sought)).as_ref() != Some(&sought) {
            continue;
        }
        let both = both(&mut conn, "?3", &sought, &value);
        assert_eq!(both.ours, both.theirs, "{sought:?} in {value:?}");
        asked += 1;
        found += u32::from(both.ours == Some(true));
    }
    assert!(asked > 10_000, "{asked}");
    assert!(
        found > asked / 5 && found < asked * 4 / 5,
        "{found} of {asked}"
    );
}

#[test]
fn what_is_no_text_is_taken_as_like_takes_it() {
    let mut conn = sql::open(":memory:").unwrap();
    let values = [
        "NULL",
        "5",
        "-12",
        "5.5",
        "1e300",
        "0.1",
        "9e999",
        "x'6162'",
        "x''",
        "''",
        "zeroblob(3)",
    ];
    for value in values {
        for sought in ["5", "1", "12", ".", "e+", "Inf", "AB", "b"] {
            let both = both(&mut conn, value, sought, "");
            assert_eq!(both.ours, both.theirs, "{sought:?} in {value}");
        }
    }
}

#[test]
fn each_row_and_each_run_has_its_own_search() {
    let mut conn = sql::open(":memory:").unwrap();
    // The first argument differs from row to row, so that nothing may be kept.
    let rows = "SELECT sum(contains(column1, 'abc')) AS found FROM (VALUES ('a'), ('x'), ('C'))";
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        found: i64,
    }
    let found: Found = sql_query(rows).get_result(&mut conn).unwrap();
    assert_eq!(found.found, 2);
    // One prepared statement, bound anew.
    for round in 0..20 {
        let sought = format!("{}", round % 4);
        let both = both(&mut conn, "'0 1 2'", &sought, "");
        assert_eq!(both.ours, both.theirs, "{sought}");
    }
}

#[test]
fn finds_at_every_place() {
    for length in 1..100 {
        for sought in ["x", "xy", "x-longer-text-that-is-sought"] {
            let search = Search::new(sought.to_ascii_uppercase().as_bytes());
            for at in 0..length {
                let text = format!("{}{sought}{}", "-".repeat(at), "y".repeat(length - at));
                assert_eq!(search.find(text.as_bytes()), Some(at));
            }
            assert_eq!(search.find("y".repeat(length).as_bytes()), None);
        }
    }
}

#[test]
fn only_contains_is_a_search() {
    let cases = [
        ("%a%", Some("a")),
        ("%a\\%b%", Some("a%b")),
        ("%a\\\\%", Some("a\\")),
        ("%é 😀%", Some("é 😀")),
        ("%a%b%", None),
        ("%a_b%", None),
        ("%%a%", None),
        ("%a\\%", None),
        ("a%", None),
        ("%a", None),
        ("%%", None),
        ("%", None),
        ("", None),
        ("%a\0b%", None),
        ("%\u{fffe}%", None),
    ];
    for (pattern, text) in cases {
        assert_eq!(wanted(pattern).as_deref(), text, "{pattern:?}");
    }
}
