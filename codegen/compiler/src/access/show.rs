//! The matrix as text: a table for terminals, Markdown to be committed, and JSON.

use std::fmt::Write;

use super::{Access, Cell, Matrix, Row};

/// The head of the committed file.
const HEAD: &str = "\
# Who may do what

Made by `basalt schema access --write`; a test compares it, so that a review shows each change of
rights. `if …` is what the rule leaves to be decided for such a caller. `see` and `set`
speak of the records that the rows above give access to; `see` includes filters and sorts. `auth` is
to log in with the password, `manage` to change address, password and `verified` of others. Of the
callers, `guest` has no login, and each auth collection has a column.
";

impl Matrix {
    /// Markdown, one table a collection.
    pub fn markdown(&self) -> String {
        let mut text = HEAD.to_owned();
        for access in &self.collections {
            let head = self.callers.join(" | ");
            // Writing to a string can't fail.
            let _ = write!(
                text,
                "\n## {}\n\n| | {head} |\n|---|{}\n",
                access.collection,
                "---|".repeat(self.callers.len())
            );
            for row in access.grouped() {
                let cells: Vec<String> = row.cells.iter().map(Cell::markdown).collect();
                let _ = writeln!(text, "| {} | {} |", row.what, cells.join(" | "));
            }
        }
        text
    }

    /// A table with columns that line up.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for access in &self.collections {
            let mut lines = vec![vec![access.collection.clone()]];
            if let Some(head) = lines.first_mut() {
                head.extend(self.callers.iter().cloned());
            }
            lines.extend(access.grouped().into_iter().map(|row| {
                let cells = row.cells.iter().map(Cell::to_string);
                std::iter::once(row.what).chain(cells).collect()
            }));
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&aligned(&lines));
        }
        text
    }

    /// JSON, every field in a row of its own.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl Access {
    /// The actions, then the fields, with those in one row that have the same cells.
    fn grouped(&self) -> Vec<Row> {
        let mut rows = self.actions.clone();
        let actions = rows.len();
        for verb in ["see ", "set "] {
            let start = rows.len();
            for row in &self.fields {
                let Some(name) = row.what.strip_prefix(verb) else {
                    continue;
                };
                let mut same = rows.iter_mut().skip(start.max(actions));
                match same.find(|earlier| earlier.cells == row.cells) {
                    Some(earlier) => {
                        earlier.what.push_str(", ");
                        earlier.what.push_str(name);
                    }
                    None => rows.push(row.clone()),
                }
            }
        }
        rows
    }
}

/// Columns as wide as their widest cell, up to a limit. Long lists of fields go on in lines of
/// their own; long rules push the cells behind them.
fn aligned(lines: &[Vec<String>]) -> String {
    const WIDEST: usize = 40;
    let mut wrapped: Vec<Vec<String>> = Vec::new();
    for line in lines {
        let mut cells = line.iter();
        let mut parts = wrap(cells.next().map_or("", String::as_str), WIDEST).into_iter();
        let first = parts.next().unwrap_or_default();
        wrapped.push(std::iter::once(first).chain(cells.cloned()).collect());
        wrapped.extend(parts.map(|part| vec![format!("    {part}")]));
    }
    let columns = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = wrapped.iter().filter_map(|line| line.get(column));
        let widths = cells.map(|cell| cell.chars().count());
        widths.max().unwrap_or(0).min(WIDEST)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in &wrapped {
        let cells = line.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// A list in pieces that are not much longer than `widest`, broken behind commas.
fn wrap(list: &str, widest: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for item in list.split_inclusive(", ") {
        let full = pieces
            .last()
            .is_some_and(|piece| !piece.is_empty() && piece.len() + item.len() > widest);
        if full {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push_str(item);
        }
    }
    pieces
}

impl Cell {
    fn markdown(&self) -> String {
        match self {
            Cell::Yes | Cell::No => self.to_string(),
            // Bars end cells, even inside backticks.
            Cell::If(rule) => format!("if `{}`", rule.replace('|', "\\|")),
            Cell::When(words) => words.replace('|', "\\|"),
        }
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cell::Yes => f.write_str("yes"),
            Cell::No => f.write_str("no"),
            Cell::If(rule) => write!(f, "if {rule}"),
            Cell::When(words) => f.write_str(words),
        }
    }
}
