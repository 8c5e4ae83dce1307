//! Long lines broken for reading.

/// The words that begin a line of their own in a statement.
const CLAUSES: [&str; 4] = ["FROM", "WHERE", "ORDER", "LIMIT"];

/// A statement on lines of at most `width` characters, where its words allow that. Each clause of
/// the outermost statement begins a line; what belongs to it is indented.
pub(super) fn statement(sql: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut depth = 0_i32;
    for word in words(sql) {
        let clause = depth == 0 && CLAUSES.contains(&word.as_str());
        push(&mut lines, &word, clause, width);
        depth += balance(&word);
    }
    lines
}

/// A text on lines of at most `width` characters, where its words allow that.
pub(super) fn paragraph(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for word in text.split(' ') {
        push(&mut lines, word, false, width);
    }
    lines
}

fn push(lines: &mut Vec<String>, word: &str, begins: bool, width: usize) {
    match lines.last_mut() {
        Some(line) if !begins && line.chars().count() + 1 + word.chars().count() <= width => {
            line.push(' ');
            line.push_str(word);
        }
        Some(_) if !begins => lines.push(format!("  {word}")),
        _ => lines.push(word.to_owned()),
    }
}

/// The words between blanks; a blank between quotes belongs to its word.
fn words(sql: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in sql.chars() {
        match quote {
            None if c == ' ' => {
                words.push(String::new());
                continue;
            }
            None if matches!(c, '`' | '\'' | '"') => quote = Some(c),
            Some(open) if c == open => quote = None,
            _ => {}
        }
        if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Opened parentheses less closed ones, outside of quotes.
fn balance(word: &str) -> i32 {
    let (mut depth, mut quote) = (0, None);
    for c in word.chars() {
        match quote {
            None if matches!(c, '`' | '\'' | '"') => quote = Some(c),
            Some(open) if c == open => quote = None,
            None if c == '(' => depth += 1,
            None if c == ')' => depth -= 1,
            _ => {}
        }
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_begin_lines() {
        let sql = "SELECT `a`, `b  c` FROM `t` WHERE (`a` IN (SELECT `x` FROM `u` WHERE `y` = ?)) \
                   ORDER BY `rowid` ASC LIMIT ?";
        let expected = [
            "SELECT `a`, `b  c`",
            "FROM `t`",
            "WHERE (`a` IN (SELECT `x` FROM",
            "  `u` WHERE `y` = ?))",
            "ORDER BY `rowid` ASC",
            "LIMIT ?",
        ];
        assert_eq!(statement(sql, 30), expected);
    }

    #[test]
    fn parentheses_between_quotes_are_text() {
        let sql = "SELECT 'a)' FROM `(` WHERE ' (' = ?";
        assert_eq!(
            statement(sql, 80),
            ["SELECT 'a)'", "FROM `(`", "WHERE ' (' = ?"]
        );
    }

    #[test]
    fn long_words_stay_whole() {
        assert_eq!(
            paragraph("one longer-than-that two", 8),
            ["one", "  longer-than-that", "  two"]
        );
    }
}
