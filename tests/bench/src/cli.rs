//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use regex::Regex;

use crate::rows::{SIZES, Size};

const EXAMPLES: &str = "\
Examples:
  # Both servers, 10,000 posts, every row
  basalt-bench --peer ./pocketbase --server target/release/basalt-bench-app

  # Only the rows whose name matches, on two sizes, and the files kept for a look
  basalt-bench --peer ./pocketbase --server target/release/basalt-bench-app \\
      --rows '^list rule .*permissions' --sizes 10k,25k --keep

  # All sizes, the largest three times, into files of one's own
  basalt-bench --peer ./pocketbase --server target/release/basalt-bench-app \\
      --sizes 10k,25k,50k,100kx3 --row-limit 10 --json all.jsonl --markdown all.md

  # What would be measured
  basalt-bench --list --sizes 100k --rows '^list '

  # The peer alone
  basalt-bench --peer ./pocketbase --only peer

  # A quick check that every row works, without a peer
  basalt-bench --server target/debug/basalt-bench-app --smoke

  # Fail unless each row is at least three times as fast as the peer
  basalt-bench --peer ./pocketbase --server target/release/basalt-bench-app --min-ratio 3";

/// Puts the same requests over the same data to a Basalt server and to PocketBase, and compares.
///
/// Both servers are started on free ports of this machine with fresh data directories, and stopped
/// at the end. Exit code: 0 if every row succeeded, 1 if a row failed or was below --min-ratio, 2 for
/// wrong arguments.
#[derive(Debug, Parser)]
#[command(name = "basalt-bench", version, after_long_help = EXAMPLES)]
pub struct Options {
    /// The PocketBase executable
    #[arg(long, value_name = "PATH", required_unless_present_any = ["server", "list"])]
    pub peer: Option<PathBuf>,

    /// The executable of the benchmark app (package basalt-bench-app)
    #[arg(long, value_name = "PATH")]
    pub server: Option<PathBuf>,

    /// The sizes of posts to measure: 10k, 25k, 50k, 100k; with x3 behind it, a size has a --repeat
    /// of its own
    #[arg(long, value_name = "SIZES", value_delimiter = ',', default_value = "10k",
          value_parser = parse_size)]
    pub sizes: Vec<Chosen>,

    /// Measure only rows whose name (group first, see --list) matches; the data is loaded all the same
    #[arg(long, value_name = "REGEX")]
    pub rows: Option<Regex>,

    /// Measure only one of the two
    #[arg(long, visible_alias = "side", value_enum, value_name = "SIDE")]
    pub only: Option<Side>,

    /// Open a connection for each request instead of keeping them
    #[arg(long)]
    pub new_connections: bool,

    /// Where the figures go, a JSON line for each row and side
    #[arg(
        long,
        value_name = "FILE",
        default_value = "target/bench/results.jsonl"
    )]
    pub json: PathBuf,

    /// Where the report goes
    #[arg(long, value_name = "FILE", default_value = "target/bench/report.md")]
    pub markdown: PathBuf,

    /// Run everything so many times, with fresh servers and data; the medians count
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..))]
    pub repeat: u16,

    /// After so many seconds, a side sends no more requests of a row (writes are sent all the same)
    #[arg(long, value_name = "SECONDS", default_value_t = 45,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub row_limit: u64,

    /// The port of the peer, and the next one for the app [default: any that are free]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub port: u16,

    /// Print the rows, with --rows and --sizes, and run nothing
    #[arg(long)]
    pub list: bool,

    /// Keep the servers' directories (data and logs) and say where they are
    #[arg(long)]
    pub keep: bool,

    /// A tiny data set and ten requests a row: shows that everything works, measures nothing
    #[arg(long)]
    pub smoke: bool,

    /// Fail if a row's cold ratio (basalt / peer) is below this
    #[arg(long, value_name = "RATIO")]
    pub min_ratio: Option<f64>,

    /// The collections that are imported into the peer [default: the benchmark's]
    #[arg(long, value_name = "FILE")]
    pub peer_schema: Option<PathBuf>,

    /// Another seed makes another data set
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// One of the two servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Side {
    /// PocketBase
    Peer,
    /// The benchmark app
    Basalt,
}

impl Side {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Side::Peer => "peer",
            Side::Basalt => "basalt",
        }
    }

    /// SQLite's `synchronous` with which this server writes. It belongs to each connection and can't
    /// be asked for from outside, so this is what the servers are known to set, not a measurement.
    pub fn synchronous(self) -> &'static str {
        match self {
            Side::Peer => "NORMAL",
            Side::Basalt => "FULL",
        }
    }
}

/// A size, and how often it is measured if that differs from `--repeat`.
#[derive(Debug, Clone, Copy)]
pub struct Chosen {
    /// The size.
    pub size: Size,
    /// How often.
    pub times: Option<u16>,
}

fn parse_size(text: &str) -> Result<Chosen, String> {
    let (name, times) = match text.split_once('x') {
        None => (text, None),
        Some((name, times)) => (name, Some(times)),
    };
    let known = SIZES.map(|size| size.name);
    let size = SIZES.into_iter().find(|size| size.name == name);
    let size =
        size.ok_or_else(|| format!("there is no size `{name}`, but {}", known.join(", ")))?;
    let times = match times.map(str::parse) {
        None => None,
        Some(Ok(times @ 1..)) => Some(times),
        Some(_) => return Err(format!("`{text}`: after the x belongs a number from 1 on")),
    };
    Ok(Chosen { size, times })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn reports_name_the_durability_that_the_server_sets() {
        let source = include_str!("../../../app/runtime/src/storage/connect.rs");
        let set = format!(
            "pub const SYNCHRONOUS: &str = \"{}\";",
            Side::Basalt.synchronous()
        );
        assert!(source.contains(&set), "{set}");
    }

    #[test]
    fn the_arguments_make_sense() {
        Options::command().debug_assert();
        let parse = |text: &str| Options::try_parse_from(text.split(' '));
        assert!(parse("basalt-bench").is_err(), "one server at least");
        assert!(parse("basalt-bench --peer p --sizes 11k").is_err());
        assert!(parse("basalt-bench --peer p --rows (").is_err());
        for wrong in ["10kx", "10kx0", "10kxx3", "x3", "10kx-1"] {
            let text = format!("basalt-bench --peer p --sizes {wrong}");
            assert!(parse(&text).is_err(), "{wrong}");
        }
        let options = parse("basalt-bench --server s --sizes 10k,100kx3 --only basalt").unwrap();
        let sizes = options.sizes.iter().map(|one| (one.size.posts, one.times));
        assert!(sizes.eq([(10_000, None), (100_000, Some(3))]));
        assert_eq!(options.only, Some(Side::Basalt));
    }
}
