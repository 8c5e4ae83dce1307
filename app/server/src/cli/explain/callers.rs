//! What a rule comes to for a guest, for the users of each auth collection, and for a superuser:
//! what is decided beforehand, and the statements that remain.

use basalt_codegen::ir::{self, CollectionKind};
use basalt_codegen::resolve::RuleView;
use basalt_lang::assume::Kind;
use basalt_lang::plan::Plan;
use basalt_lang::schema::CollectionId;
use basalt_runtime::auth::guard::SUPERUSERS;
use basalt_runtime::registry::{Probe, Registry};
use basalt_runtime::request::RequestInfo;
use basalt_runtime::rules::{Context, Filter};
use basalt_runtime::sql::Form;

use super::database::Database;
use super::question::{Asked, Question};
use super::report::{CallerReport, Case, StatementReport};
use super::sample;

/// How many records the example of a page has.
const PAGE: i64 = 20;

/// How many conditions are told apart before the rest is taken together.
const LEVELS: usize = 3;

/// Who asks.
struct Who<'a> {
    caller: &'static str,
    /// The collection of the caller's record.
    collection: Option<&'a str>,
    /// What decides for this caller.
    plan: Plan,
}

/// What the callers are explained with.
pub(super) struct Callers<'a> {
    /// The schema files.
    pub schema: &'a ir::Schema,
    /// The same, as the language sees it.
    pub view: &'a RuleView,
    /// The program, whose statements are shown.
    pub registry: &'a Registry,
    /// What is asked.
    pub question: &'a Question<'a>,
}

impl Callers<'_> {
    /// Every kind of caller. Without a database there are no statements.
    pub fn explain(
        &self,
        mut database: Option<&mut Database>,
    ) -> anyhow::Result<Vec<CallerReport>> {
        let mut reports = Vec::new();
        for who in self.all() {
            let cases = match &mut database {
                Some(database) if self.question.asked != Asked::InMemory => {
                    self.cases(&who, database)?
                }
                _ => Vec::new(),
            };
            reports.push(CallerReport {
                caller: who.caller,
                collection: (who.caller == "user")
                    .then(|| who.collection.map(str::to_owned))
                    .flatten(),
                condition: who.plan.phrase(self.view, self.question.id),
                cases,
            });
        }
        Ok(reports)
    }

    fn all(&self) -> Vec<Who<'_>> {
        let question = self.question;
        let plan = match &question.plan {
            _ if question.is_locked() => Plan::Never,
            Some(plan) => plan.clone(),
            None => Plan::Always,
        };
        let mut all = vec![Who {
            caller: "guest",
            collection: None,
            plan: plan.assume(self.view, Kind::Guest),
        }];
        for (at, collection) in self.schema.collections.iter().enumerate() {
            if can_log_in(collection) {
                all.push(Who {
                    caller: "user",
                    collection: Some(&collection.name.wire),
                    plan: plan.assume(self.view, Kind::User(CollectionId(at))),
                });
            }
        }
        all.push(Who {
            caller: "superuser",
            collection: Some(SUPERUSERS),
            plan: question.superuser_filter.clone().unwrap_or(Plan::Always),
        });
        all
    }

    /// The cases that the request may decide between; one if there is nothing to decide.
    fn cases(&self, who: &Who<'_>, database: &mut Database) -> anyhow::Result<Vec<Case>> {
        let mut cases = Vec::new();
        for (when, plan) in self.split(&who.plan) {
            cases.push(self.case(who, when, &plan, database)?);
        }
        Ok(cases)
    }

    /// What is left of a plan for each outcome of what the request decides, and which outcome that
    /// is: condition by condition, so that one that doesn't matter any more isn't named.
    fn split(&self, plan: &Plan) -> Vec<(Option<String>, Plan)> {
        let mut ready = Vec::new();
        let mut waiting = vec![(Vec::new(), plan.clone())];
        while let Some((path, plan)) = waiting.pop() {
            let open = conditions(&plan);
            let Some(condition) = open.first() else {
                let when = (!path.is_empty()).then(|| format!("if {}", path.join(" and ")));
                ready.push((when, plan));
                continue;
            };
            let words = condition.phrase(self.view, self.question.id);
            let one = |other: &Plan| other == condition;
            let any = |_: &Plan| true;
            let (is_meant, holds, fails): (&dyn Fn(&Plan) -> bool, _, _) = if path.len() < LEVELS {
                (&one, words.clone(), format!("not ({words})"))
            } else {
                (
                    &any,
                    "all else holds".to_owned(),
                    "nothing else holds".to_owned(),
                )
            };
            for (word, outcome) in [(fails, false), (holds, true)] {
                let mut path = path.clone();
                path.push(word);
                waiting.push((path, decided(&plan, is_meant, outcome)));
            }
        }
        ready
    }

    fn case(
        &self,
        who: &Who<'_>,
        when: Option<String>,
        plan: &Plan,
        database: &mut Database,
    ) -> anyhow::Result<Case> {
        let entry = who.collection.and_then(|name| self.registry.find(name));
        let request = sample::request(entry.map(AsRef::as_ref), who.caller == "superuser", plan)?;
        let statements = self.statements(&request, plan, database)?;
        let records = match plan {
            Plan::Always => "all",
            _ if statements.is_empty() => "none",
            _ => "some",
        };
        Ok(Case {
            when,
            records,
            statements,
        })
    }

    /// The statements, as the server runs them. None if the values decide that no record matches.
    fn statements(
        &self,
        request: &RequestInfo,
        plan: &Plan,
        database: &mut Database,
    ) -> anyhow::Result<Vec<StatementReport>> {
        let id = format!("<id of {}>", self.question.collection.name.wire);
        let wanted: Vec<(&str, Form, Probe<'_>)> = match self.question.asked {
            Asked::OfMany => vec![
                ("page", Form::Exists, Probe::Page(PAGE)),
                ("page", Form::In, Probe::Page(PAGE)),
                ("total", Form::In, Probe::Total),
            ],
            Asked::OfOne => vec![("record", Form::Exists, Probe::Record(&id))],
            Asked::InMemory => Vec::new(),
        };
        let mut found: Vec<StatementReport> = Vec::new();
        let Some(entry) = self.registry.find(&self.question.collection.name.wire) else {
            return Ok(found);
        };
        let plan = plan.gathered(self.question.id, &|place, field| {
            self.registry.is_single(place, field)
        });
        for (query, form, probe) in wanted {
            let context = Context { request, form };
            let form = match form {
                Form::Exists => "exists",
                _ => "in",
            };
            let filter = Filter {
                plan: &plan,
                context: &context,
                registry: Some(self.registry),
            };
            let job = |conn: &mut _| entry.probe_unchecked(conn, &filter, probe);
            for statement in database.statements(job)? {
                let twin = found
                    .iter_mut()
                    .find(|it| it.query == query && it.sql == statement.sql);
                match twin {
                    Some(twin) => twin.form = None,
                    None => found.push(database.report(query, form, statement)?),
                }
            }
        }
        // Only pages have two forms.
        for report in found.iter_mut().filter(|it| it.query != "page") {
            report.form = None;
        }
        Ok(found)
    }
}

/// Can records of this collection be callers that rules apply to?
fn can_log_in(collection: &ir::Collection) -> bool {
    let is_auth = matches!(collection.kind, CollectionKind::Auth(_));
    is_auth && collection.name.wire != SUPERUSERS && collection.rules.auth != ir::Rule::Locked
}

/// The conditions that the request alone decides, in words, each once.
pub(super) fn request_only(plan: &Plan, view: &RuleView, id: CollectionId) -> Vec<String> {
    let conditions = conditions(plan).into_iter();
    conditions
        .map(|condition| condition.phrase(view, id))
        .collect()
}

/// The same as plans.
fn conditions(plan: &Plan) -> Vec<Plan> {
    let mut found = Vec::new();
    collect(plan, &mut found);
    found
}

fn collect(plan: &Plan, found: &mut Vec<Plan>) {
    match plan {
        Plan::Request { .. } if !found.contains(plan) => found.push(plan.clone()),
        Plan::All(parts) | Plan::Any(parts) => parts.iter().for_each(|part| collect(part, found)),
        Plan::Via { inner, .. } | Plan::Each { inner, .. } | Plan::Joined { inner, .. } => {
            collect(inner, found);
        }
        _ => {}
    }
}

/// The plan with some such conditions decided, folded.
fn decided(plan: &Plan, is_meant: &dyn Fn(&Plan) -> bool, holds: bool) -> Plan {
    let mut plan = plan.clone();
    decide(&mut plan, is_meant, holds);
    plan.fold()
}

fn decide(plan: &mut Plan, is_meant: &dyn Fn(&Plan) -> bool, holds: bool) {
    match plan {
        Plan::Request { .. } if is_meant(plan) => {
            *plan = if holds { Plan::Always } else { Plan::Never };
        }
        Plan::All(parts) | Plan::Any(parts) => {
            for part in parts {
                decide(part, is_meant, holds);
            }
        }
        Plan::Via { inner, .. } | Plan::Each { inner, .. } | Plan::Joined { inner, .. } => {
            decide(inner, is_meant, holds);
        }
        _ => {}
    }
}
