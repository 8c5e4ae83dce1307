//! `[records.COLLECTION.NAME]`: the records that exist before each test.

use std::collections::BTreeSet;

use toml::de::{DeTable, DeValue};

use super::read::{Loader, Node};
use super::{Example, Given};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::ir::{self, FieldKind};
use crate::load::{self, Text};

/// The most records of one file: what refers to them looks through all.
const MOST_RECORDS: usize = 1000;

/// Keys of a body that are no fields.
const OF_ACCOUNTS: &[&str] = &["passwordConfirm", "oldPassword"];

/// Reads all records and puts them into an order in which each refers only to those before it.
pub(super) fn read(loader: &mut Loader<'_>, node: Option<&Node<'_>>) {
    let Some(node) = node else { return };
    let DeValue::Table(collections) = node.get_ref() else {
        loader.not_a(
            node,
            "`records` must be a table",
            "write `[records.COLLECTION.NAME]`",
        );
        return;
    };
    // All names first, since values refer to them.
    let mut tables: Vec<(Text, &DeTable<'_>)> = Vec::new();
    for (name, node) in load::in_order(collections) {
        let name = loader.key(name);
        if collection(loader, &name, 0..name.value.len()).is_none() {
            continue;
        }
        let DeValue::Table(records) = node.get_ref() else {
            loader.not_a(
                node,
                "must be a table of records",
                "write `[records.COLLECTION.NAME]`",
            );
            continue;
        };
        for (record, node) in load::in_order(records) {
            let record = loader.key(record);
            let DeValue::Table(values) = node.get_ref() else {
                loader.not_a(
                    node,
                    "a record must be a table",
                    "write `[records.COLLECTION.NAME]`",
                );
                continue;
            };
            if tables.len() == MOST_RECORDS {
                too_many(loader, record.span, "records", MOST_RECORDS);
                loader.examples.clear();
                return;
            }
            if !is_plain(&record.value) {
                let message = format!("`{}` can't be the name of a record", record.value);
                let found =
                    Diagnostic::new(Code::BadName, record.span, message, "not a plain name");
                loader.found.push(found);
            }
            loader.examples.push(Example {
                collection: name.value.clone(),
                name: record.value.clone(),
                values: Vec::new(),
                place: loader.place(record.span),
            });
            tables.push((record, values));
        }
    }
    let mut all = Vec::new();
    for (id, (_, table)) in tables.iter().enumerate() {
        let collection = loader.examples.get(id).map(|it| it.collection.clone());
        let values = fields(loader, table, &collection.into_iter().collect::<Vec<_>>());
        all.push(values);
    }
    for (example, values) in loader.examples.iter_mut().zip(all) {
        example.values = values;
    }
    let names: Vec<Text> = tables.into_iter().map(|(name, _)| name).collect();
    order(loader, &names);
}

/// The finding for a file that has too many of something.
pub(super) fn too_many(loader: &mut Loader<'_>, span: Span, what: &str, most: usize) {
    let message = format!("the file has more than {most} {what}");
    let found = Diagnostic::new(Code::TooLarge, span, message, "the first beyond");
    let help = "split the tests into several files";
    loader.found.push(found.with_help(help));
}

fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.chars().all(plain)
}

/// The collection that a part of a text names.
pub(super) fn collection<'s>(
    loader: &mut Loader<'s>,
    text: &Text,
    range: std::ops::Range<usize>,
) -> Option<&'s ir::Collection> {
    let name = text.value.get(range.clone()).unwrap_or_default();
    let schema = loader.schema;
    let found = schema.collection(name);
    if found.is_none() {
        let message = format!("there is no collection `{name}`");
        // A key's span has no quotes to look into.
        let span = match range.len() == text.value.len() {
            true => text.span,
            false => loader.inside(text, range.clone()),
        };
        let known = schema.collections.iter().map(|it| it.name.wire.as_str());
        let found = Diagnostic::new(Code::UnknownCollection, span, message, "no such collection");
        loader.found.push(found.suggest(name, known));
    }
    found
}

/// The fields of a record or a body. A body may be for several collections.
pub(super) fn fields(
    loader: &mut Loader<'_>,
    table: &DeTable<'_>,
    collections: &[String],
) -> Vec<(String, Given)> {
    let schema = loader.schema;
    let collections: Vec<&ir::Collection> = collections
        .iter()
        .filter_map(|name| schema.collection(name))
        .collect();
    let mut values = Vec::new();
    for (key, node) in load::in_order(table) {
        let key = loader.key(key);
        // Modifiers of lists and numbers: `tags+`, `+tags`, `n-`.
        let name = key.value.trim_matches(['+', '-']);
        let fields = collections.iter().flat_map(|it| &it.fields);
        let mut fields = fields.filter(|field| field.name.wire == name);
        let field = fields.next();
        if field.is_none() && !is_known(&collections, name) {
            unknown_field(loader, &key, &collections);
            continue;
        }
        values.extend(given(loader, field, node).map(|given| (key.value.clone(), given)));
    }
    values
}

/// A key that is no field, but that accounts or rules know.
fn is_known(collections: &[&ir::Collection], name: &str) -> bool {
    collections.iter().any(|collection| {
        let auth = matches!(collection.kind, ir::CollectionKind::Auth(_));
        let key = format!("@request.body.{name}");
        let rules = &collection.rules;
        let named = [&rules.create, &rules.update, &rules.delete];
        let named = named.iter().any(|rule| match rule {
            ir::Rule::When(compiled) => compiled.text.contains(&key),
            ir::Rule::Locked | ir::Rule::Public => false,
        });
        auth && OF_ACCOUNTS.contains(&name) || named
    })
}

fn unknown_field(loader: &mut Loader<'_>, key: &Text, collections: &[&ir::Collection]) {
    let code = Code::UnknownTestField;
    if collections.is_empty() {
        let message = "no claim of this test creates or updates anything";
        let found = Diagnostic::new(code, key.span, message, "is sent nowhere");
        let help = "leave `body` out, or claim a create or an update";
        loader.found.push(found.with_help(help));
        return;
    }
    let names: Vec<&str> = collections.iter().map(|it| it.name.wire.as_str()).collect();
    let names = names.join("`, `");
    let message = format!("there is no field `{}` in `{names}`", key.value);
    let fields = collections.iter().flat_map(|it| &it.fields);
    let known = fields.map(|field| field.name.wire.as_str());
    let found = Diagnostic::new(code, key.span, message, "no such field");
    loader.found.push(found.suggest(&key.value, known));
}

/// A value; in relations `"@users.alice"` is a record's id.
fn given(loader: &mut Loader<'_>, field: Option<&ir::Field>, node: &Node<'_>) -> Option<Given> {
    let relation = field.is_some_and(|it| matches!(it.kind, FieldKind::Relation { .. }));
    match node.get_ref() {
        DeValue::String(text) if relation && text.starts_with('@') => {
            let text = Text {
                value: text.to_string(),
                span: loader.span(node.span()),
            };
            example(loader, &text, 1..text.value.len(), None).map(Given::Id)
        }
        DeValue::Array(items) if relation => {
            let items: Vec<Option<Given>> = items
                .iter()
                .map(|item| given(loader, field, item))
                .collect();
            items.into_iter().collect::<Option<_>>().map(Given::List)
        }
        value => match load::json(value) {
            Some(value) => Some(Given::Json(value)),
            None => {
                loader.not_a(
                    node,
                    "must be a value that JSON can hold",
                    "write it in quotes",
                );
                None
            }
        },
    }
}

/// The record that a part of a text names: in full, or within a collection.
pub(super) fn example(
    loader: &mut Loader<'_>,
    text: &Text,
    range: std::ops::Range<usize>,
    within: Option<&str>,
) -> Option<usize> {
    let name = text.value.get(range.clone()).unwrap_or_default();
    let found = loader.find(name);
    let found = found.or_else(|| loader.find(&format!("{}.{name}", within?)));
    if found.is_none() {
        let span = loader.inside(text, range);
        loader.no_record(name, span);
    }
    found
}

/// Sorts the records, so that each refers only to those before it.
fn order(loader: &mut Loader<'_>, names: &[Text]) {
    let mut done: Vec<usize> = Vec::new();
    let mut waiting: BTreeSet<usize> = (0..loader.examples.len()).collect();
    while !waiting.is_empty() {
        let ready: Vec<usize> = waiting
            .iter()
            .copied()
            .filter(|id| {
                let values = loader.examples.get(*id).map(|it| &it.values);
                let mut needs = values.into_iter().flatten().flat_map(|(_, it)| it.ids());
                needs.all(|need| done.contains(&need))
            })
            .collect();
        if ready.is_empty() {
            circle(loader, names, &waiting);
            return;
        }
        waiting.retain(|id| !ready.contains(id));
        done.extend(ready);
    }
    let place = |old: usize| done.iter().position(|id| *id == old).unwrap_or(old);
    let mut sorted = Vec::with_capacity(done.len());
    for id in &done {
        if let Some(example) = loader.examples.get(*id) {
            let mut example = example.clone();
            for (_, value) in &mut example.values {
                value.rename(&place);
            }
            sorted.push(example);
        }
    }
    loader.examples = sorted;
}

fn circle(loader: &mut Loader<'_>, names: &[Text], waiting: &BTreeSet<usize>) {
    let Some(first) = waiting.first().and_then(|id| names.get(*id)) else {
        return;
    };
    let list: Vec<String> = waiting
        .iter()
        .filter_map(|id| loader.examples.get(*id))
        .map(|it| format!("`{}`", it.full_name()))
        .collect();
    let message = format!(
        "records refer to each other in a circle: {}",
        list.join(", ")
    );
    let found = Diagnostic::new(Code::RecordCircle, first.span, message, "one of them");
    loader.found.push(found);
}

impl Given {
    /// The records that it refers to.
    fn ids(&self) -> Vec<usize> {
        match self {
            Given::Json(_) => Vec::new(),
            Given::Id(id) => vec![*id],
            Given::List(items) => items.iter().flat_map(Given::ids).collect(),
        }
    }

    fn rename(&mut self, place: &impl Fn(usize) -> usize) {
        match self {
            Given::Json(_) => {}
            Given::Id(id) => *id = place(*id),
            Given::List(items) => items.iter_mut().for_each(|item| item.rename(place)),
        }
    }
}
