//! Rules: each text is compiled by the language, and what it finds is moved into the file.

use basalt_lang::schema::{CollectionId, ListAccess};
use basalt_lang::{Caller, Scope, compile};

use super::collections::Draft;
use super::view::RuleView;
use super::{Context, Diagnostic};
use crate::diagnostic::Code;
use crate::ir::{self, CompiledRule, Rule};
use crate::load::Text;

/// Compiles every rule of every collection. A rule that fails is locked, so that the rest goes on.
pub(super) fn resolve(
    drafts: &[Draft<'_>],
    schema: &mut ir::Schema,
    view: &RuleView,
    cx: &mut Context<'_>,
) {
    for (at, (draft, collection)) in drafts.iter().zip(&mut schema.collections).enumerate() {
        let scope = Scope::new(view, CollectionId(at), Caller::Rule);
        let mut rule = |key: &str, absent: Rule| match text(draft, key) {
            Some(text) => compiled(&text, &scope, cx),
            None => absent,
        };
        collection.rules = ir::Rules {
            list: rule("list", Rule::Locked),
            view: rule("view", Rule::Locked),
            create: rule("create", Rule::Locked),
            update: rule("update", Rule::Locked),
            delete: rule("delete", Rule::Locked),
            auth: rule("auth", if_auth(draft)),
            manage: rule("manage", Rule::Locked),
        };
        check_kind(draft, cx);
    }
}

/// Everyone may log in, unless told otherwise.
fn if_auth(draft: &Draft<'_>) -> Rule {
    if draft.document.is_auth {
        Rule::Public
    } else {
        Rule::Locked
    }
}

/// The state of a collection's list rule, known before it is compiled.
pub(super) fn list_access(drafts: &[Draft<'_>], at: usize) -> ListAccess {
    match drafts.get(at).and_then(|draft| text(draft, "list")) {
        None => ListAccess::Locked,
        Some(text) if text.value.is_empty() => ListAccess::Public,
        Some(_) => ListAccess::Ruled,
    }
}

fn text(draft: &Draft<'_>, key: &str) -> Option<Text> {
    draft.document.entries.table("rules")?.text(key)
}

fn compiled(text: &Text, scope: &Scope<'_>, cx: &mut Context<'_>) -> Rule {
    if text.value.is_empty() {
        return Rule::Public;
    }
    match compile(&text.value, scope) {
        Ok(compiled) => {
            for warning in &compiled.warnings {
                cx.push_rule_error(text, warning, scope);
            }
            Rule::When(CompiledRule {
                text: text.value.clone(),
                plan: compiled.plan,
                reads: compiled.reads.into_iter().collect(),
                location: cx.location(text.span),
            })
        }
        Err(errors) => {
            for error in &errors {
                cx.push_rule_error(text, error, scope);
            }
            Rule::Locked
        }
    }
}

/// Rules that only auth collections have.
fn check_kind(draft: &Draft<'_>, cx: &mut Context<'_>) {
    let Some(rules) = draft.document.entries.table("rules") else {
        return;
    };
    if draft.document.is_auth {
        let public = rules.text("manage").filter(|text| text.value.is_empty());
        if let Some(text) = public {
            let message = "the rule `manage` can't be empty: anyone could take over any account";
            let found =
                Diagnostic::new(Code::Contradiction, text.span, message, "lets everyone in");
            cx.push(found.with_help("say who may manage accounts, or leave the rule out"));
        }
        return;
    }
    for key in ["auth", "manage"] {
        if let Some(entry) = rules.entry(key) {
            let message = format!("the rule `{key}` is for auth collections");
            let label = "this is a base collection";
            cx.report(Code::AuthOnly, entry.key_span, message, label);
        }
    }
}
