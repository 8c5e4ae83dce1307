//! Lints: what is valid and means what it says, but may give away more than its author knows.
//! They need the whole model, so they run last, and only on a schema without errors. `allow` in a
//! file or on a field acknowledges them.

mod allow;
mod leaks;
mod looser;
mod paths;
mod rules;

use basalt_lang::schema::CollectionId;
use basalt_lang::{Caller, Scope, Severity};

use super::Context;
use super::collections::Draft;
use super::view::RuleView;
use crate::ir;

/// Runs every lint, and takes out what is allowed.
pub(super) fn check(
    drafts: &[Draft<'_>],
    schema: &ir::Schema,
    view: &RuleView,
    cx: &mut Context<'_>,
) {
    let sound = cx.found.iter().all(|it| it.severity != Severity::Error);
    if sound {
        for (at, (draft, collection)) in drafts.iter().zip(&schema.collections).enumerate() {
            if draft.system {
                continue;
            }
            let subject = Subject {
                draft,
                schema,
                collection,
                at: CollectionId(at),
                // Lenient, for rules that were imported with mistakes.
                scope: Scope::new(view, CollectionId(at), Caller::Superuser),
            };
            looser::check(&subject, cx);
            rules::check(&subject, cx);
            leaks::check(&subject, cx);
        }
    }
    for draft in drafts.iter().filter(|draft| !draft.system) {
        allow::apply(draft, sound, cx);
    }
}

/// The collection that is looked at.
struct Subject<'a> {
    draft: &'a Draft<'a>,
    schema: &'a ir::Schema,
    collection: &'a ir::Collection,
    at: CollectionId,
    scope: Scope<'a>,
}
