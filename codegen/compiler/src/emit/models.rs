//! The struct of a record, and its fields by place.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::render::Item;
use super::{Unit, ident, place};
use crate::ir::{Collection, Field, FieldKind};

/// The struct, the places of its fields, and what generic code does with it.
pub(super) fn emit(unit: &Unit<'_>) -> Vec<Item> {
    vec![
        model(unit.collection),
        places(unit.collection),
        record(unit.collection),
    ]
}

fn model(collection: &Collection) -> Item {
    let (name, table) = (ident::model(collection), ident::table(collection));
    let fields = collection.fields.iter().map(|field| {
        let (doc, column) = (format!(" {}", place(&field.location)), ident::column(field));
        let kind = field_type(collection, field);
        quote! {
            #[doc = #doc]
            pub #column: #kind,
        }
    });
    Item::new(
        format!("A record of `{}`.", collection.name.wire),
        quote! {
            #[derive(Debug, Clone, Default, PartialEq)]
            #[derive(::diesel::Queryable, ::diesel::Selectable, ::diesel::Insertable)]
            #[diesel(table_name = #table, treat_none_as_default_value = false)]
            pub struct #name {
                #(#fields)*
            }
        },
    )
}

/// The Rust type of a field.
fn field_type(collection: &Collection, field: &Field) -> TokenStream {
    let many = field.kind.is_many();
    let plain = match &field.kind {
        FieldKind::Number { .. } => quote! { f64 },
        FieldKind::Bool => quote! { bool },
        FieldKind::Date { .. } | FieldKind::Autodate { .. } => quote! { value::DateTime },
        FieldKind::Json { .. } => quote! { value::Json },
        FieldKind::GeoPoint => quote! { value::GeoPoint },
        FieldKind::Relation { .. } if many => quote! { value::List },
        FieldKind::Relation { .. } => return quote! { value::Link },
        FieldKind::Select { .. } => {
            let values = ident::choices(collection, field);
            if many {
                quote! { value::Choices<#values> }
            } else {
                quote! { value::Choice<#values> }
            }
        }
        FieldKind::Text { .. }
        | FieldKind::Editor { .. }
        | FieldKind::Email { .. }
        | FieldKind::Url { .. }
        | FieldKind::Password { .. } => quote! { String },
    };
    if field.nullable {
        quote! { Option<#plain> }
    } else {
        plain
    }
}

fn places(collection: &Collection) -> Item {
    let constants = collection.fields.iter().enumerate().map(|(place, field)| {
        let (name, place) = (ident::constant(field), Literal::usize_unsuffixed(place));
        let doc = format!(" `{}`", field.name.wire);
        quote! {
            #[doc = #doc]
            pub const #name: usize = #place;
        }
    });
    Item::new(
        format!("The places of the fields of `{}`.", collection.name.wire),
        quote! { pub mod field { #(#constants)* } },
    )
}

fn record(collection: &Collection) -> Item {
    let name = ident::model(collection);
    let (get, set): (Vec<_>, Vec<_>) = collection
        .fields
        .iter()
        .map(|field| {
            let (place, column) = (ident::constant(field), ident::column(field));
            (
                quote! { field::#place => self.#column.get(), },
                quote! { field::#place => self.#column.set(value), },
            )
        })
        .unzip();
    Item::new(
        "",
        quote! {
            impl collection::Record for #name {
                fn meta(&self) -> &'static meta::CollectionMeta {
                    &META
                }
                fn id(&self) -> &str {
                    &self.id
                }
                fn get(&self, field: usize) -> value::ValueRef<'_> {
                    match field {
                        #(#get)*
                        _ => value::ValueRef::Null,
                    }
                }
                fn set(&mut self, field: usize, value: value::Value) {
                    match field {
                        #(#set)*
                        _ => {}
                    }
                }
            }
        },
    )
}
