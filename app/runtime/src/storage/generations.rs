//! Which version each collection is at. The writer's connection reports every statement that it
//! runs, so a change can't be missed because someone forgot to announce it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diesel::Connection;
use diesel::connection::InstrumentationEvent;

use crate::sql::Conn;

/// As much of a statement's text as is looked at; longer ones count as changing everything.
const LOOK: usize = 8192;

/// The versions of all collections.
#[derive(Default)]
pub(super) struct Generations(Mutex<Versions>);

#[derive(Default)]
struct Versions {
    /// Raised by changes that may concern any collection.
    all: u64,
    /// Raised by changes of one table.
    tables: BTreeMap<String, u64>,
}

/// The versions of some collections at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks(Vec<u64>);

impl Generations {
    pub(super) fn of(&self, table: &str) -> u64 {
        lock(&self.0).of(table)
    }

    pub(super) fn marks(&self, tables: &[&str]) -> Marks {
        let versions = lock(&self.0);
        Marks(tables.iter().map(|table| versions.of(table)).collect())
    }

    /// After a commit.
    pub(super) fn raise(&self, touched: Touched) {
        let mut versions = lock(&self.0);
        if touched.all {
            versions.all += 1;
        }
        for table in touched.tables {
            *versions.tables.entry(table).or_default() += 1;
        }
    }
}

impl Versions {
    fn of(&self, table: &str) -> u64 {
        self.all + self.tables.get(table).copied().unwrap_or(0)
    }
}

/// What was changed since the last commit.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Touched {
    all: bool,
    tables: BTreeSet<String>,
}

/// Collects what a connection changes.
#[derive(Clone, Default)]
pub(super) struct Tracker(Arc<Mutex<Touched>>);

impl Tracker {
    /// Follows every statement of the connection.
    pub(super) fn follow(&self, conn: &mut Conn) {
        let touched = self.0.clone();
        conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if let InstrumentationEvent::StartQuery { query, .. } = event {
                let mut start = Start::default();
                // Stops with an error where the limit is reached, which `Start` remembers.
                let _ = write!(start, "{query}");
                lock(&touched).note(&start);
            }
        });
    }

    /// What was changed since the last call.
    pub(super) fn take(&self) -> Touched {
        std::mem::take(&mut *lock(&self.0))
    }
}

impl Touched {
    fn note(&mut self, statement: &Start) {
        // Diesel shows the binds behind the text.
        let (text, whole) = match statement.text.split_once(" -- binds: ") {
            Some((text, _)) => (text, true),
            None => (statement.text.as_str(), !statement.cut),
        };
        let text = text.trim().trim_end_matches(';');
        let single = whole && !text.contains(';');
        match (single, change(text)) {
            (true, Change::Nothing) => {}
            (true, Change::Table(table)) => self.table(table),
            _ => self.all = true,
        }
    }

    /// A join table's name holds its collection's: `_link_<collection>_<field>`.
    fn table(&mut self, table: &str) {
        self.tables.insert(table.to_owned());
        if let Some(owner) = table.strip_prefix("_link_") {
            let ends = owner.match_indices('_').map(|(at, _)| at);
            let owners = ends.filter_map(|end| owner.get(..end));
            self.tables.extend(owners.map(str::to_owned));
        }
    }
}

enum Change<'a> {
    Nothing,
    Table(&'a str),
    /// Deletes, which may act on other tables through foreign keys, and all that is not known.
    Anything,
}

fn change(statement: &str) -> Change<'_> {
    let (verb, rest) = word(statement);
    let target = match verb.to_ascii_uppercase().as_str() {
        "SELECT" | "BEGIN" | "COMMIT" | "SAVEPOINT" | "RELEASE" | "ROLLBACK" | "END" => {
            return Change::Nothing;
        }
        "UPDATE" => rest,
        "INSERT" => match word(rest) {
            (into, rest) if into.eq_ignore_ascii_case("INTO") => rest,
            _ => return Change::Anything,
        },
        _ => return Change::Anything,
    };
    match table(target) {
        Some(table) => Change::Table(table),
        None => Change::Anything,
    }
}

/// The quoted name at the start, if it stands alone: a name behind a schema's, or one with quotes
/// inside, is left to those who read more closely.
fn table(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '`' | '"'))?;
    let (name, rest) = text.get(1..)?.split_once(quote)?;
    let spaced = rest.starts_with(char::is_whitespace) && !rest.trim_start().starts_with('.');
    (spaced || rest.starts_with('(')).then_some(name)
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
    fn check(statement: &str, expected: &[&str]) {
        let mut start = Start::default();
        let _ = write!(start, "{statement}");
        let mut touched = Touched::default();
        touched.note(&start);
        let mut found: Vec<_> = touched.tables.iter().map(String::as_str).collect();
        if touched.all {
            found.push("*");
        }
        assert_eq!(found, expected, "{statement}");
    }

    #[test]
    fn statements_tell_what_they_change() {
        check("SELECT 1 FROM `posts`", &[]);
        check("SAVEPOINT diesel_savepoint_1", &[]);
        check(
            "INSERT INTO `posts` (`id`) VALUES (?) -- binds: [\"a;b\"]",
            &["posts"],
        );
        check("UPDATE `posts` SET `id` = ?", &["posts"]);
        check("update \"posts\" set id = 1;", &["posts"]);
        check(
            "INSERT INTO `_link_user_groups_parts` (`owner`) VALUES (?)",
            &["_link_user_groups_parts", "user", "user_groups"],
        );
        check("DELETE FROM `posts`", &["*"]);
        check("INSERT OR REPLACE INTO `posts` VALUES (1)", &["*"]);
        check("REPLACE INTO `posts` VALUES (1)", &["*"]);
        check("UPDATE posts SET id = 1", &["*"]);
        check("UPDATE `main`.`posts` SET id = 1", &["*"]);
        check("INSERT INTO \"main\" . \"posts\" VALUES (1)", &["*"]);
        check("UPDATE `po``sts` SET id = 1", &["*"]);
        check("INSERT INTO `posts`(`id`) VALUES (1)", &["posts"]);
        check("WITH a AS (SELECT 1) UPDATE `posts` SET id = 1", &["*"]);
        check("SELECT 1; UPDATE `posts` SET id = 1", &["*"]);
        check(&format!("SELECT '{}'", "x".repeat(LOOK)), &["*"]);
        let long = format!("UPDATE `posts` SET a = ? -- binds: [{}]", "x".repeat(LOOK));
        check(&long, &["*"]);
    }
}
