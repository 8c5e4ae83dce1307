//! What a schema means to the database, and nothing else: the part of the model that migrations
//! are made from. One is kept beside each migration, so that the next one knows where it starts.

use serde::{Deserialize, Serialize};
use serde_json::Value as JsonValue;

use crate::ddl;
use crate::diff::Problem;
use crate::ir;

/// The format that this version writes and reads.
pub const VERSION: u32 = 1;

/// All tables after a migration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// The format of this file.
    pub version: u32,
    /// The collections, by name.
    pub collections: Vec<Collection>,
}

/// One collection: a table, and a join table for each multiple relation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collection {
    /// Its name, which is the table's.
    pub name: String,
    /// Its fields; the order is that of the schema and means nothing to the database.
    pub fields: Vec<Field>,
    /// Its indexes, in the order in which they are made for a new table.
    pub indexes: Vec<Index>,
}

/// One field: a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Its name, which is the column's.
    pub name: String,
    /// Its type.
    #[serde(flatten)]
    pub kind: Kind,
    /// May be null.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nullable: bool,
    /// What a record has that was made without the field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<JsonValue>,
}

/// A field's type, with the options that matter to stored values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Kind {
    /// text, and every `id`
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
    Select {
        /// What may be chosen.
        values: Vec<String>,
        /// Several at a time.
        many: bool,
    },
    /// relation
    Relation {
        /// The target's name.
        collection: String,
        /// Several at a time.
        many: bool,
    },
    /// json
    Json,
    /// password
    Password,
    /// geoPoint
    GeoPoint,
}

/// One index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// Its name in the database.
    pub name: String,
    /// Its columns.
    pub columns: Vec<String>,
    /// Refuses duplicates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unique: bool,
    /// Compares without regard to ASCII case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nocase: bool,
    /// The condition of a partial index, as SQL.
    #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// Why it exists; for people, never compared.
    pub reason: String,
}

impl Snapshot {
    /// The database before the first migration.
    pub fn empty() -> Self {
        Snapshot {
            version: VERSION,
            collections: Vec::new(),
        }
    }

    /// What the database of this schema must look like. Fails on an index whose condition no
    /// database could check, naming each.
    pub fn of(schema: &ir::Schema) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut collections: Vec<Collection> = schema
            .collections
            .iter()
            .map(|collection| collection_of(schema, collection, &mut problems))
            .collect();
        collections.sort_by(|left, right| left.name.cmp(&right.name));
        if problems.is_empty() {
            Ok(Snapshot {
                version: VERSION,
                collections,
            })
        } else {
            Err(problems)
        }
    }

    /// Reads `snapshot.json`. The message says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let snapshot: Snapshot =
            serde_json::from_str(text).map_err(|error| format!("is no snapshot: {error}"))?;
        if snapshot.version == VERSION {
            Ok(snapshot)
        } else {
            Err(format!(
                "has format {}, but this program knows format {VERSION}",
                snapshot.version
            ))
        }
    }

    /// The text of `snapshot.json`: the same snapshot gives the same bytes.
    pub fn to_json(&self) -> String {
        // Structs of strings, bools and JSON values: there is nothing that could fail.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The collection with this exact name.
    pub fn collection(&self, name: &str) -> Option<&Collection> {
        self.collections.iter().find(|it| it.name == name)
    }

    /// The collection with this exact name, to be changed.
    pub fn collection_mut(&mut self, name: &str) -> Option<&mut Collection> {
        self.collections.iter_mut().find(|it| it.name == name)
    }
}

impl Collection {
    /// The field with this exact name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|it| it.name == name)
    }
}

impl Field {
    /// The target, if this is a relation to several records: it has a join table.
    pub fn link_target(&self) -> Option<&str> {
        match &self.kind {
            Kind::Relation {
                collection,
                many: true,
            } => Some(collection),
            _ => None,
        }
    }
}

impl Kind {
    /// As a schema file calls it.
    pub fn describe(&self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Editor => "editor",
            Kind::Number => "number",
            Kind::Bool => "bool",
            Kind::Email => "email",
            Kind::Url => "url",
            Kind::Date => "date",
            Kind::Autodate => "autodate",
            Kind::Select { many: false, .. } => "select",
            Kind::Select { many: true, .. } => "multiple select",
            Kind::Relation { many: false, .. } => "relation",
            Kind::Relation { many: true, .. } => "multiple relation",
            Kind::Json => "json",
            Kind::Password => "password",
            Kind::GeoPoint => "geoPoint",
        }
    }
}

impl Index {
    /// The same to the database?
    pub fn same(&self, other: &Index) -> bool {
        self.name == other.name
            && self.columns == other.columns
            && self.unique == other.unique
            && self.nocase == other.nocase
            && self.filter == other.filter
    }
}

fn collection_of(
    schema: &ir::Schema,
    collection: &ir::Collection,
    problems: &mut Vec<Problem>,
) -> Collection {
    let fields: Vec<Field> = collection
        .fields
        .iter()
        .map(|field| field_of(schema, field))
        .collect();
    let indexes = collection
        .indexes
        .iter()
        .map(|index| index_of(collection, &fields, index, problems))
        .collect();
    Collection {
        name: collection.name.wire.clone(),
        fields,
        indexes,
    }
}

fn field_of(schema: &ir::Schema, field: &ir::Field) -> Field {
    Field {
        name: field.name.wire.clone(),
        kind: kind_of(schema, &field.kind),
        nullable: field.nullable,
        default: field.default.clone().filter(|value| !value.is_null()),
    }
}

fn kind_of(schema: &ir::Schema, kind: &ir::FieldKind) -> Kind {
    let many = kind.is_many();
    match kind {
        ir::FieldKind::Text { .. } => Kind::Text,
        ir::FieldKind::Editor { .. } => Kind::Editor,
        ir::FieldKind::Number { .. } => Kind::Number,
        ir::FieldKind::Bool => Kind::Bool,
        ir::FieldKind::Email { .. } => Kind::Email,
        ir::FieldKind::Url { .. } => Kind::Url,
        ir::FieldKind::Date { .. } => Kind::Date,
        ir::FieldKind::Autodate { .. } => Kind::Autodate,
        ir::FieldKind::Select { values, .. } => Kind::Select {
            values: values.iter().map(|value| value.wire.clone()).collect(),
            many,
        },
        ir::FieldKind::Relation { target, .. } => Kind::Relation {
            collection: schema
                .collections
                .get(target.0)
                .map(|target| target.name.wire.clone())
                .unwrap_or_default(),
            many,
        },
        ir::FieldKind::Json { .. } => Kind::Json,
        ir::FieldKind::Password { .. } => Kind::Password,
        ir::FieldKind::GeoPoint => Kind::GeoPoint,
    }
}

fn index_of(
    collection: &ir::Collection,
    fields: &[Field],
    index: &ir::Index,
    problems: &mut Vec<Problem>,
) -> Index {
    let filter = index.filter.as_ref().and_then(|plan| {
        ddl::filter::condition(fields, plan)
            .map_err(|what| {
                problems.push(Problem::mistake(format!(
                    "the condition of index `{}` of `{}` {what}",
                    index.name, collection.name.wire
                )));
            })
            .ok()
    });
    Index {
        name: index.name.clone(),
        columns: index
            .columns
            .iter()
            .filter_map(|id| fields.get(id.0))
            .map(|field| field.name.clone())
            .collect(),
        unique: index.unique,
        nocase: index.nocase,
        filter,
        reason: index.reason.clone(),
    }
}
