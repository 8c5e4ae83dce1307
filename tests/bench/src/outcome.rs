//! What a row yields: figures for each server, the ratio, and what went wrong.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::cli::Side;
use crate::rows::{Group, Row, Work, Yardstick};
use crate::tally::Tally;

/// What was measured, before figures are made of it.
#[derive(Debug, Clone, Default)]
pub struct Raw {
    tally: Tally,
    beside: Tally,
    rates: Vec<f64>,
    /// Processor time and memory.
    pub used: Used,
}

impl Raw {
    /// Adds a round.
    pub fn round(&mut self, tally: Tally, beside: Tally) {
        let seconds = tally.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        self.rates.push(tally.latencies.len() as f64 / seconds);
        self.tally.merge(tally);
        self.beside.merge(beside);
    }

    /// Did anything go wrong?
    pub fn problem(&self) -> bool {
        self.tally.problem.is_some() || self.beside.problem.is_some()
    }

    fn merge(&mut self, other: Raw) {
        self.tally.merge(other.tally);
        self.beside.merge(other.beside);
        self.rates.extend(other.rates);
        self.used.add(other.used);
    }
}

/// What one run over a size yields, by which servers are compared.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Run {
    /// Answered requests per second: the median of the rounds.
    pub rps: f64,
    /// The median.
    pub p50_ms: f64,
    /// What 99 of 100 requests stay within.
    pub p99_ms: f64,
}

/// The figures of one server. Where a size was measured more than once, each time from empty folders,
/// `rps`, `p50_ms` and `p99_ms` are the medians of the runs; the rest is of all runs together.
#[derive(Debug, Clone, Serialize)]
pub struct Measure {
    /// How many requests were sent, in all rounds.
    pub requests: usize,
    /// In how many rounds.
    pub rounds: usize,
    /// Answered requests per second.
    pub rps: f64,
    /// What half of the requests stay within.
    pub p50_ms: f64,
    /// What 99 of 100 do.
    pub p99_ms: f64,
    /// Each run of its own.
    pub runs: Vec<Run>,
    /// The slowest.
    pub worst_ms: f64,
    /// From the first request to the last answer, all rounds.
    pub total_ms: f64,
    /// Requests without an answer.
    pub errors: usize,
    /// Requests on which the server gave up.
    pub timeouts: usize,
    /// How often each status came, those of requests beside included.
    pub statuses: BTreeMap<u16, usize>,
    /// The shortest and the longest body.
    pub lengths: Option<(usize, usize)>,
    /// Processor time of the server.
    pub cpu_s: Option<f64>,
    /// The same for one request, in microseconds.
    pub cpu_us: Option<f64>,
    /// Processor time of this tool, which shares the machine: where it comes near the total time,
    /// the tool is what was measured.
    pub tool_cpu_s: Option<f64>,
    /// The most memory it had during the row, in KiB.
    pub peak_kib: Option<u64>,
    /// How long all requests beside took.
    pub beside_ms: Option<f64>,
    #[serde(skip)]
    raw: Raw,
}

impl Measure {
    /// The figures of what was measured.
    pub fn new(mut raw: Raw) -> Measure {
        raw.tally.latencies.sort_unstable();
        let at = |share: f64| milliseconds(percentile(&raw.tally.latencies, share));
        let run = Run {
            rps: median(raw.rates.iter().copied()).unwrap_or_default(),
            p50_ms: at(0.50),
            p99_ms: at(0.99),
        };
        Measure::of(raw, vec![run])
    }

    fn of(mut raw: Raw, runs: Vec<Run>) -> Measure {
        raw.tally.latencies.sort_unstable();
        let (tally, beside, used) = (&raw.tally, &raw.beside, raw.used);
        let middle = |figure: fn(&Run) -> f64| median(runs.iter().map(figure)).unwrap_or_default();
        let mut statuses = tally.statuses.clone();
        for (status, count) in &beside.statuses {
            *statuses.entry(*status).or_default() += count;
        }
        let with_beside = beside.latencies.len() + beside.errors;
        let requests = tally.latencies.len() + tally.errors;
        let each = (requests + with_beside).max(1) as f64;
        Measure {
            requests,
            rounds: raw.rates.len(),
            rps: middle(|run| run.rps),
            p50_ms: middle(|run| run.p50_ms),
            p99_ms: middle(|run| run.p99_ms),
            worst_ms: milliseconds(percentile(&tally.latencies, 1.0)),
            total_ms: milliseconds(tally.elapsed),
            errors: tally.errors + beside.errors,
            timeouts: tally.timeouts + beside.timeouts,
            statuses,
            lengths: tally.lengths,
            cpu_s: used.cpu_s,
            cpu_us: used.cpu_s.map(|seconds| seconds * 1e6 / each),
            tool_cpu_s: used.tool_cpu_s,
            peak_kib: used.peak_kib,
            beside_ms: (with_beside > 0).then(|| milliseconds(beside.elapsed)),
            runs,
            raw,
        }
    }

    /// The first thing that went wrong.
    fn problem(&self) -> Option<&String> {
        let Raw { tally, beside, .. } = &self.raw;
        tally.problem.as_ref().or(beside.problem.as_ref())
    }

    /// The figures of this and another run together.
    fn merged(self, other: Measure) -> Measure {
        let (mut raw, mut runs) = (self.raw, self.runs);
        raw.merge(other.raw);
        runs.extend(other.runs);
        Measure::of(raw, runs)
    }

    /// How far the rates of the runs lie apart, as a share of their median; one run says nothing.
    pub fn spread(&self) -> Option<f64> {
        let (least, most) = range(self.runs.iter().map(|run| run.rps))?;
        (self.runs.len() > 1 && self.rps > 0.0).then(|| (most - least) / self.rps)
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

impl Used {
    /// Adds what another turn used.
    pub fn add(&mut self, other: Used) {
        let sum = |one: Option<f64>, two: Option<f64>| match (one, two) {
            (Some(one), Some(two)) => Some(one + two),
            (one, two) => one.or(two),
        };
        self.cpu_s = sum(self.cpu_s, other.cpu_s);
        self.tool_cpu_s = sum(self.tool_cpu_s, other.tool_cpu_s);
        self.peak_kib = self.peak_kib.max(other.peak_kib);
    }
}

/// What a server has used in a whole run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// Processor time.
    pub cpu_s: f64,
    /// The most memory.
    pub peak_kib: u64,
}

impl Spent {
    /// This and what another process used.
    pub fn and(self, other: Spent) -> Spent {
        Spent {
            cpu_s: self.cpu_s + other.cpu_s,
            peak_kib: self.peak_kib.max(other.peak_kib),
        }
    }
}

/// Who was measured, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// The peer.
    Peer,
    /// The app, that takes nothing from earlier requests. Where nothing could be taken: the app.
    Cold,
    /// The app as clients meet it.
    Warm,
    /// The bytes that the app answers with, from memory.
    Floor,
}

impl Lane {
    /// Its server.
    pub fn side(self) -> Side {
        match self {
            Lane::Peer => Side::Peer,
            Lane::Cold | Lane::Warm | Lane::Floor => Side::Basalt,
        }
    }
}

/// A row that was run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Its part of the report.
    pub group: Group,
    /// Its name there.
    pub row: String,
    /// What it does.
    pub work: Work,
    /// How many posts there are.
    pub size: &'static str,
    /// How many requests a round has.
    pub requests: usize,
    /// How many at a time.
    pub concurrency: usize,
    /// The rule.
    pub rule: &'static str,
    /// The query.
    pub query: &'static str,
    /// Which server went first.
    pub first: &'static str,
    /// The figures.
    pub lanes: BTreeMap<Lane, Measure>,
    /// What SQLite alone needs to go through an index of as many entries, where a total is due; for
    /// each run.
    pub scans_ms: Vec<f64>,
    /// What went wrong; empty if the row counts.
    pub failures: Vec<String>,
}

impl Outcome {
    /// Nothing measured yet.
    pub fn new(row: &Row, size: &'static str, requests: usize) -> Outcome {
        Outcome {
            group: row.group,
            row: row.name.clone(),
            work: row.work,
            size,
            requests,
            concurrency: row.concurrency,
            rule: row.rule,
            query: row.query(),
            first: "",
            lanes: BTreeMap::new(),
            scans_ms: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Takes figures.
    pub fn add(&mut self, lane: Lane, measure: Measure) {
        if let Some(problem) = measure.problem() {
            let problem = problem.clone();
            self.fail(lane.side(), problem);
        }
        self.lanes.insert(lane, measure);
    }

    /// Notes what went wrong.
    pub fn fail(&mut self, side: Side, what: String) {
        self.failures.push(format!("{}: {what}", side.name()));
    }

    /// How many times as good as the peer is a lane? The median of the runs. Not for rows that failed.
    pub fn ratio(&self, lane: Lane) -> Option<f64> {
        median(self.ratios(lane).into_iter())
    }

    /// The worst and the best of the runs' ratios, if there is more than one.
    pub fn ratio_range(&self, lane: Lane) -> Option<(f64, f64)> {
        let ratios = self.ratios(lane);
        range(ratios.iter().copied()).filter(|_| ratios.len() > 1)
    }

    /// The ratio of each run.
    fn ratios(&self, lane: Lane) -> Vec<f64> {
        if !self.failures.is_empty() {
            return Vec::new();
        }
        match self.work.yardstick() {
            Yardstick::Rate => self.quotients(lane, Lane::Peer, |run| run.rps),
            Yardstick::P99 => self.quotients(Lane::Peer, lane, |run| run.p99_ms),
            Yardstick::Median => self.quotients(Lane::Peer, lane, |run| run.p50_ms),
        }
    }

    /// How many times as large a figure is as in another lane, in each run that has both.
    fn quotients(&self, lane: Lane, other: Lane, figure: fn(&Run) -> f64) -> Vec<f64> {
        let Some((one, other)) = self.lanes.get(&lane).zip(self.lanes.get(&other)) else {
            return Vec::new();
        };
        let pairs = one
            .runs
            .iter()
            .map(figure)
            .zip(other.runs.iter().map(figure));
        let pairs = pairs.filter(|(_, other)| *other > 0.0);
        pairs.map(|(one, other)| one / other).collect()
    }

    /// Which share of the floor's rate a lane reaches.
    pub fn of_floor(&self, lane: Lane) -> Option<f64> {
        median(self.quotients(lane, Lane::Floor, |run| run.rps).into_iter())
    }

    /// What SQLite alone needs to go through an index of as many entries.
    pub fn scan_ms(&self) -> Option<f64> {
        median(self.scans_ms.iter().copied())
    }

    /// Did the peer give up on some requests?
    pub fn peer_timed_out(&self) -> bool {
        let peer = self.lanes.get(&Lane::Peer);
        peer.is_some_and(|measure| measure.timeouts > 0)
    }

    /// The same row of another run.
    pub fn merge(&mut self, other: Outcome) {
        for (lane, measure) in other.lanes {
            let measure = match self.lanes.remove(&lane) {
                Some(mine) => mine.merged(measure),
                None => measure,
            };
            self.lanes.insert(lane, measure);
        }
        self.scans_ms.extend(other.scans_ms);
        self.failures.extend(other.failures);
    }
}

/// The geometric mean of the ratios of each group, in the groups' order; of a lane, and where it
/// wasn't measured, of the cold one.
pub fn means(outcomes: &[Outcome], lane: Lane) -> BTreeMap<Group, f64> {
    let mut ratios: BTreeMap<Group, Vec<f64>> = BTreeMap::new();
    for outcome in outcomes {
        let ratio = outcome.ratio(lane).or_else(|| outcome.ratio(Lane::Cold));
        ratios.entry(outcome.group).or_default().extend(ratio);
    }
    ratios
        .into_iter()
        .filter_map(|(group, all)| Some((group, geometric(&all)?)))
        .collect()
}

/// The mean over all rows that list at a size.
pub fn list_mean(outcomes: &[Outcome], size: &str, lane: Lane) -> Option<f64> {
    let lists = outcomes
        .iter()
        .filter(|outcome| matches!(outcome.work, Work::List { .. }) && outcome.size == size);
    let ratios: Vec<f64> = lists.filter_map(|outcome| outcome.ratio(lane)).collect();
    geometric(&ratios)
}

fn geometric(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

/// The value in the middle, or between the two in the middle.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    match sorted.len().checked_rem(2) {
        Some(0) => Some((sorted.get(sorted.len() / 2 - 1)? + upper) / 2.0),
        _ => Some(upper),
    }
}

/// The least and the most of them.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let pairs = values.map(|value| (value, value));
    pairs.reduce(|(least, most), (one, two)| (least.min(one), most.max(two)))
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

    fn measure(millis: u64) -> Measure {
        let elapsed = Duration::from_millis(millis);
        let tally = Tally {
            latencies: vec![elapsed; 10],
            elapsed,
            ..Tally::default()
        };
        let mut raw = Raw::default();
        raw.round(tally, Tally::default());
        Measure::new(raw)
    }

    fn outcome(peer: u64, basalt: u64) -> Outcome {
        let mut outcome = Outcome::new(&all(SIZES[0], true)[0], "10k", 10);
        outcome.add(Lane::Peer, measure(peer));
        outcome.add(Lane::Cold, measure(basalt));
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
        assert!((rows[0].ratio(Lane::Cold).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(rows[0].ratio(Lane::Warm), None);
        for lane in [Lane::Cold, Lane::Warm] {
            assert!((means(&rows, lane)[&Group::Create] - 4.0).abs() < 1e-9);
        }
        assert_eq!(list_mean(&rows, "10k", Lane::Cold), None, "no row lists");
    }

    #[test]
    fn times_compare_the_other_way_round() {
        let mut row = outcome(100, 50);
        row.work = Work::Start;
        assert!((row.ratio(Lane::Cold).unwrap() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn the_rate_is_that_of_the_median_round() {
        let mut all = measure(10);
        for millis in [20, 1000] {
            all = all.merged(measure(millis));
        }
        assert_eq!((all.rounds, all.requests), (3, 30));
        assert!((all.rps - 500.0).abs() < 1e-6);
        assert!((all.worst_ms - 1000.0).abs() < 1e-6);
    }

    #[test]
    fn repeats_count_by_their_medians() {
        let mut rows = outcome(100, 50);
        assert_eq!(rows.ratio_range(Lane::Cold), None, "one run has no range");
        assert_eq!(rows.lanes[&Lane::Cold].spread(), None);
        for (peer, own) in [(100, 10), (100, 25)] {
            rows.merge(outcome(peer, own));
        }
        assert!((rows.ratio(Lane::Cold).unwrap() - 4.0).abs() < 1e-9);
        let (least, most) = rows.ratio_range(Lane::Cold).unwrap();
        assert!((least - 2.0).abs() < 1e-9 && (most - 10.0).abs() < 1e-9);
        let own = &rows.lanes[&Lane::Cold];
        assert!((own.rps - 400.0).abs() < 1e-6 && (own.p99_ms - 25.0).abs() < 1e-6);
        assert!((own.spread().unwrap() - 2.0).abs() < 1e-6, "200 to 1000");
    }

    #[test]
    fn medians_lie_between_two_in_the_middle() {
        let of = |values: &[f64]| median(values.iter().copied());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(of(&[4.0, 1.0]), Some(2.5));
    }

    #[test]
    fn a_failed_row_has_no_ratio() {
        let mut row = outcome(100, 50);
        row.fail(Side::Basalt, "wrong".to_owned());
        assert_eq!(row.ratio(Lane::Cold), None);
        assert!(means(&[row], Lane::Cold).is_empty());
    }
}
