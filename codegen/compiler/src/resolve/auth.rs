//! The options of auth collections.

use super::collections::Draft;
use super::{Context, indexes};
use crate::diagnostic::{Code, Diagnostic};
use crate::ir::{self, AuthOptions, CollectionKind, FieldId};
use crate::load::{Entries, Text};

/// What a token lasts, in seconds, as the peer allows it.
const TOKEN_SECONDS: std::ops::RangeInclusive<u64> = 10..=94_670_856;

const DEFAULT_TOKEN_SECONDS: u64 = 432_000;

/// Reads `[auth]`; needs fields and indexes.
pub(super) fn resolve(drafts: &[Draft<'_>], schema: &mut ir::Schema, cx: &mut Context<'_>) {
    for (draft, collection) in drafts.iter().zip(&mut schema.collections) {
        let entries = &draft.document.entries;
        if draft.document.is_auth {
            let options = options(entries.table("auth"), collection, cx);
            collection.kind = CollectionKind::Auth(options);
        } else if let Some(entry) = entries.entry("auth") {
            let message = "the table `[auth]` is for auth collections";
            let label = "this is a base collection";
            cx.report(Code::AuthOnly, entry.key_span, message, label);
        }
    }
}

fn options(
    auth: Option<&Entries>,
    collection: &ir::Collection,
    cx: &mut Context<'_>,
) -> AuthOptions {
    let password = auth.and_then(|auth| auth.table("password"));
    let enabled =
        password.is_none_or(|table| table.entry("enabled").is_none() || table.flag("enabled"));
    AuthOptions {
        password_enabled: enabled,
        identity_fields: identity_fields(password, enabled, collection, cx),
        token_seconds: token_seconds(auth.and_then(|auth| auth.table("token")), cx),
    }
}

fn token_seconds(token: Option<&Entries>, cx: &mut Context<'_>) -> u64 {
    let Some((token, seconds)) = token.and_then(|token| Some((token, token.count("duration")?)))
    else {
        return DEFAULT_TOKEN_SECONDS;
    };
    if !TOKEN_SECONDS.contains(&seconds) {
        let message = format!("a token can't last {seconds} seconds");
        let found = Diagnostic::new(
            Code::BadRange,
            token.span_of("duration"),
            message,
            "out of range",
        );
        cx.push(found.with_help("use 10 to 94670856 seconds"));
    }
    seconds
}

fn identity_fields(
    password: Option<&Entries>,
    enabled: bool,
    collection: &ir::Collection,
    cx: &mut Context<'_>,
) -> Vec<FieldId> {
    let Some(entry) = password.and_then(|table| table.entry("identity_fields")) else {
        return field(collection, "email").into_iter().collect();
    };
    let names = password.map_or(&[][..], |table| table.texts("identity_fields"));
    if enabled && names.is_empty() && entry.value.is_some() {
        let message = "login by password needs at least one identity field";
        cx.report(Code::IdentityField, entry.span, message, "empty");
    }
    let found = names.iter().filter_map(|name| {
        let found = field(collection, &name.value);
        check(name, found, collection, cx);
        found
    });
    found.collect()
}

fn field(collection: &ir::Collection, name: &str) -> Option<FieldId> {
    let same = |field: &ir::Field| field.name.wire == name;
    collection.fields.iter().position(same).map(FieldId)
}

fn check(name: &Text, found: Option<FieldId>, collection: &ir::Collection, cx: &mut Context<'_>) {
    let wire = &name.value;
    let Some(id) = found else {
        if cx.is_torn(name) {
            return;
        }
        let message = format!("unknown identity field `{wire}`");
        let known = collection
            .fields
            .iter()
            .map(|field| field.name.wire.as_str());
        let found = Diagnostic::new(Code::IdentityField, name.span, message, "no such field");
        cx.push(found.suggest(wire, known));
        return;
    };
    if !indexes::is_unique(collection, id) && !cx.is_broken(collection, wire) {
        let message = format!("identity field `{wire}` has no unique index");
        let found = Diagnostic::new(
            Code::IdentityField,
            name.span,
            message,
            "might not be unique",
        );
        cx.push(found.with_help(format!(
            "add `[[indexes]]` with `fields = [\"{wire}\"]` and `unique = true`"
        )));
    }
}
