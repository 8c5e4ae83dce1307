//! Errors that tell: a refused write may say something about values that the caller doesn't see.

use super::Subject;
use super::paths::Secrecy;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::ir::{self, FieldKind, Rule};
use crate::resolve::Context;

/// Looks through the fields and indexes of the collection.
pub(super) fn check(subject: &Subject<'_>, cx: &mut Context<'_>) {
    unique(subject, cx);
    for (doc, field) in subject.draft.fields.iter().zip(&subject.collection.fields) {
        let Some(secrecy) = Secrecy::of(subject.collection, field) else {
            continue;
        };
        let span = subject.place(doc.name.span);
        blocked_delete(subject, field, secrecy, span, cx);
    }
}

impl Subject<'_> {
    /// The place, or the collection's name for what no file says.
    fn place(&self, span: Span) -> Span {
        if span.file == self.draft.document.file {
            span
        } else {
            self.draft.document.name.span
        }
    }

    /// May anyone but superusers write records, and this field of them?
    fn is_written(&self, field: &ir::Field) -> bool {
        let rules = &self.collection.rules;
        let writes = rules.create != Rule::Locked || rules.update != Rule::Locked;
        let set = !matches!(field.kind, FieldKind::Autodate { .. });
        writes && set && !field.hidden && field.write != Rule::Locked
    }
}

/// "Value must be unique" says that some record has the value.
fn unique(subject: &Subject<'_>, cx: &mut Context<'_>) {
    let collection = subject.collection;
    for index in collection.indexes.iter().filter(|index| index.unique) {
        let fields = index.columns.iter();
        let mut fields = fields.filter_map(|place| collection.fields.get(place.0));
        let secret = fields.find_map(|field| {
            let secrecy = Secrecy::of(collection, field)?;
            subject.is_written(field).then_some((field, secrecy))
        });
        let Some((field, secrecy)) = secret else {
            continue;
        };
        let name = &field.name.wire;
        let docs = subject.draft.fields.iter();
        let mut docs = docs.filter(|doc| doc.name.value == *name);
        let span = docs.next().map_or(Span::default(), |doc| doc.name.span);
        let message = format!(
            "whoever writes records of `{}` can find out which values of `{name}` there are",
            collection.name.wire
        );
        let label = format!("is unique, and {}", secrecy.words());
        let mut found = Diagnostic::new(Code::LeakUnique, subject.place(span), message, label);
        if let Some(declared) = declared(subject, index) {
            found = found.with_also(declared, "the unique index");
        }
        cx.push(found);
    }
}

/// Where the index stands in the file, if it does.
fn declared(subject: &Subject<'_>, index: &ir::Index) -> Option<Span> {
    let fields = index.columns.iter();
    let names = fields.filter_map(|place| subject.collection.fields.get(place.0));
    let names: Vec<&str> = names.map(|field| field.name.wire.as_str()).collect();
    let mut tables = subject.draft.document.entries.tables("indexes").iter();
    let found = tables.find(|table| {
        let texts = table.texts("fields").iter().map(|text| text.value.as_str());
        table.flag("unique") && texts.collect::<Vec<_>>() == names
    });
    found.map(|table| table.span_of("fields"))
}

/// A record that a required relation points to can't be deleted.
fn blocked_delete(
    subject: &Subject<'_>,
    field: &ir::Field,
    secrecy: Secrecy,
    span: Span,
    cx: &mut Context<'_>,
) {
    let FieldKind::Relation {
        target,
        cascade_delete: false,
        ..
    } = field.kind
    else {
        return;
    };
    let Some(target) = subject.schema.collections.get(target.0) else {
        return;
    };
    if !field.required || target.rules.delete == Rule::Locked {
        return;
    }
    let message = format!(
        "whoever deletes records of `{}` finds out whether `{}` points to them",
        target.name.wire, field.name.wire
    );
    let label = format!("required, and {}", secrecy.words());
    cx.report(Code::LeakDelete, span, message, label);
}
