//! What an import did, for people: by collection, and what was left where it was.

use std::fmt;

use super::sum::Sum;

/// So many reasons are shown for each collection.
const REASONS: usize = 5;

/// What became of the records of one collection.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Records that were read.
    pub read: u64,
    /// Records that are new here.
    pub written: u64,
    /// Records that were here before, just as they are there.
    pub present: u64,
    /// Records that can't be taken over.
    pub refused: u64,
    /// Why: the first few.
    pub reasons: Vec<String>,
    /// What was written.
    pub sum: Sum,
}

impl Tally {
    /// Would another reason be shown?
    pub fn has_place(&self) -> bool {
        self.reasons.len() < REASONS
    }

    /// Counts a record that can't be taken over.
    pub fn refuse(&mut self, reason: impl FnOnce() -> String) {
        self.refused += 1;
        if self.has_place() {
            self.reasons.push(reason());
        }
    }
}

/// The whole of it.
#[derive(Debug, Default)]
pub struct Summary {
    /// By collection, in the order in which they were read.
    pub tallies: Vec<(String, Tally)>,
    /// What was left, and what else is worth knowing.
    pub notes: Vec<String>,
    /// Was it only tried out?
    pub dry_run: bool,
    /// May refused records be left out?
    pub keep_going: bool,
}

impl Summary {
    /// How many records were refused.
    pub fn refused(&self) -> u64 {
        self.tallies.iter().map(|(_, tally)| tally.refused).sum()
    }

    /// May the changes stay?
    pub fn is_kept(&self) -> bool {
        !self.dry_run && self.is_good()
    }

    /// Is there nothing that forbids to keep the changes?
    pub fn is_good(&self) -> bool {
        self.keep_going || self.refused() == 0
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.tallies.iter().map(|(name, _)| name.chars().count());
        let width = names.chain([10]).max().unwrap_or_default();
        writeln!(
            f,
            "{:width$}  {:>9}  {:>9}  {:>9}  {:>9}",
            "collection", "read", "written", "present", "refused"
        )?;
        for (name, tally) in &self.tallies {
            let Tally {
                read,
                written,
                present,
                refused,
                ..
            } = tally;
            writeln!(
                f,
                "{name:width$}  {read:>9}  {written:>9}  {present:>9}  {refused:>9}"
            )?;
        }
        for (name, tally) in &self.tallies {
            for reason in &tally.reasons {
                writeln!(f, "refused: {name}: {reason}")?;
            }
            let more = tally.refused.saturating_sub(tally.reasons.len() as u64);
            if more > 0 {
                writeln!(f, "refused: {name}: … and {more} more")?;
            }
        }
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        Ok(())
    }
}
