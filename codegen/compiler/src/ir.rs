//! The resolved model: no names left to look up, no types left to guess, rules compiled to plans.
//! Whoever holds a [`Schema`] can emit without failing.

pub use basalt_lang::plan::Plan;
pub use basalt_lang::schema::{CollectionId, FieldId};
use serde_json::Value as JsonValue;

/// All collections, system ones included, ordered by name; [`CollectionId`] is the place here.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// The collections.
    pub collections: Vec<Collection>,
}

/// A place in a schema file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Location {
    /// The path as it was given, with forward slashes, e.g. `schema/posts.toml`.
    pub path: String,
    /// The line, from 1; 0 for implied things.
    pub line: usize,
}

/// One name in its three spellings; keywords and clashes are settled in `name.rs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// On the wire, in the table and in rules: exactly as written.
    pub wire: String,
    /// As a Rust value, field or module: snake case, keywords with a trailing underscore.
    pub rust: String,
    /// As a Rust type: camel case; collections in the plural as written (`Posts`).
    pub camel: String,
}

/// One collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Collection {
    /// The id on the wire: given in the file, else made from type and name as the peer does.
    pub id: String,
    /// The name.
    pub name: Name,
    /// The model struct's name, singular where the plural is regular (`Post`).
    pub model: String,
    /// Base, or auth with its options.
    pub kind: CollectionKind,
    /// Built in, such as `_superusers`.
    pub system: bool,
    /// `id`, then the implied auth fields, then the file's order; [`FieldId`] is the place here.
    pub fields: Vec<Field>,
    /// The declared indexes in the order of the file, then the implied and the derived ones. SQLite
    /// asks the unique indexes from the last to the first, and reports the first that is violated.
    pub indexes: Vec<Index>,
    /// The rules.
    pub rules: Rules,
    /// The name before, if the file says `renamed_from`.
    pub renamed_from: Option<String>,
    /// Where its name stands.
    pub location: Location,
}

/// The type of a collection.
#[derive(Debug, Clone, PartialEq)]
pub enum CollectionKind {
    /// Records only.
    Base,
    /// Records that can log in.
    Auth(AuthOptions),
}

/// The options of an auth collection.
#[derive(Debug, Clone, PartialEq)]
pub struct AuthOptions {
    /// Login by password?
    pub password_enabled: bool,
    /// What identifies a record at login.
    pub identity_fields: Vec<FieldId>,
    /// Lifetime of a token in seconds.
    pub token_seconds: u64,
}

/// One field.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The name.
    pub name: Name,
    /// Type and options.
    pub kind: FieldKind,
    /// Shown to superusers only.
    pub hidden: bool,
    /// Must not be the zero value.
    pub required: bool,
    /// Must be given at creation.
    pub present: bool,
    /// May be null.
    pub nullable: bool,
    /// What a create without it stores.
    pub default: Option<JsonValue>,
    /// Who may see it of which record; [`Rule::Public`] adds nothing to the record's own rules.
    pub read: Rule,
    /// Who may set it of which record; [`Rule::Public`] adds nothing to the record's own rules.
    pub write: Rule,
    /// Implied by the collection's type.
    pub system: bool,
    /// The name before, if the file says `renamed_from`.
    pub renamed_from: Option<String>,
    /// Where it stands.
    pub location: Location,
}

/// A field's type with its options, as `basalt_runtime::meta::FieldKind` will hold it.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldKind {
    /// text
    Text {
        min: u64,
        max: u64,
        pattern: String,
        generate: Generate,
    },
    /// editor
    Editor { max_size: u64 },
    /// number
    Number {
        min: Option<f64>,
        max: Option<f64>,
        only_int: bool,
    },
    /// bool
    Bool,
    /// email
    Email {
        only_domains: Vec<String>,
        except_domains: Vec<String>,
    },
    /// url
    Url {
        only_domains: Vec<String>,
        except_domains: Vec<String>,
    },
    /// date; bounds in stored form or empty
    Date { min: String, max: String },
    /// autodate
    Autodate { on_create: bool, on_update: bool },
    /// select; `max_select` 1 is single
    Select {
        values: Vec<SelectValue>,
        max_select: u64,
    },
    /// relation; `max_select` 1 is single
    Relation {
        target: CollectionId,
        min_select: u64,
        max_select: u64,
        cascade_delete: bool,
    },
    /// json
    Json { max_size: u64 },
    /// password
    Password { min: u64, max: u64, pattern: String },
    /// geoPoint
    GeoPoint,
}

/// A value of a select.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectValue {
    /// As stored.
    pub wire: String,
    /// As an enum variant.
    pub camel: String,
}

/// How a missing text is made at creation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Generate {
    /// Not at all.
    Nothing,
    /// By a pattern.
    Pattern(String),
    /// A UUID version 7.
    UuidV7,
}

/// An index.
#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    /// Its name in the database.
    pub name: String,
    /// Its columns in order.
    pub columns: Vec<FieldId>,
    /// Refuses duplicates.
    pub unique: bool,
    /// Compares without regard to ASCII case.
    pub nocase: bool,
    /// Only rows of which this holds.
    pub filter: Option<Plan>,
    /// Why it exists, e.g. "declared at schema/posts.toml:20", "relation `author`" or "for the
    /// list rule of posts (schema/posts.toml:7)".
    pub reason: String,
}

/// One rule. Locked is the default; there is no "missing".
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// Superusers only.
    Locked,
    /// Everyone.
    Public,
    /// Whoever satisfies it.
    When(CompiledRule),
}

/// A rule that was typed and lowered.
#[derive(Debug, Clone, PartialEq)]
pub struct CompiledRule {
    /// The text as written.
    pub text: String,
    /// Its meaning.
    pub plan: Plan,
    /// The collections whose rows it reads besides its own, in order.
    pub reads: Vec<CollectionId>,
    /// Where it stands.
    pub location: Location,
}

/// All rules of a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Who may list, and what.
    pub list: Rule,
    /// Who may view which record.
    pub view: Rule,
    /// Who may create what.
    pub create: Rule,
    /// Who may update which record.
    pub update: Rule,
    /// Who may delete which record.
    pub delete: Rule,
    /// Which records may log in (auth collections).
    pub auth: Rule,
    /// Who manages which account (auth collections).
    pub manage: Rule,
}

impl Rules {
    /// Each rule with its name, in the order of the schema files.
    pub fn named(&self) -> [(&'static str, &Rule); 7] {
        [
            ("list", &self.list),
            ("view", &self.view),
            ("create", &self.create),
            ("update", &self.update),
            ("delete", &self.delete),
            ("auth", &self.auth),
            ("manage", &self.manage),
        ]
    }
}

impl FieldKind {
    /// Several values?
    pub fn is_many(&self) -> bool {
        match self {
            FieldKind::Select { max_select, .. } | FieldKind::Relation { max_select, .. } => {
                *max_select > 1
            }
            _ => false,
        }
    }
}

impl Schema {
    /// The collection with this exact name.
    pub fn collection(&self, name: &str) -> Option<&Collection> {
        self.collections
            .iter()
            .find(|collection| collection.name.wire == name)
    }
}
