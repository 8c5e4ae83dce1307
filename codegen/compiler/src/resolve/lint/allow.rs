//! `allow = ["leak::unique"]`: warnings that the author knows of.

use basalt_lang::Severity;

use crate::diagnostic::{Code, Diagnostic, Place, Span};
use crate::load::{Entries, FieldDoc, Text};
use crate::resolve::Context;
use crate::resolve::collections::Draft;

/// Takes out the warnings of a file that the file or the field they stand at allows. Whoever
/// allows what isn't there is told so, if all lints have run.
pub(super) fn apply(draft: &Draft<'_>, all_ran: bool, cx: &mut Context<'_>) {
    let file = Span {
        file: draft.document.file,
        start: 0,
        end: usize::MAX,
    };
    allow(&draft.document.entries, file, all_ran, cx);
    for doc in &draft.fields {
        allow(&doc.options, extent(doc), all_ran, cx);
    }
}

/// From a field's name to the end of its last option.
fn extent(doc: &FieldDoc) -> Span {
    let ends = doc.options.entries.iter().map(|entry| entry.span.end);
    Span {
        end: ends.fold(doc.name.span.end, usize::max),
        ..doc.name.span
    }
}

fn allow(entries: &Entries, within: Span, all_ran: bool, cx: &mut Context<'_>) {
    for name in entries.texts("allow") {
        if !warnings().any(|known| known == name.value) {
            unknown(name, cx);
            continue;
        }
        let before = cx.found.len();
        cx.found.retain(|found| {
            let inside = matches!(found.place, Place::Span(span)
                if span.file == within.file && span.start >= within.start && span.end <= within.end);
            !(inside && found.code == name.value && found.severity == Severity::Warning)
        });
        if cx.found.len() == before && all_ran {
            let message = format!("there is no `{}` here to allow", name.value);
            cx.report(Code::NoEffect, name.span, message, "silences nothing");
        }
    }
}

/// What can be allowed: all warnings, and since they may be warnings in files that were imported,
/// the mistakes in rules.
fn warnings() -> impl Iterator<Item = &'static str> {
    let own = Code::ALL
        .iter()
        .filter(|it| it.severity() == Severity::Warning);
    let own = own.map(|code| code.as_str());
    own.chain(basalt_lang::Code::ALL.iter().map(|code| code.as_str()))
}

fn unknown(name: &Text, cx: &mut Context<'_>) {
    let message = format!("there is no warning called `{}`", name.value);
    let found = Diagnostic::new(Code::UnknownChoice, name.span, message, "no such warning");
    cx.push(found.suggest(&name.value, warnings()));
}
