//! The collections that the tests speak of: `c` with every kind of field, `x` as what it points to.

use crate::schema::{CollectionId, Field, FieldId, FieldType, ListAccess, Schema};
use crate::{Caller, Compiled, Error, Scope, compile};

struct Row {
    name: &'static str,
    kind: FieldType,
    hidden: bool,
}

pub(super) struct Collection {
    name: &'static str,
    auth: bool,
    access: ListAccess,
    fields: Vec<Row>,
}

/// A schema in memory.
pub(super) struct Fixture {
    collections: Vec<Collection>,
    values: Vec<String>,
}

pub(super) const C: CollectionId = CollectionId(0);
pub(super) const LOCKED: CollectionId = CollectionId(1);
pub(super) const RULED: CollectionId = CollectionId(2);
pub(super) const USERS: CollectionId = CollectionId(3);
pub(super) const X: CollectionId = CollectionId(4);
pub(super) const Y: CollectionId = CollectionId(5);

/// A collection; `id` is implied.
pub(super) fn collection(
    name: &'static str,
    access: ListAccess,
    fields: &[(&'static str, FieldType)],
) -> Collection {
    let id = [("id", FieldType::Text)];
    let row = |(name, kind): &(&'static str, FieldType)| Row {
        name,
        kind: *kind,
        hidden: matches!(*name, "secret" | "password" | "tokenKey"),
    };
    let fields = id.iter().chain(fields).map(row).collect();
    Collection {
        name,
        auth: name.starts_with("users"),
        access,
        fields,
    }
}

impl Fixture {
    pub(super) fn new() -> Self {
        use FieldType::{Bool, Choice, Choices, Date, GeoPoint, Json, Many, Number, One, Text};
        let common = [
            ("title", Text),
            ("n", Number),
            ("public", Bool),
            ("kind", Choice),
            ("sm", Choices),
            ("j", Json),
            ("created", Date),
            ("r", One(X)),
            ("rm", Many(X)),
            ("secret", Text),
            ("geo", GeoPoint),
            ("author", One(USERS)),
            ("authors", Many(USERS)),
            ("lo", One(LOCKED)),
            ("ru", One(RULED)),
            ("other", Text),
            ("self", One(C)),
            ("rus", Many(RULED)),
            ("y", One(Y)),
            ("ys", Many(Y)),
        ];
        let users = [
            ("password", Text),
            ("tokenKey", Text),
            ("email", Text),
            ("emailVisibility", Bool),
            ("verified", Bool),
            ("username", Text),
            ("friends", Many(USERS)),
            ("level", Number),
        ];
        let small = [("title", Text)];
        let ruled = [
            ("title", Text),
            ("n", Number),
            ("public", Bool),
            ("next", One(RULED)),
            ("nexts", Many(RULED)),
            ("p", One(X)),
        ];
        let y = [("title", Text), ("ru", One(RULED)), ("rus", Many(RULED))];
        let x = [
            ("title", Text),
            ("n", Number),
            ("sm", Choices),
            ("j", Json),
            ("public", Bool),
            ("r", One(X)),
            ("rm", Many(X)),
            ("p", One(C)),
            ("ps", Many(C)),
            ("only", One(C)),
            ("memo", Text),
            ("to", One(X)),
            ("tos", Many(C)),
            ("way", One(RULED)),
            ("ways", Many(RULED)),
        ];
        Self {
            collections: vec![
                collection("c", ListAccess::Public, &common),
                collection("locked", ListAccess::Locked, &small),
                collection("ruled", ListAccess::Ruled, &ruled),
                collection("users", ListAccess::Public, &users),
                collection("x", ListAccess::Public, &x),
                collection("y", ListAccess::Ruled, &y),
            ],
            values: ["a", "b", "c", "draft"].map(str::to_owned).to_vec(),
        }
    }

    /// Any other collections.
    pub(super) fn of(collections: Vec<Collection>) -> Self {
        Self {
            collections,
            values: Vec::new(),
        }
    }

    fn get(&self, id: CollectionId) -> &Collection {
        &self.collections[id.0]
    }
}

impl Schema for Fixture {
    fn collection(&self, name_or_id: &str) -> Option<CollectionId> {
        let found = self
            .collections
            .iter()
            .position(|it| it.name.eq_ignore_ascii_case(name_or_id));
        found.map(CollectionId)
    }

    fn name(&self, collection: CollectionId) -> &str {
        self.get(collection).name
    }

    fn is_auth(&self, collection: CollectionId) -> bool {
        self.get(collection).auth
    }

    fn list_access(&self, collection: CollectionId) -> ListAccess {
        self.get(collection).access
    }

    fn fields(&self, collection: CollectionId) -> Vec<Field<'_>> {
        let auth = self.is_auth(collection);
        let field = |(index, row): (usize, &Row)| Field {
            id: FieldId(index),
            name: row.name,
            kind: row.kind,
            hidden: row.hidden,
            nullable: false,
            values: match row.kind {
                FieldType::Choice | FieldType::Choices => &self.values,
                _ => &[],
            },
            guarded_email: auth && row.name == "email",
            read_rule: matches!(row.name, "memo" | "to" | "tos" | "way" | "ways"),
            required: row.name == "lo",
            unique: row.name == "only",
        };
        self.get(collection)
            .fields
            .iter()
            .enumerate()
            .map(field)
            .collect()
    }

    fn len(&self) -> usize {
        self.collections.len()
    }
}

/// Compiles against `c`.
pub(super) fn compiled(text: &str, caller: Caller) -> Result<Compiled, Vec<Error>> {
    compile(text, &Scope::new(&Fixture::new(), C, caller))
}
