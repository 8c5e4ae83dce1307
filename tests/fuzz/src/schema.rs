//! Three collections with every kind of field, for texts to speak of.

use basalt_lang::schema::{CollectionId, Field, FieldId, FieldType, ListAccess, Schema};

const THINGS: CollectionId = CollectionId(0);
const OTHERS: CollectionId = CollectionId(1);
const PEOPLE: CollectionId = CollectionId(2);

const NAMES: [&str; 3] = ["things", "others", "people"];

const OF_THINGS: &[(&str, FieldType)] = &[
    ("id", FieldType::Text),
    ("t", FieldType::Text),
    ("n", FieldType::Number),
    ("b", FieldType::Bool),
    ("d", FieldType::Date),
    ("s", FieldType::Choice),
    ("m", FieldType::Choices),
    ("j", FieldType::Json),
    ("g", FieldType::GeoPoint),
    ("secret", FieldType::Text),
    ("one", FieldType::One(OTHERS)),
    ("many", FieldType::Many(OTHERS)),
    ("own", FieldType::One(THINGS)),
    ("owns", FieldType::Many(THINGS)),
    ("user", FieldType::One(PEOPLE)),
];
const OF_OTHERS: &[(&str, FieldType)] = &[
    ("id", FieldType::Text),
    ("t", FieldType::Text),
    ("n", FieldType::Number),
    ("thing", FieldType::One(THINGS)),
    ("things", FieldType::Many(THINGS)),
    ("users", FieldType::Many(PEOPLE)),
];
const OF_PEOPLE: &[(&str, FieldType)] = &[
    ("id", FieldType::Text),
    ("email", FieldType::Text),
    ("emailVisibility", FieldType::Bool),
    ("verified", FieldType::Bool),
    ("password", FieldType::Text),
    ("tokenKey", FieldType::Text),
    ("level", FieldType::Number),
    ("friends", FieldType::Many(PEOPLE)),
];

/// The collections.
pub(crate) struct Small {
    values: [String; 3],
}

impl Small {
    pub(crate) fn new() -> Self {
        Self {
            values: ["a", "b", "c"].map(str::to_owned),
        }
    }

    /// What the texts are about.
    pub(crate) fn subject(&self) -> CollectionId {
        THINGS
    }
}

impl Schema for Small {
    fn collection(&self, name_or_id: &str) -> Option<CollectionId> {
        let found = NAMES
            .iter()
            .position(|name| name.eq_ignore_ascii_case(name_or_id));
        found.map(CollectionId)
    }

    fn name(&self, collection: CollectionId) -> &str {
        NAMES.get(collection.0).copied().unwrap_or_default()
    }

    fn is_auth(&self, collection: CollectionId) -> bool {
        collection == PEOPLE
    }

    fn list_access(&self, collection: CollectionId) -> ListAccess {
        match collection {
            OTHERS => ListAccess::Ruled,
            _ => ListAccess::Public,
        }
    }

    fn fields(&self, collection: CollectionId) -> Vec<Field<'_>> {
        let fields = match collection {
            THINGS => OF_THINGS,
            OTHERS => OF_OTHERS,
            _ => OF_PEOPLE,
        };
        let field = |(place, (name, kind)): (usize, &(&'static str, FieldType))| Field {
            id: FieldId(place),
            name,
            kind: *kind,
            hidden: matches!(*name, "secret" | "password" | "tokenKey"),
            nullable: false,
            values: match kind {
                FieldType::Choice | FieldType::Choices => &self.values,
                _ => &[],
            },
            guarded_email: *name == "email",
            required: false,
            read_rule: *name == "level",
            unique: *name == "thing",
        };
        fields.iter().enumerate().map(field).collect()
    }

    fn len(&self) -> usize {
        NAMES.len()
    }
}
