//! What an application costs to build: generates schemas of some sizes, an application around each,
//! builds them from nothing and after a changed rule, and prints a table.

mod app;
mod measure;
mod schema;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::{Parser, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use app::App;
use measure::Cost;
use table::Row;

/// Build time and memory of generated applications
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  cargo run -p basalt-budget -- --collections 4,20,50
  cargo run -p basalt-budget -- --collections 20 --profiles debug --work /var/tmp/budget

The dependencies are built first, which takes some minutes for each profile; --work keeps them for
the next time.")]
struct Options {
    /// How many collections the schemas have
    #[arg(long, value_delimiter = ',', default_value = "4,20,50", value_parser = clap::value_parser!(u16).range(1..=500))]
    collections: Vec<u16>,
    /// What is built
    #[arg(long, value_delimiter = ',', default_value = "debug,release")]
    profiles: Vec<Profile>,
    /// How often a rule is changed; the median counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=20))]
    changes: u16,
    /// Where to build, and to keep what was built [default: a temporary folder]
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// Folder of Basalt's source
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))]
    source: PathBuf,
}

/// A profile of Cargo's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Profile {
    Debug,
    Release,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Profile::Debug => "debug",
            Profile::Release => "release",
        }
    }
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    let source = options.source.canonicalize();
    let source = source.with_context(|| format!("no folder {}", options.source.display()))?;
    // Dropped at the end: what stands in a temporary folder goes with it.
    let temporary;
    let work = match &options.work {
        Some(work) => work.as_path(),
        None => {
            temporary = tempfile::Builder::new()
                .prefix("basalt-budget-")
                .tempdir()?;
            temporary.path()
        }
    };
    std::fs::create_dir_all(work).with_context(|| format!("cannot make {}", work.display()))?;
    let work = work.canonicalize()?;
    let steps =
        options.profiles.len() * options.collections.len() * (1 + usize::from(options.changes));
    let bar = ProgressBar::new((options.profiles.len() + steps) as u64);
    bar.set_style(ProgressStyle::with_template(
        "{wide_bar} {pos}/{len} {msg}",
    )?);
    println!("{}", table::HEAD);
    for profile in &options.profiles {
        let dependencies = dependencies(&source, &work, *profile, &bar)?;
        for count in &options.collections {
            let row = measure(
                options,
                &source,
                &work,
                *profile,
                *count,
                dependencies,
                &bar,
            )?;
            // At once: a run takes long, and may be interrupted.
            bar.suspend(|| println!("{}", table::line(&row)));
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// The cost of all that isn't generated; `None` if it was built before.
fn dependencies(
    source: &Path,
    work: &Path,
    profile: Profile,
    bar: &ProgressBar,
) -> Result<Option<Cost>> {
    bar.set_message(format!("dependencies, {}", profile.name()));
    let built = work.join("target").join(profile.name()).exists();
    let app = App::make(source, work, 1)?;
    let whole = app.build(profile)?;
    bar.inc(1);
    if built {
        return Ok(None);
    }
    app.forget(profile)?;
    let own = app.build(profile)?;
    Ok(Some(whole.without(&own)))
}

/// An application's own part: from nothing, and after a changed rule.
fn measure(
    options: &Options,
    source: &Path,
    work: &Path,
    profile: Profile,
    count: u16,
    dependencies: Option<Cost>,
    bar: &ProgressBar,
) -> Result<Row> {
    bar.set_message(format!("{count} collections, {}", profile.name()));
    let app = App::make(source, work, count)?;
    // What an earlier run has built would be taken for done.
    app.forget(profile)?;
    let clean = app.build(profile)?;
    bar.inc(1);
    let mut changed = Vec::new();
    for number in 0..options.changes {
        app.change(usize::from(number))?;
        changed.push(app.build(profile)?);
        bar.inc(1);
    }
    changed.sort_by_key(|cost| cost.wall);
    let changed = changed.get(changed.len() / 2).copied();
    let changed = changed.context("no rule was changed")?;
    ensure!(
        changed.cpu > clean.cpu / 1000,
        "nothing was built after a rule changed"
    );
    Ok(Row {
        profile: profile.name(),
        count,
        lines: app.lines(),
        dependencies,
        clean,
        changed,
    })
}
