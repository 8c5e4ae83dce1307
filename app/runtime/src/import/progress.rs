//! How far an import is, for whoever watches: nothing if stderr is no terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// How often it is told.
const STEP: u64 = 512;

/// The bar.
pub struct Progress {
    bar: ProgressBar,
    done: u64,
}

impl Progress {
    /// Shows that so many records are to come.
    pub fn of(records: u64) -> Self {
        let template = "{msg:20!} {bar:30} {human_pos} of {human_len} records, {elapsed}";
        Self::new(ProgressBar::new(records), template)
    }

    /// Shows how many records have come, of who knows how many.
    pub fn open() -> Self {
        let template = "{msg:20!} {spinner} {human_pos} records, {elapsed}";
        Self::new(ProgressBar::new_spinner(), template)
    }

    fn new(bar: ProgressBar, template: &str) -> Self {
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress { bar, done: 0 }
    }

    /// Says what is being done.
    pub fn say(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// One more.
    pub fn step(&mut self) {
        self.done += 1;
        if self.done.is_multiple_of(STEP) {
            self.bar.set_position(self.done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
