//! Names, options and unique indexes as constants.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::render::Item;
use super::{Unit, ident, source};
use crate::ir::{
    AuthOptions, Collection, CollectionKind, Field, FieldId, FieldKind, Generate, Index,
};
use crate::needs;

/// The `META` of the collection.
pub(super) fn emit(unit: &Unit<'_>) -> Vec<Item> {
    let collection = unit.collection;
    let (id, name) = (&collection.id, &collection.name.wire);
    let (system, source) = (collection.system, source(&collection.location));
    let fields = collection
        .fields
        .iter()
        .map(|field| field_meta(unit, field));
    let unique = collection.indexes.iter().filter(|index| index.unique);
    let unique = unique.map(|index| unique_index(collection, index));
    let auth = match &collection.kind {
        CollectionKind::Base => quote! { None },
        CollectionKind::Auth(options) => auth(collection, options),
    };
    vec![Item::new(
        format!("What `{name}` is."),
        quote! {
            pub static META: meta::CollectionMeta = meta::CollectionMeta {
                id: #id,
                name: #name,
                system: #system,
                fields: &[#(#fields),*],
                unique: &[#(#unique),*],
                auth: #auth,
                source: #source,
            };
        },
    )]
}

fn unique_index(collection: &Collection, index: &Index) -> TokenStream {
    let (name, nocase, partial) = (&index.name, index.nocase, index.filter.is_some());
    let fields = places(collection, &index.columns);
    quote! {
        meta::UniqueIndex {
            name: #name,
            fields: &[#(#fields),*],
            nocase: #nocase,
            partial: #partial,
        }
    }
}

fn auth(collection: &Collection, options: &AuthOptions) -> TokenStream {
    let password = options.password_enabled;
    let identity = places(collection, &options.identity_fields);
    let seconds = Literal::u64_unsuffixed(options.token_seconds);
    quote! {
        Some(&meta::AuthMeta {
            password_enabled: #password,
            identity_fields: &[#(#identity),*],
            token_seconds: #seconds,
        })
    }
}

fn places(collection: &Collection, fields: &[FieldId]) -> Vec<TokenStream> {
    let fields = fields.iter().filter_map(|id| collection.fields.get(id.0));
    fields
        .map(|field| {
            let name = ident::constant(field);
            quote! { field::#name }
        })
        .collect()
}

/// `FieldMeta::new(…)` followed by what is not the usual.
fn field_meta(unit: &Unit<'_>, field: &Field) -> TokenStream {
    let (name, kind) = (&field.name.wire, field_kind(unit, &field.kind));
    let place = unit
        .collection
        .fields
        .iter()
        .position(|it| it.name == field.name);
    let dictionary = place.is_some_and(|at| needs::has_dictionary(unit.collection, FieldId(at)));
    let flags = [
        (field.hidden, "hidden"),
        (field.required, "required"),
        (field.present, "present"),
        (field.nullable, "nullable"),
        (dictionary, "dictionary"),
    ];
    let flags = flags.iter().filter(|(set, _)| *set).map(|(_, flag)| {
        let flag = ident::ident(flag);
        quote! { .#flag() }
    });
    let default = field.default.as_ref().map(|default| {
        let text = default.to_string();
        quote! { .default(#text) }
    });
    quote! { meta::FieldMeta::new(#name, #kind) #(#flags)* #default }
}

fn field_kind(unit: &Unit<'_>, kind: &FieldKind) -> TokenStream {
    match kind {
        FieldKind::Text {
            min,
            max,
            pattern,
            generate,
        } => text(*min, *max, pattern, generate),
        FieldKind::Editor { max_size } => sized("Editor", *max_size),
        FieldKind::Number { min, max, only_int } => number(*min, *max, *only_int),
        FieldKind::Bool => quote! { meta::FieldKind::Bool },
        FieldKind::Email {
            only_domains,
            except_domains,
        } => domains("Email", only_domains, except_domains),
        FieldKind::Url {
            only_domains,
            except_domains,
        } => domains("Url", only_domains, except_domains),
        FieldKind::Date { min, max } => quote! { meta::FieldKind::Date { min: #min, max: #max } },
        FieldKind::Autodate {
            on_create,
            on_update,
        } => quote! {
            meta::FieldKind::Autodate { on_create: #on_create, on_update: #on_update }
        },
        FieldKind::Select { values, max_select } => {
            let values = values.iter().map(|value| &value.wire);
            let max = Literal::u64_unsuffixed(*max_select);
            quote! { meta::FieldKind::Select { values: &[#(#values),*], max_select: #max } }
        }
        FieldKind::Relation {
            target,
            min_select,
            max_select,
            cascade_delete,
        } => {
            let target = unit.target(*target).map_or("", |target| &target.name.wire);
            let (min, max) = (
                Literal::u64_unsuffixed(*min_select),
                Literal::u64_unsuffixed(*max_select),
            );
            quote! {
                meta::FieldKind::Relation {
                    collection: #target,
                    min_select: #min,
                    max_select: #max,
                    cascade_delete: #cascade_delete,
                }
            }
        }
        FieldKind::Json { max_size } => sized("Json", *max_size),
        FieldKind::Password { min, max, pattern } => {
            let (min, max) = (Literal::u64_unsuffixed(*min), Literal::u64_unsuffixed(*max));
            quote! { meta::FieldKind::Password { min: #min, max: #max, pattern: #pattern } }
        }
        FieldKind::GeoPoint => quote! { meta::FieldKind::GeoPoint },
    }
}

fn text(min: u64, max: u64, pattern: &str, generate: &Generate) -> TokenStream {
    let (min, max) = (Literal::u64_unsuffixed(min), Literal::u64_unsuffixed(max));
    let generate = match generate {
        Generate::Nothing => quote! { meta::Generate::Nothing },
        Generate::Pattern(pattern) => quote! { meta::Generate::Pattern(#pattern) },
        Generate::UuidV7 => quote! { meta::Generate::UuidV7 },
    };
    quote! {
        meta::FieldKind::Text { min: #min, max: #max, pattern: #pattern, generate: #generate }
    }
}

fn sized(kind: &str, max_size: u64) -> TokenStream {
    let (kind, size) = (ident::ident(kind), Literal::u64_unsuffixed(max_size));
    quote! { meta::FieldKind::#kind { max_size: #size } }
}

fn domains(kind: &str, only: &[String], except: &[String]) -> TokenStream {
    let kind = ident::ident(kind);
    quote! {
        meta::FieldKind::#kind { only_domains: &[#(#only),*], except_domains: &[#(#except),*] }
    }
}

fn number(min: Option<f64>, max: Option<f64>, only_int: bool) -> TokenStream {
    let bound = |bound: Option<f64>| match bound {
        Some(bound) => {
            let bound = float(bound);
            quote! { Some(#bound) }
        }
        None => quote! { None },
    };
    let (min, max) = (bound(min), bound(max));
    quote! { meta::FieldKind::Number { min: #min, max: #max, only_int: #only_int } }
}

/// A float as a literal, or as the constant that it has instead of one.
pub(super) fn float(number: f64) -> TokenStream {
    if number.is_finite() {
        let magnitude = Literal::f64_unsuffixed(number.abs());
        if number.is_sign_negative() {
            quote! { -#magnitude }
        } else {
            quote! { #magnitude }
        }
    } else if number.is_nan() {
        quote! { f64::NAN }
    } else if number > 0.0 {
        quote! { f64::INFINITY }
    } else {
        quote! { f64::NEG_INFINITY }
    }
}
