//! A small share of the fuzzing, with every `cargo test`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use basalt_fuzz::big::time_all;
use basalt_fuzz::run::{Plan, run};

#[test]
fn odd_texts_are_answered() {
    let plan = Plan {
        seed: 1,
        runs: 30_000,
        end: None,
        threads: 2,
    };
    let outcome = run(plan, &|_| {}).unwrap();
    assert_eq!(outcome.runs, plan.runs);
    assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
    assert!(
        outcome.compiled > plan.runs / 20,
        "only {} were understood",
        outcome.compiled
    );
}

/// Ten times the text may take some ten times as long, but not a hundred times.
#[test]
fn time_grows_with_length_only() {
    let (short, long) = (time_all(100 << 10).unwrap(), time_all(1 << 20).unwrap());
    for (short, long) in short.iter().zip(&long) {
        println!("{:>9.2?} {:>9.2?}  {}", short.time, long.time, long.what);
        let most = short.time.max(Duration::from_millis(5)) * 40;
        assert!(
            long.time < most,
            "{}: {:?}, then {:?}",
            long.what,
            short.time,
            long.time
        );
    }
}
