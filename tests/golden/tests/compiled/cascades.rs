//! What goes with a record, when hooks look at each and when nobody does.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use basalt_runtime::access::{Scope, system};
use basalt_runtime::app::App;
use basalt_runtime::auth::secrets::Secrets;
use basalt_runtime::collection::Collection;
use basalt_runtime::config::Settings;
use basalt_runtime::error::ApiError;
use basalt_runtime::hooks::{HookContext, HookResult, Hooks};
use basalt_runtime::registry::RegistryBuilder;
use basalt_runtime::sql::Conn;
use basalt_runtime::storage::{Database, Options, maintain};
use basalt_runtime::value::Link;
use basalt_runtime::{migrate, server};
use diesel::QueryResult;
use diesel::connection::SimpleConnection as _;
use rocket::local::blocking::Client;

use crate::app::organizations::{Organization, Organizations};
use crate::app::posts::{Post, Posts};
use crate::app::users::{User, Users};
use crate::{app, support};

/// Two organizations of two users with 30 posts each.
fn fill(conn: &mut Conn) -> QueryResult<()> {
    for org in ["a", "b"] {
        let id = format!("organization{org}01");
        let organization = Organization {
            id: id.clone(),
            ..Organization::default()
        };
        system::insert::<Organizations>(conn, &organization)?;
        for number in 0..2 {
            let author = format!("user{org}{number}000000000");
            let user = User {
                id: author.clone(),
                username: author.clone(),
                token_key: author.clone(),
                organization: Link::to(&id),
                ..User::default()
            };
            system::insert::<Users>(conn, &user)?;
            for post in 0..30 {
                let post = Post {
                    id: format!("post{org}{number}{post:09}"),
                    author: Link::to(&author),
                    ..Post::default()
                };
                system::insert::<Posts>(conn, &post)?;
            }
        }
    }
    Ok(())
}

fn count<C: Collection>(app: &App) -> i64 {
    let count = |conn: &mut Conn| Scope::<C>::system().count(conn).map_err(ApiError::internal);
    app.db.read_blocking(count).unwrap()
}

/// Deletes a user, then the other organization; says how many users and posts are left each time.
fn deleted(collections: RegistryBuilder) -> [(i64, i64); 2] {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data.db");
    let registry = collections.build();
    let secrets = maintain(&path, |conn| {
        conn.batch_execute(&support::tables("../../schema"))?;
        migrate::ensure_system_tables(conn)?;
        fill(conn)?;
        Ok(Secrets::load_or_create(conn, registry.metas())?)
    });
    let db = Database::open(&Options { path, readers: 1 }).unwrap();
    let app = Arc::new(App::new(
        registry,
        db,
        secrets.unwrap(),
        Settings::default(),
    ));
    let rocket = server::build(Arc::clone(&app), "127.0.0.1:8090".parse().unwrap());
    let client = Client::untracked(rocket).unwrap();
    let paths = [
        "users/records/usera0000000000",
        "organizations/records/organizationb01",
    ];
    paths.map(|path| {
        let path = format!("/api/collections/{path}");
        let answer = client.delete(path).dispatch();
        assert_eq!(answer.status().code, 204, "{:?}", answer.into_string());
        (count::<Users>(&app), count::<Posts>(&app))
    })
}

/// Counts the posts that it sees go.
#[derive(Clone, Default)]
struct Counting(Arc<AtomicUsize>);

impl Hooks<Posts> for Counting {
    fn after_delete(&self, _context: &mut HookContext<'_>, _post: &Post) -> HookResult {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

#[test]
fn the_same_goes_whether_hooks_see_it_or_not() {
    let left = [(3, 90), (1, 30)];
    assert_eq!(deleted(app::registry()), left);
    let counting = Counting::default();
    let seen = Arc::new(counting.clone());
    assert_eq!(deleted(app::registry().hooks::<Posts>(seen)), left);
    assert_eq!(counting.0.load(Ordering::Relaxed), 90);
}
