//! Texts of a megabyte that repeat one thing: each must be answered in time that grows with its
//! length only.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use basalt_lang::Caller;

use crate::run::{STACK, stages};
use crate::schema::Small;

/// What is repeated, with what stands before and behind it.
const REPEATED: &[(&str, &str, &str)] = &[
    ("", "(", ""),
    ("", ")", ""),
    ("t = 'x'", " && ", ""),
    ("", "&&", ""),
    ("", "t = 'x' && ", "t = 'x'"),
    ("", "t = 'x' || ", "t = 'x'"),
    ("", "a.b.c.", "t = 1"),
    ("", "own.", "t = 1"),
    ("", "many.many.", "t = 1"),
    ("", "@request.auth.", "id = 1"),
    ("j.", "a.0.", "b = 1"),
    ("t = '", "x", "'"),
    ("t = '", "\\'", "'"),
    ("t = '", "%_\\\\", "'"),
    ("", "'", ""),
    ("", "//", ""),
    ("", "// x\n", "t = 1"),
    ("", "1", " = 1"),
    ("n = -", "9", ""),
    ("n = 1.", "0", ""),
    ("", "strftime(", ""),
    ("strftime('%Y'", ",d", ") = 1"),
    ("", "=", ""),
    ("", "?", ""),
    ("", "@", ""),
    ("", "_", " = 1"),
    ("", "t:lower:", " = 1"),
    ("", "(t = 1)", ""),
    ("", "(t = 1 && (", ""),
    ("", "é", ""),
    ("", " ", ""),
    ("", "\0", ""),
    ("", "things_via_own.", "t = 1"),
    ("@collection.others:", "a", ".t = 1"),
];

/// How long one text took.
#[derive(Debug, Clone)]
pub struct Timed {
    /// What it is made of.
    pub what: String,
    /// How long the slowest caller waited for the answer.
    pub time: Duration,
    /// Was it understood?
    pub understood: bool,
}

/// Times every kind of text at this length in bytes, on a small stack.
pub fn time_all(length: usize) -> Result<Vec<Timed>> {
    let work = move || -> Result<Vec<Timed>> {
        let texts = REPEATED.iter();
        texts
            .map(|(before, repeated, after)| {
                let middle = repeated.repeat(length / repeated.len());
                time(repeated, &format!("{before}{middle}{after}"))
            })
            .collect()
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(work)?;
    thread.join().map_err(|_| anyhow!("a stage panicked"))?
}

fn time(repeated: &str, text: &str) -> Result<Timed> {
    let schema = Small::new();
    let (mut slowest, mut understood) = (Duration::ZERO, false);
    for caller in [Caller::Rule, Caller::Superuser, Caller::Client] {
        let start = Instant::now();
        let outcome = stages(&schema, text, caller);
        slowest = slowest.max(start.elapsed());
        understood |= outcome.map_err(|wrong| anyhow!("{repeated:?}: {wrong}"))?;
    }
    Ok(Timed {
        what: format!("{repeated:?}"),
        time: slowest,
        understood,
    })
}
