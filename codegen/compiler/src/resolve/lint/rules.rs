//! Rules that read what not everyone sees, and rules that wait for what nobody can send.

use basalt_lang::compile;
use basalt_lang::typed::{Comparison, Node, Operand};

use super::Subject;
use super::paths::{Secrecy, Touched, body_key, comparisons, is_sent, touched};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::ir::{self, CollectionKind, FieldKind, Rule};
use crate::load::Text;
use crate::load::format::RULES;
use crate::resolve::Context;
use crate::resolve::rules::text;

/// Looks through the rules of the collection and of its fields.
pub(super) fn check(subject: &Subject<'_>, cx: &mut Context<'_>) {
    let of_records = RULES.iter().map(|key| key.name);
    let of_records = of_records.filter_map(|key| Some((key, None, text(subject.draft, key)?)));
    let of_fields = subject.draft.fields.iter().flat_map(|doc| {
        let rules = ["read", "write"].into_iter();
        let field = doc.name.value.as_str();
        rules.filter_map(move |key| Some((key, Some(field), doc.options.text(key)?)))
    });
    let rules: Vec<(&str, Option<&str>, Text)> = of_records.chain(of_fields).collect();
    for (action, field, rule) in rules.iter().filter(|(.., rule)| !rule.value.is_empty()) {
        // Rules that don't compile were reported.
        let Ok(compiled) = compile(&rule.value, &subject.scope) else {
            continue;
        };
        let look = Look {
            subject,
            action,
            field: *field,
            rule,
        };
        for comparison in comparisons(&compiled.typed) {
            look.secrets(comparison, cx);
            if matches!(*action, "create" | "update" | "write") {
                look.body(&comparison.left, cx);
                look.body(&comparison.right, cx);
            }
        }
    }
}

/// A look at one rule.
struct Look<'a> {
    subject: &'a Subject<'a>,
    action: &'a str,
    /// Whose rule it is, if it is a field's.
    field: Option<&'a str>,
    rule: &'a Text,
}

impl Look<'_> {
    fn span(&self, operand: &Operand, cx: &Context<'_>) -> Span {
        cx.inside(self.rule, operand.span.start, operand.span.end)
    }

    /// Fields that not everyone sees.
    fn secrets(&self, comparison: &Comparison, cx: &mut Context<'_>) {
        let Subject { schema, at, .. } = *self.subject;
        let sides = [
            (&comparison.left, &comparison.right),
            (&comparison.right, &comparison.left),
        ];
        for (side, other) in sides {
            let Some(found) = touched(schema, at, &side.node) else {
                continue;
            };
            // What a new record holds was sent by its creator; and a field may decide on itself.
            let is_own = self.action == "create" && found.own || self.is_of(&found);
            if is_own {
                continue;
            }
            let changed = matches!(side.node, Node::Changed { .. });
            if changed && found.secrecy != Secrecy::Ruled {
                continue;
            }
            let span = self.span(side, cx);
            if changed || is_sent(&other.node) {
                cx.push(self.oracle(&found, span, changed));
            } else {
                cx.push(self.reading(&found, span));
            }
        }
    }

    fn oracle(&self, found: &Touched<'_>, span: Span, changed: bool) -> Diagnostic {
        let Touched {
            name, collection, ..
        } = found;
        let message = format!(
            "callers can find out `{name}` of `{collection}` by guessing: the `{}` rule compares \
             it with what they send",
            self.action
        );
        let label = found.secrecy.words();
        let found = Diagnostic::new(Code::Oracle, span, message, label);
        if changed {
            let help = "say who may set the field by a `write` rule on it, or acknowledge \
                        this for the file, above `[rules]`: `allow = [\"leak::oracle\"]`";
            return found.with_help(help);
        }
        found
    }

    /// Is it the `read` rule of this very field?
    fn is_of(&self, found: &Touched<'_>) -> bool {
        self.action == "read"
            && self.field == Some(found.name)
            && found.collection == self.subject.collection.name.wire
    }

    fn reading(&self, found: &Touched<'_>, span: Span) -> Diagnostic {
        let Touched {
            name, collection, ..
        } = found;
        let message = format!(
            "the `{}` rule reads `{name}` of `{collection}`, which {}",
            self.action,
            found.secrecy.words()
        );
        let label = "its outcome tells something about this";
        Diagnostic::new(Code::HiddenInRule, span, message, label)
    }

    /// Parts of the body that no client can send.
    fn body(&self, operand: &Operand, cx: &mut Context<'_>) {
        let Some(key) = body_key(&operand.node) else {
            return;
        };
        let collection = self.subject.collection;
        let Some(field) = collection.fields.iter().find(|it| it.name.wire == key) else {
            return;
        };
        let span = self.span(operand, cx);
        if self.action == "create" && matches!(operand.node, Node::Changed { .. }) {
            let message =
                format!("`@request.body.{key}:changed` is always false in a `create` rule");
            let label = "a new record has no former value";
            cx.report(Code::Unsettable, span, message, label);
        } else if let Some(why) = unsettable(collection, field) {
            let message =
                format!("no client can set `{key}`, which this rule looks for in the body");
            cx.report(Code::Unsettable, span, message, why);
        }
    }
}

/// Why no client can set a field, unless some can.
fn unsettable(collection: &ir::Collection, field: &ir::Field) -> Option<&'static str> {
    let auth = matches!(collection.kind, CollectionKind::Auth(_));
    if matches!(field.kind, FieldKind::Autodate { .. }) {
        Some("the server sets it")
    } else if field.hidden && !(auth && field.name.wire == "password") {
        Some("hidden: what clients send is left out")
    } else if field.write == Rule::Locked {
        Some("its `write` rule is for superusers only")
    } else {
        None
    }
}
