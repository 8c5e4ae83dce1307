//! How records of an auth collection log in.

use serde_json::Value;

use super::draft::{Draft, Item, Part};
use super::export::Collection;
use super::options::{Shape, count};
use super::{Found, write};

/// What a token lasts unless a file says otherwise.
const SECONDS: u64 = 432_000;

/// What a token of a superuser lasts.
pub(super) const SUPERUSER_SECONDS: u64 = 86_400;

/// The options of auth collections. Those of mails and of tokens for mails say nothing as long as
/// there are none.
pub(super) const KNOWN: &[&str] = &[
    "passwordAuth",
    "oauth2",
    "otp",
    "mfa",
    "authAlert",
    "authToken",
    "passwordResetToken",
    "emailChangeToken",
    "verificationToken",
    "fileToken",
    "verificationTemplate",
    "resetPasswordTemplate",
    "confirmEmailChangeTemplate",
];

/// What is read from these options, and of which shape it must be.
pub(super) const SHAPES: &[(&str, &str, Shape)] = &[
    ("passwordAuth", "enabled", Shape::Flag),
    ("passwordAuth", "identityFields", Shape::Texts),
    ("authToken", "duration", Shape::Count),
    ("oauth2", "enabled", Shape::Flag),
    ("otp", "enabled", Shape::Flag),
    ("mfa", "enabled", Shape::Flag),
    ("authAlert", "enabled", Shape::Flag),
];

fn part<'a>(collection: &'a Collection, option: &str, key: &str) -> &'a Value {
    let option = collection.options.get(option);
    option
        .and_then(|option| option.get(key))
        .unwrap_or(&Value::Null)
}

/// Login by password is on unless the export says otherwise.
fn by_password(collection: &Collection) -> bool {
    part(collection, "passwordAuth", "enabled") != &Value::Bool(false)
}

fn enabled(collection: &Collection, option: &str) -> bool {
    part(collection, option, "enabled") == &Value::Bool(true)
}

/// What a token of the collection lasts, if it says so.
pub(super) fn token_seconds(collection: &Collection) -> Option<u64> {
    count(part(collection, "authToken", "duration"))
}

/// `[auth]`, and what of it there is not yet.
pub(super) fn draft(collection: &Collection, draft: &mut Draft) {
    let mut identity = vec!["email".to_owned()];
    if !by_password(collection) {
        identity.clear();
    } else if let Value::Array(fields) = part(collection, "passwordAuth", "identityFields") {
        let fields = fields.iter().filter_map(Value::as_str);
        identity = fields.map(str::to_owned).collect();
        if identity.is_empty() {
            let reason = "it names no identity field";
            draft
                .notes
                .push(format!("Login by password is left out: {reason}."));
            let found = Found::left_out("login by password", reason);
            draft.found.push(found);
        }
    }
    if identity != ["email"] {
        let text = identity_text(&identity);
        draft.items.push(Item::new(Part::Identity(identity), text));
    }
    if let Some(seconds) = token_seconds(collection).filter(|seconds| *seconds != SECONDS) {
        let text = format!("token = {{ duration = {seconds} }}");
        draft.items.push(Item::new(Part::Token, text));
    }
    features(collection, draft);
}

/// What accounts log in with; nothing: not by password.
pub(super) fn identity_text(fields: &[String]) -> String {
    if fields.is_empty() {
        return "password = { enabled = false }".to_owned();
    }
    let fields = fields.iter().map(String::as_str);
    format!(
        "password = {{ identity_fields = {} }}",
        write::strings(fields)
    )
}

fn features(collection: &Collection, draft: &mut Draft) {
    let mut features = Vec::new();
    if enabled(collection, "oauth2") {
        features.push(providers(collection));
    }
    if enabled(collection, "otp") {
        features.push("one-time passwords".to_owned());
    }
    if enabled(collection, "authAlert") {
        features.push("mails about logins from a new place".to_owned());
    }
    let reason = "not supported yet";
    if !features.is_empty() {
        let features = features.join(", ");
        draft.notes.push(format!("Not supported yet: {features}."));
        draft.found.push(Found::not_yet(&features, reason));
    }
    if enabled(collection, "mfa") {
        let reason = "it is not supported yet, so one way to log in is enough here";
        draft
            .notes
            .push(format!("Login in two steps is left out: {reason}."));
        draft
            .found
            .push(Found::left_out("login in two steps", reason));
    }
}

fn providers(collection: &Collection) -> String {
    let providers = part(collection, "oauth2", "providers").as_array();
    let names: Vec<&str> = providers
        .into_iter()
        .flatten()
        .filter_map(|provider| provider.get("name")?.as_str())
        .collect();
    match names.as_slice() {
        [] => "login by OAuth2".to_owned(),
        names => format!("login by OAuth2 ({})", names.join(", ")),
    }
}
