//! Creates and updates of accounts: what hooks may do to them, and what is asked before passwords
//! are hashed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;

use basalt_runtime::access::{Scope, system};
use basalt_runtime::app::App;
use basalt_runtime::auth::password::{Passwords, hash_blocking};
use basalt_runtime::auth::secrets::Secrets;
use basalt_runtime::config::Settings;
use basalt_runtime::error::ApiError;
use basalt_runtime::hooks::{HookContext, HookResult, Hooks};
use basalt_runtime::registry::RegistryBuilder;
use basalt_runtime::storage::{Database, Options, maintain};
use basalt_runtime::{migrate, server};
use diesel::connection::SimpleConnection as _;
use rocket::http::{ContentType, Header, Method};
use rocket::local::blocking::Client;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::rules::users::{User, Users};
use crate::{rules, support};

const RECORDS: &str = "/api/collections/users/records";
const LOGIN: &str = "/api/collections/users/auth-with-password";
const PASSWORD: &str = "correct horse";

/// A server without a network, and its state.
struct Server {
    client: Client,
    app: Arc<App>,
    _dir: TempDir,
}

impl Server {
    fn new(collections: RegistryBuilder, passwords: Passwords) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data.db");
        let registry = collections.build();
        let secrets = maintain(&path, |conn| {
            conn.batch_execute(&support::tables("cases/rules/schema"))?;
            migrate::ensure_system_tables(conn)?;
            Ok(Secrets::load_or_create(conn, registry.metas())?)
        });
        let db = Database::open(&Options { path, readers: 1 }).unwrap();
        let app = App::new(registry, db, secrets.unwrap(), Settings::default());
        let app = Arc::new(App { passwords, ..app });
        let address = "127.0.0.1:8090".parse().unwrap();
        let rocket = server::build(Arc::clone(&app), address);
        Server {
            client: Client::untracked(rocket).unwrap(),
            app,
            _dir: dir,
        }
    }

    fn send(&self, method: Method, path: &str, body: &Value) -> (u16, Value) {
        let body = body.to_string();
        let length = Header::new("Content-Length", body.len().to_string());
        let request = self.client.req(method, path.to_owned()).header(length);
        let answer = request.header(ContentType::JSON).body(body).dispatch();
        let status = answer.status().code;
        let text = answer.into_string().unwrap_or_default();
        (status, serde_json::from_str(&text).unwrap_or_default())
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.send(Method::Post, path, body)
    }

    fn stored(&self) -> Vec<User> {
        let load = |conn: &mut _| Scope::<Users>::system().load(conn);
        let read = self
            .app
            .db
            .read_blocking(move |conn| load(conn).map_err(ApiError::internal));
        let users = read.unwrap().into_iter();
        users.map(|user| user.into_inner()).collect()
    }
}

fn account(email: &str) -> Value {
    json!({ "email": email, "password": PASSWORD, "passwordConfirm": PASSWORD })
}

/// Does to an account what its address says.
struct Meddling;

impl Hooks<Users> for Meddling {
    fn before_create(&self, _context: &mut HookContext<'_>, new: &mut User) -> HookResult {
        new.verified = true;
        match new.email.split_once('@') {
            Some(("plain", _)) => new.password = "typed".to_owned(),
            Some(("hash", _)) => new.password = hash_blocking("of the hook")?,
            _ => {}
        }
        Ok(())
    }
}

fn meddled() -> Server {
    let collections = rules::registry().hooks(Arc::new(Meddling));
    Server::new(collections, Passwords::default())
}

#[test]
fn a_hook_may_verify_what_the_caller_may_not() {
    let server = meddled();
    let (status, answer) = server.post(RECORDS, &account("ann@example.com"));
    assert_eq!(status, 200, "{answer}");
    assert!(server.stored()[0].verified);

    let mut claimed = account("bob@example.com");
    claimed["verified"] = true.into();
    let (status, answer) = server.post(RECORDS, &claimed);
    assert_eq!(status, 400, "{answer}");
    let code = &answer["data"]["verified"]["code"];
    assert_eq!(code, "validation_values_mismatch");
}

#[test]
fn a_hook_sets_hashes_and_no_passwords() {
    let server = meddled();
    let (status, answer) = server.post(RECORDS, &account("plain@example.com"));
    assert_eq!(status, 500, "{answer}");
    assert!(server.stored().is_empty());

    let (status, answer) = server.post(RECORDS, &account("hash@example.com"));
    assert_eq!(status, 200, "{answer}");
    let login = |password| {
        let body = json!({ "identity": "hash@example.com", "password": password });
        server.post(LOGIN, &body).0
    };
    assert_eq!((login("of the hook"), login(PASSWORD)), (200, 400));
}

#[test]
fn nothing_is_hashed_for_those_whom_a_rule_refuses() {
    // Whoever asks for a hash here is one too many.
    let server = Server::new(rules::registry(), Passwords::new(0, 0));
    let user = User {
        id: "user00000000001".to_owned(),
        password: "$argon2id$".to_owned(),
        ..User::default()
    };
    let insert = move |conn: &mut _| system::insert::<Users>(conn, &user);
    let written = server
        .app
        .db
        .write_blocking(move |conn| insert(conn).map_err(ApiError::internal));
    written.unwrap();

    assert_eq!(server.post(RECORDS, &account("ann@example.com")).0, 429);
    let mut refused = account("ann@example.com");
    refused["organization"] = "x".into();
    assert_eq!(server.post(RECORDS, &refused).0, 400);

    let mut change = account("ann@example.com");
    change["oldPassword"] = PASSWORD.into();
    for id in ["user00000000001", "user00000000002"] {
        let path = format!("{RECORDS}/{id}");
        let (status, _) = server.send(Method::Patch, &path, &change);
        assert_eq!(status, 404, "{id}");
    }
}

#[test]
fn secrets_are_made_once() {
    let mut conn = support::database("cases/rules/schema");
    migrate::ensure_system_tables(&mut conn).unwrap();
    let registry = rules::registry().build();
    let mut load = || Secrets::load_or_create(&mut conn, registry.metas()).unwrap();
    let (first, second) = (load(), load());
    let ids = |name| registry.find(name).unwrap().meta().id;
    let [users, superusers] = ["users", "_superusers"].map(|name| first.of(ids(name)).unwrap());
    assert_eq!((users.len(), superusers.len()), (50, 50));
    assert_ne!(users, superusers);
    assert_eq!(second.of(ids("users")), Some(users));
    assert_eq!(first.of(ids("posts")), None);
}
