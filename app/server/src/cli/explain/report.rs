//! The explanation as data: what `--json` prints, and what the text is made from.

use basalt_codegen::ir;
use basalt_lang::plan::{Class, Plan};
use basalt_lang::typed::{Expr, Operand};
use serde::Serialize;
use serde_json::Value as JsonValue;

use super::question::Subject;

/// Everything there is to say.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Explanation {
    /// The collection's name.
    pub collection: String,
    /// The rule's name; `None` for a text.
    pub rule: Option<String>,
    /// Where it stands.
    pub source: Option<String>,
    /// `locked`, `public` or `when`.
    pub state: &'static str,
    /// The rule's text.
    pub text: Option<String>,
    /// The client's filter.
    pub filter: Option<String>,
    /// What the rule says, with types.
    pub tree: Option<Tree>,
    /// What the filter says, with types.
    pub filter_tree: Option<Tree>,
    /// What the compiler warns of.
    pub warnings: Vec<String>,
    /// `constant`, `request`, `record` or `relational`.
    pub class: Option<&'static str>,
    /// The other collections whose rows are read.
    pub reads: Vec<String>,
    /// What rule and filter mean, line by line.
    pub plan: Vec<String>,
    /// Of what the rule is asked: `list` (pages and totals), `record` (one, with the query that
    /// reads it) or `memory` (one that is in memory).
    pub asked: &'static str,
    /// The conditions that the request alone decides.
    pub before_query: Vec<String>,
    /// The memory form of the rule, as Rust.
    pub memory: Option<String>,
    /// What it comes to for whom.
    pub callers: Vec<CallerReport>,
    /// The indexes.
    pub indexes: Indexes,
    /// In what this program differs from the schema files; then there is no SQL.
    pub mismatch: Vec<String>,
}

/// One kind of caller.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallerReport {
    /// `guest`, `user` or `superuser`.
    pub caller: &'static str,
    /// The auth collection of a user.
    pub collection: Option<String>,
    /// What is left of the rule and the filter; `always` and `never` if nothing is.
    pub condition: String,
    /// What is queried, by the outcome of what the request decides.
    pub cases: Vec<Case>,
}

/// What is queried if the request decides so.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Case {
    /// The conditions that hold or don't; `None` if there is one case only.
    pub when: Option<String>,
    /// `all`, `some` or `none`: which records may match.
    pub records: &'static str,
    /// The statements; none are needed where no record may match.
    pub statements: Vec<StatementReport>,
}

/// One statement.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StatementReport {
    /// `page`, `total` or `record`.
    pub query: &'static str,
    /// `exists` or `in`; `None` if both forms are the same.
    pub form: Option<&'static str>,
    /// The text, with `?` for each value.
    pub sql: String,
    /// Examples of values, in order.
    pub values: Vec<JsonValue>,
    /// How SQLite runs it.
    pub query_plan: Vec<Step>,
    /// The indexes that it uses, by name.
    pub indexes: Vec<String>,
    /// The tables that it reads from end to end, or until the page is full.
    pub scans: Vec<String>,
}

/// One line of a query plan.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Step {
    /// How many steps it is below.
    pub depth: usize,
    /// In SQLite's words.
    pub detail: String,
}

/// Indexes that are used, and columns that have none.
#[derive(Debug, Default, Serialize)]
pub(super) struct Indexes {
    /// Used by at least one statement.
    pub used: Vec<Used>,
    /// Rows are compared by these columns, and no index begins with them.
    pub missing: Vec<Missing>,
}

/// An index.
#[derive(Debug, Serialize)]
pub(super) struct Used {
    /// Its name in the database.
    pub name: String,
    /// Whose.
    pub collection: String,
    /// Its columns.
    pub columns: Vec<String>,
    /// Why it exists.
    pub reason: String,
}

/// A column without an index.
#[derive(Debug, Serialize)]
pub(super) struct Missing {
    /// Whose.
    pub collection: String,
    /// The field.
    pub field: String,
    /// Why there is none, or what to do.
    pub reason: String,
}

/// A checked expression.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Tree {
    /// Joined by `&&`.
    All(Vec<Tree>),
    /// Joined by `||`.
    Any(Vec<Tree>),
    /// A comparison.
    #[serde(untagged)]
    Compare {
        /// Left operand.
        left: Typed,
        /// The operator, with `?` if one value suffices.
        op: String,
        /// Right operand.
        right: Typed,
    },
}

/// An operand.
#[derive(Debug, Serialize)]
pub(super) struct Typed {
    /// As it was written.
    pub text: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
}

impl Explanation {
    /// What is known of the rule before anything is compiled.
    pub fn new(collection: &str, subject: &Subject<'_>) -> Self {
        let (rule, text, source, state) = match subject {
            Subject::Text(text) => (None, Some(text.clone()), None, "when"),
            Subject::Rule { name, rule } => {
                let name = Some(name.clone());
                match rule {
                    ir::Rule::Locked => (name, None, None, "locked"),
                    ir::Rule::Public => (name, None, None, "public"),
                    ir::Rule::When(rule) => {
                        let place = &rule.location;
                        let source = format!("{}:{}", place.path, place.line);
                        (name, Some(rule.text.clone()), Some(source), "when")
                    }
                }
            }
        };
        Explanation {
            collection: collection.to_owned(),
            rule,
            source,
            state,
            text,
            filter: None,
            tree: None,
            filter_tree: None,
            warnings: Vec::new(),
            class: None,
            reads: Vec::new(),
            plan: Vec::new(),
            asked: "",
            before_query: Vec::new(),
            memory: None,
            callers: Vec::new(),
            indexes: Indexes::default(),
            mismatch: Vec::new(),
        }
    }
}

impl Tree {
    /// The tree of an expression.
    pub fn of(expr: &Expr) -> Self {
        match expr {
            Expr::All(items) => Tree::All(items.iter().map(Tree::of).collect()),
            Expr::Any(items) => Tree::Any(items.iter().map(Tree::of).collect()),
            Expr::Compare(comparison) => {
                let any = if comparison.any { "?" } else { "" };
                Tree::Compare {
                    left: Typed::of(&comparison.left),
                    op: format!("{any}{}", comparison.op.as_str()),
                    right: Typed::of(&comparison.right),
                }
            }
        }
    }
}

impl Typed {
    fn of(operand: &Operand) -> Self {
        Typed {
            text: operand.text.clone(),
            kind: operand.ty.to_string(),
        }
    }
}

/// The class of a plan by its name.
pub(super) fn class(plan: &Plan) -> &'static str {
    match plan.class() {
        Class::Constant => "constant",
        Class::Request => "request",
        Class::Record => "record",
        Class::Relational => "relational",
    }
}
