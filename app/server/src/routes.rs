//! The demo's own routes: plain Rocket, with the same typed access that the API has.

use std::sync::Arc;

use basalt_lang::plan::{Op, Truth};
use basalt_runtime::access::Scope;
use basalt_runtime::app::App;
use basalt_runtime::collection::Collection;
use basalt_runtime::error::ApiError;
use basalt_runtime::request::RequestInfo;
use basalt_runtime::rules::{Context, Given};
use basalt_runtime::sql::compare::test;
use basalt_runtime::sql::{Conn, Form};
use rocket::fairing::AdHoc;
use rocket::serde::json::Json;
use rocket::{Build, Rocket, State, get, routes};
use serde::Serialize;

use crate::generated::posts::{Post, Posts, field};

/// How many posts `/api/demo/newest` answers with.
const NEWEST: i64 = 20;

/// Adds the demo's routes, and middleware that marks their answers.
pub fn extend(rocket: Rocket<Build>) -> Rocket<Build> {
    let mark = AdHoc::on_response("mark the demo's answers", |request, response| {
        Box::pin(async move {
            if request.uri().path().starts_with("/api/demo/") {
                response.set_raw_header("X-Demo", "basalt");
            }
        })
    });
    rocket.mount("/api/demo", routes![newest]).attach(mark)
}

/// What `/api/demo/newest` says of a post.
#[derive(Debug, Serialize)]
struct Teaser {
    id: String,
    title: String,
    created: String,
}

/// The newest posts with a title, as far as the list rule shows them to the caller.
#[get("/newest")]
async fn newest(app: &State<Arc<App>>, info: RequestInfo) -> Result<Json<Vec<Teaser>>, ApiError> {
    app.db
        .read(move |conn| teasers(conn, &info))
        .await
        .map(Json)
}

fn teasers(conn: &mut Conn, info: &RequestInfo) -> Result<Vec<Teaser>, ApiError> {
    let context = Context {
        request: info,
        form: Form::Exists,
    };
    let titled = Posts::column(field::TITLE)
        .map(|title| test(title, Op::NotEqual, Given::text(""), Truth::True))
        .ok_or_else(ApiError::not_found)?;
    let newest_first = Posts::order(field::CREATED, true).into_iter().collect();
    let posts = Scope::<Posts>::for_list(&context)?
        .matching(titled)
        .page(conn, newest_first, Some(NEWEST), 0)
        .map_err(ApiError::internal)?;
    Ok(posts.iter().map(|post| Teaser::from(&**post)).collect())
}

impl From<&Post> for Teaser {
    fn from(post: &Post) -> Self {
        Teaser {
            id: post.id.clone(),
            title: post.title.clone(),
            created: post.created.as_str().to_owned(),
        }
    }
}
