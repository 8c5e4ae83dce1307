//! A request, read into what rules, filters and handlers need of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use rocket::Request;
use rocket::http::{HeaderMap, Method, Status};
use rocket::request::{FromRequest, Outcome};

use super::Shared;
use crate::auth::guard::Caller;
use crate::body::form;
use crate::error::ApiError;
use crate::registry::Entry;
use crate::request::{Auth, Body, Headers, RequestInfo};

/// Place of the collection in the path's segments.
const COLLECTION: usize = 2;
/// Place of the record's id in the path's segments.
const ID: usize = 4;

/// The application's state.
pub fn app<'r>(request: &'r Request<'_>) -> Result<&'r Shared, ApiError> {
    let app = request.rocket().state::<Shared>();
    app.ok_or_else(|| ApiError::internal("the server does not manage its state"))
}

/// The collection that the path names. 404 if there is none.
pub fn collection(
    app: &Shared,
    request: &Request<'_>,
    missing: &str,
) -> Result<Arc<Entry>, ApiError> {
    let name = segment(request, COLLECTION);
    app.registry
        .find(name)
        .cloned()
        .ok_or_else(|| ApiError::new(404, missing))
}

/// The record's id that the path names.
pub fn id<'r>(request: &'r Request<'_>) -> &'r str {
    segment(request, ID)
}

fn segment<'r>(request: &'r Request<'_>, place: usize) -> &'r str {
    let segments = request.uri().path().segments();
    segments.get(place).unwrap_or_default()
}

/// Everything but the body.
pub async fn request_info(
    request: &Request<'_>,
    method: &'static str,
) -> Result<RequestInfo, ApiError> {
    let auth = caller(request).await?;
    Ok(info(request, method, auth))
}

/// Who asks; `None` for guests.
pub async fn caller(request: &Request<'_>) -> Result<Option<Auth>, ApiError> {
    match request.guard::<Caller>().await {
        Outcome::Success(Caller(auth)) => Ok(auth),
        Outcome::Error((_, error)) => Err(error),
        Outcome::Forward(_) => Ok(None),
    }
}

/// Everything but the body, of a caller who is known.
pub fn info(request: &Request<'_>, method: &'static str, auth: Option<Auth>) -> RequestInfo {
    RequestInfo {
        auth,
        method,
        context: "default",
        query: first_values(request),
        headers: headers(request.headers()),
        body: Body::default(),
        now: time::OffsetDateTime::now_utc(),
        client: request.remote().map(|endpoint| endpoint.ip()),
    }
}

fn first_values(request: &Request<'_>) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    let query = request.uri().query().map_or("", |query| query.as_str());
    for (name, value) in form::pairs(query) {
        values.entry(name).or_insert(value);
    }
    values
}

fn headers(map: &HeaderMap<'_>) -> Headers {
    let mut headers = Headers::with_room();
    for header in map.iter() {
        headers.push(header.name.as_str(), &header.value);
    }
    headers
}

/// For routes of an application's own: the request as rules see it, without a body.
#[rocket::async_trait]
impl<'r> FromRequest<'r> for RequestInfo {
    type Error = ApiError;

    async fn from_request(request: &'r Request<'_>) -> Outcome<Self, ApiError> {
        let method = match request.method() {
            Method::Post => "POST",
            Method::Patch => "PATCH",
            Method::Put => "PUT",
            Method::Delete => "DELETE",
            _ => "GET",
        };
        match request_info(request, method).await {
            Ok(info) => Outcome::Success(info),
            Err(error) => Outcome::Error((Status::new(error.status), error)),
        }
    }
}
