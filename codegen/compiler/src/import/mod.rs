//! Collections that were exported from a PocketBase, as schema files. Pure: the text of an export
//! in, texts of files out.
//!
//! What can't be built is not dropped: it stands in its file as a comment with the reason, and in
//! the report. What there is *not yet* (file fields, views) is a warning; what changes who may do
//! what, or what the database refuses, is an error, for the caller to decide whether the rest is
//! wanted all the same. The files are built by the compiler itself to see whether they do.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Report, visible};

mod auth;
mod condition;
mod draft;
mod export;
mod field;
mod index;
mod options;
mod settle;
mod sql;
mod write;

use draft::{Draft, Item, Part};
use export::{Collection, Kind};

/// The id of `_superusers`, which is the same everywhere.
const SUPERUSERS_ID: &str = "pbc_3142635823";

/// Collections of the other system that belong to its features.
const OF_FEATURES: &[&str] = &["_authOrigins", "_externalAuths", "_mfas", "_otps"];

/// What an export becomes.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// Schema files by name: those that build (`posts.toml`), and those that are left out as a
    /// whole (`stats.toml.off`).
    pub files: BTreeMap<String, String>,
    /// What is left out, and why. With errors, the files say less than the export.
    pub report: Report,
    /// What the files hold.
    pub holds: Holds,
}

/// What files hold, without what is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Holds {
    /// Collections.
    pub collections: usize,
    /// Fields that the files name.
    pub fields: usize,
    /// Rules that are not locked.
    pub rules: usize,
    /// Indexes that the files name.
    pub indexes: usize,
    /// Warnings of the compiler.
    pub warnings: usize,
}

/// Something of the export that is left out of a file.
#[derive(Debug)]
struct Found {
    subject: String,
    reason: String,
    /// Not supported yet, rather than a loss.
    not_yet: bool,
    /// The field that it is about, by which rules may fail.
    field: Option<String>,
}

impl Found {
    fn left_out(subject: &str, reason: &str) -> Self {
        Found {
            subject: subject.to_owned(),
            reason: reason.to_owned(),
            not_yet: false,
            field: None,
        }
    }

    fn not_yet(subject: &str, reason: &str) -> Self {
        Found {
            not_yet: true,
            ..Found::left_out(subject, reason)
        }
    }

    fn of_field(self, field: &str) -> Self {
        Found {
            field: Some(field.to_owned()),
            ..self
        }
    }

    fn diagnostic(&self, path: &str) -> Diagnostic {
        let code = if self.not_yet {
            Code::ImportNotYet
        } else {
            Code::ImportLeftOut
        };
        let message = format!("{} left out: {}", self.subject, self.reason);
        Diagnostic::of_path(code, path, message)
    }
}

/// Makes schema files of an export: the list of collections that PocketBase's dashboard exports, or
/// an answer of its API that has the list as `items`. `path` is what reports call it. The same
/// export gives the same files.
///
/// # Errors
/// What is no export, whole: all that is wrong with it.
pub fn schema(path: &str, text: &str) -> Result<Import, Report> {
    let mut collections = export::read(path, text)?;
    collections.sort_by(|left, right| left.name.cmp(&right.name));
    let names = collections
        .iter()
        .filter_map(|one| Some((one.id.clone()?, one.name.clone())))
        .collect();
    let mut drafts = Vec::new();
    let mut found = Vec::new();
    for collection in &collections {
        match collection.name.as_str() {
            "_superusers" => found.extend(superusers(collection)),
            name if OF_FEATURES.contains(&name) => {}
            _ => drafts.push(draft(collection, &names)),
        }
    }
    let features: Vec<String> = collections
        .iter()
        .filter(|one| OF_FEATURES.contains(&one.name.as_str()))
        .map(|one| format!("`{}`", one.name))
        .collect();
    if !features.is_empty() {
        let subject = format!("the built-in {}", features.join(", "));
        let reason = "logins of that kind are not supported yet";
        found.push(Found::not_yet(&subject, reason).diagnostic(path));
    }
    let warnings = settle::settle(&mut drafts);
    let holds = holds(&drafts, warnings);
    for draft in &drafts {
        let file = draft.file();
        found.extend(draft.found.iter().map(|found| found.diagnostic(&file)));
    }
    let files = drafts.iter();
    Ok(Import {
        files: files.map(|one| (one.file(), one.write().text)).collect(),
        report: Report::new(found, &[]),
        holds,
    })
}

fn holds(drafts: &[Draft], warnings: usize) -> Holds {
    let mut holds = Holds {
        warnings,
        ..Holds::default()
    };
    for draft in drafts.iter().filter(|draft| draft.left_out.is_none()) {
        holds.collections += 1;
        for item in draft.items.iter().filter(|item| item.left_out.is_none()) {
            match item.part {
                Part::Rule(_) => holds.rules += 1,
                Part::Field(_) => holds.fields += 1,
                Part::Index { .. } => holds.indexes += 1,
                Part::Sql | Part::Identity(_) | Part::Token => {}
            }
        }
    }
    holds
}

/// `_superusers` is built in: what an export says besides is left out.
fn superusers(collection: &Collection) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let known = |name: &str| field::is_implied(name) || ["created", "updated"].contains(&name);
    for field in collection.fields.iter().filter(|one| !known(&one.name)) {
        let subject = format!("field `{}` of `_superusers`", field.name);
        found.push(Found::left_out(&subject, "the collection is built in"));
    }
    let seconds = auth::token_seconds(collection);
    if seconds.is_some_and(|seconds| seconds != auth::SUPERUSER_SECONDS) {
        let reason = "the collection is built in, with 86400 seconds";
        let subject = "the lifetime of tokens of `_superusers`";
        found.push(Found::not_yet(subject, reason));
    }
    let found = found.iter();
    found.map(|one| one.diagnostic("_superusers")).collect()
}

/// A file as the export would have it; whether it builds is seen later.
fn draft(collection: &Collection, names: &BTreeMap<String, String>) -> Draft {
    let mut draft = Draft {
        name: collection.name.clone(),
        id: collection.id.clone(),
        kind: match collection.kind {
            Kind::Base => "base",
            Kind::Auth => "auth",
            Kind::View => "view",
        },
        query: None,
        imported: false,
        notes: Vec::new(),
        items: Vec::new(),
        found: Vec::new(),
        left_out: None,
    };
    rules(collection, &mut draft);
    if collection.kind == Kind::View {
        let reason = "view collections are not supported yet";
        draft.query = Some(collection.query.clone());
        draft.left_out = Some(reason.to_owned());
        draft.found.push(Found::not_yet("the collection", reason));
        return draft;
    }
    let setting = field::Setting {
        auth: collection.kind == Kind::Auth,
        names,
    };
    for field in &collection.fields {
        let item = field::item(field, &setting, &mut draft.found);
        draft.items.extend(item);
    }
    indexes(collection, &mut draft);
    if collection.kind == Kind::Auth {
        auth::draft(collection, &mut draft);
    }
    for (key, value) in &collection.options {
        let of_auth = collection.kind == Kind::Auth && auth::KNOWN.contains(&key.as_str());
        if !of_auth && !options::is_zero(value) {
            let reason = format!("the option `{}` is unknown", visible(key));
            draft.notes.push(format!("Left out: {reason}."));
            draft.found.push(Found::left_out("an option", &reason));
        }
    }
    draft
}

fn rules(collection: &Collection, draft: &mut Draft) {
    for (key, rule) in &collection.rules {
        if *key == "auth" && rule.is_empty() {
            // Everyone, as without it.
            continue;
        }
        let text = format!("{key} = {}", write::lines(rule));
        draft.items.push(Item::new(Part::Rule(key), text));
    }
    if collection.nobody_logs_in {
        let item = Item::new(Part::Rule("auth"), "auth = false".to_owned());
        draft.items.push(item);
    }
}

fn indexes(collection: &Collection, draft: &mut Draft) {
    let auth = collection.kind == Kind::Auth;
    let fields = field::with_implied(&collection.fields, auth);
    for sql in &collection.indexes {
        match index::read(sql, &fields) {
            Ok(index) if auth && is_implied(&index) => {}
            Ok(index) => draft.items.push(index_item(index, &mut draft.found)),
            Err(refused) => {
                let subject = format!("the index `{}`", visible(sql.trim()));
                let found = if refused.unique {
                    Found::left_out(&subject, &refused.reason)
                } else {
                    // Only how fast an answer comes depends on it.
                    Found::not_yet(&subject, &refused.reason)
                };
                draft.found.push(found);
                let mut item = Item::new(Part::Sql, sql.trim().to_owned());
                item.left_out = Some(refused.reason);
                draft.items.push(item);
            }
        }
    }
}

/// The indexes that every auth collection has.
fn is_implied(index: &index::Index) -> bool {
    let filter = index.filter.as_deref();
    let columns: Vec<&str> = index.columns.iter().map(String::as_str).collect();
    index.unique
        && !index.nocase
        && match columns.as_slice() {
            ["tokenKey"] => filter.is_none(),
            ["email"] => filter == Some("email != ''"),
            _ => false,
        }
}

fn index_item(index: index::Index, found: &mut Vec<Found>) -> Item {
    let mut lines = Vec::new();
    let mut notes = Vec::new();
    let usable = crate::name::is_word(&index.name)
        && crate::name::reserved_in_database(&index.name).is_none();
    if usable {
        lines.push(format!("name = {}", write::string(&index.name)));
    } else {
        notes.push(format!("Its name was `{}`.", visible(&index.name)));
    }
    let columns = index.columns.iter().map(String::as_str);
    lines.push(format!("fields = {}", write::strings(columns)));
    if index.unique {
        lines.push("unique = true".to_owned());
    }
    if index.nocase {
        lines.push("collation = \"nocase\"".to_owned());
    }
    if let Some(filter) = &index.filter {
        lines.push(format!("where = {}", write::string(filter)));
    }
    if index.mixed_order {
        let reason = "some of its fields descend and some don't, and here all ascend";
        let subject = format!("the order of the index `{}`", visible(&index.name));
        found.push(Found::not_yet(&subject, reason));
        notes.push(format!("Left out: {reason}."));
    }
    let part = Part::Index {
        name: index.name,
        unique: index.unique,
    };
    let mut item = Item::new(part, lines.join("\n"));
    item.notes = notes;
    item
}
