//! What a job asks the database, and how SQLite goes about it: for people who want to understand
//! a rule. Nothing of this runs in a server.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use diesel::connection::InstrumentationEvent;
use diesel::prelude::*;
use diesel::sql_types::{Integer, Text};

use super::Conn;

/// One statement, as Diesel hands it to SQLite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The text, with `?` for each value.
    pub sql: String,
    /// The values in order, each as Rust writes it: `"text"`, `1.0`, `20`.
    pub values: Vec<String>,
}

/// One line of SQLite's query plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// How many steps it is below.
    pub depth: usize,
    /// In SQLite's words, e.g. `SCAN posts`.
    pub detail: String,
}

/// Does a job and gives the statements that it ran, too.
pub fn record<R>(conn: &mut Conn, job: impl FnOnce(&mut Conn) -> R) -> (R, Vec<Statement>) {
    let statements = Arc::new(Mutex::new(Vec::new()));
    let sink = statements.clone();
    conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
        if let InstrumentationEvent::StartQuery { query, .. } = event {
            let mut text = String::new();
            // One that has no text fails when it is run, too.
            if write!(text, "{query}").is_ok() {
                let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
                sink.push(statement(&text));
            }
        }
    });
    let result = job(conn);
    conn.set_instrumentation(None::<fn(InstrumentationEvent<'_>)>);
    let mut found = statements.lock().unwrap_or_else(PoisonError::into_inner);
    (result, std::mem::take(&mut *found))
}

/// Diesel writes the values behind the text. The text itself holds no values, so what looks like
/// the mark between them is the mark.
fn statement(text: &str) -> Statement {
    let (sql, values) = text.split_once(" -- binds: ").unwrap_or((text, "[]"));
    Statement {
        sql: sql.trim().to_owned(),
        values: items(values),
    }
}

/// The items of a list as Rust writes it.
fn items(list: &str) -> Vec<String> {
    let list = list.trim();
    let inner = list.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let mut items = vec![String::new()];
    let (mut quoted, mut escaped, mut depth) = (false, false, 0_usize);
    for c in inner.unwrap_or(list).chars() {
        match c {
            ',' if !quoted && depth == 0 => {
                items.push(String::new());
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        escaped = quoted && c == '\\' && !escaped;
        if let Some(item) = items.last_mut() {
            item.push(c);
        }
    }
    let items = items.iter().map(|item| item.trim().to_owned());
    items.filter(|item| !item.is_empty()).collect()
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Integer)]
    id: i32,
    #[diesel(sql_type = Integer)]
    parent: i32,
    #[diesel(sql_type = Text)]
    detail: String,
}

/// How SQLite would run a statement on this database. Values are not needed for that.
///
/// # Errors
/// The statement doesn't fit the database.
pub fn query_plan(conn: &mut Conn, sql: &str) -> QueryResult<Vec<Step>> {
    let lines: Vec<Line> = diesel::sql_query(format!("EXPLAIN QUERY PLAN {sql}")).load(conn)?;
    let mut above: Vec<i32> = Vec::new();
    let mut steps = Vec::new();
    for line in lines {
        while above.last().is_some_and(|id| *id != line.parent) {
            above.pop();
        }
        steps.push(Step {
            depth: above.len(),
            detail: line.detail,
        });
        above.push(line.id);
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use diesel::connection::SimpleConnection;
    use diesel::sql_types::Double;

    fn table() -> Conn {
        let mut conn = crate::sql::open(":memory:").unwrap();
        conn.batch_execute("CREATE TABLE t (a TEXT, b NUMERIC); CREATE INDEX i ON t (a);")
            .unwrap();
        conn
    }

    #[test]
    fn statements_come_with_their_values() {
        let odd = "a, \"b\" \\ [c] -- binds: (\u{1f600}\n";
        let job = |conn: &mut Conn| {
            diesel::sql_query("DELETE FROM t WHERE a = ? AND b = ?")
                .bind::<Text, _>(odd)
                .bind::<Double, _>(1.0)
                .execute(conn)
        };
        let mut conn = table();
        let (result, statements) = record(&mut conn, job);
        assert_eq!(result, Ok(0));
        let expected = Statement {
            sql: "DELETE FROM t WHERE a = ? AND b = ?".to_owned(),
            values: vec![format!("{odd:?}"), "1.0".to_owned()],
        };
        assert_eq!(statements, [expected]);
        // Afterwards nobody listens.
        job(&mut conn).unwrap();
        assert_eq!(record(&mut conn, |_| ()).1, []);
    }

    #[test]
    fn plans_are_trees() {
        let sql = "SELECT * FROM t WHERE a IN (SELECT a FROM t WHERE b = ?) ORDER BY b";
        let steps = query_plan(&mut table(), sql).unwrap();
        let lines = steps.iter().map(|step| (step.depth, step.detail.as_str()));
        let expected = [
            (0, "SEARCH t USING INDEX i (a=?)"),
            (0, "LIST SUBQUERY 1"),
            (1, "SCAN t"),
            (0, "USE TEMP B-TREE FOR ORDER BY"),
        ];
        assert_eq!(lines.collect::<Vec<_>>(), expected);
        assert!(query_plan(&mut table(), "SELECT * FROM u").is_err());
    }
}
