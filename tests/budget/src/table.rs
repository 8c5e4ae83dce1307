//! The table that is printed.

use std::time::Duration;

use crate::measure::Cost;

/// What one size costs in one profile.
pub struct Row {
    pub profile: &'static str,
    pub count: u16,
    /// Lines of generated Rust.
    pub lines: usize,
    /// `None` if they were built before.
    pub dependencies: Option<Cost>,
    pub clean: Cost,
    pub changed: Cost,
}

/// The first lines of the Markdown table.
pub const HEAD: &str = "\
| profile | collections | generated lines | dependencies s (CPU) | application s (CPU) \
| a collection, CPU s | a rule changed s (CPU) | peak MB | peak MB, rule changed |
|---|---|---|---|---|---|---|---|---|";

/// A line of it.
pub fn line(row: &Row) -> String {
    let dependencies = row.dependencies.as_ref().map_or("–".to_owned(), seconds);
    let each = row.clean.cpu / u32::from(row.count);
    format!(
        "| {} | {} | {} | {dependencies} | {} | {} | {} | {} | {} |",
        row.profile,
        row.count,
        row.lines,
        seconds(&row.clean),
        second(each),
        seconds(&row.changed),
        row.clean.peak >> 20,
        row.changed.peak >> 20,
    )
}

/// On the clock, and of processors.
fn seconds(cost: &Cost) -> String {
    format!("{} ({})", second(cost.wall), second(cost.cpu))
}

fn second(time: Duration) -> String {
    match time.as_secs_f64() {
        long if long >= 20.0 => format!("{long:.0}"),
        short => format!("{short:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_all_columns() {
        let cost = |wall, cpu| Cost {
            wall: Duration::from_millis(wall),
            cpu: Duration::from_millis(cpu),
            peak: 300 << 20,
        };
        let row = Row {
            profile: "debug",
            count: 20,
            lines: 6000,
            dependencies: None,
            clean: cost(21_400, 30_000),
            changed: cost(2_340, 2_000),
        };
        let expected = "| debug | 20 | 6000 | – | 21 (30) | 1.5 | 2.3 (2.0) | 300 | 300 |";
        assert_eq!(line(&row), expected);
        for head in HEAD.lines() {
            assert_eq!(head.matches('|').count(), expected.matches('|').count());
        }
    }
}
