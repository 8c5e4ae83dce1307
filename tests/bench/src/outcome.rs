//! What a row yields: figures for each server, the ratio, and what went wrong.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::cli::Side;
use crate::drive::Tally;
use crate::rows::{Group, Row, Work};

/// The figures of one server.
#[derive(Debug, Clone, Serialize)]
pub struct Measure {
    #[serde(skip)]
    requests: usize,
    /// Answered requests per second.
    pub rps: f64,
    /// The median.
    pub p50_ms: f64,
    /// What 99 of 100 requests stay within.
    pub p99_ms: f64,
    /// The slowest.
    pub worst_ms: f64,
    /// From the first request to the last answer.
    pub total_ms: f64,
    /// Requests without an answer.
    pub errors: usize,
    /// How often each status came, the updates of a mixed row included.
    pub statuses: BTreeMap<u16, usize>,
    /// Processor time of the server.
    pub cpu_s: Option<f64>,
    /// Processor time of this tool, which shares the machine: where it comes near the total time,
    /// the tool is what was measured.
    pub tool_cpu_s: Option<f64>,
    /// The most memory it had during the row, in KiB.
    pub peak_kib: Option<u64>,
    /// For a mixed row: how long all its updates took.
    pub updates_ms: Option<f64>,
    #[serde(skip)]
    problem: Option<String>,
}

impl Measure {
    /// Figures of a row, and of the updates beside it.
    pub fn new(tally: Tally, beside: Tally, used: Used) -> Measure {
        let mut latencies = tally.latencies;
        latencies.sort_unstable();
        let at = |share: f64| milliseconds(percentile(&latencies, share));
        let seconds = tally.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        let (errors, mut statuses) = (tally.errors + beside.errors, tally.statuses);
        let updates = beside.latencies.len() + beside.errors;
        for (status, count) in beside.statuses {
            *statuses.entry(status).or_default() += count;
        }
        Measure {
            requests: latencies.len() + tally.errors,
            rps: latencies.len() as f64 / seconds,
            p50_ms: at(0.50),
            p99_ms: at(0.99),
            worst_ms: at(1.0),
            total_ms: milliseconds(tally.elapsed),
            errors,
            statuses,
            cpu_s: used.cpu_s,
            tool_cpu_s: used.tool_cpu_s,
            peak_kib: used.peak_kib,
            updates_ms: (updates > 0).then(|| milliseconds(beside.elapsed)),
            problem: tally.problem.or(beside.problem),
        }
    }
}

/// What a row cost, as the kernel counts it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Used {
    /// Processor time of the server.
    pub cpu_s: Option<f64>,
    /// Processor time of this tool.
    pub tool_cpu_s: Option<f64>,
    /// The most memory that the server had.
    pub peak_kib: Option<u64>,
}

/// A row that was run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Its part of the report.
    pub group: Group,
    /// Its name there.
    pub row: String,
    /// How many requests.
    pub requests: usize,
    /// How many at a time.
    pub concurrency: usize,
    /// The rule.
    pub rule: &'static str,
    /// The query.
    pub query: &'static str,
    /// Which server went first.
    pub first: &'static str,
    /// The peer's figures.
    pub peer: Option<Measure>,
    /// The app's figures.
    pub basalt: Option<Measure>,
    /// What went wrong; empty if the row counts.
    pub failures: Vec<String>,
    /// Does it write?
    pub writes: bool,
}

impl Outcome {
    /// Nothing measured yet.
    pub fn new(row: &Row) -> Outcome {
        let (query, updates) = match row.work {
            Work::List { query, updates, .. } => (query, updates),
            _ => ("", 0),
        };
        Outcome {
            group: row.group,
            row: row.name.clone(),
            requests: row.requests,
            concurrency: row.concurrency,
            rule: row.rule,
            query,
            first: "",
            peer: None,
            basalt: None,
            failures: Vec::new(),
            writes: row.group.writes() || updates > 0,
        }
    }

    /// Takes a server's figures.
    pub fn add(&mut self, side: Side, measure: Measure) {
        if let Some(problem) = &measure.problem {
            self.fail(side, problem.clone());
        }
        self.requests = measure.requests;
        match side {
            Side::Peer => self.peer = Some(measure),
            Side::Basalt => self.basalt = Some(measure),
        }
    }

    /// Notes what went wrong.
    pub fn fail(&mut self, side: Side, what: String) {
        self.failures.push(format!("{}: {what}", side.name()));
    }

    /// How many times as many requests a second as the peer; not for rows that failed.
    pub fn ratio(&self) -> Option<f64> {
        let (peer, basalt) = self.peer.as_ref().zip(self.basalt.as_ref())?;
        (self.failures.is_empty() && peer.rps > 0.0).then(|| basalt.rps / peer.rps)
    }

    /// The figures that there are.
    pub fn measures(&self) -> impl Iterator<Item = (Side, &Measure)> {
        let peer = self.peer.as_ref().map(|measure| (Side::Peer, measure));
        let basalt = self.basalt.as_ref().map(|measure| (Side::Basalt, measure));
        peer.into_iter().chain(basalt)
    }
}

/// The geometric mean of the ratios of each group, in the groups' order.
pub fn means(outcomes: &[Outcome]) -> BTreeMap<Group, f64> {
    let mut logarithms: BTreeMap<Group, Vec<f64>> = BTreeMap::new();
    for outcome in outcomes {
        if let Some(ratio) = outcome.ratio() {
            logarithms
                .entry(outcome.group)
                .or_default()
                .push(ratio.ln());
        }
    }
    let mean = |all: Vec<f64>| (all.iter().sum::<f64>() / all.len() as f64).exp();
    logarithms
        .into_iter()
        .map(|(group, all)| (group, mean(all)))
        .collect()
}

/// The smallest value that at least this share of the sorted values doesn't exceed.
fn percentile(sorted: &[Duration], share: f64) -> Duration {
    // Both conversions stay within the slice's length.
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use super::*;
    use crate::catalogue::all;
    use crate::rows::SIZES;

    fn outcome(peer: u64, basalt: u64) -> Outcome {
        let measure = |millis| {
            let elapsed = Duration::from_millis(millis);
            let tally = Tally {
                latencies: vec![elapsed; 10],
                elapsed,
                ..Tally::default()
            };
            Measure::new(tally, Tally::default(), Used::default())
        };
        let mut outcome = Outcome::new(&all(&SIZES)[0]);
        outcome.add(Side::Peer, measure(peer));
        outcome.add(Side::Basalt, measure(basalt));
        outcome
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values: Vec<Duration> = (1..=100).map(Duration::from_millis).collect();
        let at = |share| percentile(&values, share).as_millis();
        assert_eq!([at(0.5), at(0.99), at(1.0)], [50, 99, 100]);
        assert_eq!(percentile(&values[..1], 0.5).as_millis(), 1);
        assert_eq!(percentile(&[], 0.5).as_millis(), 0);
    }

    #[test]
    fn ratios_and_their_mean() {
        let rows = [outcome(100, 50), outcome(800, 100)];
        assert!((rows[0].ratio().unwrap() - 2.0).abs() < 1e-9);
        assert!((means(&rows)[&Group::Create] - 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_failed_row_has_no_ratio() {
        let mut row = outcome(100, 50);
        row.fail(Side::Basalt, "wrong".to_owned());
        assert_eq!(row.ratio(), None);
        assert!(means(&[row]).is_empty());
    }
}
