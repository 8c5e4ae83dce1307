//! Long lines broken for reading.

/// The words that begin a line of their own in a statement.
const CLAUSES: [&str; 4] = ["FROM", "WHERE", "ORDER", "LIMIT"];

/// A statement on lines of at most `width` characters, where its words allow that. Each clause of
/// the outermost statement begins a line, and so does each statement inside of it.
pub(super) fn statement(sql: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // The open parentheses: does a statement begin behind them?
    let mut open: Vec<bool> = Vec::new();
    for word in words(sql) {
        let level = open.iter().filter(|select| **select).count();
        if let Some(head) = word
            .strip_suffix("SELECT")
            .filter(|head| head.ends_with('('))
        {
            push(&mut lines, head, level, width);
            follow(head, &mut open);
            open.pop();
            open.push(true);
            lines.push(format!("{:indent$}SELECT", "", indent = 2 * (level + 1)));
        } else {
            if open.is_empty() && CLAUSES.contains(&word.as_str()) {
                lines.push(word.clone());
            } else {
                push(&mut lines, &word, level, width);
            }
            follow(&word, &mut open);
        }
    }
    lines
}

/// A text on lines of at most `width` characters, where its words allow that.
pub(super) fn paragraph(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for word in text.split(' ') {
        push(&mut lines, word, 0, width);
    }
    lines
}

/// Adds a word to the last line, or to a new one that continues what is `level` deep.
fn push(lines: &mut Vec<String>, word: &str, level: usize, width: usize) {
    match lines.last_mut() {
        Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
            line.push(' ');
            line.push_str(word);
        }
        Some(_) => lines.push(format!("{:indent$}{word}", "", indent = 2 * (level + 1))),
        None => lines.push(word.to_owned()),
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

/// Opens and closes the parentheses of a word, but for those between quotes.
fn follow(word: &str, open: &mut Vec<bool>) {
    let mut quote = None;
    for c in word.chars() {
        match quote {
            None if matches!(c, '`' | '\'' | '"') => quote = Some(c),
            Some(begun) if c == begun => quote = None,
            None if c == '(' => open.push(false),
            None if c == ')' => drop(open.pop()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_begin_lines() {
        let sql = "SELECT `a`, `b  c` FROM `t` WHERE (`a` IN (SELECT `x` FROM `u` WHERE (`y` = ?)) \
                   AND (`a` <> ?)) ORDER BY `rowid` ASC LIMIT ?";
        let expected = [
            "SELECT `a`, `b  c`",
            "FROM `t`",
            "WHERE (`a` IN (",
            "  SELECT `x` FROM `u` WHERE",
            "    (`y` = ?)) AND (`a` <> ?))",
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
