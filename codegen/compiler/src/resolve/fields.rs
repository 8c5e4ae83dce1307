//! Fields: names, flags, and the parts that every type shares.

use std::collections::BTreeMap;

use super::collections::Draft;
use super::{Context, defaults, kinds};
use crate::diagnostic::{Code, Diagnostic};
use crate::ir::{self, FieldKind, Generate, Rule};
use crate::load::FieldDoc;
use crate::load::format::FieldType;
use crate::name::{self, Refused};

/// Fills in the fields of every collection.
pub(super) fn resolve(drafts: &[Draft<'_>], schema: &mut ir::Schema, cx: &mut Context<'_>) {
    let collections = schema.collections.iter();
    let names: Vec<String> = collections.map(|one| one.name.wire.clone()).collect();
    for (draft, collection) in drafts.iter().zip(&mut schema.collections) {
        check_overrides(draft, cx);
        check_names(draft, &collection.name.rust, cx);
        let docs = draft.fields.iter().enumerate();
        collection.fields = docs
            .map(|(at, doc)| field(doc, at < draft.implied, &collection.name.rust, &names, cx))
            .collect();
    }
    check_join_tables(drafts, schema, cx);
    check_width(drafts, schema, cx);
}

/// Fields from which on the largest tables of Diesel don't do, with `_rowid_` as one column more.
const TOO_WIDE: usize = 128;

/// Fields from which on Diesel needs a feature, and those from which on it needs the next one.
const WIDE: [(usize, &str); 2] = [(64, "128-column-tables"), (32, "64-column-tables")];

fn check_width(drafts: &[Draft<'_>], schema: &ir::Schema, cx: &mut Context<'_>) {
    for (draft, collection) in drafts.iter().zip(&schema.collections) {
        let span = draft.document.name.span;
        let (wire, count) = (&collection.name.wire, collection.fields.len());
        let message = format!("collection `{wire}` has {count} fields");
        if count >= TOO_WIDE {
            let label = format!("more than {}", TOO_WIDE - 1);
            cx.report(Code::TooManyFields, span, message, label);
        } else if let Some((from, feature)) = WIDE.iter().find(|(from, _)| count >= *from) {
            let label = format!("more than {}", from - 1);
            let found = Diagnostic::new(Code::ManyFields, span, message, label);
            cx.push(found.with_help(format!(
                "the package that includes the generated code needs `diesel` with the feature \
                 `{feature}`"
            )));
        }
    }
}

fn field(
    doc: &FieldDoc,
    system: bool,
    table: &str,
    collections: &[String],
    cx: &mut Context<'_>,
) -> ir::Field {
    let kind = doc
        .kind
        .and_then(|kind| kinds::kind(doc, kind, collections, cx));
    let settled = kind.is_some();
    if !settled {
        cx.mark_broken(table, &doc.name.value);
    }
    let options = &doc.options;
    let mut field = ir::Field {
        name: name::field_name(&doc.name.value, table),
        hidden: options.flag("hidden"),
        required: options.flag("required"),
        present: options.flag("present"),
        nullable: options.flag("nullable"),
        default: None,
        // Compiled once every field is known.
        read: Rule::Public,
        write: Rule::Public,
        system,
        renamed_from: options.text("renamed_from").map(|name| name.value),
        location: cx.location(doc.name.span),
        // Of an unknown type: json takes part in any comparison, so nothing else is reported.
        kind: kind.unwrap_or(FieldKind::Json { max_size: 0 }),
    };
    if !settled {
        return field;
    }
    if system {
        check_system(doc, &field, cx);
    }
    check_nullable(doc, &field, cx);
    if let Some(value) = options.json("default") {
        match defaults::check(value, &field) {
            Ok(value) => field.default = Some(value),
            Err(label) => {
                let message = format!("field `{}` can't have this default", doc.name.value);
                cx.report(Code::BadDefault, options.span_of("default"), message, label);
            }
        }
    }
    field
}

/// What the file says about implied fields must keep their type.
fn check_overrides(draft: &Draft<'_>, cx: &mut Context<'_>) {
    for own in draft.document.entries.fields("fields") {
        let implied = draft.fields.iter().take(draft.implied);
        for field in implied.filter(|field| field.name.value == own.name.value) {
            let (Some(given), Some(kind)) = (own.kind, field.kind) else {
                continue;
            };
            if given != kind {
                let message = format!(
                    "the system field `{}` is a {} field",
                    own.name.value,
                    kind.name()
                );
                let found = Diagnostic::new(
                    Code::SystemField,
                    own.name.span,
                    message,
                    "can't be another type",
                );
                cx.push(found.with_help(format!(
                    "write `type = \"{}\"` to change its options, or leave it out",
                    kind.name()
                )));
            }
        }
    }
}

/// What must hold of the system's own fields, whatever the file says.
fn check_system(doc: &FieldDoc, field: &ir::Field, cx: &mut Context<'_>) {
    let wire = field.name.wire.as_str();
    let mut wrong = |key: &str, must: &str| {
        let message = format!("the system field `{wire}` must {must}");
        let span = doc.options.span_of(key);
        let found = Diagnostic::new(Code::SystemField, span, message, "not possible");
        cx.push(found.with_help(format!("leave `{key}` out")));
    };
    let secret = matches!(wire, "password" | "tokenKey");
    if (secret || wire == "id") && !field.required {
        wrong("required", "be required");
    }
    if secret && !field.hidden {
        wrong("hidden", "stay hidden");
    }
    if !secret && field.hidden {
        wrong("hidden", "not be hidden");
    }
    if field.nullable {
        wrong("nullable", "not be null");
    }
    if field.renamed_from.is_some() {
        wrong("renamed_from", "keep its name");
    }
    if matches!(wire, "id" | "tokenKey") && doc.options.entry("default").is_some() {
        wrong("default", "be different in each record");
    }
}

fn check_nullable(doc: &FieldDoc, field: &ir::Field, cx: &mut Context<'_>) {
    if !field.nullable || field.system {
        return;
    }
    let span = doc.options.span_of("nullable");
    let wire = &field.name.wire;
    if field.required {
        let message = format!("field `{wire}` can't be both required and nullable");
        let found = Diagnostic::new(Code::Contradiction, span, message, "null is no value");
        let required = doc.options.span_of("required");
        cx.push(found.with_also(required, "must have a value"));
        return;
    }
    let (what, why) = match &field.kind {
        FieldKind::Json { .. } => ("json", "a json field holds null without it"),
        FieldKind::Relation { .. } => ("relation", "an empty relation is null without it"),
        FieldKind::Password { .. } => ("password", "an unset password is empty"),
        FieldKind::Select { .. } if field.kind.is_many() => {
            ("multiple select", "an empty list says the same")
        }
        _ => return,
    };
    let message = format!("a {what} field can't be nullable");
    let found = Diagnostic::new(Code::Contradiction, span, message, "has no effect here");
    cx.push(found.with_help(format!("leave it out: {why}")));
}

fn check_names(draft: &Draft<'_>, table: &str, cx: &mut Context<'_>) {
    let mut by_name: BTreeMap<String, &FieldDoc> = BTreeMap::new();
    let mut by_rust: BTreeMap<String, &FieldDoc> = BTreeMap::new();
    for (at, doc) in draft.fields.iter().enumerate() {
        let wire = &doc.name.value;
        if at >= draft.implied && !draft.system {
            check_name(draft, doc, table, cx);
        }
        let rust = name::field_name(wire, table).rust;
        let twin = by_name.get(&wire.to_ascii_lowercase());
        if let Some(other) = twin {
            let message = format!("there are two fields named `{wire}`, but for the case");
            clash(Code::DuplicateName, doc, other, message, cx);
        } else if let Some(other) = by_rust.get(&rust) {
            let other_name = &other.name.value;
            let message =
                format!("fields `{wire}` and `{other_name}` are both called `{rust}` in Rust");
            clash(Code::NameClash, doc, other, message, cx);
        }
        by_name.insert(wire.to_ascii_lowercase(), doc);
        by_rust.insert(rust, doc);
        check_rename(draft, doc, cx);
    }
    check_enums(draft, table, cx);
}

/// The enums of selects leave out the underscores that tell some names apart.
fn check_enums(draft: &Draft<'_>, table: &str, cx: &mut Context<'_>) {
    let mut by_camel: BTreeMap<String, &FieldDoc> = BTreeMap::new();
    for doc in &draft.fields {
        if doc.kind != Some(FieldType::Select) {
            continue;
        }
        let name = name::field_name(&doc.name.value, table);
        if let Some(other) = by_camel.get(&name.camel) {
            let other_name = name::field_name(&other.name.value, table);
            // Else it was reported already.
            if name.rust != other_name.rust {
                let message = format!(
                    "the enums of `{}` and `{}` are both called `…{}` in Rust",
                    name.wire, other_name.wire, name.camel
                );
                clash(Code::NameClash, doc, other, message, cx);
            }
        }
        by_camel.insert(name.camel, doc);
    }
}

fn clash(code: Code, doc: &FieldDoc, other: &FieldDoc, message: String, cx: &mut Context<'_>) {
    let found = Diagnostic::new(code, doc.name.span, message, "the second one");
    if other.name.span.file == doc.name.span.file {
        cx.push(found.with_also(other.name.span, "the first one"));
    } else {
        let help = format!(
            "`{}` is a system field: choose another name",
            other.name.value
        );
        cx.push(found.with_help(help));
    }
}

fn check_name(draft: &Draft<'_>, doc: &FieldDoc, table: &str, cx: &mut Context<'_>) {
    let name = &doc.name;
    let (code, message) = match name::check_field(&name.value, draft.document.is_auth) {
        Ok(()) => return,
        Err(Refused::Form(message)) => (Code::BadName, message),
        Err(Refused::Reserved(message)) => (Code::ReservedName, message),
    };
    cx.mark_broken(table, &name.value);
    cx.report(code, name.span, message, "can't be used");
}

fn check_rename(draft: &Draft<'_>, doc: &FieldDoc, cx: &mut Context<'_>) {
    let Some(from) = doc.options.text("renamed_from") else {
        return;
    };
    let same = |other: &&FieldDoc| other.name.value == from.value;
    let Some(other) = draft.fields.iter().find(same) else {
        return;
    };
    let message = format!("field `{}` still exists", from.value);
    let found = Diagnostic::new(Code::BadRename, from.span, message, "can't be its old name");
    cx.push(if other.name.span.file == from.span.file {
        found.with_also(other.name.span, "bears it")
    } else {
        found
    });
}

/// `a` with `b_c` and `a_b` with `c` would share a join table.
fn check_join_tables(drafts: &[Draft<'_>], schema: &ir::Schema, cx: &mut Context<'_>) {
    let mut taken: BTreeMap<String, &FieldDoc> = BTreeMap::new();
    for (draft, collection) in drafts.iter().zip(&schema.collections) {
        for (doc, field) in draft.fields.iter().zip(&collection.fields) {
            let is_relation = matches!(field.kind, FieldKind::Relation { .. });
            if !is_relation || !field.kind.is_many() {
                continue;
            }
            let table = name::join_table(&collection.name.wire, &field.name.wire);
            let key = table.to_ascii_lowercase();
            if let Some(other) = taken.get(&key) {
                let message = format!("two relations need the join table `{table}`");
                let found =
                    Diagnostic::new(Code::NameClash, doc.name.span, message, "the second one");
                cx.push(found.with_also(other.name.span, "the first one"));
            }
            taken.insert(key, doc);
        }
    }
}

/// How a text that is missing at creation is made.
pub(super) fn generate(doc: &FieldDoc, cx: &mut Context<'_>) -> Generate {
    let pattern = doc.options.text("autogenerate");
    let Some(named) = doc.options.text("generate") else {
        return match pattern {
            Some(pattern) if !pattern.value.is_empty() => Generate::Pattern(pattern.value),
            _ => Generate::Nothing,
        };
    };
    if let Some(pattern) = pattern {
        let message = "a value can't be made in two ways";
        let found = Diagnostic::new(Code::Contradiction, named.span, message, "one way");
        cx.push(found.with_also(pattern.span, "another way"));
    }
    if named.value == "uuidv7" {
        return Generate::UuidV7;
    }
    if doc.name.value != "id" {
        let message = "`generate = \"client\"` is for the field `id`";
        let found = Diagnostic::new(
            Code::UnknownChoice,
            named.span,
            message,
            "not for this field",
        );
        cx.push(found.with_help("leave it out: other fields are given by the client anyway"));
    }
    Generate::Nothing
}
