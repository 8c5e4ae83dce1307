//! What the application has of its own: a route, a hook, and what its answers are compared with.

use std::collections::HashMap;
use std::io::Cursor;
use std::sync::{Arc, Mutex, PoisonError};

use basalt_runtime::access::{Allowed, Scope};
use basalt_runtime::app::App;
use basalt_runtime::collection::Collection;
use basalt_runtime::error::ApiError;
use basalt_runtime::hooks::{HookContext, HookResult, Hooks};
use basalt_runtime::sql::{Column, Conn};
use diesel::ExpressionMethods;
use rocket::data::{Capped, ToByteUnit};
use rocket::http::{ContentType, Status};
use rocket::response::Response;
use rocket::serde::json::Json;
use rocket::{Build, Data, Rocket, State, get, put, routes};
use serde::Serialize;

use crate::generated::posts10k::{Posts10k, Posts10kRecord, field};
use crate::generated::posts10k_auth::{Posts10kAuth, Posts10kAuthRecord};

/// How many posts the route shows.
const NEWEST: i64 = 20;
/// What the hook puts before a title.
const REWRITTEN: &str = "rewritten: ";

/// As much of an answer is sent at once, as the server does it.
const LARGEST_CHUNK: usize = 64 * 1024;

/// Adds the routes.
pub(crate) fn extend(rocket: Rocket<Build>) -> Rocket<Build> {
    rocket
        .manage(Floors::default())
        .mount("/", routes![newest, keep, floor])
}

/// A post, as the route shows it.
#[derive(Serialize)]
struct Headline {
    id: String,
    title: String,
    created: String,
}

/// The newest posts that have a title.
#[get("/api/bench/newest")]
async fn newest(app: &State<Arc<App>>) -> Result<Json<Vec<Headline>>, ApiError> {
    app.db.read(headlines).await.map(Json)
}

fn headlines(conn: &mut Conn) -> Result<Vec<Headline>, ApiError> {
    let Some(Column::Text(title)) = Posts10k::column(field::TITLE) else {
        return Err(ApiError::internal("posts have no title"));
    };
    let posts = Scope::<Posts10k>::system()
        .filter(Box::new(title.ne("")))
        .page(conn, vec![Posts10k::rowid(true)], Some(NEWEST), 0)
        .map_err(ApiError::internal)?;
    let headline = |post: &Allowed<Posts10kRecord>| Headline {
        id: post.id.clone(),
        title: post.title.clone(),
        created: post.created.as_str().to_owned(),
    };
    Ok(posts.iter().map(headline).collect())
}

/// Rewrites titles.
pub(crate) struct Rewriting;

impl Hooks<Posts10kAuth> for Rewriting {
    fn before_update(
        &self,
        _context: &mut HookContext<'_>,
        _old: &Posts10kAuthRecord,
        new: &mut Posts10kAuthRecord,
    ) -> HookResult {
        new.title.insert_str(0, REWRITTEN);
        Ok(())
    }
}

/// Bytes in memory, by a name: what the framework alone needs to send an answer is the floor under
/// all that the server does for the same one.
#[derive(Default)]
struct Floors(Mutex<HashMap<String, Arc<[u8]>>>);

/// What is kept under a name.
struct Bytes(Arc<[u8]>);

/// Keeps the body under a name.
#[put("/floor/<name>", data = "<data>")]
async fn keep(floors: &State<Floors>, name: &str, data: Data<'_>) -> Status {
    let body: std::io::Result<Capped<Vec<u8>>> = data.open(4.mebibytes()).into_bytes().await;
    match body {
        Ok(body) if body.is_complete() => {
            let mut floors = floors.0.lock().unwrap_or_else(PoisonError::into_inner);
            floors.insert(name.to_owned(), body.into_inner().into());
            Status::NoContent
        }
        _ => Status::PayloadTooLarge,
    }
}

/// Sends what is kept under a name.
#[get("/floor/<name>")]
fn floor(floors: &State<Floors>, name: &str) -> Option<Bytes> {
    let floors = floors.0.lock().unwrap_or_else(PoisonError::into_inner);
    floors.get(name).cloned().map(Bytes)
}

impl<'r> rocket::response::Responder<'r, 'static> for Bytes {
    fn respond_to(self, _: &'r rocket::Request<'_>) -> rocket::response::Result<'static> {
        let length = self.0.len();
        Response::build()
            .header(ContentType::JSON)
            .sized_body(length, Cursor::new(self.0))
            .max_chunk_size((length + 1).min(LARGEST_CHUNK))
            .ok()
    }
}
