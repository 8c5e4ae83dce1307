//! Findings about rules that only follow from something else, which was reported where it is: a
//! file that could not be read whole, or a field whose type or name could not be settled.

use basalt_lang::Scope;
use basalt_lang::schema::{CollectionId, FieldType};

use super::Context;
use crate::diagnostic::Spanned;
use crate::name;

impl Context<'_> {
    /// Would the finding be there without the mistakes that are known already?
    pub(super) fn only_follows(
        &self,
        text: &Spanned<String>,
        error: &basalt_lang::Error,
        scope: &Scope<'_>,
    ) -> bool {
        use basalt_lang::Code::{UnknownCollection, UnknownField, UnknownRequestPart};
        let before = text.value.get(..error.span.start).unwrap_or_default();
        let torn = match error.code {
            // The first word of a path is a field of the rule's own file, the others are not.
            UnknownField if before.ends_with('.') => !self.torn.is_empty(),
            UnknownField => self.is_torn(text),
            UnknownRequestPart => before.ends_with("@request.auth.") && !self.torn.is_empty(),
            UnknownCollection => self.missing_collections,
            _ => false,
        };
        torn || self.mentions_broken(&text.value, error.span.start, error.span.end, scope)
    }

    /// Does an operand around some bytes of a rule lead through a field whose type is unknown?
    fn mentions_broken(&self, rule: &str, start: usize, end: usize, scope: &Scope<'_>) -> bool {
        let before = rule.get(..start).unwrap_or_default();
        let after = rule.get(end..).unwrap_or_default();
        let start = before.trim_end_matches(in_operand).len();
        let end = rule.len() - after.trim_start_matches(in_operand).len();
        let marked = rule.get(start..end).unwrap_or_default();
        let mut operands = marked.split(|c: char| !in_operand(c));
        operands.any(|operand| {
            let passed = fields_of(operand, scope);
            passed.iter().any(|(collection, field)| {
                let table = name::name(scope.schema.name(*collection)).rust;
                self.broken_fields.contains(&(table, field.clone()))
            })
        })
    }
}

fn in_operand(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.:@".contains(c)
}

type Passed = Vec<(CollectionId, String)>;

/// Every field that an operand names, with the collection in which it is looked up.
fn fields_of(operand: &str, scope: &Scope<'_>) -> Passed {
    let parts: Vec<&str> = operand
        .split('.')
        .map(|part| part.split(':').next().unwrap_or(part))
        .collect();
    let mut passed = Vec::new();
    match parts.as_slice() {
        ["@request", "auth", rest @ ..] => {
            let all = (0..scope.schema.len()).map(CollectionId);
            for at in all.filter(|at| scope.schema.is_auth(*at)) {
                follow(at, rest, scope, &mut passed);
            }
        }
        ["@request", "body", rest @ ..] => follow(scope.collection, rest, scope, &mut passed),
        ["@collection", named, rest @ ..] => {
            if let Some(at) = scope.schema.collection(named) {
                follow(at, rest, scope, &mut passed);
            }
        }
        rest => follow(scope.collection, rest, scope, &mut passed),
    }
    passed
}

/// Walks from a collection along relations, there and back.
fn follow(mut at: CollectionId, parts: &[&str], scope: &Scope<'_>, passed: &mut Passed) {
    for part in parts {
        if let Some((from, field)) = part.split_once("_via_") {
            let Some(from) = scope.schema.collection(from) else {
                return;
            };
            passed.push((from, field.to_owned()));
            at = from;
            continue;
        }
        passed.push((at, (*part).to_owned()));
        match scope.schema.field(at, part).map(|field| field.kind) {
            Some(FieldType::One(target) | FieldType::Many(target)) => at = target,
            _ => return,
        }
    }
}
