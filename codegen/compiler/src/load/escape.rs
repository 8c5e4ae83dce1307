//! From a place in a TOML string's value back to the place in the file, through quotes and escapes.

/// The byte in `raw` (a TOML string with its quotes) where byte `decoded` of its value comes from.
pub fn raw_offset(raw: &str, decoded: usize) -> usize {
    let (quote, multiline) = match raw.as_bytes() {
        [b'"', b'"', b'"', ..] => ('"', true),
        [b'\'', b'\'', b'\'', ..] => ('\'', true),
        [b'"', ..] => ('"', false),
        [b'\'', ..] => ('\'', false),
        _ => return decoded.min(raw.len()),
    };
    let mut at = if multiline { 3 } else { 1 };
    if multiline {
        // A line break right after the opening quotes is no part of the value.
        let rest = raw.get(at..).unwrap_or_default();
        at += rest.len() - skip_newline(rest).len();
    }
    let mut seen = 0;
    while seen < decoded {
        let rest = raw.get(at..).unwrap_or_default();
        let Some(first) = rest.chars().next() else {
            break;
        };
        let (taken, made) = if quote == '"' && first == '\\' {
            escape(rest)
        } else {
            (first.len_utf8(), first.len_utf8())
        };
        at += taken;
        seen += made;
    }
    let rest = raw.get(at..).unwrap_or_default();
    // What a trimmed line end leaves out belongs to no byte of the value.
    if quote == '"' && escape_is_line_end(rest) {
        at += escape(rest).0;
    }
    at
}

fn skip_newline(text: &str) -> &str {
    let text = text.strip_prefix('\r').unwrap_or(text);
    text.strip_prefix('\n').unwrap_or(text)
}

fn escape_is_line_end(rest: &str) -> bool {
    rest.starts_with('\\') && matches!(rest.as_bytes().get(1), Some(b' ' | b'\t' | b'\r' | b'\n'))
}

/// How many bytes an escape takes, and how many it makes.
fn escape(rest: &str) -> (usize, usize) {
    let hex = |digits: usize| {
        let code = rest.get(2..2 + digits).unwrap_or_default();
        let made = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
        (2 + digits, made.map_or(1, char::len_utf8))
    };
    match rest.as_bytes().get(1) {
        Some(b'x') => hex(2),
        Some(b'u') => hex(4),
        Some(b'U') => hex(8),
        Some(b' ' | b'\t' | b'\r' | b'\n') => {
            let after = rest.trim_start_matches('\\').trim_start();
            (rest.len() - after.len(), 0)
        }
        _ => (2, 1),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::string_slice)]
    use super::raw_offset;

    fn check(raw: &str, value: &str, word: &str) {
        let decoded = value.find(word).unwrap();
        let at = raw_offset(raw, decoded);
        assert!(raw[at..].starts_with(word), "{raw}: {}", &raw[at..]);
    }

    #[test]
    fn finds_words_behind_escapes() {
        check("'a = b'", "a = b", "b");
        check(r#""a != \"\" && bad""#, r#"a != "" && bad"#, "bad");
        check(r#""a = '\u00e9' && bad""#, "a = 'é' && bad", "bad");
        check(r#""a = '\x41' && bad""#, "a = 'A' && bad", "bad");
        check("\"\"\"\na && \\\n   bad\"\"\"", "a && bad", "bad");
        check("'''\na = 1 &&\nbad'''", "a = 1 &&\nbad", "bad");
        check("\"\"\"\r\na && bad\"\"\"", "a && bad", "bad");
    }

    #[test]
    fn stays_inside_for_any_offset() {
        for raw in ["''", "\"\"", "\"\\", "\"\\u00", "x", "", "\"\"\"\\\n"] {
            for decoded in 0..20 {
                assert!(raw_offset(raw, decoded) <= raw.len() + 8);
            }
        }
    }
}
