//! The collections by name: order, ids, duplicates, clashes.

use std::collections::BTreeMap;

use super::{Context, implied};
use crate::diagnostic::{Code, Diagnostic};
use crate::ir;
use crate::load::{Document, FieldDoc};
use crate::name::{self, Refused};

/// A collection on its way into the model.
pub(super) struct Draft<'d> {
    /// Its file.
    pub document: &'d Document,
    /// The implied fields, as the file changes them, then the file's own.
    pub fields: Vec<FieldDoc>,
    /// How many of the fields are implied.
    pub implied: usize,
    /// Built in.
    pub system: bool,
}

/// One draft for each name, ordered by name; reports what the names get wrong.
pub(super) fn order<'d>(documents: &'d [Document], cx: &mut Context<'_>) -> Vec<Draft<'d>> {
    let mut by_name: BTreeMap<String, &Document> = BTreeMap::new();
    let mut by_rust: BTreeMap<String, &Document> = BTreeMap::new();
    // The system's collection comes last, and must win.
    for document in documents.iter().rev() {
        if document.file < cx.sources.len() && !document.broken {
            check_name(document, cx);
        }
        let wire = &document.name.value;
        let key = wire.to_ascii_lowercase();
        if let Some(other) = by_name.get(&key) {
            clash(document, other, Code::DuplicateName, cx);
            continue;
        }
        let rust = name::name(wire).rust;
        if let Some(other) = by_rust.get(&rust) {
            clash(document, other, Code::NameClash, cx);
        }
        by_rust.insert(rust, document);
        by_name.insert(key, document);
    }
    let mut ordered: Vec<&Document> = by_name.into_values().collect();
    ordered.sort_by(|left, right| left.name.value.cmp(&right.name.value));
    ordered
        .into_iter()
        .map(|document| draft(document, cx))
        .collect()
}

fn draft<'d>(document: &'d Document, cx: &Context<'_>) -> Draft<'d> {
    let mut fields = implied::fields(document, cx.sources.len());
    let implied = fields.len();
    for own in document.entries.fields("fields") {
        let known = fields.iter().take(implied);
        if !known
            .clone()
            .any(|field| field.name.value == own.name.value)
        {
            fields.push(own.clone());
        }
    }
    Draft {
        document,
        fields,
        implied,
        system: document.file >= cx.sources.len(),
    }
}

fn check_name(document: &Document, cx: &mut Context<'_>) {
    let name = &document.name;
    let (code, message) = match name::check_collection(&name.value) {
        Ok(()) => return,
        Err(Refused::Form(message)) => (Code::BadName, message),
        Err(Refused::Reserved(message)) => (Code::ReservedName, message),
    };
    cx.report(code, name.span, message, "can't be used");
}

/// `document` bears a name that `other` has taken (which the iteration met first, though it stands
/// later): the later of the two is the one to report.
fn clash(document: &Document, other: &Document, code: Code, cx: &mut Context<'_>) {
    let by_system = other.file >= cx.sources.len();
    if by_system && code == Code::DuplicateName {
        // That the name is reserved was said already.
        return;
    }
    let (first, second) = if by_system {
        (other, document)
    } else {
        (document, other)
    };
    let (name, taken) = (&second.name.value, &first.name.value);
    let message = match code {
        Code::NameClash => format!("collections `{name}` and `{taken}` get the same name in Rust"),
        _ => format!("there are two collections named `{name}`"),
    };
    let mut found = Diagnostic::new(code, second.name.span, message, "the second one");
    found = if by_system {
        found.with_help(format!("`{taken}` is built in: choose another name"))
    } else {
        found.with_also(first.name.span, "the first one")
    };
    cx.push(found);
}

/// The collections without their insides, so that everything can refer to them.
pub(super) fn declare(drafts: &[Draft<'_>], cx: &mut Context<'_>) -> Vec<ir::Collection> {
    let mut ids: BTreeMap<String, &Draft<'_>> = BTreeMap::new();
    let mut collections = Vec::new();
    for draft in drafts {
        let id = id(draft, cx);
        if let Some(other) = ids.get(&id) {
            let span = draft.document.entries.span_of("id");
            let name = &other.document.name;
            let message = format!("the id `{id}` belongs to collection `{}`", name.value);
            let found = Diagnostic::new(Code::DuplicateId, span, message, "taken");
            cx.push(found.with_also(name.span, "has it already"));
        }
        let bears = |other: &&Draft<'_>| other.document.name.value == id;
        if let Some(other) = drafts.iter().find(bears) {
            let span = draft.document.entries.span_of("id");
            let message = format!("the id `{id}` is the name of a collection");
            let found = Diagnostic::new(Code::DuplicateId, span, message, "taken");
            cx.push(found.with_also(other.document.name.span, "bears it"));
        }
        ids.insert(id.clone(), draft);
        collections.push(empty(draft, id, cx));
    }
    for collection in &mut collections {
        collection.model = name::model(&collection.name.wire);
    }
    settle_models(&mut collections);
    check_renames(drafts, cx);
    collections
}

fn empty(draft: &Draft<'_>, id: String, cx: &Context<'_>) -> ir::Collection {
    let renamed_from = draft.document.entries.text("renamed_from");
    let locked = ir::Rule::Locked;
    ir::Collection {
        id,
        name: name::name(&draft.document.name.value),
        model: String::new(),
        kind: kind(draft),
        system: draft.system,
        fields: Vec::new(),
        indexes: Vec::new(),
        rules: ir::Rules {
            list: locked.clone(),
            view: locked.clone(),
            create: locked.clone(),
            update: locked.clone(),
            delete: locked.clone(),
            auth: locked.clone(),
            manage: locked,
        },
        renamed_from: renamed_from.map(|name| name.value),
        location: cx.location(draft.document.name.span),
    }
}

/// The options of auth collections are settled later; that it is one counts before.
fn kind(draft: &Draft<'_>) -> ir::CollectionKind {
    if !draft.document.is_auth {
        return ir::CollectionKind::Base;
    }
    ir::CollectionKind::Auth(ir::AuthOptions {
        password_enabled: false,
        identity_fields: Vec::new(),
        token_seconds: 0,
    })
}

/// A model that would be called like another collection or model keeps its plural.
fn settle_models(collections: &mut [ir::Collection]) {
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for collection in collections.iter() {
        *taken.entry(collection.model.clone()).or_default() += 1;
        if collection.model != collection.name.camel {
            *taken.entry(collection.name.camel.clone()).or_default() += 1;
        }
    }
    for collection in collections {
        if taken.get(&collection.model).is_some_and(|uses| *uses > 1) {
            collection.model.clone_from(&collection.name.camel);
        }
    }
}

fn check_renames(drafts: &[Draft<'_>], cx: &mut Context<'_>) {
    for draft in drafts {
        let Some(from) = draft.document.entries.text("renamed_from") else {
            continue;
        };
        let same = |other: &&Draft<'_>| other.document.name.value == from.value;
        if let Some(other) = drafts.iter().find(same) {
            let message = format!("collection `{}` still exists", from.value);
            let found =
                Diagnostic::new(Code::BadRename, from.span, message, "can't be its old name");
            cx.push(found.with_also(other.document.name.span, "bears it"));
        }
    }
}

/// The id that the file gives, else the peer's: from type and name.
fn id(draft: &Draft<'_>, cx: &mut Context<'_>) -> String {
    let document = draft.document;
    if let Some(id) = document.entries.text("id") {
        if !name::is_word(&id.value) {
            let message = format!("`{}` can't be an id", id.value);
            cx.report(Code::BadId, id.span, message, "not such a word");
        }
        return id.value;
    }
    let kind = if document.is_auth { "auth" } else { "base" };
    let sum = crc32(format!("{kind}{}", document.name.value).as_bytes());
    format!("pbc_{sum}")
}

/// CRC-32 as of IEEE 802.3.
fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            let carry = if sum & 1 == 1 { 0xEDB8_8320 } else { 0 };
            sum = (sum >> 1) ^ carry;
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn makes_the_ids_of_the_peer() {
        // `_superusers`, as every PocketBase numbers it.
        assert_eq!(crc32(b"auth_superusers"), 3_142_635_823);
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }
}
