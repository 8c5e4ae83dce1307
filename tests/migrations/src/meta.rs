//! The metadata that generated code would hold for a schema, made at run time, so that the check
//! whether a database fits can be tried on any schema.

use basalt_codegen::ir;
use basalt_runtime::meta::{CollectionMeta, FieldKind, FieldMeta, Generate, UniqueIndex};

/// The metadata of all collections. Leaked, since metadata is static.
pub fn of(schema: &ir::Schema) -> Vec<&'static CollectionMeta> {
    schema
        .collections
        .iter()
        .map(|collection| leak(collection_meta(schema, collection)))
        .collect()
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn text(value: &str) -> &'static str {
    Box::leak(value.to_owned().into_boxed_str())
}

fn collection_meta(schema: &ir::Schema, collection: &ir::Collection) -> CollectionMeta {
    let fields: Vec<FieldMeta> = collection
        .fields
        .iter()
        .map(|field| FieldMeta {
            name: text(&field.name.wire),
            kind: kind(schema, &field.kind),
            hidden: field.hidden,
            required: field.required,
            present: field.present,
            nullable: field.nullable,
            default: None,
            dictionary: false,
        })
        .collect();
    let unique: Vec<UniqueIndex> = collection
        .indexes
        .iter()
        .filter(|index| index.unique)
        .map(|index| UniqueIndex {
            name: text(&index.name),
            fields: index
                .columns
                .iter()
                .map(|id| id.0)
                .collect::<Vec<_>>()
                .leak(),
            nocase: index.nocase,
            partial: index.filter.is_some(),
        })
        .collect();
    CollectionMeta {
        id: text(&collection.id),
        name: text(&collection.name.wire),
        system: collection.system,
        fields: fields.leak(),
        unique: unique.leak(),
        auth: None,
        source: "schema",
    }
}

/// The options that don't matter to the table are left at their zero.
fn kind(schema: &ir::Schema, kind: &ir::FieldKind) -> FieldKind {
    match kind {
        ir::FieldKind::Number { .. } => FieldKind::Number {
            min: None,
            max: None,
            only_int: false,
        },
        ir::FieldKind::Bool => FieldKind::Bool,
        ir::FieldKind::Select { max_select, .. } => FieldKind::Select {
            values: &[],
            max_select: *max_select,
        },
        ir::FieldKind::Relation {
            target, max_select, ..
        } => FieldKind::Relation {
            collection: text(&schema.collections[target.0].name.wire),
            min_select: 0,
            max_select: *max_select,
            cascade_delete: false,
        },
        ir::FieldKind::Json { .. } => FieldKind::Json { max_size: 0 },
        ir::FieldKind::GeoPoint => FieldKind::GeoPoint,
        _ => FieldKind::Text {
            min: 0,
            max: 0,
            pattern: "",
            generate: Generate::Nothing,
        },
    }
}
