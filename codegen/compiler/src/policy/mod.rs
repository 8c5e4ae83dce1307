//! Policy tests: files beside the schema (`posts.test.toml`) with example records, and claims about
//! who may do what with them. Here they are read and checked against the schema, with every
//! mistake at its place; whoever has the server runs them.

mod claims;
mod examples;
mod read;
mod statement;

use serde_json::Value as JsonValue;

pub use read::load;

/// One file of tests.
#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    /// The file, as it is shown.
    pub path: String,
    /// The records that exist before each test; each refers only to those before it.
    pub examples: Vec<Example>,
    /// In the order of the file.
    pub tests: Vec<Test>,
}

/// A record's place in [`Suite::examples`].
pub type ExampleId = usize;

/// A record that exists before each test.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Its collection's name.
    pub collection: String,
    /// What the tests call it.
    pub name: String,
    /// Its fields, as the file gives them.
    pub values: Vec<(String, Given)>,
    /// `path:line:column` of its name.
    pub place: String,
}

/// A value that may refer to example records.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// As it is.
    Json(JsonValue),
    /// The id of a record.
    Id(ExampleId),
    /// Several of them.
    List(Vec<Given>),
}

/// One caller, and what they may do and may not.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// What it is about.
    pub name: String,
    /// Who asks.
    pub caller: Caller,
    /// What creates and updates send.
    pub body: Vec<(String, Given)>,
    /// Parameters of each request, for rules on `@request.query`.
    pub query: Vec<(String, String)>,
    /// Headers of each request, for rules on `@request.headers`.
    pub headers: Vec<(String, String)>,
    /// What is claimed, in the order of the file.
    pub claims: Vec<Claim>,
    /// `path:line:column` of its name.
    pub place: String,
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// Nobody is logged in.
    Guest,
    /// No rule applies.
    Superuser,
    /// A record of an auth collection.
    User(ExampleId),
}

/// Something that the caller may do, or may not.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// As it is written.
    pub text: String,
    /// `path:line:column`
    pub place: String,
    /// What is done.
    pub deed: Deed,
    /// May the caller do it?
    pub may: bool,
}

/// What a claim is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// `list posts where FILTER -> a, b`
    List {
        /// The collection's name.
        collection: String,
        /// The client's filter.
        filter: Option<Filter>,
        /// What must be in the list.
        listed: Listed,
    },
    /// `view posts.draft`
    View(ExampleId),
    /// `create posts`
    Create(String),
    /// `update posts.draft`
    Update(ExampleId),
    /// `delete posts.draft`
    Delete(ExampleId),
    /// `auth users.alice`: log in by password
    Auth(ExampleId),
    /// `sees = { "posts.draft" = ["title"] }`
    See {
        /// The record that is viewed.
        example: ExampleId,
        /// Relations to expand on the way to the field, joined by dots; may be empty.
        expand: String,
        /// The field.
        field: String,
    },
}

/// What a list must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listed {
    /// At least one record.
    Some,
    /// This record, whatever else.
    This(ExampleId),
    /// Of the example records exactly these.
    Exactly(Vec<ExampleId>),
}

/// A filter with ids of example records in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter(pub Vec<Piece>);

/// A piece of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// As it is.
    Text(String),
    /// The quoted id of a record.
    Id(ExampleId),
}
