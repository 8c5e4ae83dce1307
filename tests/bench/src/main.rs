//! The benchmark: starts a Basalt server and PocketBase, loads the same data into both, sends both
//! the same requests, and reports how they compare.

mod catalogue;
mod check;
mod cli;
mod data;
mod drive;
mod http;
mod numbers;
mod outcome;
mod process;
mod report;
mod request;
mod rows;
mod rules;
mod run;
mod server;
mod stage;
mod table;
mod wires;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use rustix::process::{Resource, getrlimit, setrlimit};

use cli::Options;
use run::Bench;

/// One thread: the servers need the other cores, and no worker of ours ever waits for a lock.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let options = Options::parse();
    // Leaving by Ctrl-C still drops what `measure` holds: servers and directories go with it.
    let outcome = tokio::select! {
        outcome = measure(&options) => outcome,
        _ = tokio::signal::ctrl_c() => Err(anyhow::anyhow!("interrupted")),
    };
    match outcome {
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

async fn measure(options: &Options) -> Result<()> {
    allow_many_connections();
    let mut home = tempfile::Builder::new()
        .prefix("basalt-bench-")
        .tempdir()
        .context("cannot make a temporary directory")?;
    if options.keep {
        home.disable_cleanup(true);
        println!("the servers' files stay in {}", home.path().display());
    }
    let mut bench = Bench::start(options, home.path()).await?;
    println!("{}", table::head());
    let outcomes = bench
        .run(|outcome| println!("{}", table::line(outcome)))
        .await?;
    bench.stop().await?;
    println!("{}", table::summary(&outcomes));
    report::write(&outcomes, &options.out)?;
    println!(
        "results.jsonl and report.md are in {}",
        options.out.display()
    );

    let failed = outcomes
        .iter()
        .filter(|outcome| !outcome.failures.is_empty())
        .count();
    if failed > 0 {
        bail!("{failed} rows failed");
    }
    if let Some(least) = options.min_ratio {
        let slow = |outcome: &&outcome::Outcome| outcome.ratio().is_some_and(|ratio| ratio < least);
        let names: Vec<String> = outcomes
            .iter()
            .filter(slow)
            .map(|one| one.row.clone())
            .collect();
        if !names.is_empty() {
            bail!("below the ratio of {least}: {}", names.join("; "));
        }
    }
    Ok(())
}
