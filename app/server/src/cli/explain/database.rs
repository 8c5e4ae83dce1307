//! The databases behind an explanation: an empty one in memory that statements are run on, so that
//! nothing has to be guessed, and the one that is asked for its query plans.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context as _;
use basalt_codegen::diff::{Options, diff};
use basalt_codegen::{ddl, ir};
use basalt_runtime::app::DATABASE_FILE;
use basalt_runtime::sql::Conn;
use basalt_runtime::sql::explain::{self, Statement};
use basalt_runtime::storage;
use serde_json::Value as JsonValue;

use super::report::{CallerReport, StatementReport, Step, Used};

/// The connections.
pub(super) struct Database {
    /// Empty, with the tables of the schema.
    empty: Conn,
    /// The one that the user named.
    real: Option<Conn>,
}

impl Database {
    /// Makes the empty database, and opens the other one if there is a path: of the file, or of
    /// the server's data folder.
    pub fn open(schema: &ir::Schema, path: Option<&Path>) -> anyhow::Result<Self> {
        let options = Options::default();
        let migration = diff(None, schema, &options).map_err(|problems| {
            let messages: Vec<_> = problems.into_iter().map(|it| it.message).collect();
            anyhow::anyhow!("{}", messages.join("; "))
        })?;
        let tables = migration.map(|it| it.up).unwrap_or_default();
        let real = match path {
            Some(path) if path.is_dir() => Some(storage::look(&path.join(DATABASE_FILE))?),
            Some(path) => Some(storage::look(path)?),
            None => None,
        };
        Ok(Database {
            empty: storage::in_memory(&tables)?,
            real,
        })
    }

    /// The statements that a job runs.
    pub fn statements<E: std::error::Error + Send + Sync + 'static>(
        &mut self,
        job: impl FnOnce(&mut Conn) -> Result<(), E>,
    ) -> anyhow::Result<Vec<Statement>> {
        let (result, statements) = explain::record(&mut self.empty, job);
        result.context("the statement can't be run")?;
        Ok(statements)
    }

    /// A statement with its query plan.
    pub fn report(
        &mut self,
        query: &'static str,
        form: &'static str,
        statement: Statement,
    ) -> anyhow::Result<StatementReport> {
        let conn = self.real.as_mut().unwrap_or(&mut self.empty);
        let steps = explain::query_plan(conn, &statement.sql)
            .context("the database does not fit the schema; apply the migrations first")?;
        let details = || steps.iter().map(|step| step.detail.as_str());
        Ok(StatementReport {
            query,
            form: Some(form),
            indexes: once(details().filter_map(index)),
            scans: once(
                details()
                    .filter_map(scan)
                    .map(|name| table(&statement.sql, name)),
            ),
            values: statement.values.iter().map(|value| json(value)).collect(),
            sql: statement.sql,
            query_plan: steps
                .into_iter()
                .map(|step| Step {
                    depth: step.depth,
                    detail: step.detail,
                })
                .collect(),
        })
    }
}

/// A value that Rust wrote, as JSON: numbers and bools look alike, and most texts.
fn json(value: &str) -> JsonValue {
    serde_json::from_str(value).unwrap_or_else(|_| JsonValue::from(value.trim_matches('"')))
}

fn once<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        if !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    found
}

/// The index that a step uses.
fn index(detail: &str) -> Option<&str> {
    // One that SQLite makes for this statement alone is called automatic, and has no name.
    let after = |words| detail.split_once(words).map(|(_, rest)| rest);
    let rest = after(" USING INDEX ").or_else(|| after(" USING COVERING INDEX "))?;
    rest.split(' ').next()
}

/// The table that a step reads without looking anything up.
fn scan(detail: &str) -> Option<&str> {
    let rest = detail.strip_prefix("SCAN ")?;
    let name = rest.split(' ').next()?;
    // Items of a list and rows that stand in the statement are no table.
    let is_table = !name.starts_with(['(', '"']) && !["json_each", "CONSTANT"].contains(&name);
    is_table.then_some(name)
}

/// The table that a name in a statement stands for.
fn table<'a>(sql: &'a str, name: &'a str) -> &'a str {
    let before = sql
        .split_once(&format!("` AS `{name}`"))
        .map(|(before, _)| before);
    before
        .and_then(|before| before.rsplit('`').next())
        .unwrap_or(name)
}

/// What is known of the indexes that the statements use, in the order of their names.
pub(super) fn used(schema: &ir::Schema, callers: &[CallerReport]) -> Vec<Used> {
    let statements = callers
        .iter()
        .flat_map(|caller| &caller.cases)
        .flat_map(|case| &case.statements);
    let names: BTreeSet<&String> = statements.flat_map(|it| &it.indexes).collect();
    names
        .into_iter()
        .map(|name| describe(schema, name))
        .collect()
}

fn describe(schema: &ir::Schema, name: &str) -> Used {
    let used = |collection: &str, columns: Vec<String>, reason: String| Used {
        name: name.to_owned(),
        collection: collection.to_owned(),
        columns,
        reason,
    };
    for collection in &schema.collections {
        let owner = collection.name.wire.as_str();
        if name == format!("sqlite_autoindex_{owner}_1") {
            return used(owner, vec!["id".to_owned()], "primary key".to_owned());
        }
        for field in &collection.fields {
            let wire = &field.name.wire;
            if name == ddl::link_index(owner, wire) {
                let columns = vec!["target".to_owned(), "owner".to_owned()];
                return used(owner, columns, format!("join table of `{wire}`"));
            }
        }
        if let Some(index) = collection.indexes.iter().find(|index| index.name == name) {
            let fields = index.columns.iter();
            let fields = fields.filter_map(|id| collection.fields.get(id.0));
            let columns = fields.map(|field| field.name.wire.clone()).collect();
            return used(owner, columns, index.reason.clone());
        }
    }
    used("", Vec::new(), "not from the schema files".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_and_scans_are_read_from_plans() {
        for (detail, used, scanned) in [
            ("SCAN posts", None, Some("posts")),
            ("SCAN p USING COVERING INDEX i", Some("i"), Some("p")),
            ("SEARCH p USING INDEX i (a=? AND b>?)", Some("i"), None),
            ("SEARCH p USING AUTOMATIC COVERING INDEX (a=?)", None, None),
            ("SEARCH p USING INTEGER PRIMARY KEY (rowid=?)", None, None),
            ("SEARCH u EXISTS USING INDEX i (id=?)", Some("i"), None),
            (
                "SCAN _r0 USING COVERING INDEX i LEFT-JOIN",
                Some("i"),
                Some("_r0"),
            ),
            ("SCAN json_each VIRTUAL TABLE INDEX 1:", None, None),
            ("SCAN CONSTANT ROW", None, None),
            ("SCAN (subquery-1)", None, None),
            ("USE TEMP B-TREE FOR ORDER BY", None, None),
            ("INDEX 1", None, None),
        ] {
            assert_eq!((index(detail), scan(detail)), (used, scanned), "{detail}");
        }
    }

    #[test]
    fn aliases_stand_for_tables() {
        let sql = "SELECT 1 FROM `posts` LEFT JOIN `users` AS `_r0` ON 1";
        assert_eq!(table(sql, "_r0"), "users");
        assert_eq!(table(sql, "posts"), "posts");
    }

    #[test]
    fn values_are_json() {
        assert_eq!(json("1.0"), JsonValue::from(1.0));
        assert_eq!(json("20"), JsonValue::from(20));
        assert_eq!(json("\"a \\\"b\\\"\""), JsonValue::from("a \"b\""));
        assert_eq!(json("\"\\u{301}\""), JsonValue::from("\\u{301}"));
    }
}
