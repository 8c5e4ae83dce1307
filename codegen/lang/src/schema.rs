//! What the checker must know of the collections: asked through one trait, which the generator's
//! IR and the server's registry both implement.

/// A collection's place in the schema's order (by name; system collections included).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CollectionId(pub usize);

/// A field's place in its collection: `id` is 0, then the implied auth fields, then the file's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(pub usize);

/// What a field holds, as far as rules care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// text, editor, email, url, password, single select: compared as text.
    Text,
    /// number
    Number,
    /// bool, stored as 0 and 1
    Bool,
    /// date and autodate: text `YYYY-MM-DD HH:MM:SS.mmmZ` or ``
    Date,
    /// json: compared with `IS`, has paths
    Json,
    /// geoPoint: json with `lon` and `lat`
    GeoPoint,
    /// Multiple select: the JSON text of its items; `:each` and `:length` look inside.
    Choices,
    /// Single select: text, and `:each`, `:length` apply.
    Choice,
    /// Relation to one record.
    One(CollectionId),
    /// Relation to many records.
    Many(CollectionId),
}

impl FieldType {
    /// Do `:each` and `:length` apply?
    pub fn has_items(self) -> bool {
        matches!(
            self,
            Self::Choices | Self::Choice | Self::One(_) | Self::Many(_)
        )
    }
}

/// One field, as the checker sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its place in the collection.
    pub id: FieldId,
    /// Its name on the wire.
    pub name: &'a str,
    /// What it holds.
    pub kind: FieldType,
    /// Never shown to, nor filterable by, anyone but superusers.
    pub hidden: bool,
    /// May the column be NULL (`nullable = true`)?
    pub nullable: bool,
    /// The values that a select allows, else empty.
    pub values: &'a [String],
    /// The email of an auth collection, whose visibility each record decides.
    pub guarded_email: bool,
    /// Has it a `read` rule of its own?
    pub read_rule: bool,
    /// Does validation demand that it isn't empty?
    pub required: bool,
    /// Is its value unique in its collection (an index on it alone, of all rows)?
    pub unique: bool,
}

/// The collections that rules speak of.
pub trait Schema {
    /// Finds a collection by its name (any case) or id (exact).
    fn collection(&self, name_or_id: &str) -> Option<CollectionId>;
    /// The name as the schema spells it.
    fn name(&self, collection: CollectionId) -> &str;
    /// Is it an auth collection?
    fn is_auth(&self, collection: CollectionId) -> bool;
    /// Has its list rule the given state? (Client filters may not pass through locked collections.)
    fn list_access(&self, collection: CollectionId) -> ListAccess;
    /// Every field, in order.
    fn fields(&self, collection: CollectionId) -> Vec<Field<'_>>;
    /// The number of collections; ids run from 0.
    fn len(&self) -> usize;
    /// Is there none?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// One field by its exact name.
    fn field(&self, collection: CollectionId, name: &str) -> Option<Field<'_>> {
        self.fields(collection)
            .into_iter()
            .find(|field| field.name == name)
    }
}

/// The state of a collection's list rule, as far as a filter through it cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListAccess {
    /// Superusers only.
    Locked,
    /// Everyone.
    Public,
    /// A rule decides.
    Ruled,
}
