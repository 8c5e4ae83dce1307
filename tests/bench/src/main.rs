//! The benchmark: starts a Basalt server and PocketBase, loads the same data into both, sends both
//! the same requests, and reports how they compare.

mod answer;
mod catalogue;
mod check;
mod cli;
mod data;
mod drive;
mod files;
mod growth;
mod http;
mod numbers;
mod outcome;
mod pool;
mod process;
mod report;
mod request;
mod rounds;
mod rows;
mod rules;
mod run;
mod server;
mod stage;
mod stop;
mod table;
mod tally;
mod wires;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Parser;
use rustix::process::{Resource, getrlimit, setrlimit};

use cli::{Chosen, Options, Side};
use outcome::{Lane, Outcome, Spent};
use rows::Size;
use run::{Bench, Programs};

/// The version of PocketBase that is compared with.
const PEER_VERSION: &str = "0.40.6";
/// A run needs some room whatever its size, and some for each post (both servers, with the
/// collections that hold the same posts under another rule).
const ROOM: u64 = 200 << 20;
const ROOM_FOR_A_POST: u64 = 16 << 10;

fn main() -> ExitCode {
    let options = Options::parse();
    match measure(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// A thousand connections are more than the usual soft limit of open files lets through. The servers
/// inherit ours. Where it can't be raised, the rows that need more fail and say so.
fn allow_many_connections() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _refused = setrlimit(Resource::Nofile, limit);
}

fn measure(options: &Options) -> Result<()> {
    let mut sizes = options.sizes.clone();
    sizes.sort_by_key(|one| one.size);
    sizes.dedup_by_key(|one| one.size);
    // What posts don't matter to is measured beside the most of them only.
    let largest = sizes.last().map(|one| one.size);
    let is_last = |size: Size| largest == Some(size);
    let plan = sizes.iter().flat_map(|one| {
        let rows = run::rows(options, one.size, is_last(one.size));
        rows.into_iter().filter(|(_, chosen)| *chosen)
    });
    let chosen: Vec<_> = plan.collect();
    if chosen.is_empty() {
        bail!("--rows matches no row; --list prints them all");
    }
    if options.list {
        for (row, _) in &chosen {
            println!("{}", table::listing(row));
        }
        return Ok(());
    }
    stop::listen()?;
    allow_many_connections();
    let programs = programs(options)?;
    for file in [&options.json, &options.markdown] {
        report::try_file(file)?;
    }

    println!("{}", table::head());
    let mut whole = Whole::default();
    let times = |one: &Chosen| one.times.unwrap_or(options.repeat);
    for turn in 0..sizes.iter().map(times).max().unwrap_or_default() {
        for one in sizes.iter().filter(|one| times(one) > turn) {
            let begun = Instant::now();
            let (rows, used) = one_size(options, &programs, one.size, is_last(one.size))?;
            whole.add(rows, used);
            // What is done is not lost if a later part is interrupted.
            report::write(&whole.outcomes, &whole.spent, options)?;
            let (name, seconds) = (one.size.name, begun.elapsed().as_secs());
            println!("{name}: {} of {} took {seconds} s", turn + 1, times(one));
        }
    }
    let Whole { outcomes, spent } = whole;
    println!("{}", table::summary(&outcomes, &spent));
    println!(
        "written: {} and {}",
        options.json.display(),
        options.markdown.display()
    );
    judge(&outcomes, options.min_ratio)
}

/// What all sizes and repeats have yielded so far.
#[derive(Default)]
struct Whole {
    outcomes: Vec<Outcome>,
    spent: BTreeMap<Side, Spent>,
}

impl Whole {
    fn add(&mut self, rows: Vec<Outcome>, used: SpentBySide) {
        for (side, used) in used {
            let sum = self.spent.entry(side).or_default();
            *sum = sum.and(used);
        }
        for outcome in rows {
            let key = |one: &&mut Outcome| one.row == outcome.row && one.group == outcome.group;
            match self.outcomes.iter_mut().find(key) {
                Some(earlier) => earlier.merge(outcome),
                None => self.outcomes.push(outcome),
            }
        }
    }
}

/// The servers' executables; an error if there is nothing to run, or not what it should be.
fn programs(options: &Options) -> Result<Programs> {
    let named = [(Side::Peer, &options.peer), (Side::Basalt, &options.server)];
    let mut all = Vec::new();
    for (side, program) in named {
        let wanted = options.only.is_none_or(|only| only == side);
        if let Some(program) = program.as_ref().filter(|_| wanted) {
            let program = server::find(program)?;
            if side == Side::Peer {
                server::check_version(&program, PEER_VERSION)?;
            }
            all.push((side, program));
        }
    }
    if all.is_empty() {
        bail!("--only names the server whose path is not given");
    }
    Ok(Programs { all })
}

/// What each server has used.
type SpentBySide = Vec<(Side, Spent)>;

/// One size, from empty directories to their end.
fn one_size(
    options: &Options,
    programs: &Programs,
    size: Size,
    shared: bool,
) -> Result<(Vec<Outcome>, SpentBySide)> {
    let mut home = tempfile::Builder::new()
        .prefix("basalt-bench-")
        .tempdir()
        .context("cannot make a temporary directory")?;
    expect_room(home.path(), if options.smoke { 0 } else { size.posts })?;
    if options.keep {
        home.disable_cleanup(true);
        println!("the servers' files stay in {}", home.path().display());
    }
    let mut bench = Bench::start(options, programs, home.path(), size, shared)?;
    let outcomes = bench.run(|outcome| println!("{}", table::line(outcome)));
    let all = outcomes.and_then(|outcomes| Ok((outcomes, bench.stop()?)));
    let all = all.map_err(|error| bench.explain(error, home.path()))?;
    drop(bench);
    if !options.keep {
        home.close().context("cannot remove the servers' files")?;
    }
    Ok(all)
}

/// Better now than in the midst of a row.
fn expect_room(home: &Path, posts: usize) -> Result<()> {
    let free = run::room(home)?;
    let needed = ROOM + ROOM_FOR_A_POST * posts as u64;
    if free < needed {
        bail!(
            "{} has {} MiB left, the run needs {} MiB; set TMPDIR to a directory on another disk",
            home.display(),
            free >> 20,
            needed >> 20
        );
    }
    Ok(())
}

/// Is the run one to be content with?
fn judge(outcomes: &[Outcome], least: Option<f64>) -> Result<()> {
    let failed = outcomes.iter().filter(|one| !one.failures.is_empty());
    let failed = failed.count();
    if failed > 0 {
        bail!("{failed} rows failed");
    }
    let Some(least) = least else { return Ok(()) };
    let slow = |one: &&Outcome| one.ratio(Lane::Cold).is_some_and(|ratio| ratio < least);
    let names: Vec<&str> = outcomes
        .iter()
        .filter(slow)
        .map(|one| one.row.as_str())
        .collect();
    if !names.is_empty() {
        bail!("below the ratio of {least}: {}", names.join("; "));
    }
    Ok(())
}
