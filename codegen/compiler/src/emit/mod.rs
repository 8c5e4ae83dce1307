//! The IR as Rust: one module for each collection, and one that holds them together. Thin and
//! declarative: it says what there is, and the runtime does the rest. No SQL text.

mod collection;
mod ident;
mod meta;
mod models;
mod paths;
mod registry;
mod relations;
mod render;
mod rules;
mod selects;
mod tables;

use std::collections::BTreeMap;

use crate::ir::{Collection, CollectionId, Location, Plan, Schema};
use render::Item;

/// One output of a collection's module.
type Emitter = fn(&Unit<'_>) -> Vec<Item>;

/// What a collection's module consists of, in this order.
const MODULE: [Emitter; 8] = [
    paths::imports,
    tables::emit,
    models::emit,
    selects::emit,
    meta::emit,
    rules::emit,
    relations::emit,
    collection::emit,
];

/// The collection that is emitted, among all.
struct Unit<'a> {
    /// All collections.
    schema: &'a Schema,
    /// The one.
    collection: &'a Collection,
}

impl<'a> Unit<'a> {
    /// Another collection. Ids of the IR are always in range.
    fn target(&self, id: CollectionId) -> Option<&'a Collection> {
        self.schema.collections.get(id.0)
    }

    /// Is this id that of the collection itself?
    fn is_self(&self, id: CollectionId) -> bool {
        self.target(id)
            .is_some_and(|target| target.name == self.collection.name)
    }
}

/// All files, by their path in the output folder.
pub fn emit(schema: &Schema) -> BTreeMap<String, String> {
    emit_with(schema, &[])
}

/// The same for an application some of whose changes no migration makes: `unmigrated` names them,
/// and the program refuses to start on a database that lacks them.
pub fn emit_with(schema: &Schema, unmigrated: &[String]) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for collection in &schema.collections {
        let unit = Unit { schema, collection };
        let items: Vec<Item> = MODULE.iter().flat_map(|emit| emit(&unit)).collect();
        let text = render::file(&source(&collection.location), &items);
        files.insert(format!("{}.rs", ident::module(collection)), text);
    }
    let text = render::file("the schema files", &registry::emit(schema, unmigrated));
    files.insert("mod.rs".to_owned(), text);
    files
}

/// A rule as Rust, without the rest of its collection's module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleCode {
    /// The condition on stored rows, and the functions that it was split into.
    pub sql: String,
    /// The condition on a record in memory. Through relations it calls functions of the other form.
    pub memory: String,
}

/// What a plan about records of `collection` becomes as its rule `action`; a rule that the schema
/// doesn't have may have any name.
pub fn rule_code(schema: &Schema, collection: &Collection, action: &str, plan: &Plan) -> RuleCode {
    let unit = Unit { schema, collection };
    let plan = rules::gathered(&unit, plan);
    RuleCode {
        sql: render::items(&rules::sql_form(&unit, action, String::new(), &plan)),
        memory: render::items(&rules::memory_form(&unit, action, &plan)),
    }
}

/// The file that something comes from, in words.
fn source(location: &Location) -> String {
    if location.path.is_empty() {
        "built in".to_owned()
    } else {
        location.path.clone()
    }
}

/// A place in a schema file as `path:line`; implied things have no line.
fn place(location: &Location) -> String {
    if location.path.is_empty() {
        "built in".to_owned()
    } else if location.line == 0 {
        format!("{}, implied", location.path)
    } else {
        format!("{}:{}", location.path, location.line)
    }
}
