//! The model as the rule language sees it.

use basalt_lang::schema::{CollectionId, Field, FieldId, FieldType, ListAccess, Schema};

use crate::ir::{self, CollectionKind, FieldKind};

/// Names and types of a schema, for compiling rules and filters against it.
#[derive(Debug, Clone)]
pub struct RuleView {
    collections: Vec<CollectionView>,
}

#[derive(Debug, Clone)]
struct CollectionView {
    id: String,
    name: String,
    is_auth: bool,
    access: ListAccess,
    fields: Vec<FieldView>,
}

#[derive(Debug, Clone)]
struct FieldView {
    name: String,
    kind: FieldType,
    hidden: bool,
    nullable: bool,
    values: Vec<String>,
    guarded_email: bool,
    read_rule: bool,
    required: bool,
    unique: bool,
}

impl RuleView {
    /// The view of a finished schema.
    pub fn new(schema: &ir::Schema) -> Self {
        Self::with_access(schema, |at| {
            match schema.collections.get(at).map(|found| &found.rules.list) {
                Some(ir::Rule::Public) => ListAccess::Public,
                Some(ir::Rule::When(_)) => ListAccess::Ruled,
                Some(ir::Rule::Locked) | None => ListAccess::Locked,
            }
        })
    }

    /// The view of a schema whose rules are not compiled yet.
    pub(super) fn with_access(schema: &ir::Schema, access: impl Fn(usize) -> ListAccess) -> Self {
        let collections = schema.collections.iter().enumerate();
        Self {
            collections: collections
                .map(|(at, collection)| CollectionView::new(collection, access(at)))
                .collect(),
        }
    }
}

impl CollectionView {
    fn new(collection: &ir::Collection, access: ListAccess) -> Self {
        let is_auth = matches!(collection.kind, CollectionKind::Auth(_));
        let fields = collection.fields.iter().enumerate();
        let unique = |at: usize| {
            let mut indexes = collection.indexes.iter();
            indexes.any(|it| it.unique && it.filter.is_none() && it.columns == [FieldId(at)])
        };
        Self {
            id: collection.id.clone(),
            name: collection.name.wire.clone(),
            is_auth,
            access,
            fields: fields
                .map(|(at, field)| FieldView {
                    name: field.name.wire.clone(),
                    kind: field_type(&field.kind),
                    hidden: field.hidden,
                    nullable: field.nullable,
                    values: values(&field.kind),
                    guarded_email: is_auth && field.system && field.name.wire == "email",
                    read_rule: field.read != ir::Rule::Public,
                    required: field.required,
                    unique: unique(at),
                })
                .collect(),
        }
    }
}

fn values(kind: &FieldKind) -> Vec<String> {
    match kind {
        FieldKind::Select { values, .. } => values.iter().map(|value| value.wire.clone()).collect(),
        _ => Vec::new(),
    }
}

/// What rules care about in a field's type.
fn field_type(kind: &FieldKind) -> FieldType {
    match kind {
        FieldKind::Text { .. }
        | FieldKind::Editor { .. }
        | FieldKind::Email { .. }
        | FieldKind::Url { .. }
        | FieldKind::Password { .. } => FieldType::Text,
        FieldKind::Number { .. } => FieldType::Number,
        FieldKind::Bool => FieldType::Bool,
        FieldKind::Date { .. } | FieldKind::Autodate { .. } => FieldType::Date,
        FieldKind::Select { .. } if kind.is_many() => FieldType::Choices,
        FieldKind::Select { .. } => FieldType::Choice,
        FieldKind::Relation { target, .. } if kind.is_many() => FieldType::Many(*target),
        FieldKind::Relation { target, .. } => FieldType::One(*target),
        FieldKind::Json { .. } => FieldType::Json,
        FieldKind::GeoPoint => FieldType::GeoPoint,
    }
}

impl Schema for RuleView {
    fn collection(&self, name_or_id: &str) -> Option<CollectionId> {
        let by_id = self.collections.iter().position(|one| one.id == name_or_id);
        let same = |one: &CollectionView| one.name.eq_ignore_ascii_case(name_or_id);
        by_id
            .or_else(|| self.collections.iter().position(same))
            .map(CollectionId)
    }

    fn name(&self, collection: CollectionId) -> &str {
        self.collections
            .get(collection.0)
            .map_or("", |one| one.name.as_str())
    }

    fn is_auth(&self, collection: CollectionId) -> bool {
        self.collections
            .get(collection.0)
            .is_some_and(|one| one.is_auth)
    }

    fn list_access(&self, collection: CollectionId) -> ListAccess {
        self.collections
            .get(collection.0)
            .map_or(ListAccess::Locked, |one| one.access)
    }

    fn fields(&self, collection: CollectionId) -> Vec<Field<'_>> {
        let Some(collection) = self.collections.get(collection.0) else {
            return Vec::new();
        };
        let fields = collection.fields.iter().enumerate();
        fields
            .map(|(at, field)| Field {
                id: FieldId(at),
                name: &field.name,
                kind: field.kind,
                hidden: field.hidden,
                nullable: field.nullable,
                values: &field.values,
                guarded_email: field.guarded_email,
                read_rule: field.read_rule,
                required: field.required,
                unique: field.unique,
            })
            .collect()
    }

    fn len(&self) -> usize {
        self.collections.len()
    }
}
