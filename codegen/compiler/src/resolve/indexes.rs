//! Indexes: the declared ones, those that auth collections imply, and those that relations need.

use std::collections::BTreeMap;

use basalt_lang::plan::{Column, Op, Truth, Value};
use basalt_lang::schema::CollectionId;
use basalt_lang::{Caller, Scope, compile};

use super::Context;
use super::collections::Draft;
use super::view::RuleView;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::ir::{self, CompiledRule, FieldId, FieldKind, Index, Plan, Rule};
use crate::load::{Entries, Text};
use crate::name;
use crate::needs::{self, FOR_RULES, Verdict};

/// Fills in the indexes of every collection.
pub(super) fn resolve(
    drafts: &[Draft<'_>],
    schema: &mut ir::Schema,
    view: &RuleView,
    cx: &mut Context<'_>,
) {
    let mut names = Names::default();
    for collection in &schema.collections {
        names.tables.push(collection.name.wire.to_ascii_lowercase());
    }
    // Declared names first, so that a made one never takes what a later file asks for.
    for (at, draft) in drafts.iter().enumerate() {
        let scope = Scope::new(view, CollectionId(at), Caller::Rule);
        if let Some(collection) = schema.collections.get_mut(at) {
            declared(draft, collection, &scope, &mut names, cx);
        }
    }
    for (draft, collection) in drafts.iter().zip(&mut schema.collections) {
        if draft.document.is_auth {
            implied(collection, &mut names);
        }
        derived(collection, &mut names);
    }
}

/// Index names are one namespace in the database, together with the tables.
#[derive(Default)]
struct Names {
    taken: BTreeMap<String, Span>,
    tables: Vec<String>,
}

impl Names {
    fn is_taken(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        self.taken.contains_key(&name) || self.tables.contains(&name)
    }

    /// The name, or the first free one that starts with it.
    fn free(&mut self, base: &str) -> String {
        let mut name = base.to_owned();
        let mut number = 1;
        while self.is_taken(&name) {
            number += 1;
            name = format!("{base}_{number}");
        }
        self.taken
            .insert(name.to_ascii_lowercase(), Span::default());
        name
    }
}

fn made_name(collection: &ir::Collection, columns: &[FieldId], unique: bool) -> String {
    let fields = columns
        .iter()
        .filter_map(|id| collection.fields.get(id.0))
        .map(|field| field.name.wire.as_str());
    let fields: Vec<&str> = fields.collect();
    let prefix = if unique { "uq" } else { "idx" };
    format!("{prefix}_{}_{}", collection.name.wire, fields.join("_"))
}

fn declared(
    draft: &Draft<'_>,
    collection: &mut ir::Collection,
    scope: &Scope<'_>,
    names: &mut Names,
    cx: &mut Context<'_>,
) {
    let mut earlier: Vec<(Index, Span)> = Vec::new();
    for entries in draft.document.entries.tables("indexes") {
        let Some(columns) = columns(entries, collection, cx) else {
            continue;
        };
        let filter = match entries.text("where") {
            Some(text) => match filter(&text, collection, scope, cx) {
                Some(filter) => Some(filter),
                // Without it the index would be another one, perhaps a duplicate.
                None => continue,
            },
            None => None,
        };
        let unique = entries.flag("unique");
        let location = cx.location(entries.span);
        let mut index = Index {
            name: String::new(),
            unique,
            nocase: entries.text("collation").is_some(),
            filter,
            reason: format!("declared at {}:{}", location.path, location.line),
            columns,
        };
        let same = |other: &&(Index, Span)| {
            other.0.columns == index.columns
                && other.0.unique == index.unique
                && other.0.nocase == index.nocase
                && other.0.filter == index.filter
        };
        if let Some((_, first)) = earlier.iter().find(same) {
            let span = entries.span_of("fields");
            let message = "there is such an index already";
            let found = Diagnostic::new(Code::DuplicateIndex, span, message, "the second one");
            cx.push(found.with_also(*first, "the first one"));
            continue;
        }
        index.name = match entries.text("name") {
            Some(name) => given_name(name, names, cx),
            None => names.free(&made_name(collection, &index.columns, unique)),
        };
        earlier.push((index, entries.span_of("fields")));
    }
    collection.indexes = earlier.into_iter().map(|(index, _)| index).collect();
}

fn given_name(name: Text, names: &mut Names, cx: &mut Context<'_>) -> String {
    let key = name.value.to_ascii_lowercase();
    if !name::is_word(&name.value) {
        let message = format!("`{}` can't be the name of an index", name.value);
        let found = Diagnostic::new(Code::BadName, name.span, message, "not such a word");
        cx.push(found);
    } else if let Some(prefix) = name::reserved_in_database(&name.value) {
        let message = format!("index name `{}` is reserved", name.value);
        let label = format!("`{prefix}…` is the system's own");
        cx.report(Code::ReservedName, name.span, message, label);
    } else if names.tables.contains(&key) {
        let message = format!("`{}` is the name of a collection", name.value);
        let found = Diagnostic::new(Code::DuplicateIndex, name.span, message, "taken");
        cx.push(found.with_help("choose another name: a database names tables and indexes alike"));
    } else if let Some(first) = names.taken.get(&key) {
        let message = format!("there are two indexes named `{}`", name.value);
        let found = Diagnostic::new(Code::DuplicateIndex, name.span, message, "the second one");
        cx.push(found.with_also(*first, "the first one"));
    }
    names.taken.entry(key).or_insert(name.span);
    name.value
}

/// The columns; `None` if one can't be indexed, which is reported.
fn columns(
    entries: &Entries,
    collection: &ir::Collection,
    cx: &mut Context<'_>,
) -> Option<Vec<FieldId>> {
    let entry = entries.entry("fields")?;
    entry.value.as_ref()?;
    let names = entries.texts("fields");
    if names.is_empty() {
        let message = "an index needs at least one field";
        cx.report(Code::BadIndex, entry.span, message, "empty");
        return None;
    }
    let mut columns = Vec::new();
    let mut good = true;
    for name in names {
        match column(name, collection, cx) {
            Some(id) if columns.contains(&id) => {
                let message = format!("field `{}` is listed twice", name.value);
                cx.report(Code::BadIndex, name.span, message, "the second one");
                good = false;
            }
            Some(id) => columns.push(id),
            None => good = false,
        }
    }
    good.then_some(columns)
}

fn column(name: &Text, collection: &ir::Collection, cx: &mut Context<'_>) -> Option<FieldId> {
    let wire = &name.value;
    let fields = &collection.fields;
    let Some(at) = fields.iter().position(|field| field.name.wire == *wire) else {
        if cx.is_torn(name) {
            return None;
        }
        let message = format!("unknown field `{wire}` in an index");
        let known = fields.iter().map(|field| field.name.wire.as_str());
        let found = Diagnostic::new(Code::UnknownIndexField, name.span, message, "no such field");
        cx.push(found.suggest(wire, known));
        return None;
    };
    if cx.is_broken(collection, wire) {
        return None;
    }
    let field = fields.get(at)?;
    let what = match &field.kind {
        FieldKind::Json { .. } => "json",
        FieldKind::GeoPoint => "geoPoint",
        FieldKind::Relation { .. } if field.kind.is_many() => "multiple relation",
        FieldKind::Select { .. } if field.kind.is_many() => "multiple select",
        _ => return Some(FieldId(at)),
    };
    let message = format!("the {what} field `{wire}` can't be indexed");
    cx.report(
        Code::BadIndex,
        name.span,
        message,
        "not a single plain value",
    );
    None
}

/// The condition of a partial index: comparisons of own columns with literals.
fn filter(
    text: &Text,
    collection: &ir::Collection,
    scope: &Scope<'_>,
    cx: &mut Context<'_>,
) -> Option<Plan> {
    let compiled = match compile(&text.value, scope) {
        Ok(compiled) => compiled,
        Err(errors) => {
            for error in &errors {
                cx.push_rule_error(text, error, scope);
            }
            return None;
        }
    };
    let message = "an index can't depend on this condition";
    let label = if !is_plain(&compiled.plan) {
        "more than own fields and literals"
    } else if compares_json(&compiled.plan, &collection.fields) {
        "a json or geoPoint field is no single plain value"
    } else {
        for warning in &compiled.warnings {
            cx.push_rule_error(text, warning, scope);
        }
        return Some(compiled.plan);
    };
    cx.report(Code::BadWhere, text.span, message, label);
    None
}

fn is_plain(plan: &Plan) -> bool {
    match plan {
        Plan::All(plans) | Plan::Any(plans) => plans.iter().all(is_plain),
        Plan::Test { column, value, .. } => {
            let literal = matches!(
                value,
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_)
            );
            literal && matches!(column, Column::Field(_))
        }
        Plan::Columns { left, right, .. } => {
            matches!((left, right), (Column::Field(_), Column::Field(_)))
        }
        _ => false,
    }
}

/// Does it look at a field that is stored as JSON text, where a literal is compared otherwise than
/// in a rule?
fn compares_json(plan: &Plan, fields: &[ir::Field]) -> bool {
    let is_json = |column: &Column| match column {
        Column::Field(id) => fields.get(id.0).is_some_and(|field| {
            matches!(field.kind, FieldKind::Json { .. } | FieldKind::GeoPoint)
        }),
        _ => false,
    };
    match plan {
        Plan::All(plans) | Plan::Any(plans) => plans.iter().any(|one| compares_json(one, fields)),
        Plan::Test { column, .. } => is_json(column),
        Plan::Columns { left, right, .. } => is_json(left) || is_json(right),
        _ => false,
    }
}

/// `tokenKey` and `email` of auth collections are unique, if no declared index says so already.
fn implied(collection: &mut ir::Collection, names: &mut Names) {
    for wire in ["tokenKey", "email"] {
        let same = |field: &ir::Field| field.name.wire == wire;
        let Some(at) = collection.fields.iter().position(same) else {
            continue;
        };
        let columns = vec![FieldId(at)];
        if is_unique(collection, FieldId(at)) {
            continue;
        }
        collection.indexes.push(Index {
            name: names.free(&made_name(collection, &columns, true)),
            columns,
            unique: true,
            nocase: false,
            filter: (wire == "email").then_some(not_empty(FieldId(at))),
            reason: format!("`{wire}` of an auth collection"),
        });
    }
}

/// Does an index see to it that no two records share a value of this field, but for the empty one?
pub(super) fn is_unique(collection: &ir::Collection, field: FieldId) -> bool {
    let not_empty = not_empty(field);
    collection.indexes.iter().any(|index| {
        let whole = index.filter.is_none() || index.filter.as_ref() == Some(&not_empty);
        index.unique && index.columns == [field] && whole
    })
}

fn not_empty(field: FieldId) -> Plan {
    Plan::Test {
        column: Column::Field(field),
        op: Op::NotEqual,
        value: Value::Text(String::new()),
        when: Truth::True,
    }
}

/// Foreign keys are looked up from the other side too, whenever a record is deleted.
fn derived(collection: &mut ir::Collection, names: &mut Names) {
    for at in 0..collection.fields.len() {
        let Some(field) = collection.fields.get(at) else {
            continue;
        };
        let single = matches!(field.kind, FieldKind::Relation { .. }) && !field.kind.is_many();
        if !single || needs::is_indexed(collection, FieldId(at)) {
            continue;
        }
        let reason = format!("relation `{}`", field.name.wire);
        plain(collection, FieldId(at), reason, names);
    }
}

fn plain(collection: &mut ir::Collection, field: FieldId, reason: String, names: &mut Names) {
    let columns = vec![field];
    collection.indexes.push(Index {
        name: names.free(&made_name(collection, &columns, false)),
        columns,
        unique: false,
        nocase: false,
        filter: None,
        reason,
    });
}

/// Adds the indexes that rules need and that are not there for another reason.
pub(super) fn of_rules(schema: &mut ir::Schema) {
    let mut wanted: BTreeMap<(CollectionId, FieldId), Vec<String>> = BTreeMap::new();
    for (at, collection) in schema.collections.iter().enumerate() {
        for (title, usage, rule) in rules(collection) {
            for need in needs::needs(schema, CollectionId(at), &rule.plan, usage) {
                if need.verdict == Verdict::Wanted {
                    let location = &rule.location;
                    let rule = format!("{title} ({}:{})", location.path, location.line);
                    let column = (need.collection, need.field);
                    wanted.entry(column).or_default().push(rule);
                }
            }
        }
    }
    let mut names = Names::default();
    for collection in &schema.collections {
        names.tables.push(collection.name.wire.to_ascii_lowercase());
        for index in &collection.indexes {
            names.free(&index.name);
        }
    }
    for ((collection, field), rules) in wanted {
        if let Some(collection) = schema.collections.get_mut(collection.0) {
            plain(collection, field, reason(&rules), &mut names);
        }
    }
}

/// The rules that decide something, those of fields last: what each is called, and how it is used.
fn rules(collection: &ir::Collection) -> Vec<(String, needs::Use, &CompiledRule)> {
    let name = &collection.name.wire;
    let mut all: Vec<(String, needs::Use, &Rule)> = Vec::new();
    for (action, rule) in collection.rules.named() {
        let usage = needs::Use::of_rule(action);
        all.push((format!("the {action} rule of {name}"), usage, rule));
    }
    for field in &collection.fields {
        for (action, rule) in [("read", &field.read), ("write", &field.write)] {
            let wire = &field.name.wire;
            let usage = needs::Use::of_rule(&format!("{wire}.{action}"));
            all.push((format!("the {action} rule of {name}.{wire}"), usage, rule));
        }
    }
    let conditions = all.into_iter();
    let conditions = conditions.filter_map(|(title, usage, rule)| match rule {
        Rule::When(rule) => Some((title, usage, rule)),
        Rule::Locked | Rule::Public => None,
    });
    conditions.collect()
}

/// Names two of the rules, and counts the others.
fn reason(rules: &[String]) -> String {
    match rules {
        [first, second, more @ ..] if !more.is_empty() => {
            format!("{FOR_RULES}{first}, {second} and {} more", more.len())
        }
        _ => format!("{FOR_RULES}{}", rules.join(" and ")),
    }
}
