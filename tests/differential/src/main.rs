//! The command: random questions to both servers, and a report of where they differ.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use basalt_blackbox::Random;
use basalt_blackbox::server::{ROOT_EMAIL, ROOT_PASSWORD};
use basalt_differential::exported::{Exported, compile_all};
use basalt_differential::filters::{self, Caller, Run};
use basalt_differential::model::Schema;
use basalt_differential::pair::{self, Pair};
use basalt_differential::rules::{self, ACTIONS, Choice, Decisions};
use basalt_differential::{export, imported, rows};
use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

/// Puts random rules and filters to the server and to PocketBase, and reports where they differ
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  basalt-differential run --peer ~/pocketbase
  basalt-differential run --peer ~/pocketbase --seed 7 --schemas 1 --filters 1000
  basalt-differential rules rules.txt --collections export.json")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build random schemas, and compare what both servers make of rules and filters
    Run(Args),
    /// Give random schemas to the original, import its collections, and compare
    Import {
        /// The program of PocketBase 0.40
        #[arg(long, value_name = "PATH", env = "PEER_BIN")]
        peer: PathBuf,
        /// How many schemas
        #[arg(long, default_value_t = 20)]
        schemas: u64,
    },
    /// Compile every rule of a list against exported collections
    Rules {
        /// Lines of collection, name and rule, with tabs between them
        file: PathBuf,
        /// The export of a PocketBase
        #[arg(long, value_name = "FILE")]
        collections: PathBuf,
    },
}

#[derive(Debug, clap::Args)]
struct Args {
    /// The program of PocketBase 0.40
    #[arg(long, value_name = "PATH", env = "PEER_BIN")]
    peer: PathBuf,
    /// Seed of the first schema
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many schemas
    #[arg(long, default_value_t = 6)]
    schemas: u64,
    /// How many filters, over all schemas
    #[arg(long, default_value_t = 100_000)]
    filters: usize,
    /// How many rules, over all schemas
    #[arg(long, default_value_t = 300)]
    rules: usize,
    /// Requests at a time
    #[arg(long, default_value_t = 8)]
    threads: usize,
    /// Wait with both servers running, to ask them by hand
    #[arg(long)]
    hold: bool,
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(args) => run(&args),
        Command::Import { peer, schemas } => import(&peer, schemas).map(|()| 0),
        Command::Rules { file, collections } => compile_rules(&file, &collections),
    };
    match outcome {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn compile_rules(file: &Path, collections: &Path) -> Result<usize> {
    let read = |path: &Path| fs::read_to_string(path).with_context(|| path.display().to_string());
    let schema = Exported::parse(&read(collections)?)?;
    let (compiled, failures) = compile_all(&schema, &read(file)?);
    for failure in &failures {
        println!("{failure}");
    }
    println!("{compiled} rules compile, {} do not", failures.len());
    Ok(failures.len())
}

/// Imports from the peer what it was given.
fn import(peer: &Path, schemas: u64) -> Result<()> {
    let peer = peer
        .canonicalize()
        .with_context(|| peer.display().to_string())?;
    let peer = pair::start_peer(peer)?;
    let root = peer.superuser()?;
    for seed in 1..=schemas {
        let schema = Schema::random(&mut Random::new(seed), 0);
        pair::import(&schema, &root)?;
        imported::check_peer(&schema, &root).with_context(|| format!("seed {seed}"))?;
    }
    println!("{schemas} schemas came back from the peer as they were");
    Ok(())
}

/// Runs over all schemas; returns how many differences there are.
fn run(args: &Args) -> Result<usize> {
    let peer = args
        .peer
        .canonicalize()
        .with_context(|| args.peer.display().to_string())?;
    let (mut filters, mut rules) = (filters::Outcome::default(), rules::Outcome::default());
    for number in 0..args.schemas {
        let (of_filters, of_rules) = one_schema(args, args.seed + number, &peer)?;
        print_failures(&of_filters, &of_rules);
        filters.add(of_filters);
        rules.add(of_rules);
    }
    print(&filters, &rules);
    Ok(filters.failures + rules.failures.len())
}

fn one_schema(args: &Args, seed: u64, peer: &Path) -> Result<(filters::Outcome, rules::Outcome)> {
    let mut random = Random::new(seed);
    let schemas = usize::try_from(args.schemas)?.max(1);
    let ruled = args.rules.div_ceil(schemas).div_ceil(ACTIONS.len());
    let mut schema = Schema::random(&mut random, ruled);
    let rows = rows::random(&schema, &mut random);
    let peer = pair::start_peer(peer.to_owned())?;
    let root = peer.superuser()?;
    pair::import(&schema, &root)?;
    rows::load(&schema, &rows, &root).context("the peer")?;
    let ir = basalt_codegen::resolve(&export::sources(&schema));
    let ir = ir
        .map_err(|report| anyhow!("{}", report.render(false)))?
        .schema;
    let asker = peer
        .guest()
        .log_in("people", &rows::email(0), rows::PASSWORD)?;
    let mut of_rules = Choice {
        ir: &ir,
        peer: &root,
        asker: &asker,
    }
    .rules(&mut schema, &mut random)?;
    pair::import(&schema, &root)?;
    imported::check_peer(&schema, &root)?;
    eprintln!(
        "schema {seed}: building {} collections",
        schema.collections.len()
    );
    let ours = pair::build(&schema, &format!("s{seed}"))?;
    let servers = pair::start(&schema, &rows, ours, peer)?;
    let people = schema.collections.first().map_or(0, |it| it.rows);
    let callers = callers(&servers, people)?;
    let decisions = Decisions {
        schema: &schema,
        callers: &callers,
    };
    if args.hold {
        hold(&servers)?;
    }
    of_rules.add(decisions.compare(&mut random)?);
    let count = args.filters.div_ceil(schemas);
    let bar = ProgressBar::new(count as u64);
    bar.set_style(ProgressStyle::with_template(
        "{bar:40} {pos}/{len} filters, {per_sec}",
    )?);
    let of_filters = Run {
        schema: &schema,
        callers: &callers,
        seed,
        filters: count,
        threads: args.threads,
    }
    .run(&bar)?;
    bar.finish_and_clear();
    Ok((of_filters, of_rules))
}

/// Says where the servers are, and waits for a line.
fn hold(servers: &Pair) -> Result<()> {
    eprintln!("ours:  http://{}", servers.ours.address());
    eprintln!("peer:  http://{}", servers.peer.address());
    eprintln!("superuser {ROOT_EMAIL} {ROOT_PASSWORD}; go on with a line break");
    std::io::stdin().read_line(&mut String::new())?;
    Ok(())
}

/// Whoever asks, at both servers: superuser, guest, and those who log in.
fn callers(servers: &Pair, people: usize) -> Result<Vec<Caller>> {
    let ours = pair::callers(&servers.ours, people)?;
    let peer = pair::callers(&servers.peer, people)?;
    let names = ["superuser".to_owned(), "guest".to_owned()].into_iter();
    let names = names.chain((0..people).map(|number| format!("people{number}")));
    let callers = names.zip(ours).zip(peer);
    Ok(callers
        .map(|((name, ours), peer)| Caller { name, ours, peer })
        .collect())
}

fn print_failures(filters: &filters::Outcome, rules: &rules::Outcome) {
    for failure in &rules.failures {
        println!("{failure}");
    }
    for failure in &filters.reports {
        println!("{}", failure.text());
    }
}

fn print(filters: &filters::Outcome, rules: &rules::Outcome) {
    println!(
        "{} rules ({} that said yes and no), {} decisions; {} texts refused by both, {} by us only, as documented: {} differences",
        rules.rules,
        rules.telling,
        rules.decisions,
        rules.refused,
        rules.stricter,
        rules.failures.len()
    );
    println!(
        "{} filters, {} accepted by both, {} that found some records but not all: {} differences",
        filters.asked, filters.accepted, filters.telling, filters.failures
    );
    if filters.unanswered > 0 {
        println!("{} that the peer didn't answer in time", filters.unanswered);
    }
    for (name, count) in &filters.known {
        println!("{count} as documented: {name}");
    }
}
