//! Answers for requests that no route takes, in the same shape as all errors.

use rocket::http::{Method, Status};
use rocket::{Catcher, Request, catcher};

use super::Reply;
use crate::error::ApiError;

/// One catcher for everything.
pub fn catchers() -> Vec<Catcher> {
    vec![Catcher::new(None, caught)]
}

fn caught<'r>(status: Status, request: &'r Request<'_>) -> catcher::BoxFuture<'r> {
    use rocket::response::Responder;
    let reply = cleaned(request).unwrap_or_else(|| error(status, request).into());
    Box::pin(async move { reply.respond_to(request) })
}

fn error(status: Status, request: &Request<'_>) -> ApiError {
    match status.code {
        401 => ApiError::new(401, "Missing or invalid authentication."),
        403 => ApiError::forbidden(),
        404 | 405 => unknown(request),
        413 => ApiError::too_large(),
        429 => ApiError::new(429, "Too Many Requests."),
        code => ApiError {
            status: code,
            ..ApiError::bad_request()
        },
    }
}

/// 404 for an address that nothing answers, or not with this method. Pages are looked for among
/// files, and the message says so.
pub fn unknown(request: &Request<'_>) -> ApiError {
    match request.method() {
        Method::Get | Method::Head => ApiError::new(404, "File not found."),
        _ => ApiError::not_found(),
    }
}

/// The redirect for a path with doubled slashes; `None` for all others.
pub fn cleaned(request: &Request<'_>) -> Option<Reply> {
    let path = request.uri().path().as_str();
    if !path.contains("//") {
        return None;
    }
    let mut clean = String::with_capacity(path.len());
    for character in path.chars() {
        if !(character == '/' && clean.ends_with('/')) {
            clean.push(character);
        }
    }
    if let Some(query) = request.uri().query() {
        clean.push('?');
        clean.push_str(query.as_str());
    }
    let page = matches!(request.method(), Method::Get | Method::Head);
    Some(Reply::redirect(clean, page))
}
