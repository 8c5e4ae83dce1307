//! A database in memory for a case, and requests to put to its rules.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use basalt_codegen::diff::{Options, diff};
use basalt_codegen::{read_dir, resolve};
use basalt_runtime::access::{Allowed, Scope};
use basalt_runtime::collection::{Collection, Record};
use basalt_runtime::request::{Auth, Body, RequestInfo};
use basalt_runtime::sql::{self, Conn, Pred};
use diesel::connection::SimpleConnection as _;

/// An empty database with the tables of a case (or of `schema/`), foreign keys on.
pub fn database(case: &str) -> Conn {
    let mut conn = sql::open(":memory:").unwrap();
    conn.batch_execute(&tables(case)).unwrap();
    conn.batch_execute("PRAGMA foreign_keys = ON").unwrap();
    conn
}

/// The SQL that makes the tables of a case.
pub fn tables(case: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = read_dir(&root.join(case)).unwrap_or_else(|r| panic!("{}", r.render(false)));
    let checked = resolve(&sources).unwrap_or_else(|r| panic!("{}", r.render(false)));
    let migration = diff(None, &checked.schema, &Options::default());
    migration.unwrap().unwrap().up
}

/// The records that a condition holds for, or all.
pub fn scope<C: Collection>(filter: Option<Pred<C::Table>>) -> Scope<C> {
    match filter {
        Some(filter) => Scope::system().filter(filter),
        None => Scope::system(),
    }
}

/// The records that a condition holds for, in order of insertion.
pub fn load<C: Collection>(conn: &mut Conn, filter: Option<Pred<C::Table>>) -> Vec<C::Record> {
    let records = scope::<C>(filter).load(conn).unwrap();
    records.into_iter().map(Allowed::into_inner).collect()
}

/// A request of a guest, or of this record.
pub fn request(auth: Option<Arc<dyn Record>>) -> RequestInfo {
    RequestInfo {
        auth: auth.map(|record| Auth {
            record,
            superuser: false,
            token: Arc::from(""),
            refreshable: true,
        }),
        method: "GET",
        context: "default",
        query: BTreeMap::new(),
        headers: BTreeMap::new().into(),
        body: Body::default(),
        now: time::OffsetDateTime::UNIX_EPOCH,
        client: None,
    }
}
