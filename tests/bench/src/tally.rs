//! What came of a load.

use std::collections::BTreeMap;
use std::time::Duration;

/// A peer that gives up on a query answers 400 after thirty seconds. One that answers so sooner
/// refuses the request.
const GIVING_UP: Duration = Duration::from_secs(25);

/// What came of a load.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    /// How long each answered request took.
    pub latencies: Vec<Duration>,
    /// How often each status came.
    pub statuses: BTreeMap<u16, usize>,
    /// Requests that got no answer.
    pub errors: usize,
    /// Requests on which the server gave up.
    pub timeouts: usize,
    /// The first wrong status or error, quoted.
    pub problem: Option<String>,
    /// The shortest and the longest body of an answer with the right status.
    pub lengths: Option<(usize, usize)>,
    /// From the first request to the last answer.
    pub elapsed: Duration,
}

/// What one answer was.
pub struct Arrival<'a> {
    /// The status.
    pub status: u16,
    /// The length of the body.
    pub length: usize,
    /// How the body starts.
    pub start: &'a [u8],
    /// Is it the body that was due?
    pub same: bool,
    /// From sending to the last byte.
    pub took: Duration,
}

impl Tally {
    /// Counts an answer where `expected` was due.
    pub fn arrived(&mut self, arrival: &Arrival<'_>, expected: u16, may_give_up: bool) {
        let &Arrival {
            status,
            length,
            took,
            ..
        } = arrival;
        self.latencies.push(took);
        *self.statuses.entry(status).or_default() += 1;
        if status == expected && !arrival.same {
            let quoted = String::from_utf8_lossy(arrival.start);
            let wrong = || format!("another body than the one that was checked: {quoted}");
            self.problem.get_or_insert_with(wrong);
        } else if status == expected {
            let (shortest, longest) = self.lengths.unwrap_or((length, length));
            self.lengths = Some((shortest.min(length), longest.max(length)));
        } else if may_give_up && status == 400 && took >= GIVING_UP {
            self.timeouts += 1;
        } else if self.problem.is_none() {
            let quoted = String::from_utf8_lossy(arrival.start);
            self.problem = Some(format!(
                "status {status} where {expected} was due: {quoted}"
            ));
        }
    }

    /// Counts a request without an answer.
    pub fn failed(&mut self, error: &anyhow::Error) {
        self.errors += 1;
        self.problem.get_or_insert_with(|| format!("{error:#}"));
    }

    /// Adds what came of another load. (The times add up.)
    pub fn merge(&mut self, other: Tally) {
        self.latencies.extend(other.latencies);
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.errors += other.errors;
        self.timeouts += other.timeouts;
        self.problem = self.problem.take().or(other.problem);
        self.lengths = match (self.lengths, other.lengths) {
            (Some(one), Some(two)) => Some((one.0.min(two.0), one.1.max(two.1))),
            (one, two) => one.or(two),
        };
        self.elapsed += other.elapsed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(status: u16, length: usize, seconds: u64) -> Arrival<'static> {
        Arrival {
            status,
            length,
            start: b"why",
            same: true,
            took: Duration::from_secs(seconds),
        }
    }

    #[test]
    fn giving_up_is_not_refusing() {
        let mut tally = Tally::default();
        tally.arrived(&arrival(400, 1, 30), 200, true);
        assert_eq!((tally.timeouts, tally.problem.as_deref()), (1, None));
        tally.arrived(&arrival(400, 1, 1), 200, true);
        let due = Some("status 400 where 200 was due: why");
        assert_eq!((tally.timeouts, tally.problem.as_deref()), (1, due));

        let mut tally = Tally::default();
        tally.arrived(&arrival(400, 1, 30), 200, false);
        assert_eq!((tally.timeouts, tally.problem.as_deref()), (0, due));
    }

    #[test]
    fn another_body_is_a_problem() {
        let mut tally = Tally::default();
        let other = Arrival {
            same: false,
            ..arrival(200, 3, 1)
        };
        tally.arrived(&other, 200, true);
        let due = "another body than the one that was checked: why";
        assert_eq!(tally.problem.as_deref(), Some(due));
    }

    #[test]
    fn sums_know_the_range_of_lengths() {
        let mut sum = Tally::default();
        for length in [5, 3, 9] {
            let mut one = Tally::default();
            one.arrived(&arrival(200, length, 1), 200, false);
            sum.merge(one);
        }
        assert_eq!((sum.lengths, sum.latencies.len()), (Some((3, 9)), 3));
        assert_eq!(sum.statuses, [(200, 3)].into());
    }
}
