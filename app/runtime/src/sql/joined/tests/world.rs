//! Three small collections with a few records, and requests about them.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::sync::Arc;

use diesel::connection::SimpleConnection;
use diesel::{QueryResult, QueryableByName, RunQueryDsl};
use serde_json::json;
use time::macros::datetime;

use crate::collection::Record;
use crate::meta::{CollectionMeta, FieldKind, FieldMeta};
use crate::request::{Auth, Body, RequestInfo};
use crate::sql::fragment::Fragment;
use crate::sql::{Conn, Db};
use crate::value::{Value, ValueRef};

const TABLES: &str = "
    CREATE TABLE users (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, boss TEXT);
    CREATE TABLE posts (id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, author TEXT,
        editors TEXT NOT NULL, kinds TEXT NOT NULL, n NUMERIC NOT NULL);
    CREATE TABLE comments (id TEXT PRIMARY KEY NOT NULL, post TEXT, author TEXT, body TEXT NOT NULL);
    CREATE TABLE _link_posts_editors (owner TEXT, target TEXT, position INTEGER);
    INSERT INTO users VALUES ('ann', 'Ann', NULL), ('bob', 'Bob', 'ann'), ('cid', 'Cid', 'bob');
    INSERT INTO posts VALUES
        ('p1', 'one', 'ann', '[\"bob\",\"cid\"]', '[\"a\",\"b\"]', 1),
        ('p2', 'two', 'bob', '[\"bob\"]', '[\"a\"]', 2),
        ('p3', 'three', NULL, '[]', '[]', 3);
    INSERT INTO _link_posts_editors VALUES ('p1', 'bob', 0), ('p1', 'cid', 1), ('p2', 'bob', 0);
    INSERT INTO comments VALUES ('c1', 'p1', 'ann', 'one'), ('c2', 'p1', 'bob', 'x'),
        ('c3', 'p2', NULL, 'y');";

const fn text(name: &'static str) -> FieldMeta {
    FieldMeta::new(name, FieldKind::Editor { max_size: 0 })
}

const fn relation(name: &'static str, collection: &'static str, max_select: u64) -> FieldMeta {
    let kind = FieldKind::Relation {
        collection,
        min_select: 0,
        max_select,
        cascade_delete: false,
    };
    FieldMeta::new(name, kind)
}

const fn collection(name: &'static str, fields: &'static [FieldMeta]) -> CollectionMeta {
    CollectionMeta {
        id: name,
        name,
        system: false,
        fields,
        unique: &[],
        auth: None,
        source: "",
    }
}

pub static USERS: CollectionMeta = collection(
    "users",
    &[text("id"), text("name"), relation("boss", "users", 1)],
);
pub static POSTS: CollectionMeta = collection(
    "posts",
    &[
        text("id"),
        text("title"),
        relation("author", "users", 1),
        relation("editors", "users", 9),
        FieldMeta::new(
            "kinds",
            FieldKind::Select {
                values: &["a", "b"],
                max_select: 2,
            },
        ),
        FieldMeta::new(
            "n",
            FieldKind::Number {
                min: None,
                max: None,
                only_int: false,
            },
        ),
    ],
);
pub static COMMENTS: CollectionMeta = collection(
    "comments",
    &[
        text("id"),
        relation("post", "posts", 1),
        relation("author", "users", 1),
        text("body"),
    ],
);

pub const TITLE: usize = 1;
pub const AUTHOR: usize = 2;
pub const EDITORS: usize = 3;
pub const KINDS: usize = 4;
pub const NUMBER: usize = 5;
pub const NAME: usize = 1;
pub const BOSS: usize = 2;
pub const POST: usize = 1;
pub const BODY: usize = 3;

/// A record of one of the collections.
pub struct Stored(pub &'static CollectionMeta, pub Vec<Value>);

impl Record for Stored {
    fn meta(&self) -> &'static CollectionMeta {
        self.0
    }
    fn id(&self) -> &str {
        match self.get(0) {
            ValueRef::Text(id) => id,
            _ => "",
        }
    }
    fn get(&self, field: usize) -> ValueRef<'_> {
        match self.1.get(field) {
            Some(Value::Text(text)) if field == EDITORS || field == KINDS => ValueRef::List(text),
            Some(Value::Text(text)) => ValueRef::Text(text),
            Some(Value::Number(number)) => ValueRef::Number(*number),
            _ => ValueRef::Null,
        }
    }
    fn set(&mut self, _: usize, _: Value) {}
}

pub fn post(id: &str, title: &str, author: &str, editors: &str, kinds: &str, n: f64) -> Stored {
    let texts = [id, title, author, editors, kinds].map(|text| Value::Text(text.to_owned()));
    let values = texts.into_iter().chain([Value::Number(n)]);
    Stored(&POSTS, values.collect())
}

pub fn user(id: &str, name: &str, boss: &str) -> Stored {
    let texts = [id, name, boss].map(|text| Value::Text(text.to_owned()));
    Stored(&USERS, texts.into())
}

pub fn posts() -> [Stored; 3] {
    [
        post("p1", "one", "ann", r#"["bob","cid"]"#, r#"["a","b"]"#, 1.0),
        post("p2", "two", "bob", r#"["bob"]"#, r#"["a"]"#, 2.0),
        post("p3", "three", "", "[]", "[]", 3.0),
    ]
}

pub fn request(caller: Option<Stored>, body: serde_json::Value) -> RequestInfo {
    let serde_json::Value::Object(raw) = body else {
        panic!("a body is an object");
    };
    RequestInfo {
        auth: caller.map(|record| Auth {
            record: Arc::new(record),
            superuser: false,
            token: Arc::from(""),
            refreshable: true,
        }),
        method: "GET",
        context: "default",
        query: BTreeMap::new(),
        headers: BTreeMap::new().into(),
        body: Body {
            raw,
            fields: BTreeMap::new(),
        },
        now: datetime!(2026-01-02 03:04:05 UTC),
        client: None,
    }
}

pub fn guest() -> RequestInfo {
    request(None, json!({}))
}

pub fn database() -> Conn {
    let mut conn = crate::sql::open(":memory:").unwrap();
    conn.batch_execute(TABLES).unwrap();
    conn
}

#[derive(QueryableByName)]
pub struct Found {
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub id: String,
}

/// A whole statement.
struct Statement(Fragment);

impl diesel::query_builder::QueryFragment<Db> for Statement {
    fn walk_ast<'b>(&'b self, pass: diesel::query_builder::AstPass<'_, 'b, Db>) -> QueryResult<()> {
        self.0.walk_ast(pass)
    }
}

impl diesel::query_builder::QueryId for Statement {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl diesel::query_builder::Query for Statement {
    type SqlType = diesel::sql_types::Untyped;
}

impl RunQueryDsl<Conn> for Statement {}

pub fn load(conn: &mut Conn, query: Fragment) -> Vec<Found> {
    Statement(query).load(conn).unwrap()
}
