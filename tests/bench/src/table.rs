//! The report on the terminal: a table that grows while the rows run.

use std::collections::BTreeMap;

use crate::cli::Side;
use crate::outcome::{Lane, Measure, Outcome, Spent, list_mean, means};
use crate::rows::{Row, SIZES};

const NAME_WIDTH: usize = 58;

/// A line of `--list`.
pub fn listing(row: &Row) -> String {
    let (requests, concurrency) = (row.requests, row.concurrency);
    format!("{:<90} {requests} × {concurrency}", row.full_name())
}

/// The head of the terminal's table.
pub fn head() -> String {
    let columns = format!("{:>8} {:>8} {:>8}", "req/s", "p50 ms", "p99 ms");
    format!(
        "{:<NAME_WIDTH$} | {:<26} | {:<33} | {:<33} | {:>15}\n\
         {:<NAME_WIDTH$} | {columns} | {columns} {:>6} | {columns} {:>6} | {:>7} {:>7}",
        "",
        "peer",
        "basalt, cold",
        "basalt, warm",
        "ratio",
        "row",
        "cpu µs",
        "floor",
        "cold",
        "warm"
    )
}

/// A line of the terminal's table, and one below it for each failure.
pub fn line(outcome: &Outcome) -> String {
    let name = format!("{} {}", outcome.group.name(), outcome.row);
    let name: String = name.chars().take(NAME_WIDTH).collect();
    let figures = |lane| match outcome.lanes.get(&lane) {
        None => format!("{:>26}", ""),
        Some(Measure {
            rps,
            p50_ms,
            p99_ms,
            ..
        }) => format!("{rps:>8.1} {p50_ms:>8.2} {p99_ms:>8.2}"),
    };
    let cpu = outcome.lanes.get(&Lane::Cold).and_then(|one| one.cpu_us);
    let cpu = cpu.map_or_else(String::new, |cpu| format!("{cpu:.0}"));
    let floor = outcome.of_floor(Lane::Warm);
    let floor = floor.map_or_else(String::new, |share| format!("{:.0}%", share * 100.0));
    let mut text = format!(
        "{name:<NAME_WIDTH$} | {} | {} {cpu:>6} | {} {floor:>6} | {:>7} {:>7}",
        figures(Lane::Peer),
        figures(Lane::Cold),
        figures(Lane::Warm),
        verdict(outcome, Lane::Cold),
        verdict(outcome, Lane::Warm),
    );
    if outcome.peer_timed_out() {
        text.push_str("  peer timed out");
    }
    for failure in &outcome.failures {
        text.push_str("\n    ");
        text.push_str(failure);
    }
    text
}

/// The geometric means, one line each, and what the servers used.
pub fn summary(outcomes: &[Outcome], spent: &BTreeMap<Side, Spent>) -> String {
    let mut text = String::new();
    let warm = means(outcomes, Lane::Warm);
    for (group, mean) in means(outcomes, Lane::Cold) {
        let warm = or_dash(warm.get(&group), |mean| format!("{mean:.2}"));
        let name = group.name();
        text.push_str(&format!(
            "geometric mean, {name:<10} {mean:>8.2}, warm {warm:>8}\n"
        ));
    }
    for (name, cold, warm) in list_means(outcomes) {
        text.push_str(&format!(
            "geomean of list rows, cold, {name}: {cold:.2} (warm: {warm})\n"
        ));
    }
    for (side, used) in spent {
        let (name, peak) = (side.name(), used.peak_kib >> 10);
        let seconds = used.cpu_s;
        text.push_str(&format!(
            "{name}: {seconds:.1} s of processor time, {peak} MiB at most\n"
        ));
    }
    let failed = outcomes.iter().filter(|one| !one.failures.is_empty());
    let failed = failed.count();
    text.push_str(&format!("{} rows, {failed} failed", outcomes.len()));
    text
}

/// The means over the list rows of each size: cold, and warm as text.
pub fn list_means(outcomes: &[Outcome]) -> Vec<(&'static str, f64, String)> {
    let names = SIZES.iter().map(|size| size.name);
    let means = names.filter_map(|name| {
        let warm = list_mean(outcomes, name, Lane::Warm);
        let warm = or_dash(warm, |mean| format!("{mean:.2}"));
        Some((name, list_mean(outcomes, name, Lane::Cold)?, warm))
    });
    means.collect()
}

/// The ratio, or that there is none.
pub fn verdict(outcome: &Outcome, lane: Lane) -> String {
    match (outcome.failures.is_empty(), outcome.lanes.get(&lane)) {
        (_, None) => String::new(),
        (true, _) => or_dash(outcome.ratio(lane), |ratio| format!("{ratio:.2}")),
        (false, _) => "FAILED".to_owned(),
    }
}

/// A value as text, or a dash.
pub fn or_dash<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}
