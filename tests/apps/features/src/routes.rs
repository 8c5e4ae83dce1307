//! A route of the application's own, with typed access under the same rules as the API.

use std::sync::Arc;

use basalt_runtime::access::Scope;
use basalt_runtime::app::App;
use basalt_runtime::error::ApiError;
use basalt_runtime::request::RequestInfo;
use basalt_runtime::rules::Context;
use basalt_runtime::sql::{Conn, Form};
use rocket::serde::json::Json;
use rocket::{Build, Rocket, State, get, routes};
use serde::Serialize;

use crate::generated::notes::Notes;

/// Adds the route.
pub(crate) fn extend(rocket: Rocket<Build>) -> Rocket<Build> {
    rocket.mount("/api/features", routes![titles])
}

/// What the caller may list, and what there is.
#[derive(Debug, Serialize)]
struct Titles {
    visible: Vec<String>,
    all: i64,
}

#[get("/titles")]
async fn titles(app: &State<Arc<App>>, info: RequestInfo) -> Result<Json<Titles>, ApiError> {
    app.db
        .read(move |conn| read_titles(conn, &info))
        .await
        .map(Json)
}

fn read_titles(conn: &mut Conn, info: &RequestInfo) -> Result<Titles, ApiError> {
    let context = Context {
        request: info,
        form: Form::Exists,
    };
    let notes = Scope::<Notes>::for_list(&context)?
        .load(conn)
        .map_err(ApiError::internal)?;
    let all = Scope::<Notes>::system()
        .count(conn)
        .map_err(ApiError::internal)?;
    let visible = notes.iter().map(|note| note.title.clone()).collect();
    Ok(Titles { visible, all })
}
