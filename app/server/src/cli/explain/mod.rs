//! `schema explain`: what a rule means, what it becomes, and what the database makes of it.
//! `docs/explain.md` documents the output.

mod callers;
mod database;
mod layout;
mod question;
mod report;
mod sample;
mod text;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::bail;
use basalt_codegen::needs::{self, Verdict};
use basalt_codegen::resolve::RuleView;
use basalt_codegen::{emit, ir};
use basalt_lang::schema::Schema as _;
use basalt_runtime::registry::Registry;
use clap::Args;

use super::schema::{Place, read};
use callers::Callers;
use database::Database;
use question::{Question, Subject};
use report::{Explanation, Missing, Tree};

/// What to explain, and how.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The collection
    collection: String,
    /// list, view, create, update, delete, auth, manage, FIELD.read, FIELD.write, or a rule as text
    #[arg(required_unless_present_any = ["text", "filter"], conflicts_with = "text")]
    rule: Option<String>,
    /// A rule as text, as if it were the list rule
    #[arg(long = "rule", value_name = "TEXT")]
    text: Option<String>,
    /// What a client asks in `?filter=`, together with the rule (without one: the list rule)
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Ask this database (a file or a data folder) for its query plans, without changing it, instead
    /// of an empty one
    #[arg(long, value_name = "PATH")]
    database: Option<PathBuf>,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(args: &ExplainArgs) -> anyhow::Result<()> {
    let schema = read(&args.place.schema)?.schema;
    let question = Question::of(&schema, args)?;
    let registry = crate::application().collections.build();
    let mismatch =
        basalt_policy::differences(&RuleView::new(&schema), &registry, args.filter.is_some());
    let explanation = explain(&schema, &question, &registry, mismatch, args)?;
    let mut out = std::io::stdout();
    if args.json {
        let json = serde_json::to_string_pretty(&explanation)?;
        out.write_all(format!("{json}\n").as_bytes())?;
    } else {
        let color = out.is_terminal() && std::env::var_os("NO_COLOR").is_none();
        out.write_all(text::render(&explanation, color).as_bytes())?;
    }
    match explanation.mismatch.as_slice() {
        [] => Ok(()),
        [first, more @ ..] => {
            let more = match more.len() {
                0 => String::new(),
                count => format!(" ({count} more differences)"),
            };
            bail!(
                "there is no SQL to show, since this program was built from another schema: \
                 {first}{more}; build it from {}",
                args.place.schema.display()
            )
        }
    }
}

/// Puts everything together. `mismatch`: in what the program differs from the schema files.
fn explain(
    schema: &ir::Schema,
    question: &Question<'_>,
    registry: &Registry,
    mismatch: Vec<String>,
    args: &ExplainArgs,
) -> anyhow::Result<Explanation> {
    let view = RuleView::new(schema);
    let collection = question.collection;
    let mut explanation = Explanation::new(&collection.name.wire, &question.subject);
    explanation.filter = args.filter.clone();
    explanation.mismatch = mismatch;
    explanation.asked = question.asked.as_str();
    if let Some(compiled) = &question.rule {
        explanation.tree = Some(Tree::of(&compiled.typed));
        explanation.memory = code(schema, question);
        explanation.warnings = compiled.warnings.iter().map(ToString::to_string).collect();
    }
    if let Some(filter) = &question.filter {
        explanation.filter_tree = Some(Tree::of(&filter.typed));
    }
    if let Some(plan) = &question.plan {
        let lines = plan.describe(&view, question.id);
        explanation.class = Some(report::class(plan));
        explanation.plan = lines.lines().map(str::to_owned).collect();
        let reads = plan.reads().into_iter();
        explanation.reads = reads.map(|id| view.name(id).to_owned()).collect();
        explanation.before_query = callers::request_only(plan, &view, question.id);
        explanation.indexes.missing = missing(schema, question, plan);
    }
    let mut database = if explanation.mismatch.is_empty() {
        Some(Database::open(schema, args.database.as_deref())?)
    } else {
        None
    };
    let callers = Callers {
        schema,
        view: &view,
        registry,
        question,
    };
    explanation.callers = callers.explain(database.as_mut())?;
    explanation.indexes.used = database::used(schema, &explanation.callers);
    Ok(explanation)
}

/// The memory form as the generator writes it.
fn code(schema: &ir::Schema, question: &Question<'_>) -> Option<String> {
    let plan = &question.rule.as_ref()?.plan;
    let action = match &question.subject {
        Subject::Rule { name, .. } => name.replace('.', "_"),
        Subject::Text(_) => "rule".to_owned(),
    };
    let code = emit::rule_code(schema, question.collection, &action, plan).memory;
    // The comments are for readers of whole files.
    let lines = code.lines().filter(|line| !line.starts_with("///"));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// The columns that rows are looked up by, and that no index begins with.
fn missing(schema: &ir::Schema, question: &Question<'_>, plan: &ir::Plan) -> Vec<Missing> {
    let needs = needs::needs(schema, question.id, plan, question.usage);
    let missing = needs.into_iter().filter_map(|need| {
        let collection = schema.collections.get(need.collection.0)?;
        let field = collection.fields.get(need.field.0)?;
        let name = &collection.name.wire;
        let reason = match need.verdict {
            Verdict::Wanted => format!(
                "rows are looked up by it: add `[[indexes]]` with `fields = [\"{}\"]` to {}{}",
                field.name.wire,
                collection.location.path,
                match question.subject {
                    Subject::Rule { .. } => "",
                    Subject::Text(_) => " (in the file, such a rule gets it by itself)",
                }
            ),
            verdict => format!("none is derived: {}", verdict.reason()),
        };
        Some(Missing {
            collection: name.clone(),
            field: field.name.wire.clone(),
            reason,
        })
    });
    missing.collect()
}

/// How many characters of a text are shown before a mistake, and from it on.
const AROUND: usize = 48;

/// The mistakes in a text that was given as an argument, each with the place marked.
fn mistakes(what: &str, text: &str, errors: &[basalt_lang::Error]) -> anyhow::Error {
    let mut message = format!("the {what} can't be understood");
    for error in errors {
        message.push_str(&format!("\n  {}", error.message));
        let before = text.get(..error.span.start).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let rest = text.get(before.len() - line.len()..).unwrap_or_default();
        let shown = rest.lines().next().unwrap_or_default();
        let span = text.get(error.span.start..error.span.end);
        let marked = span.unwrap_or_default().lines().next().unwrap_or_default();
        // Of a long line, what is around the mark.
        let column = line.chars().count();
        let skipped = column.saturating_sub(AROUND);
        let shown: String = shown.chars().skip(skipped).take(2 * AROUND).collect();
        let marks = marked.chars().count().clamp(1, AROUND);
        message.push_str(&format!(
            "\n    {shown}\n    {:indent$}{} {}",
            "",
            "^".repeat(marks),
            error.label,
            indent = column - skipped
        ));
        if let Some(help) = &error.help {
            message.push_str(&format!("\n  help: {help}"));
        }
    }
    anyhow::Error::msg(message)
}

/// "did you mean", if something is near.
fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match basalt_lang::scope::nearest(word, known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    }
}
