//! The report on the terminal: a table that grows while the rows run.

use crate::outcome::{Measure, Outcome, means};

const NAME_WIDTH: usize = 66;

/// The head of the terminal's table.
pub fn head() -> String {
    let columns = format!(
        "{:>9} {:>8} {:>8} {:>6} {:>5}",
        "req/s", "p50 ms", "p99 ms", "cpu s", "MiB"
    );
    format!(
        "{:<NAME_WIDTH$} | {:<40} | {:<40} |\n{:<NAME_WIDTH$} | {columns} | {columns} | {:>7}",
        "", "peer", "basalt", "row", "ratio"
    )
}

/// A line of the terminal's table, and one below it for each failure.
pub fn line(outcome: &Outcome) -> String {
    let name = format!("{} {}", outcome.group.name(), outcome.row);
    let name: String = name.chars().take(NAME_WIDTH).collect();
    let figures = |measure: &Option<Measure>| match measure {
        None => format!("{:>40}", "-"),
        Some(measure) => format!(
            "{:>9.1} {:>8.1} {:>8.1} {:>6} {:>5}",
            measure.rps,
            measure.p50_ms,
            measure.p99_ms,
            or_dash(measure.cpu_s, |seconds| format!("{seconds:.2}")),
            or_dash(measure.peak_kib, |kib| (kib >> 10).to_string()),
        ),
    };
    let (peer, basalt) = (figures(&outcome.peer), figures(&outcome.basalt));
    let mut text = format!(
        "{name:<NAME_WIDTH$} | {peer} | {basalt} | {:>7}",
        verdict(outcome)
    );
    for failure in &outcome.failures {
        text.push_str("\n    ");
        text.push_str(failure);
    }
    text
}

/// The geometric means, one line each.
pub fn summary(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for (group, mean) in means(outcomes) {
        text.push_str(&format!(
            "geometric mean, {:<10} {mean:>7.2}\n",
            group.name()
        ));
    }
    let failed = outcomes
        .iter()
        .filter(|outcome| !outcome.failures.is_empty())
        .count();
    text.push_str(&format!("{} rows, {failed} failed", outcomes.len()));
    text
}

/// The ratio, or that there is none.
pub fn verdict(outcome: &Outcome) -> String {
    if outcome.failures.is_empty() {
        or_dash(outcome.ratio(), |ratio| format!("{ratio:.2}"))
    } else {
        "FAILED".to_owned()
    }
}

/// A value as text, or a dash.
pub fn or_dash<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}
