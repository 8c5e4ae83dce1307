//! Clients' filters, which need no build: the same list is asked of both servers.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, anyhow};
use basalt_blackbox::{Client, Random};
use indicatif::ProgressBar;

use crate::expr::{Expr, shrink};
use crate::grammar::{Author, Grammar};
use crate::judge::{Listed, list};
use crate::known::{Case, known};
use crate::model::Schema;

/// Questions that are asked to make one failure small.
const TRIES: usize = 300;
/// A failure must show this often, so that the clock's running on explains none.
const REPEATS: usize = 3;
/// Failures that are made small, in each thread; the rest is counted only.
const MOST_SHRUNK: usize = 40;

/// Who asks, at both servers.
#[derive(Debug, Clone)]
pub struct Caller {
    /// For reports: `superuser`, `guest`, `people0`…
    pub name: String,
    /// At ours.
    pub ours: Client,
    /// At the peer.
    pub peer: Client,
}

/// What came out.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Filters that were asked.
    pub asked: usize,
    /// Those that both servers accepted.
    pub accepted: usize,
    /// Those that found some records but not all.
    pub telling: usize,
    /// Those that the peer didn't answer in time.
    pub unanswered: usize,
    /// Deliberate differences, by name.
    pub known: BTreeMap<&'static str, usize>,
    /// The others.
    pub failures: usize,
    /// Some of the others, made small.
    pub reports: Vec<Failure>,
}

/// A difference, made small.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Which collection.
    pub collection: String,
    /// Who asked.
    pub caller: String,
    /// What was asked.
    pub filter: String,
    /// In which order; empty for any.
    pub sort: String,
    /// What the peer says.
    pub peer: Listed,
    /// What ours says.
    pub ours: Listed,
}

/// One run over a pair of servers.
pub struct Run<'a> {
    /// The collections.
    pub schema: &'a Schema,
    /// Superuser, guest, then records of the auth collection.
    pub callers: &'a [Caller],
    /// Where the random sequence begins.
    pub seed: u64,
    /// How many filters.
    pub filters: usize,
    /// How many at a time.
    pub threads: usize,
}

impl Run<'_> {
    /// Asks everything.
    pub fn run(&self, bar: &ProgressBar) -> Result<Outcome> {
        let left = AtomicUsize::new(self.filters);
        let whole = Mutex::new(Outcome::default());
        thread::scope(|scope| {
            let workers = (0..self.threads).map(|number| {
                let (left, whole) = (&left, &whole);
                scope.spawn(move || -> Result<()> {
                    let outcome = self.worker(number, left, bar)?;
                    let mut whole = whole.lock().map_err(|_| anyhow!("a thread panicked"))?;
                    whole.add(outcome);
                    Ok(())
                })
            });
            let workers: Vec<_> = workers.collect();
            for worker in workers {
                worker.join().map_err(|_| anyhow!("a thread panicked"))??;
            }
            anyhow::Ok(())
        })?;
        whole.into_inner().map_err(|_| anyhow!("a thread panicked"))
    }

    fn worker(&self, number: usize, left: &AtomicUsize, bar: &ProgressBar) -> Result<Outcome> {
        let mut random = Random::new(self.seed.wrapping_mul(1000).wrapping_add(number as u64));
        let mut outcome = Outcome::default();
        let rules = self.schema.list_rules();
        let take = |left: usize| left.checked_sub(1);
        while left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .is_ok()
        {
            let place = random.below(self.schema.collections.len());
            let (Some(collection), Some(caller)) = (
                self.schema.collections.get(place),
                self.caller(&mut random, place),
            ) else {
                continue;
            };
            let author = match caller.name.as_str() {
                "superuser" => Author::Superuser,
                _ => Author::Client,
            };
            let expr = Grammar::new(self.schema, &mut random, author).condition(place);
            let sort = match random.below(8) {
                0 => Grammar::new(self.schema, &mut random, author).sort(place),
                _ => String::new(),
            };
            let question = Question {
                collection: &collection.name,
                caller,
                sort: &sort,
                rules: if author == Author::Client { &rules } else { "" },
            };
            question.put(&expr, collection.rows, &mut outcome)?;
            bar.inc(1);
        }
        Ok(outcome)
    }

    /// A superuser mostly: both servers hold back the answers to those who seem to guess.
    fn caller(&self, random: &mut Random, place: usize) -> Option<&Caller> {
        let rule = self.schema.collections.get(place)?.rules.first()?;
        let client = match rule.as_deref() {
            None => random.below(200) == 0,
            Some("") => random.below(2) == 0,
            Some(_) => random.below(20) == 0,
        };
        let at = match client {
            true => 1 + random.below(self.callers.len() - 1),
            false => 0,
        };
        self.callers.get(at)
    }
}

struct Question<'a> {
    collection: &'a str,
    caller: &'a Caller,
    /// Empty for none.
    sort: &'a str,
    rules: &'a str,
}

impl Question<'_> {
    fn ask(&self, expr: &Expr) -> Result<(Listed, Listed)> {
        let filter = expr.to_string();
        let ours = list(&self.caller.ours, self.collection, &filter, self.sort)?;
        let peer = list(&self.caller.peer, self.collection, &filter, self.sort)?;
        Ok((ours, peer))
    }

    /// Both answers, if they differ each time and no known difference explains it.
    fn differs(&self, expr: &Expr) -> Result<Option<(Listed, Listed)>> {
        let mut last = None;
        for _ in 0..REPEATS {
            let (ours, peer) = self.ask(expr)?;
            let text = expr.to_string();
            let case = Case {
                text: &text,
                rules: self.rules,
                ours: &ours,
                peer: &peer,
            };
            if ours == peer || known(&case).is_some() {
                return Ok(None);
            }
            last = Some((ours, peer));
        }
        Ok(last)
    }

    fn put(&self, expr: &Expr, rows: usize, outcome: &mut Outcome) -> Result<()> {
        let (ours, peer) = self.ask(expr)?;
        outcome.asked += 1;
        outcome.accepted += usize::from(ours.status == 200 && peer.status == 200);
        outcome.telling += usize::from(!peer.ids.is_empty() && peer.ids.len() < rows);
        if ours == peer {
            return Ok(());
        }
        // Some joins of many rows are too much for the peer; that says nothing about ours.
        if peer.status == 0 {
            outcome.unanswered += 1;
            return Ok(());
        }
        let text = expr.to_string();
        let case = Case {
            text: &text,
            rules: self.rules,
            ours: &ours,
            peer: &peer,
        };
        if let Some(known) = known(&case) {
            *outcome.known.entry(known.name).or_default() += 1;
            return Ok(());
        }
        if self.differs(expr)?.is_none() {
            return Ok(());
        }
        outcome.failures += 1;
        if outcome.reports.len() < MOST_SHRUNK {
            outcome
                .reports
                .push(self.report(expr, (ours.status, peer.status))?);
        }
        Ok(())
    }

    /// The smallest filter with the same pair of statuses that still fails.
    fn report(&self, expr: &Expr, statuses: (u16, u16)) -> Result<Failure> {
        let fails = |expr: &Expr| {
            let found = self.differs(expr)?;
            Ok(found.is_some_and(|(ours, peer)| (ours.status, peer.status) == statuses))
        };
        let small = shrink(expr.clone(), TRIES, fails)?;
        let (ours, peer) = self.ask(&small)?;
        Ok(Failure {
            collection: self.collection.to_owned(),
            caller: self.caller.name.clone(),
            filter: small.to_string(),
            sort: self.sort.to_owned(),
            peer,
            ours,
        })
    }
}

impl Outcome {
    /// Takes another's part.
    pub fn add(&mut self, other: Outcome) {
        self.asked += other.asked;
        self.accepted += other.accepted;
        self.telling += other.telling;
        self.unanswered += other.unanswered;
        self.failures += other.failures;
        for (name, count) in other.known {
            *self.known.entry(name).or_default() += count;
        }
        self.reports.extend(other.reports);
    }
}

impl Failure {
    /// As [`known`](crate::known::known) takes it.
    pub fn case(&self) -> Case<'_> {
        Case {
            text: &self.filter,
            rules: "",
            ours: &self.ours,
            peer: &self.peer,
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let sort = match self.sort.as_str() {
            "" => String::new(),
            sort => format!("  sorted by {sort}"),
        };
        format!(
            "{} as {}: {}{sort}\n    peer: {}\n    ours: {}",
            self.collection,
            self.caller,
            self.filter.replace('\n', "\\n"),
            self.peer.short(),
            self.ours.short()
        )
    }
}
