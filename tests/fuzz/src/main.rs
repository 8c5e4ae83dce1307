//! The command: so many texts, or so many seconds, and what was seen.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use basalt_fuzz::big;
use basalt_fuzz::run::{Plan, run};
use clap::{Args, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

/// Odd texts for the lexer, parser, checker and planner of rules and filters
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  cargo run --release -p basalt-fuzz -- run
  cargo run --release -p basalt-fuzz -- run --seconds 60 --seed 7
  cargo run --release -p basalt-fuzz -- big")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Millions of small texts
    Run(RunArgs),
    /// Texts of a megabyte that repeat one thing
    Big {
        /// Length in bytes
        #[arg(long, default_value_t = 1 << 20)]
        bytes: usize,
    },
}

#[derive(Debug, Args)]
struct RunArgs {
    /// How many texts
    #[arg(long, default_value_t = 10_000_000)]
    runs: u64,
    /// Stop after so many seconds
    #[arg(long)]
    seconds: Option<u64>,
    /// Where the random sequence begins
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: u64,
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(args) => fuzz(&args),
        Command::Big { bytes } => print_big(bytes),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn fuzz(args: &RunArgs) -> Result<bool> {
    let start = Instant::now();
    let bar = ProgressBar::new(args.runs);
    bar.set_style(ProgressStyle::with_template(
        "{bar:40} {human_pos}/{human_len}, {eta} left",
    )?);
    let plan = Plan {
        seed: args.seed,
        runs: args.runs,
        end: args
            .seconds
            .map(|seconds| start + Duration::from_secs(seconds)),
        threads: args.threads.max(1),
    };
    let outcome = run(plan, &|count| bar.inc(count))?;
    bar.finish_and_clear();
    for (text, wrong) in &outcome.failures {
        println!("{wrong}: {text:?}");
    }
    println!(
        "{} texts in {:.0?}: {} understood, {} failures; the slowest took {:.1?}: {:?}",
        outcome.runs,
        start.elapsed(),
        outcome.compiled,
        outcome.failures.len(),
        outcome.slowest,
        outcome.slowest_text.chars().take(120).collect::<String>()
    );
    Ok(outcome.failures.is_empty())
}

fn print_big(bytes: usize) -> Result<bool> {
    for timed in big::time_all(bytes)? {
        let verdict = if timed.understood {
            "understood"
        } else {
            "refused"
        };
        println!(
            "{:>9.2} ms  {verdict:<10}  {}",
            timed.time.as_secs_f64() * 1000.0,
            timed.what
        );
    }
    Ok(true)
}
