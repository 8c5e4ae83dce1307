//! Types with their options: one function a type.

use super::fields::generate;
use super::patterns::{self, TextLimits};
use super::{Context, dates};
use crate::diagnostic::{Code, Diagnostic};
use crate::ir::{CollectionId, FieldKind};
use crate::load::format::FieldType;
use crate::load::{Entries, FieldDoc, Text};
use crate::name;

/// The longest password that is taken, in characters, as with the peer.
const MAX_PASSWORD: u64 = 71;

/// What `max = 0` means for a text.
const MAX_TEXT: u64 = 5000;

/// The type of a field; `None` if it can't be settled, which was reported.
pub(super) fn kind(
    doc: &FieldDoc,
    kind: FieldType,
    collections: &[String],
    cx: &mut Context<'_>,
) -> Option<FieldKind> {
    let options = &doc.options;
    let max_size = options.count("max_size").unwrap_or(0);
    Some(match kind {
        FieldType::Text => text(doc, cx),
        FieldType::Editor => FieldKind::Editor { max_size },
        FieldType::Number => number(options, cx),
        FieldType::Bool => FieldKind::Bool,
        FieldType::Email => {
            let (only_domains, except_domains) = domains(options, cx);
            FieldKind::Email {
                only_domains,
                except_domains,
            }
        }
        FieldType::Url => {
            let (only_domains, except_domains) = domains(options, cx);
            FieldKind::Url {
                only_domains,
                except_domains,
            }
        }
        FieldType::Date => date(options, cx),
        FieldType::Autodate => autodate(doc, cx),
        FieldType::Select => select(options, cx)?,
        FieldType::Relation => relation(options, collections, cx)?,
        FieldType::Json => FieldKind::Json { max_size },
        FieldType::Password => password(options, cx),
        FieldType::GeoPoint => FieldKind::GeoPoint,
    })
}

fn text(doc: &FieldDoc, cx: &mut Context<'_>) -> FieldKind {
    let options = &doc.options;
    let (min, max) = lengths(options, MAX_TEXT, cx);
    let pattern = pattern(options, cx);
    let generate = generate(doc, cx);
    let limits = TextLimits {
        min,
        max: if max == 0 { MAX_TEXT } else { max },
        pattern: &pattern,
    };
    if let Err(found) = patterns::check_generator(options, &generate, &limits, cx) {
        cx.push(*found);
    }
    FieldKind::Text {
        min,
        max,
        pattern,
        generate,
    }
}

/// `min` and `max` as written; `unlimited` is what `max = 0` means.
fn lengths(options: &Entries, unlimited: u64, cx: &mut Context<'_>) -> (u64, u64) {
    let min = options.count("min").unwrap_or(0);
    let max = options.count("max").unwrap_or(0);
    let real_max = if max == 0 { unlimited } else { max };
    if min > real_max {
        let message = format!("nothing is at least {min} and at most {real_max} characters long");
        range(options, "min", "max", message, cx);
    }
    (min, max)
}

/// Reports two bounds that contradict each other, at the lower one, with the upper one beside it.
fn range(options: &Entries, low: &str, high: &str, message: String, cx: &mut Context<'_>) {
    let (at, other) = match (options.entry(low), options.entry(high)) {
        (Some(low), Some(high)) => (low, Some(high)),
        (Some(one), None) | (None, Some(one)) => (one, None),
        (None, None) => return,
    };
    let found = Diagnostic::new(Code::BadRange, at.span, message, "out of range");
    cx.push(match other {
        // Of what is implied there is no line to show.
        Some(other) if other.span.file == at.span.file => {
            found.with_also(other.span, "the other bound")
        }
        _ => found,
    });
}

fn pattern(options: &Entries, cx: &mut Context<'_>) -> String {
    let Some(pattern) = options.text("pattern") else {
        return String::new();
    };
    match patterns::check(&pattern, cx) {
        Ok(()) => pattern.value,
        Err(found) => {
            cx.push(*found);
            String::new()
        }
    }
}

fn number(options: &Entries, cx: &mut Context<'_>) -> FieldKind {
    let (min, max) = (options.number("min"), options.number("max"));
    let only_int = options.flag("only_int");
    if let (Some(low), Some(high)) = (min, max)
        && low > high
    {
        let message = format!("no number is at least {low} and at most {high}");
        range(options, "min", "max", message, cx);
    }
    for (key, bound) in [("min", min), ("max", max)] {
        if only_int && bound.is_some_and(|bound| bound.fract() != 0.0) {
            let message = format!("`{key}` must be whole, since the numbers are");
            let found = Diagnostic::new(
                Code::Contradiction,
                options.span_of(key),
                message,
                "not a whole number",
            );
            let only_int = options.span_of("only_int");
            cx.push(found.with_also(only_int, "whole numbers only"));
        }
    }
    FieldKind::Number { min, max, only_int }
}

fn domains(options: &Entries, cx: &mut Context<'_>) -> (Vec<String>, Vec<String>) {
    let only = domain_list(options.texts("only_domains"), cx);
    let except = domain_list(options.texts("except_domains"), cx);
    if !only.is_empty() && !except.is_empty() {
        let message = "`only_domains` and `except_domains` exclude each other";
        let span = options.span_of("except_domains");
        let found = Diagnostic::new(Code::Contradiction, span, message, "one list too many");
        cx.push(found.with_also(options.span_of("only_domains"), "the other list"));
    }
    (only, except)
}

fn domain_list(domains: &[Text], cx: &mut Context<'_>) -> Vec<String> {
    for domain in domains {
        let labels = domain.value.split('.');
        let plain = |c: char| c.is_alphanumeric() || c == '-';
        let good = |label: &str| !label.is_empty() && label.chars().all(plain);
        if !labels.clone().all(good) || labels.count() < 2 {
            let message = format!("`{}` is no domain", domain.value);
            cx.report(Code::BadDomain, domain.span, message, "not a domain");
        }
    }
    domains.iter().map(|domain| domain.value.clone()).collect()
}

fn date(options: &Entries, cx: &mut Context<'_>) -> FieldKind {
    let min = bound(options, "min", cx);
    let max = bound(options, "max", cx);
    if !min.is_empty() && !max.is_empty() && min > max {
        let message = format!("no date is from {min} and until {max}");
        range(options, "min", "max", message, cx);
    }
    FieldKind::Date { min, max }
}

fn bound(options: &Entries, key: &str, cx: &mut Context<'_>) -> String {
    let Some(text) = options.text(key) else {
        return String::new();
    };
    if text.value.is_empty() {
        return String::new();
    }
    dates::stored(&text.value).unwrap_or_else(|| {
        let message = format!("`{}` is no date in UTC", text.value);
        cx.report(Code::BadDate, text.span, message, "not a date");
        String::new()
    })
}

fn autodate(doc: &FieldDoc, cx: &mut Context<'_>) -> FieldKind {
    let options = &doc.options;
    let (on_create, on_update) = (options.flag("on_create"), options.flag("on_update"));
    if !on_create && !on_update {
        let message = format!("the autodate field `{}` is never set", doc.name.value);
        cx.report(Code::AutodateNever, doc.name.span, message, "never set");
    }
    FieldKind::Autodate {
        on_create,
        on_update,
    }
}

fn select(options: &Entries, cx: &mut Context<'_>) -> Option<FieldKind> {
    let entry = options.entry("values")?;
    entry.value.as_ref()?;
    let values = options.texts("values");
    if values.is_empty() {
        let message = "a select needs at least one value";
        cx.report(Code::BadValues, entry.span, message, "empty");
        return None;
    }
    for (at, value) in values.iter().enumerate() {
        if value.value.is_empty() {
            let message = "the empty text can't be a value of a select";
            let found = Diagnostic::new(Code::BadValues, value.span, message, "empty");
            cx.push(found.with_help("leave it out: an optional select may be empty anyway"));
        } else if let Some(first) = values.iter().take(at).find(|v| v.value == value.value) {
            let message = format!("the value `{}` is listed twice", value.value);
            let found = Diagnostic::new(Code::BadValues, value.span, message, "the second one");
            cx.push(found.with_also(first.span, "the first one"));
        }
    }
    let max_select = options.count("max_select").unwrap_or(1).max(1);
    if max_select > values.len() as u64 {
        let message = format!("{max_select} of {} values can't be chosen", values.len());
        let found = Diagnostic::new(
            Code::BadRange,
            options.span_of("max_select"),
            message,
            "more than there are",
        );
        cx.push(found.with_help(format!("use at most {}", values.len())));
    }
    let values: Vec<String> = values.iter().map(|value| value.value.clone()).collect();
    Some(FieldKind::Select {
        values: name::select_values(&values),
        max_select,
    })
}

fn relation(options: &Entries, collections: &[String], cx: &mut Context<'_>) -> Option<FieldKind> {
    let target = options.text("collection")?;
    let min_select = options.count("min_select").unwrap_or(0);
    let max_select = options.count("max_select").unwrap_or(1).max(1);
    if min_select > max_select {
        let message =
            format!("no relation has at least {min_select} and at most {max_select} records");
        range(options, "min_select", "max_select", message, cx);
    }
    let Some(at) = collections.iter().position(|name| *name == target.value) else {
        // A collection whose file gives no name may be the one that is meant.
        if !cx.missing_collections {
            let message = format!("unknown collection `{}`", target.value);
            let found = Diagnostic::new(
                Code::UnknownCollection,
                target.span,
                message,
                "no such collection",
            );
            let known = collections.iter().map(String::as_str);
            cx.push(found.suggest(&target.value, known));
        }
        return None;
    };
    Some(FieldKind::Relation {
        target: CollectionId(at),
        min_select,
        max_select,
        cascade_delete: options.flag("cascade_delete"),
    })
}

fn password(options: &Entries, cx: &mut Context<'_>) -> FieldKind {
    let (min, max) = lengths(options, MAX_PASSWORD, cx);
    if max > MAX_PASSWORD {
        let message = format!("a password has at most {MAX_PASSWORD} characters");
        cx.report(Code::BadRange, options.span_of("max"), message, "too many");
    }
    if let Some(entry) = options.entry("cost") {
        let message = "`cost` has no effect: passwords are hashed by argon2id";
        cx.report(Code::NoEffect, entry.key_span, message, "not used");
    }
    FieldKind::Password {
        min,
        max,
        pattern: pattern(options, cx),
    }
}
