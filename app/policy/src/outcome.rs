//! What came of the tests, as text and as data.

use std::fmt;

use serde::Serialize;

/// What came of all tests.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Outcome {
    /// In the order of files and tests.
    pub tests: Vec<Tested>,
    /// How many were left out by the filter.
    pub filtered: usize,
}

/// What came of one test.
#[derive(Debug, Clone, Serialize)]
pub struct Tested {
    /// Its file.
    pub suite: String,
    /// Its name.
    pub name: String,
    /// The claims that don't hold; none if it passes.
    pub failures: Vec<Failure>,
}

/// A claim that doesn't hold.
#[derive(Debug, Clone, Serialize)]
pub struct Failure {
    /// `path:line:column`
    pub place: String,
    /// Who asked, and what was claimed.
    pub claim: String,
    /// What should have happened.
    pub expected: String,
    /// What the server answered.
    pub got: String,
    /// The rule that decided, with its place.
    pub rule: String,
}

impl Outcome {
    /// How many tests failed.
    pub fn failed(&self) -> usize {
        let failed = self.tests.iter().filter(|test| !test.failures.is_empty());
        failed.count()
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for test in &self.tests {
            let word = if test.failures.is_empty() {
                "ok"
            } else {
                "FAILED"
            };
            writeln!(f, "test {}: {} ... {word}", test.suite, test.name)?;
        }
        for test in self.tests.iter().filter(|test| !test.failures.is_empty()) {
            writeln!(f, "\n---- {}: {}", test.suite, test.name)?;
            for failure in &test.failures {
                write!(f, "{failure}")?;
            }
        }
        let failed = self.failed();
        writeln!(
            f,
            "\ntest result: {}. {} passed; {failed} failed; {} filtered out",
            if failed == 0 { "ok" } else { "FAILED" },
            self.tests.len() - failed,
            self.filtered
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure {
            place,
            claim,
            expected,
            got,
            rule,
        } = self;
        writeln!(f, "{place}: {claim}")?;
        writeln!(f, "  expected  {expected}")?;
        writeln!(f, "  got       {got}")?;
        writeln!(f, "  rule      {rule}")
    }
}
