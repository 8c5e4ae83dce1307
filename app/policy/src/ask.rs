//! Claims as requests, and answers as verdicts.

use std::collections::BTreeSet;

use basalt_codegen::ir::{self, Rule};
use basalt_codegen::policy::{Caller, Claim, Deed, Filter, Listed, Piece, Test};
use rocket::http::{Method, RawStr};
use serde_json::{Value as JsonValue, json};

use crate::outcome::Failure;
use crate::stage::{Answer, Ask, PASSWORD, Stage};

/// How the server met a request.
#[derive(Debug)]
enum Verdict {
    /// It did what was asked.
    Allowed,
    /// A rule stands in the way.
    Denied(String),
    /// No rule stands in the way, but something else does.
    Refused(String),
}

/// Puts every claim of a test to the server; returns those that don't hold.
///
/// # Errors
/// What keeps the server from answering at all.
pub fn run(stage: &mut Stage<'_>, test: &Test) -> anyhow::Result<Vec<Failure>> {
    let mut failures = Vec::new();
    for claim in &test.claims {
        let (verdict, rule) = judge(stage, test, claim)?;
        let (expected, holds) = match (&verdict, claim.may) {
            (Verdict::Allowed, true) | (Verdict::Denied(_), false) => continue,
            (_, true) => (expected(stage, &claim.deed), false),
            (_, false) => ("denied".to_owned(), true),
        };
        let got = match verdict {
            Verdict::Allowed => "allowed".to_owned(),
            Verdict::Denied(why) => format!("denied ({why})"),
            Verdict::Refused(why) if holds => {
                format!("no rule stands in the way, though the request is refused ({why})")
            }
            Verdict::Refused(why) => format!("the rule allows it, but it is refused ({why})"),
        };
        let verb = match (&claim.deed, claim.may) {
            (Deed::See { .. }, _) => "",
            (_, true) => "may ",
            (_, false) => "may not ",
        };
        failures.push(Failure {
            place: claim.place.clone(),
            claim: format!("{} {verb}{}", who(stage, test.caller), claim.text),
            expected,
            got,
            rule,
        });
    }
    Ok(failures)
}

fn expected(stage: &Stage<'_>, deed: &Deed) -> String {
    match deed {
        Deed::List {
            listed: Listed::Exactly(ids),
            ..
        } => format!("exactly {}", names(stage, ids.iter().copied())),
        _ => "allowed".to_owned(),
    }
}

fn who(stage: &Stage<'_>, caller: Caller) -> String {
    match caller {
        Caller::Guest => "guest".to_owned(),
        Caller::Superuser => "superuser".to_owned(),
        Caller::User(id) => name(stage, id),
    }
}

fn name(stage: &Stage<'_>, id: usize) -> String {
    let example = stage.suite.examples.get(id);
    example.map_or_else(String::new, |it| it.full_name())
}

fn names(stage: &Stage<'_>, ids: impl Iterator<Item = usize>) -> String {
    let names: Vec<String> = ids.map(|id| name(stage, id)).collect();
    if names.is_empty() {
        "none of the example records".to_owned()
    } else {
        names.join(", ")
    }
}

/// Asks, and says which rule decides.
fn judge(stage: &mut Stage<'_>, test: &Test, claim: &Claim) -> anyhow::Result<(Verdict, String)> {
    let (action, collection) = subject(stage, &claim.deed);
    let ask = request(stage, test, &claim.deed, &collection);
    let answer = stage.ask(&ask)?;
    let verdict = match &claim.deed {
        Deed::List { listed, .. } => list(stage, &collection, listed, &answer),
        Deed::See { expand, field, .. } => see(&answer, expand, field),
        _ => of_action(action, &answer),
    };
    let rule = match test.caller {
        Caller::Superuser => "no rule applies to superusers".to_owned(),
        _ => {
            let refused: Vec<&String> = answer.data().map(|(field, _)| field).collect();
            decided_by(stage.schema, &collection, action, &claim.deed, &refused)
        }
    };
    Ok((verdict, rule))
}

/// The action and the collection of a deed.
fn subject(stage: &Stage<'_>, deed: &Deed) -> (&'static str, String) {
    let of = |id: usize| {
        let example = stage.suite.examples.get(id);
        example.map_or_else(String::new, |it| it.collection.clone())
    };
    match deed {
        Deed::List { collection, .. } => ("list", collection.clone()),
        Deed::View(id) => ("view", of(*id)),
        Deed::See { example, .. } => ("view", of(*example)),
        Deed::Create(collection) => ("create", collection.clone()),
        Deed::Update(id) => ("update", of(*id)),
        Deed::Delete(id) => ("delete", of(*id)),
        Deed::Auth(id) => ("auth", of(*id)),
    }
}

fn request<'t>(stage: &Stage<'_>, test: &'t Test, deed: &Deed, collection: &str) -> Ask<'t> {
    let records = format!("/api/collections/{collection}/records");
    let record = |id: usize| format!("{records}/{}", stage.id(id));
    let (method, path, body) = match deed {
        Deed::List { filter, .. } => {
            let mut query = vec![("perPage", "1000".to_owned())];
            query.extend(filter.as_ref().map(|it| ("filter", text(stage, it))));
            (Method::Get, with_query(&records, query), None)
        }
        Deed::View(id) => (Method::Get, record(*id), None),
        Deed::See {
            example, expand, ..
        } => {
            let query = vec![("expand", expand.clone())];
            (Method::Get, with_query(&record(*example), query), None)
        }
        Deed::Create(_) => (
            Method::Post,
            records,
            Some(stage.body(collection, &test.body)),
        ),
        Deed::Update(id) => {
            let body = JsonValue::Object(stage.fields(&test.body));
            (Method::Patch, record(*id), Some(body))
        }
        Deed::Delete(id) => (Method::Delete, record(*id), None),
        Deed::Auth(id) => {
            let path = format!("/api/collections/{collection}/auth-with-password");
            (
                Method::Post,
                path,
                Some(credentials(stage, *id, collection)),
            )
        }
    };
    let query = test.query.iter();
    let query = query.map(|(name, value)| (name.as_str(), value.clone()));
    Ask {
        caller: test.caller,
        method,
        path: with_query(&path, query.collect()),
        body,
        headers: &test.headers,
    }
}

fn with_query(path: &str, query: Vec<(&str, String)>) -> String {
    let mut full = path.to_owned();
    for (name, value) in query.iter().filter(|(_, value)| !value.is_empty()) {
        full.push(if full.contains('?') { '&' } else { '?' });
        full.push_str(&RawStr::new(name).percent_encode().to_string());
        full.push('=');
        full.push_str(&RawStr::new(value.as_str()).percent_encode().to_string());
    }
    full
}

fn text(stage: &Stage<'_>, filter: &Filter) -> String {
    let pieces = filter.0.iter().map(|piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Id(id) => format!("'{}'", stage.id(*id)),
    });
    pieces.collect()
}

/// What an example record logs in with.
fn credentials(stage: &Stage<'_>, id: usize, collection: &str) -> JsonValue {
    let fields = match stage.schema.collection(collection) {
        Some(found) => match &found.kind {
            ir::CollectionKind::Auth(auth) => auth
                .identity_fields
                .iter()
                .filter_map(|place| found.fields.get(place.0))
                .map(|field| field.name.wire.as_str())
                .collect(),
            ir::CollectionKind::Base => Vec::new(),
        },
        None => Vec::new(),
    };
    let texts = fields.into_iter().filter_map(|field| stage.text(id, field));
    let identity = texts.into_iter().find(|text| !text.is_empty());
    let values = stage
        .suite
        .examples
        .get(id)
        .map(|it| stage.fields(&it.values));
    let password = values.and_then(|it| it.get("password").cloned());
    json!({
        "identity": identity.unwrap_or_default(),
        "password": password.unwrap_or_else(|| PASSWORD.into()),
    })
}

/// What an answer other than that to a list means.
fn of_action(action: &str, answer: &Answer) -> Verdict {
    match answer.status {
        200 | 204 => Verdict::Allowed,
        403 => Verdict::Denied(answer.reason()),
        404 if action != "create" => Verdict::Denied(answer.reason()),
        // A create rule that doesn't hold gives no details.
        400 if action == "create" && answer.data().next().is_none() => {
            Verdict::Denied(answer.reason())
        }
        400 if answer.data().any(|(field, error)| is_leave(field, error)) => {
            Verdict::Denied(answer.reason())
        }
        _ => Verdict::Refused(answer.reason()),
    }
}

/// Is it a matter of leave that a field can't be set: by its `write` rule, or because only managers
/// change the address, the password and the verification of others?
fn is_leave(field: &str, error: &JsonValue) -> bool {
    let code = error.get("code").and_then(JsonValue::as_str);
    match code.unwrap_or_default() {
        "validation_not_allowed" => true,
        "validation_values_mismatch" => matches!(field, "email" | "verified"),
        _ => field == "oldPassword",
    }
}

fn list(stage: &Stage<'_>, collection: &str, listed: &Listed, answer: &Answer) -> Verdict {
    if answer.status != 200 {
        return Verdict::Denied(answer.reason());
    }
    let items = answer.body.get("items").and_then(JsonValue::as_array);
    let ids = items
        .into_iter()
        .flatten()
        .filter_map(|item| item.get("id").and_then(JsonValue::as_str));
    let ids: Vec<&str> = ids.collect();
    let found: BTreeSet<usize> = ids
        .iter()
        .filter_map(|id| stage.example(collection, id))
        .collect();
    let holds = match listed {
        Listed::Some => !ids.is_empty(),
        Listed::This(id) => found.contains(id),
        Listed::Exactly(wanted) => found == wanted.iter().copied().collect(),
    };
    if holds {
        return Verdict::Allowed;
    }
    let found = names(stage, found.into_iter());
    Verdict::Denied(format!("the list holds {found}"))
}

fn see(answer: &Answer, expand: &str, field: &str) -> Verdict {
    if answer.status != 200 {
        return Verdict::Denied(format!("the record itself: {}", answer.reason()));
    }
    let mut records = vec![&answer.body];
    for name in expand.split('.').filter(|name| !name.is_empty()) {
        let next = records
            .iter()
            .filter_map(|record| record.get("expand")?.get(name));
        let next = next.flat_map(|found| match found {
            JsonValue::Array(items) => items.iter().collect(),
            one => vec![one],
        });
        records = next.collect();
    }
    if records.iter().any(|record| record.get(field).is_some()) {
        return Verdict::Allowed;
    }
    Verdict::Denied(match records.is_empty() {
        true => format!("`{expand}` is not expanded"),
        false => format!("the answer has no `{field}`"),
    })
}

/// The rule of an action, in words, with its place; then those of the fields that were refused.
fn decided_by(
    schema: &ir::Schema,
    collection: &str,
    action: &str,
    deed: &Deed,
    refused: &[&String],
) -> String {
    let Some(found) = schema.collection(collection) else {
        return String::new();
    };
    let rules = &found.rules;
    let rule = match action {
        "list" => &rules.list,
        "view" => &rules.view,
        "create" => &rules.create,
        "update" => &rules.update,
        "delete" => &rules.delete,
        _ => &rules.auth,
    };
    let mut text = said(
        rule,
        &format!("`{action}` of `{collection}`"),
        &found.location,
    );
    for name in refused {
        let field = found.fields.iter().find(|it| it.name.wire == **name);
        if let Some(field) = field.filter(|field| field.write != Rule::Public) {
            let name = format!("`write` of field `{name}`");
            text.push_str(&format!("; {}", said(&field.write, &name, &field.location)));
        }
    }
    if let Deed::See { expand, field, .. } = deed
        && expand.is_empty()
        && let Some(field) = found.fields.iter().find(|it| it.name.wire == *field)
    {
        let name = format!("`read` of field `{}`", field.name.wire);
        match (&field.read, field.hidden) {
            (_, true) => text.push_str("; the field is hidden"),
            (Rule::Public, false) => {}
            (rule, false) => text.push_str(&format!("; {}", said(rule, &name, &field.location))),
        }
    }
    text
}

fn said(rule: &Rule, name: &str, fallback: &ir::Location) -> String {
    match rule {
        Rule::Locked => format!("{name} is for superusers only ({})", fallback.path),
        Rule::Public => format!("{name} is public ({})", fallback.path),
        Rule::When(rule) => format!(
            "{name}, {}:{}: {}",
            rule.location.path, rule.location.line, rule.text
        ),
    }
}
