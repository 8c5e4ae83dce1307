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
    /// The answer came, but not with what was asked for: what came instead.
    Lacks(String),
    /// No rule stands in the way, but something else does.
    Refused(String),
    /// Not even a superuser gets it, so that no rule can be at work: why.
    Vacuous(String),
}

/// Puts every claim of a test to the server; returns those that don't hold.
///
/// # Errors
/// What keeps the server from answering at all.
pub fn run(stage: &mut Stage<'_>, test: &Test) -> anyhow::Result<Vec<Failure>> {
    let mut failures = Vec::new();
    for claim in &test.claims {
        let (verdict, rule) = judge(stage, test, claim)?;
        let (yes, no) = match claim.deed {
            Deed::See { .. } => ("shown", "hidden"),
            _ => ("allowed", "denied"),
        };
        let expected = match (&verdict, claim.may) {
            (Verdict::Allowed, true) | (Verdict::Denied(_) | Verdict::Lacks(_), false) => continue,
            (_, true) => exactly(stage, &claim.deed).unwrap_or_else(|| yes.to_owned()),
            (_, false) => no.to_owned(),
        };
        let got = match verdict {
            Verdict::Allowed => yes.to_owned(),
            Verdict::Denied(why) => format!("{no} ({why})"),
            Verdict::Refused(why) if !claim.may => {
                format!("no rule stands in the way, though the request is refused ({why})")
            }
            Verdict::Refused(why) => format!("the rule allows it, but it is refused ({why})"),
            Verdict::Lacks(what) => what,
            Verdict::Vacuous(why) => format!("no rule is at work here: {why}"),
        };
        let verb = match (&claim.deed, claim.may) {
            (Deed::See { .. }, true) => "must",
            (Deed::See { .. }, false) => "must not",
            (_, true) => "may",
            (_, false) => "may not",
        };
        failures.push(Failure {
            place: claim.place.clone(),
            claim: format!("{} {verb} {}", who(stage, test.caller), claim.text),
            expected,
            got,
            rule,
        });
    }
    Ok(failures)
}

/// What a list must hold, if all of it is said.
fn exactly(stage: &Stage<'_>, deed: &Deed) -> Option<String> {
    match deed {
        Deed::List {
            listed: Listed::Exactly(ids),
            ..
        } => Some(format!("exactly {}", names(stage, ids.iter().copied()))),
        _ => None,
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
    let verdict = match vacuous(stage, test, claim, &verdict)? {
        Some(why) => Verdict::Vacuous(why),
        None => verdict,
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

/// Would a claim that the caller may not list or see something hold whatever the rules are? It
/// would if there is nothing to be kept from anyone.
fn vacuous(
    stage: &mut Stage<'_>,
    test: &Test,
    claim: &Claim,
    verdict: &Verdict,
) -> anyhow::Result<Option<String>> {
    if claim.may || !matches!(verdict, Verdict::Denied(_) | Verdict::Lacks(_)) {
        return Ok(None);
    }
    let (_, collection) = subject(stage, &claim.deed);
    let mut ask = request(stage, test, &claim.deed, &collection);
    ask.caller = Caller::Superuser;
    match (&claim.deed, verdict) {
        (Deed::List { listed, .. }, Verdict::Lacks(_)) => {
            let answer = stage.ask(&ask)?;
            let found = list(stage, &collection, listed, &answer);
            Ok(match found {
                Verdict::Lacks(_) => Some("a superuser's list doesn't hold it either".to_owned()),
                _ => None,
            })
        }
        (
            Deed::See {
                example,
                expand,
                field,
            },
            _,
        ) => {
            let answer = stage.ask(&ask)?;
            let first = expand.split('.').next().unwrap_or_default();
            let record = name(stage, *example);
            Ok(match see(&answer, expand, field) {
                Verdict::Allowed => None,
                _ if behind(&answer, expand).is_empty() => Some(format!(
                    "`{expand}` is not there for superusers either; give `{record}` a value for `{first}`"
                )),
                _ if is_secret(stage.schema, &collection, expand, field) => None,
                _ => Some("not even superusers are shown it".to_owned()),
            })
        }
        _ => Ok(None),
    }
}

/// Is it a field that nobody is ever shown?
fn is_secret(schema: &ir::Schema, collection: &str, expand: &str, field: &str) -> bool {
    let Some(holder) = way(schema, collection, expand).into_iter().last() else {
        return false;
    };
    let mut fields = holder.fields.iter();
    fields.any(|it| {
        let secret = matches!(it.kind, ir::FieldKind::Password { .. });
        it.name.wire == field && (secret || it.system && field == "tokenKey")
    })
}

/// The collections from the record to the field: one more than there are relations.
fn way<'a>(schema: &'a ir::Schema, collection: &str, expand: &str) -> Vec<&'a ir::Collection> {
    let mut way: Vec<&ir::Collection> = schema.collection(collection).into_iter().collect();
    for name in expand.split('.').filter(|name| !name.is_empty()) {
        let holder = way.last();
        let field = holder.and_then(|it| it.fields.iter().find(|it| it.name.wire == name));
        if let Some(ir::FieldKind::Relation { target, .. }) = field.map(|it| &it.kind) {
            way.extend(schema.collections.get(target.0));
        }
    }
    way
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
        400 if answer.data().any(|(field, error)| forbids(field, error)) => {
            Verdict::Denied(answer.reason())
        }
        _ => Verdict::Refused(answer.reason()),
    }
}

/// Does the caller lack the right to set a field: by its `write` rule, or because only managers change
/// the address, the password and the verification of others?
fn forbids(field: &str, error: &JsonValue) -> bool {
    let code = error.get("code").and_then(JsonValue::as_str);
    match code.unwrap_or_default() {
        "validation_not_allowed" => true,
        "validation_values_mismatch" => matches!(field, "email" | "verified"),
        _ => field == "oldPassword",
    }
}

fn list(stage: &Stage<'_>, collection: &str, listed: &Listed, answer: &Answer) -> Verdict {
    if let Some(verdict) = not_answered(answer) {
        return verdict;
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
    Verdict::Lacks(match ids.is_empty() {
        true => "an empty list".to_owned(),
        false => format!("a list of {}", names(stage, found.into_iter())),
    })
}

/// The verdict on an answer without records: no server that breaks keeps anything from anyone.
fn not_answered(answer: &Answer) -> Option<Verdict> {
    match answer.status {
        200 => None,
        400 | 403 | 404 => Some(Verdict::Denied(answer.reason())),
        _ => Some(Verdict::Refused(answer.reason())),
    }
}

fn see(answer: &Answer, expand: &str, field: &str) -> Verdict {
    if let Some(verdict) = not_answered(answer) {
        return verdict;
    }
    let records = behind(answer, expand);
    if records.iter().any(|record| record.get(field).is_some()) {
        return Verdict::Allowed;
    }
    Verdict::Lacks(match records.is_empty() {
        true => format!("hidden (`{expand}` is not expanded)"),
        false => format!("hidden (the answer has no `{field}`)"),
    })
}

/// The record of an answer, or those that are expanded behind it.
fn behind<'a>(answer: &'a Answer, expand: &str) -> Vec<&'a JsonValue> {
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
    records
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
    if let Deed::See { expand, field, .. } = deed {
        let names = expand.split('.').filter(|name| !name.is_empty());
        let names = names.chain([field.as_str()]);
        for (place, (holder, name)) in way(schema, collection, expand)
            .into_iter()
            .zip(names)
            .enumerate()
        {
            if place > 0 {
                let name = format!("`view` of `{}`", holder.name.wire);
                let rule = said(&holder.rules.view, &name, &holder.location);
                text.push_str(&format!("; {rule}"));
            }
            text.push_str(&of_field(holder, name));
        }
    }
    text
}

/// What else decides who sees a field, beside the rule of its record.
fn of_field(holder: &ir::Collection, name: &str) -> String {
    let Some(field) = holder.fields.iter().find(|it| it.name.wire == name) else {
        return String::new();
    };
    let mut text = String::new();
    if field.hidden {
        text.push_str(&format!("; the field `{name}` is hidden"));
    }
    if field.read != Rule::Public {
        let name = format!("`read` of field `{name}`");
        text.push_str(&format!("; {}", said(&field.read, &name, &field.location)));
    }
    let account = matches!(holder.kind, ir::CollectionKind::Auth(_));
    if account && field.system && name == "email" {
        text.push_str("; `emailVisibility` of the record");
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

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: JsonValue) -> Answer {
        Answer { status, body }
    }

    #[test]
    fn a_server_that_breaks_denies_nothing() {
        for status in [429, 500, 503] {
            let broken = answer(status, JsonValue::Null);
            assert!(matches!(see(&broken, "", "title"), Verdict::Refused(_)));
            assert!(matches!(not_answered(&broken), Some(Verdict::Refused(_))));
            assert!(matches!(of_action("view", &broken), Verdict::Refused(_)));
        }
        for status in [400, 403, 404] {
            let denied = answer(status, JsonValue::Null);
            assert!(matches!(see(&denied, "", "title"), Verdict::Denied(_)));
        }
    }

    #[test]
    fn a_field_is_looked_for_behind_every_relation() {
        let body =
            json!({ "title": "x", "expand": { "readers": [{ "id": "a" }, { "nick": "b" }] } });
        let found = answer(200, body);
        assert!(matches!(see(&found, "", "title"), Verdict::Allowed));
        assert!(matches!(see(&found, "readers", "nick"), Verdict::Allowed));
        assert!(matches!(see(&found, "readers", "email"), Verdict::Lacks(_)));
        assert!(matches!(see(&found, "author", "nick"), Verdict::Lacks(_)));
        assert_eq!(behind(&found, "author").len(), 0);
    }
}
