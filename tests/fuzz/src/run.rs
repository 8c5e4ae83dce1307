//! Runs texts through every stage, in threads with small stacks, and watches the time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use basalt_lang::{Caller, Scope, compile, parse_sort};

use crate::mutate::{OWN, Random, text};
use crate::schema::Small;

/// Half of what threads of the server have.
pub const STACK: usize = 1 << 20;
/// Texts between two looks at the counter.
const BATCH: u64 = 1000;

/// How often a text that was slow is tried again.
const REPEATS: usize = 5;

const CALLERS: [Caller; 3] = [Caller::Rule, Caller::Superuser, Caller::Client];

/// What happened.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Texts that went through all stages, each for one caller.
    pub runs: u64,
    /// Those that were understood.
    pub compiled: u64,
    /// The slowest of them.
    pub slowest: Duration,
    /// Its text.
    pub slowest_text: String,
    /// Texts at which something panicked, or that were answered wrongly, with what was wrong.
    pub failures: Vec<(String, String)>,
}

impl Outcome {
    fn add(&mut self, other: Outcome) {
        self.runs += other.runs;
        self.compiled += other.compiled;
        if other.slowest > self.slowest {
            self.slowest = other.slowest;
            self.slowest_text = other.slowest_text;
        }
        self.failures.extend(other.failures);
    }
}

/// How much to do.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Where the random sequence begins.
    pub seed: u64,
    /// How many texts.
    pub runs: u64,
    /// When to stop although there are more.
    pub end: Option<Instant>,
    /// How many threads.
    pub threads: u64,
}

/// Runs everything; `progress` hears how many texts are done.
pub fn run(plan: Plan, progress: &(dyn Fn(u64) + Sync)) -> Result<Outcome> {
    let taken = AtomicU64::new(0);
    let whole = Mutex::new(Outcome::default());
    thread::scope(|scope| {
        for number in 0..plan.threads {
            let (taken, whole) = (&taken, &whole);
            let work = move || {
                let seed = plan.seed.wrapping_mul(1 << 20).wrapping_add(number);
                let outcome = worker(plan, seed, taken, progress);
                if let Ok(mut whole) = whole.lock() {
                    whole.add(outcome);
                }
            };
            thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, work)?;
        }
        anyhow::Ok(())
    })?;
    whole.into_inner().map_err(|_| anyhow!("a thread panicked"))
}

fn worker(plan: Plan, seed: u64, taken: &AtomicU64, progress: &(dyn Fn(u64) + Sync)) -> Outcome {
    let mut random = Random::new(seed);
    let schema = Small::new();
    let mut outcome = Outcome::default();
    let mut bytes = Vec::new();
    loop {
        let begun = taken.fetch_add(BATCH, Ordering::Relaxed);
        let late = plan.end.is_some_and(|end| Instant::now() >= end);
        if begun >= plan.runs || late {
            return outcome;
        }
        let count = BATCH.min(plan.runs - begun);
        for number in 0..count {
            text(OWN, &mut random, &mut bytes);
            let text = String::from_utf8_lossy(&bytes);
            let caller = CALLERS.get((number % 3) as usize).copied();
            one(
                &schema,
                &text,
                caller.unwrap_or(Caller::Client),
                &mut outcome,
            );
        }
        progress(count);
    }
}

fn one(schema: &Small, text: &str, caller: Caller, outcome: &mut Outcome) {
    let timed = || {
        let start = Instant::now();
        let survived = catch_unwind(AssertUnwindSafe(|| stages(schema, text, caller)));
        (survived, start.elapsed())
    };
    let (survived, mut time) = timed();
    outcome.runs += 1;
    if time > outcome.slowest {
        // The system may have been busy with something else: the text must be slow each time.
        for _ in 0..REPEATS {
            time = time.min(timed().1);
        }
    }
    if time > outcome.slowest {
        outcome.slowest = time;
        outcome.slowest_text = text.to_owned();
    }
    match survived {
        Ok(Ok(true)) => outcome.compiled += 1,
        Ok(Ok(false)) => {}
        Ok(Err(wrong)) => outcome.failures.push((text.to_owned(), wrong)),
        Err(_) => outcome
            .failures
            .push((text.to_owned(), "panicked".to_owned())),
    }
}

/// Every stage, and what must hold of each answer. Was the text understood?
pub(crate) fn stages(schema: &Small, text: &str, caller: Caller) -> Result<bool, String> {
    let scope = Scope::new(schema, schema.subject(), caller);
    let outcome = compile(text, &scope);
    let understood = outcome.is_ok();
    let findings = match outcome {
        Ok(compiled) => {
            if compiled.typed.to_string().is_empty() {
                return Err("a typed tree without text".to_owned());
            }
            compiled.warnings
        }
        Err(errors) if errors.is_empty() => return Err("refused without a reason".to_owned()),
        Err(errors) => errors,
    };
    for finding in findings.iter().chain(parse_sort(text, &scope).err().iter()) {
        if text.get(finding.span.start..finding.span.end).is_none() {
            return Err(format!("points outside of the text: {finding}"));
        }
    }
    Ok(understood)
}
