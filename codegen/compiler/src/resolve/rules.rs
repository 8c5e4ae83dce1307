//! Rules: each text is compiled by the language, and what it finds is moved into the file.

use basalt_lang::schema::{CollectionId, ListAccess};
use basalt_lang::{Caller, Scope, compile};

use super::collections::Draft;
use super::view::RuleView;
use super::{Context, Diagnostic};
use crate::diagnostic::Code;
use crate::ir::{self, CompiledRule, Rule};
use crate::load::{FieldDoc, Text};

/// Compiles every rule of every collection. A rule that fails is locked, so that the rest goes on.
pub(super) fn resolve(
    drafts: &[Draft<'_>],
    schema: &mut ir::Schema,
    view: &RuleView,
    cx: &mut Context<'_>,
) {
    for (at, (draft, collection)) in drafts.iter().zip(&mut schema.collections).enumerate() {
        let scope = Scope::new(view, CollectionId(at), Caller::Rule);
        let lenient = draft.document.entries.flag("imported");
        let mut rule = |key: &str, absent: Rule| match text(draft, key) {
            Some(text) => {
                let scope = match key {
                    "create" => scope.creating(),
                    "manage" => scope.of_users(),
                    _ => scope,
                };
                compiled(&text, &scope, lenient, cx)
            }
            None if denied(draft, key) => Rule::Locked,
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
        for (doc, field) in draft.fields.iter().zip(&mut collection.fields) {
            field.read = field_rule(doc, "read", &scope, lenient, cx);
            field.write = field_rule(doc, "write", &scope, lenient, cx);
            check_field(draft, doc, field, cx);
        }
        check_kind(draft, cx);
    }
}

/// A rule on a field. Absent: nothing beyond the rules of the record.
fn field_rule(
    doc: &FieldDoc,
    key: &str,
    scope: &Scope<'_>,
    lenient: bool,
    cx: &mut Context<'_>,
) -> Rule {
    if doc.options.is_false(key) {
        return Rule::Locked;
    }
    match doc.options.text(key) {
        Some(text) => compiled_for_field(&text, scope, lenient, cx),
        None => Rule::Public,
    }
}

/// Rules on fields that every answer holds, or that none does.
fn check_field(draft: &Draft<'_>, doc: &FieldDoc, field: &ir::Field, cx: &mut Context<'_>) {
    let wire = field.name.wire.as_str();
    let secret = draft.document.is_auth && matches!(wire, "password" | "tokenKey");
    if field.read != Rule::Public && wire == "id" {
        let message = "the field `id` can't have a `read` rule: records are known by it";
        let found = Diagnostic::new(
            Code::SystemField,
            doc.options.span_of("read"),
            message,
            "not possible",
        );
        cx.push(found.with_help("restrict who sees the record by the rules `list` and `view`"));
        return;
    }
    let (read, write) = (field.read != Rule::Public, field.write != Rule::Public);
    let idle = [
        ("read", read && secret, "no answer ever holds this field"),
        (
            "read",
            read && field.hidden && !secret,
            "a hidden field is shown to superusers only",
        ),
        (
            "write",
            write && field.hidden && wire != "password",
            "a hidden field is set by superusers only",
        ),
    ];
    for (key, _, why) in idle.iter().filter(|(_, idle, _)| *idle) {
        let span = doc.options.span_of(key);
        let message = format!("the `{key}` rule of field `{wire}` has no effect");
        cx.report(Code::NoEffect, span, message, *why);
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

/// Does it say `false`?
fn denied(draft: &Draft<'_>, key: &str) -> bool {
    let rules = draft.document.entries.table("rules");
    rules.is_some_and(|rules| rules.is_false(key))
}

/// A rule as it is written.
pub(super) fn text(draft: &Draft<'_>, key: &str) -> Option<Text> {
    draft.document.entries.table("rules")?.text(key)
}

/// A rule that was imported is taken as the peer takes it: what only we call a mistake is a
/// warning.
fn compiled(text: &Text, scope: &Scope<'_>, lenient: bool, cx: &mut Context<'_>) -> Rule {
    if text.value.is_empty() {
        return Rule::Public;
    }
    let (rule, findings) = match compile(&text.value, &scope.imported(lenient)) {
        Ok(compiled) => {
            let rule = CompiledRule {
                text: text.value.clone(),
                plan: compiled.plan,
                reads: compiled.reads.into_iter().collect(),
                location: cx.location(text.span),
            };
            (Rule::When(rule), compiled.warnings)
        }
        Err(errors) => (Rule::Locked, errors),
    };
    for finding in &findings {
        cx.push_rule_error(text, finding, scope);
    }
    rule
}

/// The same for the rule of a field, where leaving it out locks nobody out.
fn compiled_for_field(text: &Text, scope: &Scope<'_>, lenient: bool, cx: &mut Context<'_>) -> Rule {
    let before = cx.found.len();
    let rule = compiled(text, scope, lenient, cx);
    let constant = basalt_lang::Code::Constant.as_str();
    for found in cx.found.iter_mut().skip(before) {
        if found.code == constant {
            let help = "write `false` for superusers only, or leave the rule out to add nothing to \
                        the rules of the record";
            found.help = Some(help.to_owned());
        }
    }
    rule
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
