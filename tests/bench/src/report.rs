//! The report in files: JSON lines for programs, a Markdown page for people.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::cli::{Options, Side};
use crate::growth;
use crate::outcome::{Lane, Measure, Outcome, Spent, means};
use crate::rows::Group;
use crate::table::{list_means, or_dash, verdict};

/// A line of the JSON file.
#[derive(Serialize)]
struct Line<'a> {
    server: &'a str,
    measured: &'a str,
    group: &'a str,
    row: &'a str,
    size: &'a str,
    rule: &'a str,
    query: &'a str,
    concurrency: usize,
    first: &'a str,
    #[serde(flatten)]
    measure: &'a Measure,
    scan_ms: Option<f64>,
    synchronous: Option<&'a str>,
    ratio: Option<f64>,
    of_floor: Option<f64>,
    failures: &'a [String],
}

/// Makes the file, so that one that can't be written is known before anything is measured.
pub fn try_file(path: &Path) -> Result<()> {
    let written = || format!("cannot write {}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(written)?;
    }
    File::options()
        .create(true)
        .append(true)
        .open(path)
        .with_context(written)?;
    Ok(())
}

/// Writes both files.
pub fn write(outcomes: &[Outcome], spent: &BTreeMap<Side, Spent>, options: &Options) -> Result<()> {
    let put = |path: &Path, text: String| {
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    put(&options.json, json_lines(outcomes)?)?;
    put(&options.markdown, markdown(outcomes, spent))
}

/// What a lane is called in files.
fn lane_name(lane: Lane) -> &'static str {
    match lane {
        Lane::Peer => "peer",
        Lane::Cold => "cold",
        Lane::Warm => "warm",
        Lane::Floor => "floor",
    }
}

/// One line for each row and lane.
fn json_lines(outcomes: &[Outcome]) -> Result<String> {
    let mut lines = String::new();
    for outcome in outcomes {
        for (&lane, measure) in &outcome.lanes {
            let synchronous = lane.side().synchronous();
            let line = Line {
                server: lane.side().name(),
                measured: lane_name(lane),
                group: outcome.group.name(),
                row: &outcome.row,
                size: outcome.size,
                rule: outcome.rule,
                query: outcome.query,
                concurrency: outcome.concurrency,
                first: outcome.first,
                measure,
                scan_ms: outcome.scan_ms(),
                synchronous: outcome.work.writes().then_some(synchronous),
                ratio: outcome.ratio(lane),
                of_floor: outcome.of_floor(lane),
                failures: &outcome.failures,
            };
            lines.push_str(&serde_json::to_string(&line)?);
            lines.push('\n');
        }
    }
    Ok(lines)
}

const INTRODUCTION: &str = "# Benchmark\n\n\
    Both servers ran on one machine in one run, over the same records; only the ratios mean something \
    elsewhere. Where a size was measured more than once, each time from empty folders, the figures are \
    medians of the runs; beside them stand the worst and the best ratio of a run, and the spread of the \
    rates: how far the runs lie apart, as a share of their median. Cold: no answer and no total of an earlier request is used again; warm: as clients meet \
    it. Ratio: requests per second of basalt over those of the peer (the storm row: 99th percentiles, \
    the start row: medians, the other way round). Floor: the share of what the same bytes from memory \
    reach through the same framework. Write rows name the `synchronous` setting that each server is \
    known to use. The peer's own routes and hooks are JavaScript, since its binary has no compiled ones.\n";

fn markdown(outcomes: &[Outcome], spent: &BTreeMap<Side, Spent>) -> String {
    let mut page = String::from(INTRODUCTION);
    let groups: BTreeSet<Group> = outcomes.iter().map(|outcome| outcome.group).collect();
    for group in groups {
        let of_group: Vec<&Outcome> = outcomes.iter().filter(|one| one.group == group).collect();
        ratios(&mut page, group, &of_group);
        figures(&mut page, &of_group);
    }
    page.push_str(&growth::table(outcomes));
    failures(&mut page, outcomes);
    page.push_str("\n## Geometric means of the ratios\n\n| group | cold | warm |\n|---|--:|--:|\n");
    let warm = means(outcomes, Lane::Warm);
    for (group, mean) in means(outcomes, Lane::Cold) {
        let warm = or_dash(warm.get(&group), |mean| format!("{mean:.2}"));
        add(
            &mut page,
            format_args!("| {} | {mean:.2} | {warm} |\n", group.name()),
        );
    }
    for (size, cold, warm) in list_means(outcomes) {
        add(
            &mut page,
            format_args!("| all lists, {size} | {cold:.2} | {warm} |\n"),
        );
    }
    page.push_str("\n## The servers\n\n| server | cpu s | peak MiB |\n|---|--:|--:|\n");
    for (side, used) in spent {
        let (name, peak) = (side.name(), used.peak_kib >> 10);
        add(
            &mut page,
            format_args!("| {name} | {:.1} | {peak} |\n", used.cpu_s),
        );
    }
    page
}

/// How the rows of a group compare.
fn ratios(page: &mut String, group: Group, outcomes: &[&Outcome]) {
    add(page, format_args!("\n## {}\n\n", group.name()));
    page.push_str(
        "| row | reqs × conc | peer req/s | cold req/s | warm req/s | ratio cold | (from – to) | \
         ratio warm | warm of floor | index scan ms |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for outcome in outcomes {
        let rate = |lane| or_dash(outcome.lanes.get(&lane), |one| format!("{:.1}", one.rps));
        let note = match outcome.peer_timed_out() {
            true => " (peer timed out)",
            false => "",
        };
        add(
            page,
            format_args!(
                "| {}{note} | {} × {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                code(&outcome.row),
                outcome.requests,
                outcome.concurrency,
                rate(Lane::Peer),
                rate(Lane::Cold),
                rate(Lane::Warm),
                verdict(outcome, Lane::Cold),
                or_dash(outcome.ratio_range(Lane::Cold), |(least, most)| format!(
                    "{least:.2} – {most:.2}"
                )),
                verdict(outcome, Lane::Warm),
                or_dash(outcome.of_floor(Lane::Warm), |share| format!(
                    "{:.0}%",
                    share * 100.0
                )),
                or_dash(outcome.scan_ms(), |scan| format!("{scan:.2}")),
            ),
        );
    }
}

/// All figures of a group, a line for each lane.
fn figures(page: &mut String, outcomes: &[&Outcome]) {
    page.push_str(
        "\n| row | measured | requests (rounds) | spread | p50 ms | p99 ms | worst ms | cpu µs each | tool cpu s | \
         peak MiB | status | synchronous |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|---|\n",
    );
    for outcome in outcomes {
        for (&lane, measure) in &outcome.lanes {
            figure(page, outcome, lane, measure);
        }
    }
}

fn figure(page: &mut String, outcome: &Outcome, lane: Lane, measure: &Measure) {
    let statuses = measure.statuses.iter();
    let mut statuses: Vec<String> = statuses
        .map(|(status, count)| format!("{status}: {count}"))
        .collect();
    if measure.errors > 0 {
        statuses.push(format!("errors: {}", measure.errors));
    }
    let synchronous = match outcome.work.writes() {
        true => lane.side().synchronous(),
        false => "",
    };
    add(
        page,
        format_args!(
            "| {} | {} | {} ({}) | {} | {:.2} | {:.2} | {:.2} | {} | {} | {} | {} | {synchronous} |\n",
            code(&outcome.row),
            lane_name(lane),
            measure.requests,
            measure.rounds,
            or_dash(measure.spread(), |share| format!("{:.0}%", share * 100.0)),
            measure.p50_ms,
            measure.p99_ms,
            measure.worst_ms,
            or_dash(measure.cpu_us, |each| format!("{each:.0}")),
            or_dash(measure.tool_cpu_s, |seconds| format!("{seconds:.2}")),
            or_dash(measure.peak_kib, |kib| (kib >> 10).to_string()),
            statuses.join(", "),
        ),
    );
}

fn failures(page: &mut String, outcomes: &[Outcome]) {
    let failed = outcomes.iter().filter(|one| !one.failures.is_empty());
    let mut failed = failed.peekable();
    if failed.peek().is_some() {
        page.push_str("\n## Failures\n\n");
    }
    for outcome in failed {
        for failure in &outcome.failures {
            let (group, row) = (outcome.group.name(), code(&outcome.row));
            let failure = failure.replace('\n', " ");
            add(page, format_args!("- {group} {row}: {failure}\n"));
        }
    }
}

fn add(page: &mut String, text: std::fmt::Arguments<'_>) {
    let _infallible = page.write_fmt(text);
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
    use crate::outcome::Raw;
    use crate::rows::SIZES;
    use crate::table::{line, summary};
    use crate::tally::Tally;

    fn outcome(row: usize) -> Outcome {
        let measure = |millis| {
            let elapsed = Duration::from_millis(millis);
            let tally = Tally {
                latencies: vec![elapsed; 4],
                statuses: [(200, 4)].into(),
                elapsed,
                ..Tally::default()
            };
            let mut raw = Raw::default();
            raw.round(tally, Tally::default());
            Measure::new(raw)
        };
        let mut outcome = Outcome::new(&all(SIZES[0], true)[row], "10k", 4);
        outcome.add(Lane::Peer, measure(100));
        outcome.add(Lane::Cold, measure(20));
        outcome
    }

    #[test]
    fn a_line_for_each_row_and_lane() {
        let text = json_lines(&[outcome(0), outcome(1)]).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[0]["server"], "peer");
        assert_eq!(lines[0]["synchronous"], "NORMAL");
        assert_eq!(lines[1]["measured"], "cold");
        assert_eq!(lines[1]["rps"], 200.0);
        assert_eq!(lines[1]["statuses"]["200"], 4);
        assert_eq!(lines[1]["ratio"], 5.0);
    }

    #[test]
    fn failures_show_everywhere() {
        let mut failed = outcome(0);
        failed.fail(Side::Basalt, "two\nlines".to_owned());
        assert!(line(&failed).contains("FAILED"));
        assert!(line(&failed).contains("\n    basalt: two"));
        let page = markdown(std::slice::from_ref(&failed), &BTreeMap::new());
        let expected = "## Failures\n\n- create `organizations`: basalt: two lines\n";
        assert!(page.contains(expected), "{page}");
        assert!(summary(&[failed], &BTreeMap::new()).ends_with("1 rows, 1 failed"));
        assert!(line(&outcome(0)).contains("   5.00"));
    }

    #[test]
    fn the_pages_tables_are_whole() {
        let page = markdown(&[outcome(0), outcome(9), outcome(1)], &BTreeMap::new());
        let mut width = 0;
        for line in page.lines() {
            let bars = line.matches('|').count();
            assert!(bars == 0 || width == 0 || bars == width, "{line}");
            width = bars;
        }
        assert_eq!(page.matches("## create").count(), 1);
    }

    #[test]
    fn a_file_that_cant_be_written_is_known_early() {
        let home = tempfile::tempdir().unwrap();
        assert!(try_file(&home.path().join("new/report.md")).is_ok());
        let said = try_file(home.path()).unwrap_err().to_string();
        assert!(said.contains("cannot write"), "{said}");
    }
}
