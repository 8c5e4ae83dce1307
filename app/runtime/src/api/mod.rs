//! The records API and what surrounds it: routes, error answers, standard headers.

mod account;
mod answer;
mod catch;
pub(crate) mod check;
mod create;
mod delete;
mod depends;
mod headers;
mod incoming;
mod kept;
mod list;
mod login;
mod reply;
mod update;
mod view;
pub(crate) mod write;

use std::sync::Arc;

use rocket::data::Data;
use rocket::http::Method;
use rocket::route::{Handler, Outcome};
use rocket::tokio::time::sleep;
use rocket::{Build, Request, Rocket, Route};

use self::kept::Wish;
pub use self::reply::Reply;
use crate::app::App;
use crate::body;
use crate::error::ApiError;
use crate::field::modify;
use crate::registry::{Action, Entry, RuleState};
use crate::request::RequestInfo;
use crate::storage::Answer;

/// Adds the API to a server that manages an `Arc<App>`.
pub fn mount(rocket: Rocket<Build>) -> Rocket<Build> {
    rocket
        .attach(headers::Standard)
        .mount("/", routes())
        .register("/", catch::catchers())
}

/// The routes of the records API and of the health check.
pub fn routes() -> Vec<Route> {
    let records = "/api/collections/<collection>/records";
    let record = "/api/collections/<collection>/records/<id>";
    let mut routes = vec![
        Route::new(Method::Get, records, Endpoint::List),
        Route::new(Method::Get, record, Endpoint::View),
        Route::new(Method::Post, records, Endpoint::Create),
        Route::new(Method::Patch, record, Endpoint::Update),
        Route::new(Method::Delete, record, Endpoint::Delete),
        Route::new(Method::Get, "/api/health", Endpoint::Health),
    ];
    routes.extend(login::routes());
    routes.extend(headers::preflight());
    routes
}

/// What a route of this module answers.
#[derive(Debug, Clone, Copy)]
enum Endpoint {
    List,
    View,
    Create,
    Update,
    Delete,
    Health,
}

#[rocket::async_trait]
impl Handler for Endpoint {
    async fn handle<'r>(&self, request: &'r Request<'_>, data: Data<'r>) -> Outcome<'r> {
        if let Some(redirect) = catch::cleaned(request) {
            return Outcome::from(request, redirect);
        }
        let reply = self.answer(request, data).await.unwrap_or_else(Reply::from);
        Outcome::from(request, reply)
    }
}

impl Endpoint {
    async fn answer(self, request: &Request<'_>, data: Data<'_>) -> Result<Reply, ApiError> {
        let app = incoming::app(request)?;
        if request.uri().path().ends_with('/') {
            return Err(catch::unknown(request));
        }
        if let Endpoint::Health = self {
            return Ok(health());
        }
        let writes = matches!(self, Endpoint::Create | Endpoint::Update);
        let missing = if writes {
            "Missing or invalid collection context."
        } else {
            "Missing collection context."
        };
        let entry = incoming::collection(app, request, missing)?;
        let limit = if writes {
            body::limit(entry.meta())
        } else {
            body::LIMIT
        };
        let id = incoming::id(request);
        let wish = Wish::of(app, request);
        let (body, auth, keeping) = match wish.before.filter(|_| self.repeats()) {
            Some(before) => {
                let auth = incoming::caller(request).await?;
                let record = matches!(self, Endpoint::View).then_some(id);
                match Wish::known(app, request, &entry, record, auth.as_ref(), before) {
                    Ok(answer) => return Ok(again(app, request, &entry, &wish, &answer).await),
                    Err(keeping) => (body::Object::new(), auth, Some(keeping)),
                }
            }
            None => {
                let body = if wish.bare && self.repeats() {
                    body::Object::new()
                } else {
                    body::read(request, data, limit).await?
                };
                (body, incoming::caller(request).await?, None)
            }
        };
        let mut info = incoming::info(request, self.method(), auth);
        info.body.raw = sendable(&entry, &info, body);
        let id = id.to_owned();
        match self {
            Endpoint::Health => Ok(health()),
            Endpoint::List => list::list(app, entry, info, wish, keeping).await,
            Endpoint::View => view::view(app, entry, info, id, wish, keeping).await,
            Endpoint::Create => create::create(app, entry, info).await,
            Endpoint::Update => update::update(app, entry, info, id).await,
            Endpoint::Delete => delete::delete(app, entry, info, id).await,
        }
    }

    /// May an earlier answer do?
    fn repeats(self) -> bool {
        matches!(self, Endpoint::List | Endpoint::View)
    }

    /// The method as rules see it.
    fn method(self) -> &'static str {
        match self {
            Endpoint::List | Endpoint::View | Endpoint::Health => "GET",
            Endpoint::Create => "POST",
            Endpoint::Update => "PATCH",
            Endpoint::Delete => "DELETE",
        }
    }
}

/// Answers with what an earlier request was answered; as late as that one.
async fn again(
    app: &Shared,
    request: &Request<'_>,
    entry: &Entry,
    wish: &Wish,
    answer: &Answer,
) -> Reply {
    if answer.late {
        let client = request.remote().map(|endpoint| endpoint.ip());
        sleep(app.throttle.delay(client, entry.meta().name)).await;
    }
    wish.reply(answer)
}

/// The body, of which callers other than superusers lose the hidden fields.
fn sendable(entry: &Entry, info: &RequestInfo, mut body: body::Object) -> body::Object {
    if !info.is_superuser() {
        let meta = entry.meta();
        for field in meta.fields.iter().filter(|field| field.hidden) {
            // New passwords of accounts are hidden, and yet everyone must be able to send them.
            if !(meta.auth.is_some() && field.name == "password") {
                modify::remove_keys(&mut body, field.name);
            }
        }
    }
    body
}

fn health() -> Reply {
    Reply::json(br#"{"message":"API is healthy.","code":200,"data":{}}"#.to_vec())
}

/// 403 if the rule is locked for this caller.
fn check_lock(entry: &Entry, info: &RequestInfo, action: Action) -> Result<(), ApiError> {
    if entry.rule_state(action) == RuleState::Locked && !info.is_superuser() {
        return Err(ApiError::superusers_only());
    }
    Ok(())
}

/// The state that every handler shares.
type Shared = Arc<App>;
