//! What is asked: which rule of which collection, or which text, and what of it is known before
//! anyone calls.

use anyhow::{anyhow, bail};
use basalt_codegen::ir;
use basalt_codegen::needs::Use;
use basalt_codegen::resolve::RuleView;
use basalt_lang::plan::Plan;
use basalt_lang::schema::CollectionId;
use basalt_lang::{Caller, Compiled, Scope, compile, shares, together};

use super::{ExplainArgs, mistakes, suggestion};

/// The rule that is explained.
pub(super) enum Subject<'a> {
    /// One of the schema.
    Rule {
        /// `list`, `title.read` …
        name: String,
        /// Its content.
        rule: &'a ir::Rule,
    },
    /// A text, as if it were the list rule.
    Text(String),
}

/// A query that rules take part in, if they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// Pages and totals.
    OfMany,
    /// One record by its id.
    OfOne,
    /// None: only the memory form runs.
    InMemory,
}

impl Asked {
    /// As JSON has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Asked::OfMany => "list",
            Asked::OfOne => "record",
            Asked::InMemory => "memory",
        }
    }
}

/// The question, with what it was compiled to.
pub(super) struct Question<'a> {
    /// The collection.
    pub collection: &'a ir::Collection,
    /// Its place.
    pub id: CollectionId,
    /// The rule.
    pub subject: Subject<'a>,
    /// What the rule's text was compiled to; `None` if the rule is locked or public.
    pub rule: Option<Compiled>,
    /// The client's filter, as anyone but a superuser may write it.
    pub filter: Option<Compiled>,
    /// The same filter, written by a superuser.
    pub superuser_filter: Option<Plan>,
    /// The rule and the filter together: what decides for anyone but a superuser. `None` if the
    /// rule alone decides by being locked or public.
    pub plan: Option<Plan>,
    /// How the server uses the rule.
    pub usage: Use,
    /// Where the server asks it.
    pub asked: Asked,
}

impl<'a> Question<'a> {
    /// Finds and compiles what the arguments name.
    pub fn of(schema: &'a ir::Schema, args: &ExplainArgs) -> anyhow::Result<Self> {
        let (id, collection) = find(schema, &args.collection)?;
        let subject = subject(collection, args)?;
        let view = RuleView::new(schema);
        let scope = |caller| Scope::new(&view, id, caller);
        let rule = match &subject {
            Subject::Text(text)
            | Subject::Rule {
                rule: ir::Rule::When(ir::CompiledRule { text, .. }),
                ..
            } => {
                let compiled = compile(text, &scope(Caller::Rule));
                Some(compiled.map_err(|errors| mistakes("rule", text, &errors))?)
            }
            Subject::Rule { .. } => None,
        };
        let (mut filter, mut superuser_filter) = (None, None);
        if let Some(text) = &args.filter {
            let written = |caller| {
                compile(text, &scope(caller)).map_err(|errors| mistakes("filter", text, &errors))
            };
            superuser_filter = Some(written(Caller::Superuser)?.plan);
            filter = Some(written(Caller::Client)?);
        }
        let plan = match (&rule, &filter) {
            (Some(rule), Some(filter)) => {
                // As the server does it: the filter stands beside the rule, and repeats it where
                // both look at the same related records.
                let asked = if shares(&rule.typed, &filter.typed) {
                    let bound = together(&rule.typed, &filter.typed);
                    let text = args.filter.as_deref().unwrap_or_default();
                    bound.map_err(|errors| mistakes("filter", text, &errors))?
                } else {
                    filter.plan.clone()
                };
                Some(Plan::all([rule.plan.clone(), asked]))
            }
            (Some(rule), None) => Some(rule.plan.clone()),
            (None, Some(filter)) => Some(filter.plan.clone()),
            (None, None) => None,
        };
        let (usage, asked) = usage(&subject);
        if filter.is_some() && asked != Asked::OfMany {
            bail!("only lists take a filter: leave --filter out, or explain the rule `list`");
        }
        Ok(Question {
            collection,
            id,
            subject,
            rule,
            filter,
            superuser_filter,
            plan,
            usage,
            asked,
        })
    }

    /// Is the rule locked?
    pub fn is_locked(&self) -> bool {
        matches!(
            self.subject,
            Subject::Rule {
                rule: ir::Rule::Locked,
                ..
            }
        )
    }
}

fn find<'a>(
    schema: &'a ir::Schema,
    name: &str,
) -> anyhow::Result<(CollectionId, &'a ir::Collection)> {
    let mut all = schema.collections.iter().enumerate();
    let found = all.find(|(_, collection)| collection.name.wire == name);
    found
        .map(|(at, collection)| (CollectionId(at), collection))
        .ok_or_else(|| {
            let names: Vec<&str> = schema
                .collections
                .iter()
                .map(|it| it.name.wire.as_str())
                .collect();
            let near = suggestion(name, names.iter().copied());
            anyhow!(
                "there is no collection `{name}`{near} There are {}.",
                names.join(", ")
            )
        })
}

/// The rule that the arguments name.
fn subject<'a>(collection: &'a ir::Collection, args: &ExplainArgs) -> anyhow::Result<Subject<'a>> {
    if let Some(text) = &args.text {
        return Ok(Subject::Text(text.clone()));
    }
    let name = args.rule.as_deref().unwrap_or("list");
    let mut known: Vec<(String, &ir::Rule)> = Vec::new();
    for (action, rule) in collection.rules.named() {
        known.push((action.to_owned(), rule));
    }
    for field in &collection.fields {
        known.push((format!("{}.read", field.name.wire), &field.read));
        known.push((format!("{}.write", field.name.wire), &field.write));
    }
    if let Some((name, rule)) = known.iter().find(|(known, _)| known == name) {
        let name = name.clone();
        return Ok(Subject::Rule { name, rule });
    }
    // A rule has at least one operator, so a lone word is a name.
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
    if name.chars().all(is_word) {
        let near = suggestion(name, known.iter().map(|(known, _)| known.as_str()));
        bail!(
            "{} has no rule `{name}`{near} There are list, view, create, update, delete, auth and \
             manage, and FIELD.read and FIELD.write.",
            collection.name.wire
        );
    }
    Ok(Subject::Text(name.to_owned()))
}

/// How the server uses the rule, and where.
fn usage(subject: &Subject<'_>) -> (Use, Asked) {
    match subject {
        Subject::Text(_) => (Use::Finds, Asked::OfMany),
        Subject::Rule { name, .. } => {
            let asked = match name.as_str() {
                "list" => Asked::OfMany,
                "view" | "update" | "delete" => Asked::OfOne,
                _ => Asked::InMemory,
            };
            (Use::of_rule(name), asked)
        }
    }
}
