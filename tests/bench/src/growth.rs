//! How rows grow with the number of posts: flat without a total, and with one at most like a bare scan
//! of an index. Only where a run had several sizes.

use std::collections::BTreeMap;

use crate::outcome::{Lane, Outcome};
use crate::rows::{Group, SIZES};
use crate::table::or_dash;

const HEAD: &str = "\n## Growth over sizes\n\n\
    Milliseconds for a request of basalt, cold: the time of the row divided by its requests, so what \
    runs at the same time on several cores counts once. Growth: the largest size over the smallest. \
    Index scan: what SQLite alone needs to go through an index with an entry for each post.\n\n";

/// A row at one size.
#[derive(Debug, Clone, Copy)]
struct Point {
    request_ms: f64,
    scan_ms: Option<f64>,
}

/// The points of a row, by size.
type Line = BTreeMap<&'static str, Point>;

/// The section of the report; empty if there was one size only.
pub fn table(outcomes: &[Outcome]) -> String {
    let sizes: Vec<&'static str> = SIZES
        .into_iter()
        .map(|size| size.name)
        .filter(|name| outcomes.iter().any(|outcome| outcome.size == *name))
        .collect();
    let (Some(first), Some(last)) = (sizes.first(), sizes.last()) else {
        return String::new();
    };
    if first == last {
        return String::new();
    }
    let mut text = String::from(HEAD);
    text.push_str(&format!(
        "| row | {} | growth | index scan, {first} | {last} | growth |\n|---|{}--:|--:|--:|--:|\n",
        sizes.join(" | "),
        "--:|".repeat(sizes.len()),
    ));
    for ((group, name), points) in lines(outcomes) {
        let at = |size: &str| points.get(size);
        let (start, end) = (at(first), at(last));
        let scans = (
            start.and_then(|at| at.scan_ms),
            end.and_then(|at| at.scan_ms),
        );
        let cells = sizes
            .iter()
            .map(|size| or_dash(at(size), |at| figure(at.request_ms)));
        text.push_str(&format!(
            "| {} `{}` | {} | {} | {} | {} | {} |\n",
            group.name(),
            name.replace('|', "\\|"),
            cells.collect::<Vec<_>>().join(" | "),
            times(start.map(|at| at.request_ms), end.map(|at| at.request_ms)),
            or_dash(scans.0, figure),
            or_dash(scans.1, figure),
            times(scans.0, scans.1),
        ));
    }
    text
}

/// Rows in the order of the report, each under the name that it has at all sizes.
fn lines(outcomes: &[Outcome]) -> Vec<((Group, String), Line)> {
    let mut lines: Vec<((Group, String), Line)> = Vec::new();
    for outcome in outcomes.iter().filter(|one| one.failures.is_empty()) {
        let Some(cold) = outcome.lanes.get(&Lane::Cold).filter(|cold| cold.rps > 0.0) else {
            continue;
        };
        let sized = format!("posts{}", outcome.size);
        if !outcome.row.contains(&sized) {
            continue;
        }
        let key = (outcome.group, outcome.row.replace(&sized, "posts"));
        let point = Point {
            request_ms: 1000.0 / cold.rps,
            scan_ms: outcome.scan_ms(),
        };
        match lines.iter_mut().find(|(known, _)| *known == key) {
            Some((_, line)) => {
                line.insert(outcome.size, point);
            }
            None => lines.push((key, Line::from([(outcome.size, point)]))),
        }
    }
    lines.sort_by_key(|((group, _), _)| *group);
    lines
}

fn figure(milliseconds: f64) -> String {
    match milliseconds {
        ..1.0 => format!("{milliseconds:.3}"),
        _ => format!("{milliseconds:.2}"),
    }
}

fn times(start: Option<f64>, end: Option<f64>) -> String {
    let both = start.zip(end).filter(|(start, _)| *start > 0.0);
    or_dash(both, |(start, end)| format!("{:.1} ×", end / start))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, clippy::unwrap_used)]

    use std::time::Duration;

    use super::*;
    use crate::catalogue::all;
    use crate::cli::Side;
    use crate::outcome::{Measure, Raw};
    use crate::tally::Tally;

    fn outcome(size: usize, name: &str, millis: u64) -> Outcome {
        let rows = all(SIZES[size], true);
        let row = rows.iter().find(|row| row.name.contains(name)).unwrap();
        let mut outcome = Outcome::new(row, SIZES[size].name, 1);
        let mut raw = Raw::default();
        let elapsed = Duration::from_millis(millis);
        let latencies = vec![elapsed];
        raw.round(
            Tally {
                latencies,
                elapsed,
                ..Tally::default()
            },
            Tally::default(),
        );
        outcome.add(Lane::Cold, Measure::new(raw));
        outcome
    }

    #[test]
    fn a_line_for_each_row_over_all_sizes() {
        let mut rows = vec![
            outcome(0, "simpleA", 2),
            outcome(0, "simpleC", 4),
            outcome(3, "simpleA", 9),
            outcome(3, "simpleC", 4),
            outcome(3, "view user", 4),
        ];
        rows[0].scans_ms.push(0.5);
        rows[2].scans_ms.push(5.0);
        let text = table(&rows);
        let due = "| list `posts simpleA` | 2.00 | 9.00 | 4.5 × | 0.500 | 5.00 | 10.0 × |";
        assert!(text.contains(due), "{text}");
        let due = "| list `posts simpleC skipTotal` | 4.00 | 4.00 | 1.0 × | - | - | - |";
        assert!(text.contains(due), "{text}");
        assert!(!text.contains("view user"), "{text}");
        let bars: Vec<_> = text.lines().map(|line| line.matches('|').count()).collect();
        assert!(bars.iter().all(|bars| [0, 8].contains(bars)), "{bars:?}");
    }

    #[test]
    fn one_size_does_not_grow_and_failures_have_no_figure() {
        assert_eq!(table(&[outcome(0, "simpleA", 2)]), "");
        assert_eq!(table(&[]), "");
        let mut rows = [outcome(0, "simpleA", 2), outcome(1, "simpleA", 3)];
        rows[1].fail(Side::Basalt, "wrong".to_owned());
        assert!(table(&rows).contains("| 2.00 | - | - |"));
    }
}
