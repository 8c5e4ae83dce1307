//! The caller of a request, from its `Authorization` header.

use std::sync::Arc;

use rocket::Request;
use rocket::http::Status;
use rocket::request::{FromRequest, Outcome};

use crate::app::App;
use crate::auth::token;
use crate::collection::text_of;
use crate::error::ApiError;
use crate::request::Auth;

/// The name of the collection whose records no rule applies to.
pub const SUPERUSERS: &str = "_superusers";

/// Who asks; `None` for guests. A token that does not hold is not an error: its bearer is a guest.
pub struct Caller(pub Option<Auth>);

#[rocket::async_trait]
impl<'r> FromRequest<'r> for Caller {
    type Error = ApiError;

    async fn from_request(request: &'r Request<'_>) -> Outcome<Self, ApiError> {
        let Some(header) = request.headers().get_one("Authorization") else {
            return Outcome::Success(Caller(None));
        };
        let Some(app) = request.rocket().state::<Arc<App>>() else {
            let error = ApiError::internal("the application state is not managed");
            return Outcome::Error((Status::InternalServerError, error));
        };
        match authenticate(app, bearer(header)).await {
            Ok(auth) => Outcome::Success(Caller(auth)),
            Err(error) => Outcome::Error((Status::InternalServerError, error)),
        }
    }
}

/// The token in a header: alone, or after `Bearer` in any case and exactly one space.
fn bearer(header: &str) -> &str {
    match header.get(..7) {
        Some(scheme) if scheme.eq_ignore_ascii_case("bearer ") => header.get(7..).unwrap_or(""),
        _ => header,
    }
}

/// The record that a token belongs to, if the token holds.
async fn authenticate(app: &Arc<App>, token: &str) -> Result<Option<Auth>, ApiError> {
    let current = |auth: &Auth| app.db.generation(auth.record.meta().name);
    match app.callers.find(token, current) {
        Some(auth) => Ok(Some(auth)),
        None => verify(app, token).await,
    }
}

/// The same for a token that isn't known: its record is read, and its signature checked.
async fn verify(app: &Arc<App>, token: &str) -> Result<Option<Auth>, ApiError> {
    let Some(claims) = token::claimed(token) else {
        return Ok(None);
    };
    let Some(entry) = app.registry.find(&claims.collection_id).cloned() else {
        return Ok(None);
    };
    let meta = entry.meta();
    let Some(secret) = app.secrets.of(meta.id) else {
        return Ok(None);
    };
    // Before the read: see `Callers::keep`.
    let generation = app.db.generation(meta.name);
    let found = app
        .db
        .read(move |conn| {
            let records = entry.find_unchecked(conn, 0, &claims.id, false, Some(1));
            Ok(records.map_err(ApiError::internal)?.pop())
        })
        .await?;
    let Some(record) = found else { return Ok(None) };
    let Some(claims) = token::verify(token, text_of(&*record, "tokenKey"), secret) else {
        return Ok(None);
    };
    let auth = Auth {
        record: Arc::from(record),
        superuser: meta.name == SUPERUSERS,
        token: token.into(),
        refreshable: claims.refreshable,
    };
    app.callers.keep(&auth, claims.exp, generation);
    Ok(Some(auth))
}

#[cfg(test)]
mod tests {
    use super::bearer;

    #[test]
    fn the_scheme_is_optional_and_has_one_space() {
        for (header, token) in [
            ("x.y.z", "x.y.z"),
            ("Bearer x", "x"),
            ("bEARER x", "x"),
            ("Bearer  x", " x"),
            ("Basic x", "Basic x"),
            ("é", "é"),
        ] {
            assert_eq!(bearer(header), token);
        }
    }
}
