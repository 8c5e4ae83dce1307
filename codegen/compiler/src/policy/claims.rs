//! What tests claim: statements, fields that are seen, and the body that is sent.

use std::ops::Range;

use basalt_lang::schema::Schema as _;
use basalt_lang::{Caller, Scope};
use toml::de::DeValue;

use super::examples::{collection, example, fields as values, too_many};
use super::read::{Loader, MOST_CLAIMS, Node};
use super::statement::{self, Statement, VERBS, Word};
use super::{Claim, Deed, Filter, Given, Listed, Piece};
use crate::diagnostic::{Code, Diagnostic};
use crate::ir::{self, FieldKind};
use crate::load::{self, Text};

/// Reads one statement of `may` or `may_not`.
pub(super) fn read(loader: &mut Loader<'_>, text: &Text, may: bool) -> Option<Claim> {
    let parsed = match statement::parse(&text.value) {
        Ok(parsed) => parsed,
        Err(wrong) => {
            report(loader, text, wrong.range, wrong.message, wrong.label);
            return None;
        }
    };
    let verb = parsed.verb;
    if !VERBS.contains(&verb.text) {
        let message = format!("unknown verb `{}`", verb.text);
        let span = loader.inside(text, verb.range());
        let found = Diagnostic::new(Code::Statement, span, message, "no such verb");
        loader
            .found
            .push(found.suggest(verb.text, VERBS.iter().copied()));
        return None;
    }
    let deed = match verb.text {
        "list" => list(loader, text, &parsed, may)?,
        "create" => {
            only_target(loader, text, &parsed)?;
            let found = collection(loader, text, parsed.target.range())?;
            Deed::Create(found.name.wire.clone())
        }
        verb => {
            only_target(loader, text, &parsed)?;
            let id = example(loader, text, parsed.target.range(), None)?;
            match verb {
                "view" => Deed::View(id),
                "update" => Deed::Update(id),
                "delete" => Deed::Delete(id),
                _ => {
                    account(loader, text, parsed.target, id)?;
                    Deed::Auth(id)
                }
            }
        }
    };
    Some(Claim {
        text: text.value.trim().to_owned(),
        place: loader.place(text.span),
        deed,
        may,
    })
}

fn report(
    loader: &mut Loader<'_>,
    text: &Text,
    range: Range<usize>,
    message: impl Into<String>,
    label: &str,
) {
    let span = loader.inside(text, range);
    let found = Diagnostic::new(Code::Statement, span, message, label);
    loader.found.push(found);
}

/// Filters and arrows are for lists.
fn only_target(loader: &mut Loader<'_>, text: &Text, parsed: &Statement<'_>) -> Option<()> {
    let first = parsed.listed.iter().flatten().next();
    let extra = parsed.filter.as_ref().or(first);
    if let Some(extra) = extra {
        let message = format!("`{}` takes no filter and no list", parsed.verb.text);
        report(loader, text, extra.range(), message, "only for `list`");
        return None;
    }
    Some(())
}

fn account(loader: &mut Loader<'_>, text: &Text, target: Word<'_>, id: usize) -> Option<()> {
    let name = loader.examples.get(id).map(|it| it.collection.clone())?;
    let found = loader.schema.collection(&name)?;
    if matches!(found.kind, ir::CollectionKind::Auth(_)) {
        return Some(());
    }
    let message = format!("records of `{name}` can't log in");
    let span = loader.inside(text, target.range());
    let found = Diagnostic::new(Code::Statement, span, message, "not an account");
    let help = "name a record of an auth collection: `auth users.alice`";
    loader.found.push(found.with_help(help));
    None
}

fn list(loader: &mut Loader<'_>, text: &Text, parsed: &Statement<'_>, may: bool) -> Option<Deed> {
    let target = parsed.target;
    let (name, record) = match target.text.split_once('.') {
        Some((name, _)) => {
            let id = example(loader, text, target.range(), None)?;
            (target.start..target.start + name.len(), Some(id))
        }
        None => (target.range(), None),
    };
    let collection = collection(loader, text, name)?.name.wire.clone();
    let filter = match parsed.filter {
        Some(word) => Some(filter(loader, text, word, &collection)?),
        None => None,
    };
    let listed = match (&parsed.listed, record) {
        (None, None) if !may && !loader.examples.iter().any(|it| it.collection == collection) => {
            let message = format!("this can't fail: the file has no records of `{collection}`");
            let span = loader.inside(text, target.range());
            let found = Diagnostic::new(Code::UnknownRecord, span, message, "nothing to list");
            let help = format!("add one, as `[records.{collection}.NAME]`");
            loader.found.push(found.with_help(help));
            return None;
        }
        (None, None) => Listed::Some,
        (None, Some(id)) => Listed::This(id),
        (Some(_), _) if !may => {
            let span = loader.inside(text, 0..text.value.len());
            let message = "`->` can't stand in `may_not`";
            let label = "claims two things at once";
            let found = Diagnostic::new(Code::Statement, span, message, label);
            let help = format!(
                "in `may`, say exactly what is listed: `list {collection} -> NAME`; in `may_not`, \
                 name one record: `list {collection}.NAME`"
            );
            loader.found.push(found.with_help(help));
            return None;
        }
        (Some(_), Some(_)) => {
            let span = loader.inside(text, target.range());
            let message = "a list of one record has nothing behind the arrow";
            let found = Diagnostic::new(Code::Statement, span, message, "one record");
            let help = format!(
                "write `list {}`, or `list {collection} -> NAME`",
                target.text
            );
            loader.found.push(found.with_help(help));
            return None;
        }
        (Some(words), None) => {
            let ids = words
                .iter()
                .map(|word| example(loader, text, word.range(), Some(&collection)));
            let ids: Vec<Option<usize>> = ids.collect();
            Listed::Exactly(ids.into_iter().collect::<Option<_>>()?)
        }
    };
    Some(Deed::List {
        collection,
        filter,
        listed,
    })
}

/// A filter: records are put in as `@users.alice`, and the rest must compile.
fn filter(
    loader: &mut Loader<'_>,
    text: &Text,
    word: Word<'_>,
    collection: &str,
) -> Option<Filter> {
    let mut pieces = Vec::new();
    // The same with quoted texts of the same length in the place of records.
    let mut plain = String::new();
    let mut rest = word.text;
    while let Some(at) = rest.find('@') {
        let (before, after) = rest.split_at(at);
        let end = after
            .char_indices()
            .skip(1)
            .find(|(_, c)| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')));
        let end = end.map_or(after.len(), |(end, _)| end);
        let (name, behind) = after.split_at(end);
        plain.push_str(before);
        pieces.push(Piece::Text(before.to_owned()));
        match loader.find(name.trim_start_matches('@')) {
            Some(id) => {
                plain.push('\'');
                plain.push_str(&"x".repeat(name.len() - 2));
                plain.push('\'');
                pieces.push(Piece::Id(id));
            }
            None if is_of_collection(loader, name) => {
                let start = word.start + word.text.len() - after.len() + 1;
                example(loader, text, start..start + name.len() - 1, None)?;
            }
            None => {
                plain.push_str(name);
                pieces.push(Piece::Text(name.to_owned()));
            }
        }
        rest = behind;
    }
    plain.push_str(rest);
    pieces.push(Piece::Text(rest.to_owned()));
    let id = loader.view.collection(collection)?;
    let scope = Scope::new(loader.view, id, Caller::Superuser);
    if let Err(errors) = basalt_lang::compile(&plain, &scope) {
        for error in &errors {
            let range = word.start + error.span.start..word.start + error.span.end;
            let span = loader.inside(text, range);
            loader.found.push(Diagnostic::of_rule(error, span));
        }
        return None;
    }
    Some(Filter(pieces))
}

/// Does a name behind an `@` begin as that of a record does?
fn is_of_collection(loader: &Loader<'_>, name: &str) -> bool {
    let name = name.trim_start_matches('@').split_once('.');
    name.is_some_and(|(collection, _)| loader.schema.collection(collection).is_some())
}

/// `sees` and `sees_not`: fields by record.
pub(super) fn fields(loader: &mut Loader<'_>, node: Option<&Node<'_>>, may: bool) -> Vec<Claim> {
    let Some(node) = node else {
        return Vec::new();
    };
    let what = if may { "sees" } else { "sees_not" };
    let help = "write e.g. `{ \"posts.draft\" = [\"title\"] }`";
    let DeValue::Table(table) = node.get_ref() else {
        loader.not_a(node, &format!("`{what}` must be a table of records"), help);
        return Vec::new();
    };
    let mut claims = Vec::new();
    for (key, node) in load::in_order(table) {
        let key = loader.key(key);
        let Some(id) = record_of_key(loader, &key) else {
            continue;
        };
        let DeValue::Array(items) = node.get_ref() else {
            let message = format!("`{}` must be a list of fields", key.value);
            loader.not_a(node, &message, help);
            continue;
        };
        if let Some(beyond) = items.get(MOST_CLAIMS) {
            let span = loader.span(beyond.span());
            too_many(loader, span, "claims", MOST_CLAIMS);
        }
        for item in items.iter().take(MOST_CLAIMS) {
            let DeValue::String(name) = item.get_ref() else {
                let message = format!("`{}` must hold names of fields", key.value);
                loader.not_a(item, &message, help);
                continue;
            };
            let name = Text {
                value: name.to_string(),
                span: loader.span(item.span()),
            };
            claims.extend(see(loader, id, &name, may));
        }
    }
    claims
}

fn record_of_key(loader: &mut Loader<'_>, key: &Text) -> Option<usize> {
    let found = loader.find(&key.value);
    if found.is_none() {
        loader.no_record(&key.value, key.span);
    }
    found
}

/// A field, perhaps behind relations: `author.email`.
fn see(loader: &mut Loader<'_>, id: usize, name: &Text, may: bool) -> Option<Claim> {
    let example = loader.examples.get(id)?.clone();
    let schema = loader.schema;
    let mut collection = schema.collection(&example.collection)?;
    let mut start = 0;
    let parts: Vec<&str> = name.value.split('.').collect();
    for (place, part) in parts.iter().enumerate() {
        let field = collection.fields.iter().find(|it| it.name.wire == *part);
        let last = place + 1 == parts.len();
        let target = field.and_then(|field| match field.kind {
            FieldKind::Relation { target, .. } => schema.collections.get(target.0),
            _ => None,
        });
        match (field, target) {
            (Some(_), _) if last => {}
            (Some(_), Some(target)) => collection = target,
            _ => {
                let what = if field.is_some() { "relation" } else { "field" };
                let wire = &collection.name.wire;
                let message = format!("there is no {what} `{part}` in `{wire}`");
                let span = loader.inside(name, start..start + part.len());
                let found = Diagnostic::new(Code::UnknownTestField, span, message, "not there");
                let fields = collection
                    .fields
                    .iter()
                    .filter(|it| field.is_none() || matches!(it.kind, FieldKind::Relation { .. }));
                let known = fields.map(|it| it.name.wire.as_str());
                loader.found.push(found.suggest(part, known));
                return None;
            }
        }
        start += part.len() + 1;
    }
    let (expand, field) = name.value.rsplit_once('.').unwrap_or(("", &name.value));
    Some(Claim {
        text: format!("see `{}` of {}", name.value, example.full_name()),
        place: loader.place(name.span),
        deed: Deed::See {
            example: id,
            expand: expand.to_owned(),
            field: field.to_owned(),
        },
        may,
    })
}

/// The body, for the collections that the claims create or update records of.
pub(super) fn body(
    loader: &mut Loader<'_>,
    node: Option<&Node<'_>>,
    claims: &[Claim],
) -> Vec<(String, Given)> {
    let Some(node) = node else {
        return Vec::new();
    };
    let DeValue::Table(table) = node.get_ref() else {
        loader.not_a(node, "`body` must be a table", "write `body = { … }`");
        return Vec::new();
    };
    let written = claims.iter().filter_map(|claim| match &claim.deed {
        Deed::Create(collection) => Some(collection.clone()),
        Deed::Update(id) => loader.examples.get(*id).map(|it| it.collection.clone()),
        _ => None,
    });
    let written: Vec<String> = written.collect();
    values(loader, table, &written)
}
