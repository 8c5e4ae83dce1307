//! Who asks, and about which collection; and "did you mean".

use std::fmt;

use crate::schema::{CollectionId, Field, Schema};

/// For whom a text is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// The schema's author: everything may be used, and mistakes are reported strictly.
    Rule,
    /// A superuser's request: everything may be used.
    Superuser,
    /// Anyone else's request: hidden fields are unknown, other collections guarded.
    Client,
}

/// What a text is compiled against.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The collections.
    pub schema: &'a dyn Schema,
    /// The collection whose rows the text speaks of.
    pub collection: CollectionId,
    /// Who wrote the text.
    pub caller: Caller,
    /// Is it a rule about records that are about to be created?
    pub creating: bool,
    /// Is it a rule that isn't even asked about guests?
    pub of_users: bool,
    /// Was the rule written for PocketBase? Then what that accepts is no error here.
    pub imported: bool,
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field("collection", &self.collection)
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

impl<'a> Scope<'a> {
    /// A scope of the given parts.
    pub fn new(schema: &'a dyn Schema, collection: CollectionId, caller: Caller) -> Self {
        Self {
            schema,
            collection,
            caller,
            creating: false,
            of_users: false,
            imported: false,
        }
    }

    /// For a rule about records that are about to be created.
    #[must_use]
    pub fn creating(self) -> Self {
        Self {
            creating: true,
            ..self
        }
    }

    /// For a rule that isn't asked about guests.
    #[must_use]
    pub fn of_users(self) -> Self {
        Self {
            of_users: true,
            ..self
        }
    }

    /// For a rule of an imported schema: where PocketBase accepts it, what would be an error here
    /// is a warning.
    #[must_use]
    pub fn imported(self, imported: bool) -> Self {
        Self { imported, ..self }
    }

    /// Are oddities mistakes? At run time the peer's leniency counts.
    pub(crate) fn strict(&self) -> bool {
        self.caller == Caller::Rule
    }

    /// The field, if the caller may know of it.
    pub(crate) fn field(&self, collection: CollectionId, name: &str) -> Option<Field<'a>> {
        self.schema
            .field(collection, name)
            .filter(|field| self.knows(collection, field))
    }

    fn knows(&self, collection: CollectionId, field: &Field<'_>) -> bool {
        self.caller != Caller::Client
            || !(field.hidden
                || matches!(field.name, "password" | "tokenKey") && self.schema.is_auth(collection))
    }

    /// The nearest field that the caller may know of.
    pub(crate) fn near_field(&self, collection: CollectionId, name: &str) -> Option<&'a str> {
        let fields = self.schema.fields(collection);
        let known = fields.iter().filter(|field| self.knows(collection, field));
        nearest(name, known.map(|field| field.name))
    }

    /// Every auth collection.
    pub(crate) fn auth_collections(&self) -> impl Iterator<Item = CollectionId> + use<'a> {
        let schema = self.schema;
        (0..schema.len())
            .map(CollectionId)
            .filter(move |id| schema.is_auth(*id))
    }

    /// The nearest collection.
    pub(crate) fn near_collection(&self, name: &str) -> Option<&'a str> {
        nearest(
            name,
            (0..self.schema.len()).map(|id| self.schema.name(CollectionId(id))),
        )
    }
}

/// Longer words, in bytes, are like no name.
const LONGEST_WORD: usize = 128;

/// The candidate that the writer may have meant.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    // Nobody means a name by that, and the distance takes long to find.
    if word.len() > LONGEST_WORD {
        return None;
    }
    let wanted = word.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        let folded = candidate.to_lowercase();
        let alike = strsim::jaro_winkler(&wanted, &folded);
        // Two edits turn any short word into any other.
        let edits = strsim::damerau_levenshtein(&wanted, &folded);
        let near = alike >= 0.8 || edits <= 2 && wanted.len() >= 4;
        if near && best.is_none_or(|(score, _)| alike > score) {
            best = Some((alike, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The help text for a near candidate.
pub(crate) fn did_you_mean(near: Option<&str>) -> Option<String> {
    near.map(|near| format!("did you mean `{near}`?"))
}
