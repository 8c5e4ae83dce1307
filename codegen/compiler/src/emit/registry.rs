//! The module that holds the collections' modules together.

use quote::quote;

use super::render::Item;
use super::{ident, place};
use crate::ir::Schema;

/// The modules and the registry of all collections, and what no migration makes of them.
pub(super) fn emit(schema: &Schema, unmigrated: &[String]) -> Vec<Item> {
    let mut items: Vec<Item> = schema
        .collections
        .iter()
        .map(|collection| {
            let module = ident::module(collection);
            Item::new(
                format!(
                    "`{}`, {}",
                    collection.name.wire,
                    place(&collection.location)
                ),
                quote! {
                    #[allow(clippy::all, dead_code, unused_imports, unused_variables)]
                    pub mod #module;
                },
            )
        })
        .collect();
    let collections = schema.collections.iter().map(|collection| {
        let (module, marker) = (ident::module(collection), ident::marker(collection));
        quote! { .with::<#module::#marker>() }
    });
    let lacking = (!unmigrated.is_empty()).then(|| quote! { .unmigrated(&[#(#unmigrated),*]) });
    items.push(Item::new(
        "All collections; add hooks to it, then build it.",
        quote! {
            pub fn registry() -> ::basalt_runtime::registry::RegistryBuilder {
                ::basalt_runtime::registry::RegistryBuilder::new() #(#collections)* #lacking
            }
        },
    ));
    items
}
