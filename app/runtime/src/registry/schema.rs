//! What the filter language must know of the registered collections.

use basalt_lang::schema::{CollectionId, Field, FieldId, FieldType, ListAccess, Schema};

use super::{Action, Entry, FieldGuard, Registry, RuleState};
use crate::meta::{CollectionMeta, FieldKind, FieldMeta};

/// A field as the filter language sees it, with the select values it lends out.
pub(super) struct OwnedField {
    name: &'static str,
    kind: FieldType,
    hidden: bool,
    nullable: bool,
    values: Vec<String>,
    guarded_email: bool,
    read_rule: bool,
    required: bool,
    unique: bool,
}

/// The fields of one collection; `names` are all collections in the registry's order.
pub(super) fn owned_fields(
    meta: &CollectionMeta,
    names: &[&str],
    guards: &[FieldGuard],
) -> Vec<OwnedField> {
    let read_rule = |place: usize| {
        let mut guards = guards.iter();
        guards.any(|guard| guard.field == place && guard.read != RuleState::Public)
    };
    let unique = |place: usize| {
        let mut indexes = meta.unique.iter();
        indexes.any(|index| !index.partial && index.fields == [place])
    };
    let one = |(place, field): (usize, &FieldMeta)| OwnedField {
        name: field.name,
        kind: field_type(&field.kind, names),
        hidden: field.hidden,
        nullable: field.nullable,
        values: select_values(&field.kind),
        guarded_email: meta.auth.is_some() && field.name == "email",
        read_rule: read_rule(place),
        required: field.required,
        unique: unique(place),
    };
    meta.fields.iter().enumerate().map(one).collect()
}

fn field_type(kind: &FieldKind, names: &[&str]) -> FieldType {
    match kind {
        FieldKind::Text { .. }
        | FieldKind::Editor { .. }
        | FieldKind::Email { .. }
        | FieldKind::Url { .. }
        | FieldKind::Password { .. } => FieldType::Text,
        FieldKind::Number { .. } => FieldType::Number,
        FieldKind::Bool => FieldType::Bool,
        FieldKind::Date { .. } | FieldKind::Autodate { .. } => FieldType::Date,
        FieldKind::Json { .. } => FieldType::Json,
        FieldKind::GeoPoint => FieldType::GeoPoint,
        FieldKind::Select { .. } if kind.is_many() => FieldType::Choices,
        FieldKind::Select { .. } => FieldType::Choice,
        FieldKind::Relation { collection, .. } => {
            match names.iter().position(|name| name == collection) {
                Some(place) if kind.is_many() => FieldType::Many(CollectionId(place)),
                Some(place) => FieldType::One(CollectionId(place)),
                // A target that this registry lacks: its ids are still text.
                None => FieldType::Text,
            }
        }
    }
}

fn select_values(kind: &FieldKind) -> Vec<String> {
    match kind {
        FieldKind::Select { values, .. } => values.iter().map(|&value| value.to_owned()).collect(),
        _ => Vec::new(),
    }
}

impl Registry {
    fn at(&self, collection: CollectionId) -> Option<&Entry> {
        self.entries().get(collection.0).map(AsRef::as_ref)
    }
}

impl Schema for Registry {
    fn collection(&self, name_or_id: &str) -> Option<CollectionId> {
        self.find(name_or_id).map(|entry| entry.place)
    }

    fn name(&self, collection: CollectionId) -> &str {
        self.at(collection).map_or("", |entry| entry.meta().name)
    }

    fn is_auth(&self, collection: CollectionId) -> bool {
        self.at(collection)
            .is_some_and(|entry| entry.meta().auth.is_some())
    }

    fn list_access(&self, collection: CollectionId) -> ListAccess {
        match self
            .at(collection)
            .map(|entry| entry.rule_state(Action::List))
        {
            Some(RuleState::Public) => ListAccess::Public,
            Some(RuleState::When) => ListAccess::Ruled,
            Some(RuleState::Locked) | None => ListAccess::Locked,
        }
    }

    fn fields(&self, collection: CollectionId) -> Vec<Field<'_>> {
        let fields = self.at(collection).map_or(&[][..], |entry| &entry.fields);
        fields
            .iter()
            .enumerate()
            .map(|(place, field)| lend(place, field))
            .collect()
    }

    fn len(&self) -> usize {
        self.entries().len()
    }
}

fn lend(place: usize, field: &OwnedField) -> Field<'_> {
    Field {
        id: FieldId(place),
        name: field.name,
        kind: field.kind,
        hidden: field.hidden,
        nullable: field.nullable,
        values: &field.values,
        guarded_email: field.guarded_email,
        read_rule: field.read_rule,
        required: field.required,
        unique: field.unique,
    }
}
