//! Runs policy tests: the claims of `*.test.toml` files beside the schema, put to the application
//! itself, in this process, through its whole HTTP stack. So what decides is the compiled rules, the
//! hooks and the validation that will serve. Each claim meets the same records, since the database
//! is put back after every write.

mod ask;
mod fit;
mod outcome;
mod stage;

use std::path::Path;

use anyhow::{anyhow, bail};
use basalt_codegen::ir;
use basalt_codegen::resolve::RuleView;
use basalt_codegen::{Report, policy, read_dir, read_tests, resolve};
use basalt_runtime::app::Application;
use basalt_runtime::registry::Registry;

pub use fit::differences;
pub use outcome::{Failure, Outcome, Tested};

/// Runs the tests of a schema folder; `filter` is a part of the file's or the test's name.
///
/// # Errors
/// Everything that keeps the tests from running: mistakes in the schema or the tests, with carets;
/// a program that was built from another schema; example records that the server refuses.
pub fn run(
    application: fn() -> Application,
    schema_dir: &Path,
    filter: Option<&str>,
) -> anyhow::Result<Outcome> {
    let sources = read_dir(schema_dir).map_err(|report| failed(&report))?;
    let schema = resolve(&sources).map_err(|report| failed(&report))?.schema;
    let tests = read_tests(schema_dir).map_err(|report| failed(&report))?;
    let suites = policy::load(&schema, &tests).map_err(|report| failed(&report))?;
    same_schema(&application().collections.build(), &schema)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let mut outcome = Outcome::default();
    for suite in &suites {
        let wanted = |test: &&policy::Test| match filter {
            Some(filter) => suite.path.contains(filter) || test.name.contains(filter),
            None => true,
        };
        let chosen: Vec<&policy::Test> = suite.tests.iter().filter(wanted).collect();
        outcome.filtered += suite.tests.len() - chosen.len();
        if chosen.is_empty() {
            continue;
        }
        let mut stage = stage::Stage::prepare(application, &schema, suite, &runtime)?;
        for test in chosen {
            outcome.tests.push(Tested {
                suite: suite.path.clone(),
                name: test.name.clone(),
                failures: ask::run(&mut stage, test)?,
            });
        }
    }
    Ok(outcome)
}

/// For a test function: the whole report as an error unless every test passes, and there is one.
///
/// # Errors
/// What [`run`] says, or the failures.
pub fn check(application: fn() -> Application, schema_dir: &Path) -> Result<(), String> {
    let outcome = run(application, schema_dir, None).map_err(|error| format!("{error:#}"))?;
    if outcome.tests.is_empty() {
        return Err(format!("no policy tests in {}", schema_dir.display()));
    }
    match outcome.failed() {
        0 => Ok(()),
        _ => Err(outcome.to_string()),
    }
}

fn failed(report: &Report) -> anyhow::Error {
    anyhow!("the tests can't run\n{}", report.render(false))
}

/// A program tells nothing about rules that it wasn't built from.
fn same_schema(registry: &Registry, schema: &ir::Schema) -> anyhow::Result<()> {
    let mut found = fit::of_rules(schema, registry);
    found.extend(fit::differences(&RuleView::new(schema), registry, true));
    let more = match found.len() {
        0 => return Ok(()),
        1 => String::new(),
        number => format!(", and {} more", number - 1),
    };
    let first = found.first().map_or("", String::as_str);
    bail!(
        "this program was built from other schema files ({first}{more}): run `cargo build`, then \
         this again"
    )
}
