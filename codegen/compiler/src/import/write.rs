//! TOML as a person would write it.

use serde_json::Value;

use super::options::{Shape, count};

/// A key, quoted if need be.
pub(super) fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) {
        return name.to_owned();
    }
    string(name)
}

/// A string in one line.
pub(super) fn string(text: &str) -> String {
    let control = text.contains(char::is_control);
    if !control && !text.contains(['"', '\\']) {
        return format!("\"{text}\"");
    }
    if !control && !text.contains('\'') {
        return format!("'{text}'");
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A string that keeps its lines, if it can be one.
pub(super) fn lines(text: &str) -> String {
    let odd = |c: char| c.is_control() && c != '\n' && c != '\t';
    let plain = !text.contains(odd) && !text.contains("'''") && !text.ends_with('\'');
    if text.contains('\n') && plain {
        return format!("'''\n{text}'''");
    }
    string(text)
}

/// A list of strings.
pub(super) fn strings<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let texts: Vec<String> = texts.into_iter().map(string).collect();
    format!("[{}]", texts.join(", "))
}

/// The value of an option of the given shape, which it has.
pub(super) fn value(value: &Value, shape: Shape) -> String {
    match (shape, value) {
        (Shape::Flag, _) => value.as_bool().unwrap_or(false).to_string(),
        (Shape::Count, _) => count(value).unwrap_or(0).to_string(),
        (Shape::Number, _) => number(value.as_f64().unwrap_or(0.0)),
        (Shape::Text, _) => string(value.as_str().unwrap_or_default()),
        (Shape::Texts, Value::Array(items)) => strings(items.iter().filter_map(Value::as_str)),
        (Shape::Texts, _) => "[]".to_owned(),
    }
}

/// Whole numbers without a point.
fn number(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return format!("{number:.0}");
    }
    format!("{number:?}")
}

/// Lines as a comment.
pub(super) fn comment(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = format!("# {line}");
        // Of control characters, a comment may have the tab only.
        let line: String = line
            .chars()
            .map(|c| if c.is_control() && c != '\t' { ' ' } else { c })
            .collect();
        line.trim_end().to_owned() + "\n"
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn back(toml: &str) -> String {
        let table: toml::Table = format!("a = {toml}\n").parse().unwrap();
        table.get("a").unwrap().as_str().unwrap().to_owned()
    }

    #[test]
    fn every_text_comes_back_as_it_was() {
        let texts = [
            "",
            "a",
            "it's",
            "say \"it\"",
            "say \"it's\"",
            "^[\\w]+$",
            "\\'\"",
            "\n",
            "a\nb",
            "a\nb'",
            "\na\n",
            "a\r\nb",
            "'''\n",
            "tab\t\nnul\0 del\u{7f} nel\u{85} ä 🦀",
            "// comment\na = 'b' &&\nc != \"\"",
        ];
        for text in texts {
            assert_eq!(back(&string(text)), text);
            assert_eq!(back(&lines(text)), text);
        }
    }

    #[test]
    fn numbers_are_short() {
        let cases = [
            (1.0, "1"),
            (-0.5, "-0.5"),
            (1e300, "1e300"),
            (0.1, "0.1"),
            (1e15, "1000000000000000.0"),
        ];
        for (given, expected) in cases {
            assert_eq!(number(given), expected);
            let table: toml::Table = format!("a = {expected}").parse().unwrap();
            let read = table.get("a").unwrap();
            let read = read.as_float().or(read.as_integer().map(|n| n as f64));
            assert_eq!(read, Some(given));
        }
    }

    #[test]
    fn comments_stay_comments() {
        let text = "a\nb\rc = 1\u{7f}\u{85}\n";
        assert_eq!(comment(text), "# a\n# b c = 1\n");
        assert!(
            comment("a\r\n\0")
                .parse::<toml::Table>()
                .unwrap()
                .is_empty()
        );
    }
}
