//! Literals of every kind, the odd ones included.

use basalt_blackbox::Random;

use crate::grammar::{Grammar, Holds};
use crate::rows::{DATES, NUMBERS, TEXTS};

/// A literal that fits what the other side holds, or doesn't.
pub(crate) fn literal(grammar: &mut Grammar<'_>, holds: Holds) -> String {
    let random = &mut *grammar.random;
    match random.below(12) {
        0 => {
            return random
                .pick(&["null", "''", "NULL", "\"\"", "Null"])
                .to_owned();
        }
        1 => return number(random),
        2 => return text(random),
        _ => {}
    }
    match holds {
        Holds::Text => text(random),
        Holds::Number => match random.below(6) {
            0 => {
                let text = number_text(random);
                quoted(random, &text)
            }
            _ => number(random),
        },
        Holds::Bool => random
            .pick(&["true", "false", "TRUE", "1", "0", "'1'", "'true'", "False"])
            .to_owned(),
        Holds::Date => match random.below(3) {
            0 => date_macro(random),
            1 => random
                .pick(&[
                    "'2024-01-02'",
                    "'2024'",
                    "'2024-01-02T00:00:00Z'",
                    "'01'",
                    "'2 03'",
                ])
                .to_owned(),
            _ => format!("'{}'", random.pick(DATES)),
        },
        Holds::Json => random
            .pick(&[
                "1",
                "'1'",
                "'x'",
                "true",
                "'true'",
                "'[]'",
                "'[1,2]'",
                "'{}'",
                "0",
                "2.5",
                "'{\"a\":1,\"k\":1}'",
                "null",
                "'null'",
                "'5'",
                "'[\"a\",\"b\"]'",
            ])
            .to_owned(),
        Holds::Items => random
            .pick(&[
                "'a'",
                "'[]'",
                "'[\"a\"]'",
                "'\"a\"'",
                "'[\"a\",\"b\"]'",
                "'b'",
                "'5'",
                "5",
            ])
            .to_owned(),
        Holds::Id(place) => match grammar.schema.collections.get(place) {
            Some(collection) => {
                let number = grammar.random.below(collection.rows + 1);
                format!("'{}'", collection.row_id(number))
            }
            None => "''".to_owned(),
        },
    }
}

/// A macro whose value is a date.
pub(crate) fn date_macro(random: &mut Random) -> String {
    let all = [
        "@now",
        "@yesterday",
        "@tomorrow",
        "@todayStart",
        "@todayEnd",
        "@monthStart",
        "@monthEnd",
        "@yearStart",
        "@yearEnd",
    ];
    random.pick(&all).to_owned()
}

/// A macro whose value is a number.
pub(crate) fn number_macro(random: &mut Random) -> String {
    let all = [
        "@second", "@minute", "@hour", "@day", "@month", "@weekday", "@year",
    ];
    random.pick(&all).to_owned()
}

fn number(random: &mut Random) -> String {
    match random.below(10) {
        0 => random
            .pick(&[
                "05",
                "5.0",
                "-0",
                "007.50",
                "99999999999999999999",
                "0.1",
                "1000000",
            ])
            .to_owned(),
        1 => number_macro(random),
        2 => random.pick(&["true", "false"]).to_owned(),
        _ => random.pick(NUMBERS).to_string(),
    }
}

fn number_text(random: &mut Random) -> String {
    match random.below(4) {
        0 => random
            .pick(&[" 5", "5 ", "5.0", "0x5", "1e15", "+5", "abc", "-3"])
            .to_owned(),
        _ => random.pick(NUMBERS).to_string(),
    }
}

fn text(random: &mut Random) -> String {
    match random.below(4) {
        0 => random
            .pick(&[
                "'%'",
                "'a%'",
                "'%b'",
                "'_'",
                "'a_c%'",
                "'a\\%c'",
                "'50\\%'",
                "'\\\\'",
                "'a\\\\b'",
                "'\\''",
                "\"it's\"",
                "'say \\\"a\\\"'",
                "'one\\ntwo'",
                "'a\\_c'",
                "'x\\q'",
                "'\\u00e9'",
                "'a\\\\%'",
                "'\\t'",
                "'%\\\\_%'",
                "'5%'",
                "'%\\'%'",
            ])
            .to_owned(),
        _ => {
            let value = random.pick(TEXTS);
            quoted(random, value)
        }
    }
}

/// The text in quotes of either kind.
fn quoted(random: &mut Random, text: &str) -> String {
    let escaped = text.replace('\\', "\\\\");
    match random.below(2) {
        0 => format!("'{}'", escaped.replace('\'', "\\'")),
        _ => format!("\"{}\"", escaped.replace('"', "\\\"")),
    }
}
