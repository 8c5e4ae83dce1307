//! From the last snapshot and the schema to the next migration: [`compare`] finds the steps and
//! what they would lose, [`render`] writes them as SQL. Pure; only [`folder`] reads and writes.

mod clash;
mod compare;
mod convert;
pub mod folder;
mod losses;
mod propose;
mod renames;
mod render;
mod step;

pub use propose::{ProposeError, propose, unmigrated};
pub use step::Step;

use crate::ir;
use crate::snapshot::Snapshot;

/// What the caller allows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Make the migration even if it throws data away.
    pub allow_data_loss: bool,
}

/// A migration, ready to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Migration {
    /// `up.sql`
    pub up: String,
    /// `down.sql`
    pub down: String,
    /// `snapshot.json`
    pub snapshot: Snapshot,
    /// The changes in words, in order.
    pub summary: Vec<String>,
    /// What is lost, in words (only with [`Options::allow_data_loss`]).
    pub losses: Vec<String>,
    /// What could go wrong with some data, in words.
    pub notes: Vec<String>,
}

/// Why there is no migration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Data would be lost: `allow_data_loss` is the way around it.
    pub is_loss: bool,
    /// What is wrong, without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Problem {
    /// A mistake in the schema.
    pub fn mistake(message: String) -> Self {
        Problem {
            is_loss: false,
            message,
            help: None,
        }
    }
}

/// The migration that leads from the last snapshot (`None` before the first) to the schema, or
/// `None` if nothing changed for the database. Refused with all problems at once: mistakes, or
/// else everything that would be lost.
pub fn diff(
    last: Option<&Snapshot>,
    schema: &ir::Schema,
    options: &Options,
) -> Result<Option<Migration>, Vec<Problem>> {
    let snapshot = Snapshot::of(schema)?;
    let empty = Snapshot::empty();
    let from = last.unwrap_or(&empty);
    let steps = compare::compare(from, &snapshot, &renames::asked(schema, last.is_none()))?;
    if steps.is_empty() {
        return Ok(None);
    }
    let losses = losses::losses(&steps, schema);
    if !losses.is_empty() && !options.allow_data_loss {
        return Err(losses);
    }
    let losses: Vec<String> = losses.into_iter().map(|loss| loss.message).collect();
    let notes = losses::notes(&steps);
    let summary: Vec<String> = steps.iter().map(Step::propose).collect();
    let back: Vec<Step> = steps.iter().rev().map(Step::inverse).collect();
    Ok(Some(Migration {
        up: render::migration(from, &steps, &losses, &notes),
        down: render::migration(&snapshot, &back, &[], &[]),
        snapshot,
        summary,
        losses,
        notes,
    }))
}
