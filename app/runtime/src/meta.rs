//! What the generated code declares about each collection: names, options, indexes. Constants.

/// One collection, as declared in its schema file.
#[derive(Debug)]
pub struct CollectionMeta {
    /// The id, which old clients may use in the place of the name.
    pub id: &'static str,
    /// The name on the wire and of the table.
    pub name: &'static str,
    /// A built-in one, such as `_superusers`.
    pub system: bool,
    /// The fields: `id` first, then the implied ones of auth collections, then the file's order.
    pub fields: &'static [FieldMeta],
    /// The unique indexes, which decide what a unique violation reports and how logins compare.
    pub unique: &'static [UniqueIndex],
    /// The options of an auth collection; `None` for a base collection.
    pub auth: Option<&'static AuthMeta>,
    /// Where it is declared, e.g. `schema/posts.toml`.
    pub source: &'static str,
}

/// A unique index.
#[derive(Debug)]
pub struct UniqueIndex {
    /// Its name in the database.
    pub name: &'static str,
    /// Its columns, as places in [`CollectionMeta::fields`].
    pub fields: &'static [usize],
    /// Compares without regard to ASCII case.
    pub nocase: bool,
    /// Has a `where`, so that not every record is in it.
    pub partial: bool,
}

/// The options of an auth collection.
#[derive(Debug)]
pub struct AuthMeta {
    /// May records log in with a password?
    pub password_enabled: bool,
    /// The fields that identify a record at login, as places in the field list, in order.
    pub identity_fields: &'static [usize],
    /// Lifetime of an auth token in seconds.
    pub token_seconds: u64,
}

/// One field.
#[derive(Debug)]
pub struct FieldMeta {
    /// The name on the wire and of the column.
    pub name: &'static str,
    /// Type and options.
    pub kind: FieldKind,
    /// Shown to superusers only.
    pub hidden: bool,
    /// The peer's `required`: must not be the zero value.
    pub required: bool,
    /// Must be given at creation; zero and false are fine.
    pub present: bool,
    /// May be null, on the wire and in the table.
    pub nullable: bool,
    /// What a create without the field stores, as JSON text.
    pub default: Option<&'static str>,
    /// A multiple select of which few lists occur, with an index that tells which.
    pub dictionary: bool,
}

/// A field's type with its options. Zero means "the peer's default" where the peer says so.
#[derive(Debug)]
pub enum FieldKind {
    /// text; the primary key `id` is one too.
    Text {
        /// Least number of code points.
        min: u64,
        /// Greatest number of code points; 0 is 5000.
        max: u64,
        /// A regular expression that the value must match, or empty.
        pattern: &'static str,
        /// How a missing value is made at creation.
        generate: Generate,
    },
    /// editor (HTML)
    Editor {
        /// Greatest size in bytes; 0 is 5 MiB.
        max_size: u64,
    },
    /// number (64-bit float)
    Number {
        /// Least value.
        min: Option<f64>,
        /// Greatest value.
        max: Option<f64>,
        /// No fractions.
        only_int: bool,
    },
    /// bool
    Bool,
    /// email
    Email {
        /// Domains that are allowed; empty allows all.
        only_domains: &'static [&'static str],
        /// Domains that are refused.
        except_domains: &'static [&'static str],
    },
    /// url
    Url {
        /// Hosts that are allowed; empty allows all.
        only_domains: &'static [&'static str],
        /// Hosts that are refused.
        except_domains: &'static [&'static str],
    },
    /// date
    Date {
        /// Earliest, in stored form, or empty.
        min: &'static str,
        /// Latest, in stored form, or empty.
        max: &'static str,
    },
    /// autodate
    Autodate {
        /// Set at creation.
        on_create: bool,
        /// Set at each update.
        on_update: bool,
    },
    /// select
    Select {
        /// What may be chosen.
        values: &'static [&'static str],
        /// How many at most; 1 is a single select.
        max_select: u64,
    },
    /// relation
    Relation {
        /// Name of the target collection.
        collection: &'static str,
        /// How many at least (checked when not empty).
        min_select: u64,
        /// How many at most; 1 is a single relation.
        max_select: u64,
        /// Deleting the last target deletes this record.
        cascade_delete: bool,
    },
    /// json
    Json {
        /// Greatest size in bytes; 0 is 1 MiB.
        max_size: u64,
    },
    /// password (argon2id hash in the table, never on the wire)
    Password {
        /// Least number of code points.
        min: u64,
        /// Greatest number of code points; 0 is 71.
        max: u64,
        /// A regular expression that the value must match, or empty.
        pattern: &'static str,
    },
    /// geoPoint
    GeoPoint,
}

/// How a missing text value is made at creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generate {
    /// Not at all.
    Nothing,
    /// Random, by a pattern such as `[a-z0-9]{15}`.
    Pattern(&'static str),
    /// A UUID version 7, which sorts by time.
    UuidV7,
}

impl FieldMeta {
    /// A field that is neither hidden, required nor nullable, without a default.
    pub const fn new(name: &'static str, kind: FieldKind) -> Self {
        FieldMeta {
            name,
            kind,
            hidden: false,
            required: false,
            present: false,
            nullable: false,
            default: None,
            dictionary: false,
        }
    }

    /// Shown to superusers only.
    pub const fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Must not be the zero value.
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Must be given at creation.
    pub const fn present(mut self) -> Self {
        self.present = true;
        self
    }

    /// May be null.
    pub const fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// Conditions on it may be decided once for each list that occurs.
    pub const fn dictionary(mut self) -> Self {
        self.dictionary = true;
        self
    }

    /// What a create without the field stores, as JSON text.
    pub const fn default(mut self, json: &'static str) -> Self {
        self.default = Some(json);
        self
    }
}

impl FieldKind {
    /// Several values (select or relation with `max_select` over 1)?
    pub fn is_many(&self) -> bool {
        match self {
            FieldKind::Select { max_select, .. } | FieldKind::Relation { max_select, .. } => {
                *max_select > 1
            }
            _ => false,
        }
    }
}

impl CollectionMeta {
    /// The place of the field with this exact name.
    pub fn field_index(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// The field at a place; ids from the planner are always in range.
    pub fn field(&self, index: usize) -> Option<&'static FieldMeta> {
        self.fields.get(index)
    }
}
