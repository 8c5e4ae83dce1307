//! What the writer changes. Its connection reports every statement that it runs, so a change can't
//! be missed because someone forgot to announce it. What generated code runs is announced before,
//! because showing a statement's text takes as long as running it.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diesel::Connection;
use diesel::connection::InstrumentationEvent;

use super::tables::Tables;
use crate::sql::Conn;

/// As much of a statement's text as is looked at; longer ones count as changing everything.
const LOOK: usize = 8192;

/// What the next statements of this thread are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Their texts tell.
    Unknown,
    /// They change nothing.
    Reading,
    /// They insert into or update this collection, and change its join tables.
    Changing(&'static str),
    /// They delete from this collection.
    Deleting(&'static str),
}

thread_local! {
    static SUBJECT: Cell<Subject> = const { Cell::new(Subject::Unknown) };
}

/// Announces what this thread's statements are about, as long as it lives.
pub(crate) struct About(Subject);

impl About {
    pub(crate) fn new(subject: Subject) -> Self {
        About(SUBJECT.replace(subject))
    }
}

impl Drop for About {
    fn drop(&mut self) {
        SUBJECT.set(self.0);
    }
}

/// What was changed since the last commit.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Touched {
    /// Changes that may concern any collection.
    pub(super) all: bool,
    /// Changes of single tables.
    pub(super) tables: BTreeSet<String>,
}

impl Touched {
    /// Was nothing changed?
    pub(super) fn is_empty(&self) -> bool {
        !self.all && self.tables.is_empty()
    }
}

/// Collects what a connection changes.
#[derive(Clone, Default)]
pub(super) struct Tracker(Arc<Mutex<Log>>);

#[derive(Default)]
struct Log {
    touched: Touched,
    tables: Tables,
    /// Does the statement that runs change anything?
    changing: bool,
    /// Statements that changed something, or may have, and came to a good end.
    changes: u64,
    /// Statements that the connection keeps prepared.
    kept: usize,
    /// Were tables made or changed, so that others may be there now?
    stale: bool,
}

impl Tracker {
    /// Follows every statement of the connection.
    pub(super) fn follow(&self, conn: &mut Conn) {
        {
            let mut log = lock(&self.0);
            (log.stale, log.kept) = (true, 0);
        }
        let log = self.0.clone();
        conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if let InstrumentationEvent::CacheQuery { .. } = event {
                lock(&log).kept += 1;
            }
            let subject = SUBJECT.get();
            if subject == Subject::Reading {
                return;
            }
            match event {
                InstrumentationEvent::StartQuery { query, .. } => {
                    lock(&log).begin(subject, &query);
                }
                InstrumentationEvent::FinishQuery { error: None, .. } => lock(&log).end(),
                _ => {}
            }
        });
        self.refresh(conn);
    }

    /// Looks at the tables again if they may have changed.
    pub(super) fn refresh(&self, conn: &mut Conn) {
        if !lock(&self.0).stale {
            return;
        }
        let tables = {
            let _about = About::new(Subject::Reading);
            Tables::read(conn).unwrap_or_else(|error| {
                tracing::warn!(%error, "cannot read the schema; every change counts for all tables");
                Tables::default()
            })
        };
        let mut log = lock(&self.0);
        log.tables = tables;
        log.stale = false;
    }

    /// Is a statement that fails as if it hadn't been?
    pub(super) fn undoes_statements(&self) -> bool {
        lock(&self.0).tables.are_bare()
    }

    /// How many statements does the connection keep prepared?
    pub(super) fn kept(&self) -> usize {
        lock(&self.0).kept
    }

    /// How many statements changed something so far, or may have.
    pub(super) fn changes(&self) -> u64 {
        lock(&self.0).changes
    }

    /// What was changed since the last call.
    pub(super) fn take(&self) -> Touched {
        std::mem::take(&mut lock(&self.0).touched)
    }
}

impl Log {
    fn begin(&mut self, subject: Subject, query: &dyn fmt::Display) {
        match subject {
            Subject::Reading => {}
            Subject::Changing(table) => self.note(Change::Table(table)),
            Subject::Deleting(table) => self.note(Change::Deletes(table)),
            Subject::Unknown => {
                let mut start = Start::default();
                // Stops with an error where the limit is reached, which `Start` remembers.
                let _ = write!(start, "{query}");
                self.note(start.change());
            }
        }
    }

    fn end(&mut self) {
        self.changes += u64::from(std::mem::take(&mut self.changing));
    }

    fn note(&mut self, change: Change<'_>) {
        self.changing = change != Change::Nothing;
        let effects = match change {
            Change::Nothing => return,
            Change::Table(table) => self.tables.changed(table),
            Change::Deletes(table) => self.tables.deleted(table),
            Change::Anything => None,
            Change::Schema => {
                self.stale = true;
                None
            }
        };
        match effects {
            None => self.touched.all = true,
            Some(tables) => {
                for table in tables {
                    if !self.touched.tables.contains(table) {
                        self.touched.tables.insert(table.clone());
                    }
                }
            }
        }
    }
}

/// What a statement does.
#[derive(Debug, PartialEq, Eq)]
enum Change<'a> {
    Nothing,
    /// Inserts or updates.
    Table(&'a str),
    Deletes(&'a str),
    /// Changes rows, who knows where.
    Anything,
    /// May do anything, also to the tables themselves.
    Schema,
}

fn change(statement: &str) -> Change<'_> {
    let (verb, rest) = word(statement);
    let behind = |keyword: &str| {
        let (first, rest) = word(rest);
        first.eq_ignore_ascii_case(keyword).then_some(rest)
    };
    let (target, deletes) = match verb.to_ascii_uppercase().as_str() {
        "SELECT" | "BEGIN" | "COMMIT" | "SAVEPOINT" | "RELEASE" | "ROLLBACK" | "END" => {
            return Change::Nothing;
        }
        "UPDATE" => (Some(rest), false),
        "INSERT" => (behind("INTO"), false),
        "DELETE" => (behind("FROM"), true),
        "REPLACE" | "WITH" => return Change::Anything,
        _ => return Change::Schema,
    };
    match (target.and_then(table), deletes) {
        (Some(table), false) => Change::Table(table),
        (Some(table), true) => Change::Deletes(table),
        (None, _) => Change::Anything,
    }
}

/// The quoted name at the start, if it stands alone: a name behind a schema's, or one with quotes
/// inside, is left to those who read more closely.
fn table(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '`' | '"'))?;
    let (name, rest) = text.get(1..)?.split_once(quote)?;
    let ends = rest.is_empty() || rest.starts_with('(');
    let spaced = rest.starts_with(char::is_whitespace) && !rest.trim_start().starts_with('.');
    (ends || spaced).then_some(name)
}

fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

/// The start of a text.
#[derive(Default)]
struct Start {
    text: String,
    cut: bool,
}

impl Start {
    fn change(&self) -> Change<'_> {
        // Diesel shows the binds behind the text.
        let (text, whole) = match self.text.split_once(" -- binds: ") {
            Some((text, _)) => (text, true),
            None => (self.text.as_str(), !self.cut),
        };
        let text = text.trim().trim_end_matches(';');
        if !whole || text.contains(';') {
            return Change::Schema;
        }
        change(text)
    }
}

impl Write for Start {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.text.len() + text.len() > LOOK {
            self.cut = true;
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

fn lock<V>(mutex: &Mutex<V>) -> MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(statement: &str, expected: Change<'_>) {
        let mut start = Start::default();
        let _ = write!(start, "{statement}");
        assert_eq!(start.change(), expected, "{statement}");
    }

    #[test]
    fn statements_tell_what_they_change() {
        check("SELECT 1 FROM `posts`", Change::Nothing);
        check("SAVEPOINT diesel_savepoint_1", Change::Nothing);
        let posts = || Change::Table("posts");
        check(
            "INSERT INTO `posts` (`id`) VALUES (?) -- binds: [\"a;b\"]",
            posts(),
        );
        check("UPDATE `posts` SET `id` = ?", posts());
        check("update \"posts\" set id = 1;", posts());
        check("INSERT INTO `posts`(`id`) VALUES (1)", posts());
        check("DELETE FROM `posts`", Change::Deletes("posts"));
        check(
            "delete  from `posts` where id = 1",
            Change::Deletes("posts"),
        );
        check("DELETE FROM posts", Change::Anything);
        check(
            "INSERT OR REPLACE INTO `posts` VALUES (1)",
            Change::Anything,
        );
        check("REPLACE INTO `posts` VALUES (1)", Change::Anything);
        check("UPDATE posts SET id = 1", Change::Anything);
        check("UPDATE `main`.`posts` SET id = 1", Change::Anything);
        check(
            "INSERT INTO \"main\" . \"posts\" VALUES (1)",
            Change::Anything,
        );
        check("UPDATE `po``sts` SET id = 1", Change::Anything);
        check(
            "WITH a AS (SELECT 1) UPDATE `posts` SET id = 1",
            Change::Anything,
        );
        check("CREATE TABLE a (id)", Change::Schema);
        check("SELECT 1; UPDATE `posts` SET id = 1", Change::Schema);
        check(&format!("SELECT '{}'", "x".repeat(LOOK)), Change::Schema);
        let long = format!("UPDATE `posts` SET a = ? -- binds: [{}]", "x".repeat(LOOK));
        check(&long, Change::Schema);
    }

    #[test]
    fn what_is_announced_ends_with_its_guard() {
        let outer = About::new(Subject::Reading);
        {
            let _inner = About::new(Subject::Changing("posts"));
            assert_eq!(SUBJECT.get(), Subject::Changing("posts"));
        }
        assert_eq!(SUBJECT.get(), Subject::Reading);
        drop(outer);
        assert_eq!(SUBJECT.get(), Subject::Unknown);
    }
}
