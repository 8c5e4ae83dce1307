//! The type that stands for the collection, and what the runtime asks of it.

use proc_macro2::TokenStream;
use quote::quote;

use super::relations::is_many;
use super::render::Item;
use super::{Unit, ident, place};
use crate::ir::{Collection, FieldKind};

/// The marker type, its hooks, and the implementation of the runtime's `Collection`.
pub(super) fn emit(unit: &Unit<'_>) -> Vec<Item> {
    let collection = unit.collection;
    let marker = ident::marker(collection);
    let hooks = ident::ident(&format!("{}Hooks", collection.name.camel));
    let (name, place) = (&collection.name.wire, place(&collection.location));
    vec![
        Item::new(
            format!("The collection `{name}`, {place}."),
            quote! { #[derive(Debug)] pub struct #marker; },
        ),
        Item::new(
            format!("Code that runs before and after writes of `{name}`."),
            quote! { pub type #hooks = dyn hooks::Hooks<#marker>; },
        ),
        implementation(unit),
    ]
}

fn implementation(unit: &Unit<'_>) -> Item {
    let collection = unit.collection;
    let (marker, model) = (ident::marker(collection), ident::model(collection));
    let table = ident::table(collection);
    let (conditions, reads) = (conditions(unit), reads(collection));
    let (insert, update) = (insert(collection), update(collection));
    Item::new(
        "",
        quote! {
            impl collection::Collection for #marker {
                type Table = #table::table;
                type Record = #model;

                const META: &'static meta::CollectionMeta = &META;

                fn rules() -> &'static rules::Rules<Self> {
                    &RULES
                }
                #conditions
                #reads
                #insert
                #update
                fn delete(
                    mut conn: access::Permit,
                    filter: sql::Pred<#table::table>,
                ) -> QueryResult<usize> {
                    ::diesel::delete(#table::table).filter(filter).execute(conn.get())
                }
            }
        },
    )
}

/// Columns, order and relations by place.
fn conditions(unit: &Unit<'_>) -> TokenStream {
    let table = ident::table(unit.collection);
    let columns = unit.collection.fields.iter().map(|field| {
        let (place, column) = (ident::constant(field), ident::column(field));
        quote! { field::#place => Some(column::#column()), }
    });
    let relations = unit.collection.fields.iter().filter_map(|field| {
        let FieldKind::Relation { target, .. } = field.kind else {
            return None;
        };
        let target = unit.target(target)?;
        let (module, marker) = (ident::module(target), ident::marker(target));
        let (place, via) = (ident::constant(field), ident::via(field));
        Some(quote! {
            field::#place => {
                let condition = filter::related::<super::#module::#marker>(inner);
                Some(#via(inner.context.form, condition, holds))
            }
        })
    });
    quote! {
        fn column(field: usize) -> Option<sql::Column<#table::table>> {
            match field {
                #(#columns)*
                _ => None,
            }
        }
        fn rowid(descending: bool) -> sql::Order<#table::table> {
            if descending {
                Box::new(#table::_rowid_.desc())
            } else {
                Box::new(#table::_rowid_.asc())
            }
        }
        fn via(
            field: usize,
            inner: &rules::Filter<'_>,
            holds: bool,
        ) -> Option<Predicate<#table::table>> {
            match field {
                #(#relations)*
                _ => None,
            }
        }
    }
}

fn reads(collection: &Collection) -> TokenStream {
    let (table, model) = (ident::table(collection), ident::model(collection));
    quote! {
        fn load(
            mut conn: access::Permit,
            select: collection::Select<#table::table>,
        ) -> QueryResult<Vec<#model>> {
            let query = #table::table.into_boxed().select(#model::as_select());
            ::basalt_runtime::narrow!(query, select).load(conn.get())
        }
        fn rows(
            mut conn: access::Permit,
            select: collection::Select<#table::table>,
            fields: sql::rows::Fields<'_, #table::table>,
            each: sql::rows::Each<'_>,
        ) -> QueryResult<()> {
            let query = #table::table.into_boxed().select(fields);
            let query = ::basalt_runtime::narrow!(query, select);
            sql::rows::each(conn.get(), query, each)
        }
        fn count(
            mut conn: access::Permit,
            filter: Option<sql::Pred<#table::table>>,
        ) -> QueryResult<i64> {
            let mut query = #table::table.count().into_boxed();
            if let Some(filter) = filter {
                query = query.filter(filter);
            }
            query.get_result(conn.get())
        }
    }
}

fn insert(collection: &Collection) -> TokenStream {
    let (table, model) = (ident::table(collection), ident::model(collection));
    let links = collection.fields.iter().filter(|field| is_many(field));
    let links = links.map(|field| {
        let (link, column) = (ident::link(field), ident::column(field));
        quote! { ::basalt_runtime::insert_links!(conn, #link, record.id, record.#column)?; }
    });
    quote! {
        fn insert(mut conn: access::Permit, record: &#model) -> QueryResult<()> {
            ::diesel::insert_into(#table::table).values(record).execute(conn.get())?;
            #(#links)*
            Ok(())
        }
    }
}

fn update(collection: &Collection) -> TokenStream {
    let (table, model) = (ident::table(collection), ident::model(collection));
    let columns: Vec<_> = collection
        .fields
        .iter()
        .skip(1)
        .map(ident::column)
        .collect();
    let row = (!columns.is_empty()).then(|| {
        quote! { ::basalt_runtime::update_row!(conn, #table, old => new, #(#columns),*) }
    });
    let links = collection.fields.iter().filter(|field| is_many(field));
    let links = links.map(|field| {
        let (link, column) = (ident::link(field), ident::column(field));
        quote! { ::basalt_runtime::update_links!(conn, #link, old => new, #column) }
    });
    let mut steps: Vec<_> = row.into_iter().chain(links).collect();
    let last = steps.pop().unwrap_or_else(|| quote! { Ok(()) });
    quote! {
        fn update(mut conn: access::Permit, old: &#model, new: &#model) -> QueryResult<()> {
            #(#steps?;)*
            #last
        }
    }
}
