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
        let fields = fields.filter_map(|place| collection.fields.get(place.0));
        let fields: Vec<&ir::Field> = fields.collect();
        // Of several columns, it is enough to set one: the others keep their values.
        let written = fields.iter().find(|field| subject.is_written(field));
        let mut secret = fields
            .iter()
            .filter_map(|field| Some((*field, Secrecy::of(collection, field)?)));
        let (Some(written), Some((field, secrecy))) = (written, secret.next()) else {
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
        let label = match fields.as_slice() {
            [_] => format!("is unique, and {}", secrecy.words()),
            _ => format!(
                "{}, and is unique together with {}",
                secrecy.words(),
                others(&fields, field)
            ),
        };
        let place = subject.place(span);
        let mut found = Diagnostic::new(Code::LeakUnique, place, message, label);
        if secrecy == Secrecy::Email {
            found = found.with_help(OF_ADDRESSES);
        } else if !subject.is_written(field) {
            found = found.with_help(format!(
                "leave the index out, or say who may set `{}` by a `write` rule; or acknowledge it \
                 on `{name}`: `allow = [\"leak::unique\"]`",
                written.name.wire
            ));
        }
        if let Some(declared) = declared(subject, index) {
            found = found.with_also(declared, "the unique index");
        }
        cx.push(found);
    }
}

/// What to do about the addresses of accounts, whose index is implied.
const OF_ADDRESSES: &str = "the addresses of accounts are always unique; if anyone may sign up, \
    acknowledge it under `[fields]`: `email = { type = \"email\", required = true, allow = \
    [\"leak::unique\"] }`";

/// The names of the other fields of an index.
fn others(fields: &[&ir::Field], one: &ir::Field) -> String {
    let others = fields.iter().filter(|field| field.name != one.name);
    let names: Vec<String> = others
        .map(|field| format!("`{}`", field.name.wire))
        .collect();
    names.join(", ")
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
