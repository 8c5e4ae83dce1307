//! A `view` rule that shows records which `list` keeps back.

use super::Subject;
use crate::diagnostic::{Code, Diagnostic};
use crate::ir::{Plan, Rule};
use crate::resolve::Context;
use crate::resolve::rules::text;

/// Reports a view rule that is surely looser: of rules that differ in another way, neither is.
pub(super) fn check(subject: &Subject<'_>, cx: &mut Context<'_>) {
    let rules = &subject.collection.rules;
    let Some(view) = text(subject.draft, "view") else {
        return;
    };
    let why = match (&rules.list, &rules.view) {
        (_, Rule::Locked) | (Rule::Public, _) => return,
        (Rule::Locked, _) => "only superusers may list",
        (Rule::When(_), Rule::Public) => "anyone who knows an id",
        (Rule::When(list), Rule::When(view)) => {
            let (must, also) = (parts(&list.plan), parts(&view.plan));
            let lacks = also.len() < must.len() && also.iter().all(|part| must.contains(part));
            let (some, more) = (alternatives(&list.plan), alternatives(&view.plan));
            let adds = some.len() < more.len() && some.iter().all(|part| more.contains(part));
            match (lacks, adds) {
                (true, _) => "lacks a part of the `list` rule",
                (_, true) => "has an alternative that the `list` rule lacks",
                _ => return,
            }
        }
    };
    let message = "`view` shows records that `list` keeps back";
    let mut found = Diagnostic::new(Code::LooserView, view.span, message, why);
    if let Some(list) = text(subject.draft, "list") {
        found = found.with_also(list.span, "the `list` rule");
    }
    cx.push(found);
}

/// What all must hold.
fn parts(plan: &Plan) -> Vec<&Plan> {
    match plan {
        Plan::All(items) => items.iter().collect(),
        one => vec![one],
    }
}

/// Of what one suffices.
fn alternatives(plan: &Plan) -> Vec<&Plan> {
    match plan {
        Plan::Any(items) => items.iter().collect(),
        one => vec![one],
    }
}
