//! The report in files: JSON lines for programs, a Markdown page for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::cli::Side;
use crate::outcome::{Measure, Outcome, means};
use crate::rows::Group;
use crate::table::{or_dash, verdict};

/// A line of `results.jsonl`.
#[derive(Serialize)]
struct Line<'a> {
    server: &'a str,
    group: &'a str,
    row: &'a str,
    rule: &'a str,
    query: &'a str,
    requests: usize,
    concurrency: usize,
    first: &'a str,
    #[serde(flatten)]
    measure: &'a Measure,
    synchronous: Option<&'a str>,
    ratio: Option<f64>,
    failures: &'a [String],
}

/// Writes `results.jsonl` and `report.md`.
pub fn write(outcomes: &[Outcome], directory: &Path) -> Result<()> {
    let in_directory = || format!("cannot write into {}", directory.display());
    fs::create_dir_all(directory).with_context(in_directory)?;
    fs::write(directory.join("results.jsonl"), json_lines(outcomes)?).with_context(in_directory)?;
    fs::write(directory.join("report.md"), markdown(outcomes)).with_context(in_directory)
}

/// One line for each row and server.
fn json_lines(outcomes: &[Outcome]) -> Result<String> {
    let mut lines = String::new();
    for outcome in outcomes {
        for (side, measure) in outcome.measures() {
            let line = Line {
                server: side.name(),
                group: outcome.group.name(),
                row: &outcome.row,
                rule: outcome.rule,
                query: outcome.query,
                requests: outcome.requests,
                concurrency: outcome.concurrency,
                first: outcome.first,
                measure,
                synchronous: outcome.writes.then(|| side.synchronous()),
                ratio: outcome.ratio(),
                failures: &outcome.failures,
            };
            lines.push_str(&serde_json::to_string(&line)?);
            lines.push('\n');
        }
    }
    Ok(lines)
}

fn markdown(outcomes: &[Outcome]) -> String {
    let mut page = String::from(
        "# Benchmark\n\n\
         Both servers ran on one machine in one run, over the same records; only the ratios mean \
         something elsewhere. Ratio: requests per second of basalt over those of the peer. \
         Write rows name the `synchronous` setting that each server is known to use.\n",
    );
    let groups: BTreeSet<Group> = outcomes.iter().map(|outcome| outcome.group).collect();
    for group in groups {
        page.push_str(&format!("\n## {}\n\n", group.name()));
        page.push_str(
            "| row | reqs × conc | server | req/s | p50 ms | p99 ms | worst ms | total ms | \
             cpu s | tool cpu s | peak MiB | status | synchronous | ratio |\n\
             |---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|---|--:|\n",
        );
        for outcome in outcomes.iter().filter(|outcome| outcome.group == group) {
            for (side, measure) in outcome.measures() {
                page.push_str(&markdown_line(outcome, side, measure));
            }
        }
    }
    let failed: Vec<&Outcome> = outcomes
        .iter()
        .filter(|one| !one.failures.is_empty())
        .collect();
    if !failed.is_empty() {
        page.push_str("\n## Failures\n\n");
    }
    for outcome in failed {
        for failure in &outcome.failures {
            let failure = failure.replace('\n', " ");
            let _infallible = writeln!(
                page,
                "- {} {}: {failure}",
                outcome.group.name(),
                code(&outcome.row)
            );
        }
    }
    page.push_str("\n## Geometric means of the ratios\n\n| group | mean |\n|---|--:|\n");
    for (group, mean) in means(outcomes) {
        page.push_str(&format!("| {} | {mean:.2} |\n", group.name()));
    }
    page
}

fn markdown_line(outcome: &Outcome, side: Side, measure: &Measure) -> String {
    let statuses: Vec<String> = measure
        .statuses
        .iter()
        .map(|(status, count)| format!("{status}: {count}"))
        .collect();
    let errors = if measure.errors > 0 {
        format!(", errors: {}", measure.errors)
    } else {
        String::new()
    };
    format!(
        "| {} | {} × {} | {} | {:.1} | {:.2} | {:.2} | {:.2} | {:.1} | {} | {} | {} | {}{errors} | {} | {} |\n",
        code(&outcome.row),
        outcome.requests,
        outcome.concurrency,
        side.name(),
        measure.rps,
        measure.p50_ms,
        measure.p99_ms,
        measure.worst_ms,
        measure.total_ms,
        or_dash(measure.cpu_s, |seconds| format!("{seconds:.2}")),
        or_dash(measure.tool_cpu_s, |seconds| format!("{seconds:.2}")),
        or_dash(measure.peak_kib, |kib| (kib >> 10).to_string()),
        statuses.join(", "),
        if outcome.writes {
            side.synchronous()
        } else {
            ""
        },
        if side == Side::Basalt || outcome.basalt.is_none() {
            verdict(outcome)
        } else {
            String::new()
        },
    )
}

/// A name in backticks; a bar would end the table's cell.
fn code(name: &str) -> String {
    format!("`{}`", name.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use std::time::Duration;

    use serde_json::Value;

    use super::*;
    use crate::catalogue::all;
    use crate::drive::Tally;
    use crate::outcome::Used;
    use crate::rows::SIZES;
    use crate::table::{line, summary};

    fn outcome(row: usize) -> Outcome {
        let measure = |millis| {
            let elapsed = Duration::from_millis(millis);
            let statuses = [(200, 4)].into();
            let used = Used {
                cpu_s: Some(0.25),
                ..Used::default()
            };
            let tally = Tally {
                latencies: vec![elapsed; 4],
                statuses,
                elapsed,
                ..Tally::default()
            };
            Measure::new(tally, Tally::default(), used)
        };
        let mut outcome = Outcome::new(&all(&SIZES[..1])[row]);
        outcome.add(Side::Peer, measure(100));
        outcome.add(Side::Basalt, measure(20));
        outcome
    }

    #[test]
    fn a_line_for_each_row_and_server() {
        let text = json_lines(&[outcome(0), outcome(1)]).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[0]["server"], "peer");
        assert_eq!(lines[0]["synchronous"], "NORMAL");
        assert_eq!(lines[1]["rps"], 200.0);
        assert_eq!(lines[1]["statuses"]["200"], 4);
        assert_eq!(lines[1]["ratio"], 5.0);
    }

    #[test]
    fn failures_show_everywhere() {
        let mut failed = outcome(0);
        failed.fail(Side::Basalt, "two\nlines".to_owned());
        assert!(line(&failed).contains("FAILED\n    basalt: two"));
        let page = markdown(&[failed.clone()]);
        assert!(
            page.contains("## Failures\n\n- create `organizations`: basalt: two lines\n"),
            "{page}"
        );
        assert!(summary(&[failed]).ends_with("1 rows, 1 failed"));
        assert!(line(&outcome(0)).ends_with("   5.00"));
    }

    #[test]
    fn the_pages_tables_are_whole() {
        let page = markdown(&[outcome(0), outcome(9), outcome(1)]);
        let widths: Vec<usize> = page
            .lines()
            .filter(|line| line.starts_with('|') && !line.starts_with("| group"))
            .map(|line| line.matches('|').count())
            .filter(|width| *width > 3)
            .collect();
        assert_eq!(
            widths,
            vec![15; 10],
            "two tables: two lines of head and two for each row"
        );
        assert_eq!(page.matches("## create").count(), 1);
    }
}
