//! The file format as data: which keys a table takes and of which shape their values are. The
//! reader checks files against it, and the JSON Schema for editors is made from it.

/// One key of a table.
#[derive(Debug)]
pub struct Key {
    /// As written in the file.
    pub name: &'static str,
    /// What its value must be.
    pub shape: Shape,
    /// Must it be there?
    pub required: bool,
    /// One line for people.
    pub doc: &'static str,
}

/// What a value must be.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A string.
    Text,
    /// true or false.
    Bool,
    /// A whole number from 0 to 2^53 - 1.
    Count,
    /// Any finite number.
    Number,
    /// A string, or a TOML date.
    Date,
    /// A list of strings.
    Texts,
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// Whatever JSON can say.
    Any,
    /// A string, or `false` for superusers only.
    Rule,
    /// A table with these keys.
    Table(&'static [Key]),
    /// A list of tables with these keys.
    Tables(&'static [Key]),
    /// The fields: any names, each a table whose `type` decides on its keys.
    Fields,
}

const fn key(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key {
        name,
        shape,
        required: false,
        doc,
    }
}

const fn required(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key {
        name,
        shape,
        required: true,
        doc,
    }
}

/// The types of collections, those that are not supported yet included.
pub const COLLECTION_TYPES: &[&str] = &["base", "auth", "view"];

/// Choices that are known, but refused.
pub const UNSUPPORTED: &[&str] = &["view"];

/// The file as a whole.
pub const FILE: &[Key] = &[
    required(
        "name",
        Shape::Text,
        "The collection's name, as it stands in URLs.",
    ),
    key(
        "id",
        Shape::Text,
        "Its id; without it, one is made from type and name.",
    ),
    key(
        "type",
        Shape::Choice(COLLECTION_TYPES),
        "`base` (the default), or `auth` for records that can log in.",
    ),
    key(
        "renamed_from",
        Shape::Text,
        "The name before, so that a migration renames and keeps the data.",
    ),
    key(
        "rules",
        Shape::Table(RULES),
        "Who may do what. Absent: superusers only. Empty text: everyone.",
    ),
    key(
        "fields",
        Shape::Fields,
        "The fields, in the order of the file; `id` is implied.",
    ),
    key("indexes", Shape::Tables(INDEX), "Indexes of the table."),
    ALLOW,
    key(
        "imported",
        Shape::Bool,
        "From PocketBase: rules that it takes, but that are mistakes here, are warnings.",
    ),
    key(
        "auth",
        Shape::Table(AUTH),
        "How records of an auth collection log in.",
    ),
];

/// `[rules]`
pub const RULES: &[Key] = &[
    key("list", Shape::Text, "Which records may be listed."),
    key("view", Shape::Text, "Which records may be viewed."),
    key("create", Shape::Text, "Which records may be created."),
    key("update", Shape::Text, "Which records may be updated."),
    key("delete", Shape::Text, "Which records may be deleted."),
    key(
        "auth",
        Shape::Rule,
        "Auth collections: which records may log in; everyone if absent, `false`: none.",
    ),
    key(
        "manage",
        Shape::Text,
        "Auth collections: who may manage accounts of others.",
    ),
];

/// `[[indexes]]`
pub const INDEX: &[Key] = &[
    required("fields", Shape::Texts, "The fields, in order."),
    key(
        "name",
        Shape::Text,
        "Its name in the database; without it, one is made.",
    ),
    key("unique", Shape::Bool, "Refuse duplicates."),
    key(
        "collation",
        Shape::Choice(&["nocase"]),
        "`nocase`: ASCII case makes no difference.",
    ),
    key(
        "where",
        Shape::Text,
        "Only rows of which this holds: own fields and literals, written like a rule.",
    ),
];

/// `[auth]`
pub const AUTH: &[Key] = &[
    key(
        "password",
        Shape::Table(AUTH_PASSWORD),
        "Login by password.",
    ),
    key(
        "token",
        Shape::Table(AUTH_TOKEN),
        "The token that a login gives.",
    ),
];

const AUTH_PASSWORD: &[Key] = &[
    key(
        "enabled",
        Shape::Bool,
        "May records log in by password? Default: true.",
    ),
    key(
        "identity_fields",
        Shape::Texts,
        "What identifies a record at login. Default: email.",
    ),
];

const AUTH_TOKEN: &[Key] = &[key(
    "duration",
    Shape::Count,
    "Lifetime in seconds, 10 to 94670856. Default: 432000.",
)];

/// A field's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// text
    Text,
    /// editor
    Editor,
    /// number
    Number,
    /// bool
    Bool,
    /// email
    Email,
    /// url
    Url,
    /// date
    Date,
    /// autodate
    Autodate,
    /// select
    Select,
    /// relation
    Relation,
    /// json
    Json,
    /// password
    Password,
    /// geoPoint
    GeoPoint,
}

const DEFAULT: Key = key(
    "default",
    Shape::Any,
    "What a create without the field stores.",
);
const HIDDEN: Key = key("hidden", Shape::Bool, "Shown to superusers only.");
const PRESENTABLE: Key = key(
    "presentable",
    Shape::Bool,
    "For admin interfaces: part of a record's short form.",
);
const READ: Key = key(
    "read",
    Shape::Rule,
    "Who may see the field of which record: a rule, or `false` for superusers only. Absent: whoever may see the record.",
);
const WRITE: Key = key(
    "write",
    Shape::Rule,
    "Who may set the field of which record: a rule, or `false` for superusers only. Absent: whoever may write the record.",
);
const ALLOW: Key = key(
    "allow",
    Shape::Texts,
    "Warnings about this that are known, such as `leak::unique`.",
);
const RENAMED_FROM: Key = key(
    "renamed_from",
    Shape::Text,
    "The name before, so that a migration keeps the data.",
);

/// What every type but autodate takes.
const COMMON: &[Key] = &[
    key(
        "required",
        Shape::Bool,
        "Must not be the zero value (empty, 0, false).",
    ),
    key(
        "present",
        Shape::Bool,
        "Must be given at creation; zero and false are fine.",
    ),
    key("nullable", Shape::Bool, "May be null."),
    DEFAULT,
    HIDDEN,
    READ,
    WRITE,
    PRESENTABLE,
    ALLOW,
    key(
        "help",
        Shape::Text,
        "For admin interfaces: a hint below the input.",
    ),
    RENAMED_FROM,
];

const DOMAINS: &[Key] = &[
    key("only_domains", Shape::Texts, "Accept these domains only."),
    key(
        "except_domains",
        Shape::Texts,
        "Accept all but these domains.",
    ),
];

const PATTERN: Key = key(
    "pattern",
    Shape::Text,
    "A regular expression that the value must match (anywhere, unless anchored).",
);

const AUTODATE: &[Key] = &[
    key("on_create", Shape::Bool, "Set at creation."),
    key("on_update", Shape::Bool, "Set at each update."),
    DEFAULT,
    HIDDEN,
    READ,
    PRESENTABLE,
    ALLOW,
    RENAMED_FROM,
];

const TEXT: &[Key] = &[
    key("min", Shape::Count, "Least number of characters."),
    key(
        "max",
        Shape::Count,
        "Greatest number of characters; 0 is 5000.",
    ),
    PATTERN,
    key(
        "autogenerate",
        Shape::Text,
        "A pattern by which a missing value is made.",
    ),
    key(
        "generate",
        Shape::Choice(&["uuidv7", "client"]),
        "How a missing value is made: a UUID version 7; or, for `id`, not at all (the client gives it).",
    ),
];

const EDITOR: &[Key] = &[
    key(
        "max_size",
        Shape::Count,
        "Greatest number of bytes; 0 is 5 MiB.",
    ),
    key("convert_urls", Shape::Bool, "For admin interfaces."),
];

const NUMBER: &[Key] = &[
    key(
        "min",
        Shape::Number,
        "Least value (0 is always accepted unless required).",
    ),
    key("max", Shape::Number, "Greatest value."),
    key("only_int", Shape::Bool, "Whole numbers only."),
];

const DATE: &[Key] = &[
    key("min", Shape::Date, "Earliest date, in UTC."),
    key("max", Shape::Date, "Latest date, in UTC."),
];

const SELECT: &[Key] = &[
    required("values", Shape::Texts, "What may be chosen."),
    key(
        "max_select",
        Shape::Count,
        "How many may be chosen; 0 and 1: a single value. Default: 1.",
    ),
];

const RELATION: &[Key] = &[
    required(
        "collection",
        Shape::Text,
        "The name of the collection that it points to.",
    ),
    key(
        "min_select",
        Shape::Count,
        "Least number of records, unless empty.",
    ),
    key(
        "max_select",
        Shape::Count,
        "Greatest number of records; 0 and 1: a single one. Default: 1.",
    ),
    key(
        "cascade_delete",
        Shape::Bool,
        "Delete this record with the one that it points to.",
    ),
];

const JSON: &[Key] = &[key(
    "max_size",
    Shape::Count,
    "Greatest number of bytes; 0 is 1 MiB.",
)];

const PASSWORD: &[Key] = &[
    key("min", Shape::Count, "Least number of characters, up to 71."),
    key(
        "max",
        Shape::Count,
        "Greatest number of characters; 0 is 71.",
    ),
    PATTERN,
    key(
        "cost",
        Shape::Count,
        "Accepted for schemas of PocketBase; has no effect.",
    ),
];

impl FieldType {
    /// All types, in the order of the documentation.
    pub const ALL: &'static [FieldType] = &[
        FieldType::Text,
        FieldType::Editor,
        FieldType::Number,
        FieldType::Bool,
        FieldType::Email,
        FieldType::Url,
        FieldType::Date,
        FieldType::Autodate,
        FieldType::Select,
        FieldType::Relation,
        FieldType::Json,
        FieldType::Password,
        FieldType::GeoPoint,
    ];

    /// As written in the file.
    pub fn name(self) -> &'static str {
        match self {
            FieldType::Text => "text",
            FieldType::Editor => "editor",
            FieldType::Number => "number",
            FieldType::Bool => "bool",
            FieldType::Email => "email",
            FieldType::Url => "url",
            FieldType::Date => "date",
            FieldType::Autodate => "autodate",
            FieldType::Select => "select",
            FieldType::Relation => "relation",
            FieldType::Json => "json",
            FieldType::Password => "password",
            FieldType::GeoPoint => "geoPoint",
        }
    }

    /// The type of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The keys that a field of this type takes beside `type`.
    pub fn keys(self) -> impl Iterator<Item = &'static Key> {
        let (own, common): (&[Key], &[Key]) = match self {
            FieldType::Text => (TEXT, COMMON),
            FieldType::Editor => (EDITOR, COMMON),
            FieldType::Number => (NUMBER, COMMON),
            FieldType::Bool | FieldType::GeoPoint => (&[], COMMON),
            FieldType::Email | FieldType::Url => (DOMAINS, COMMON),
            FieldType::Date => (DATE, COMMON),
            FieldType::Autodate => (AUTODATE, &[]),
            FieldType::Select => (SELECT, COMMON),
            FieldType::Relation => (RELATION, COMMON),
            FieldType::Json => (JSON, COMMON),
            FieldType::Password => (PASSWORD, COMMON),
        };
        own.iter().chain(common)
    }
}
