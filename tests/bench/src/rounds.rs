//! Measures a row in rounds, by turns: what the machine does meanwhile meets all sides alike.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::ProgressBar;

use crate::drive::{self, Load};
use crate::outcome::{Measure, Raw, Used};
use crate::pool::Pool;
use crate::process::Clock;
use crate::server::Server;

/// A turn goes on until so much was measured.
const TURN: Duration = Duration::from_millis(250);
/// How many turns each side gets.
const TURNS: usize = 3;
/// A side of which no request is answered for so long during the warm-up starts cold.
const WARM_UP: Duration = Duration::from_millis(300);

/// How a row is repeated.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Once only: it writes, or nothing is to be measured.
    pub once: bool,
    /// After so much time, a side sends no more.
    pub limit: Option<Duration>,
}

/// One side of a row.
pub struct Lane {
    /// The place of its server.
    pub server: usize,
    /// The requests that count, then those beside.
    pub loads: Vec<Load>,
    /// What came of it.
    raw: Raw,
    turns: usize,
    spent: Duration,
    done: bool,
}

impl Lane {
    /// Nothing sent yet.
    pub fn new(server: usize, loads: Vec<Load>) -> Lane {
        Lane {
            server,
            loads,
            raw: Raw::default(),
            turns: 0,
            spent: Duration::ZERO,
            done: false,
        }
    }

    /// Its figures.
    pub fn measure(self) -> Measure {
        Measure::new(self.raw)
    }

    /// Rounds for the time of a turn.
    fn turn(&mut self, pool: &mut Pool, pid: u32, plan: Plan) -> Result<()> {
        let loads: Vec<&Load> = self.loads.iter().collect();
        let left = |spent| {
            plan.limit
                .map(|limit: Duration| limit.saturating_sub(spent))
        };
        let clock = Clock::start(pid);
        let begun = Instant::now();
        let mut used = Used::default();
        loop {
            let deadline = left(self.spent).map(|left| Instant::now() + left);
            let started = Instant::now();
            let mut tallies = drive::run(pool, &loads, deadline, &mut || {})?.into_iter();
            let tally = tallies.next().context("a row without requests")?;
            let beside = tallies.next().unwrap_or_default();
            self.spent += started.elapsed();
            self.raw.round(tally, beside);
            let over = left(self.spent).is_some_and(|left| left.is_zero());
            self.done = plan.once || over || self.raw.problem();
            if self.done || begun.elapsed() >= TURN {
                break;
            }
        }
        used.add(clock.stop());
        self.raw.used.add(used);
        self.turns += 1;
        self.done |= self.turns >= TURNS;
        Ok(())
    }
}

/// Runs all lanes, the first one first, then in the other order, and so on.
pub fn contest(
    lanes: &mut [Lane],
    servers: &[Server],
    plan: Plan,
    warm_up: impl Fn(&Lane) -> Option<Load>,
    bar: &ProgressBar,
) -> Result<()> {
    let mut pools: Vec<Pool> = servers
        .iter()
        .map(|server| Pool::new(server.address))
        .collect();
    for lane in lanes.iter() {
        if let (Some(load), Some(pool)) = (warm_up(lane), pools.get_mut(lane.server)) {
            let deadline = Some(Instant::now() + WARM_UP);
            drive::run(pool, &[&load], deadline, &mut || {})?;
        }
    }
    let mut order: Vec<usize> = (0..lanes.len()).collect();
    while lanes.iter().any(|lane| !lane.done) {
        for &place in &order {
            let Some(lane) = lanes.get_mut(place).filter(|lane| !lane.done) else {
                continue;
            };
            bar.tick();
            if let (Some(pool), Some(server)) =
                (pools.get_mut(lane.server), servers.get(lane.server))
            {
                lane.turn(pool, server.pid(), plan)?;
            }
        }
        order.reverse();
    }
    Ok(())
}
