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
use basalt_runtime::rules::Context;
use basalt_runtime::sql::Form;

use super::database::Database;
use super::question::{Asked, Question};
use super::report::{CallerReport, Case, StatementReport};
use super::sample;

/// How many records the example of a page has.
const PAGE: i64 = 20;

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
        let open = request_only(&who.plan, self.view, self.question.id);
        if open.is_empty() {
            return Ok(vec![self.case(who, None, &who.plan, database)?]);
        }
        let (all, none) = match open.as_slice() {
            [one] => (format!("if {one}"), format!("unless {one}")),
            many => (
                format!("if all of these hold: {}", many.join("; ")),
                "if none of these holds".to_owned(),
            ),
        };
        let mut cases = Vec::new();
        for (when, holds) in [(all, true), (none, false)] {
            let plan = decided(&who.plan, holds).fold();
            cases.push(self.case(who, Some(when), &plan, database)?);
        }
        Ok(cases)
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
        for (query, form, probe) in wanted {
            let context = Context { request, form };
            let form = match form {
                Form::In => "in",
                Form::Exists => "exists",
            };
            let job = |conn: &mut _| entry.probe_unchecked(conn, &context, plan, probe);
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
    let mut found = Vec::new();
    collect(plan, &mut |condition| {
        let words = condition.phrase(view, id);
        if !found.contains(&words) {
            found.push(words);
        }
    });
    found
}

fn collect(plan: &Plan, visit: &mut dyn FnMut(&Plan)) {
    match plan {
        Plan::Request { .. } => visit(plan),
        Plan::All(parts) | Plan::Any(parts) => parts.iter().for_each(|part| collect(part, visit)),
        Plan::Via { inner, .. } | Plan::Each { inner, .. } | Plan::Joined { inner, .. } => {
            collect(inner, visit);
        }
        _ => {}
    }
}

/// The plan with all such conditions decided alike.
fn decided(plan: &Plan, holds: bool) -> Plan {
    let mut plan = plan.clone();
    decide(&mut plan, holds);
    plan
}

fn decide(plan: &mut Plan, holds: bool) {
    match plan {
        Plan::Request { .. } if holds => *plan = Plan::Always,
        Plan::Request { .. } => *plan = Plan::Never,
        Plan::All(parts) | Plan::Any(parts) => {
            parts.iter_mut().for_each(|part| decide(part, holds))
        }
        Plan::Via { inner, .. } | Plan::Each { inner, .. } | Plan::Joined { inner, .. } => {
            decide(inner, holds);
        }
        _ => {}
    }
}
