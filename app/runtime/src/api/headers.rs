//! The headers that every answer carries, and the answers to preflight requests.

use rocket::fairing::{Fairing, Info, Kind};
use rocket::http::{Header, Method, Status};
use rocket::route::{Handler, Outcome};
use rocket::{Data, Request, Response, Route};

use super::Reply;

/// Sets the standard headers.
pub struct Standard;

const ALWAYS: [(&str, &str); 4] = [
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "SAMEORIGIN"),
    ("X-XSS-Protection", "1; mode=block"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
];

#[rocket::async_trait]
impl Fairing for Standard {
    fn info(&self) -> Info {
        Info {
            name: "standard headers",
            kind: Kind::Response,
        }
    }

    async fn on_response<'r>(&self, request: &'r Request<'_>, response: &mut Response<'r>) {
        response.adjoin_header(Header::new("Vary", "Origin"));
        let from_elsewhere = request.headers().contains("Origin");
        if from_elsewhere {
            response.set_header(Header::new("Access-Control-Allow-Origin", "*"));
        }
        if request.method() != Method::Options {
            for (name, value) in ALWAYS {
                response.set_header(Header::new(name, value));
            }
        } else if from_elsewhere && response.status() == Status::NoContent {
            allow(request, response);
        }
    }
}

/// Tells a browser what it may send.
fn allow(request: &Request<'_>, response: &mut Response<'_>) {
    response.adjoin_header(Header::new("Vary", "Access-Control-Request-Method"));
    response.adjoin_header(Header::new("Vary", "Access-Control-Request-Headers"));
    let methods = "GET,HEAD,PUT,PATCH,POST,DELETE";
    response.set_header(Header::new("Access-Control-Allow-Methods", methods));
    if let Some(wanted) = request.headers().get_one("Access-Control-Request-Headers") {
        response.set_header(Header::new(
            "Access-Control-Allow-Headers",
            wanted.to_owned(),
        ));
    }
}

/// A route that answers every `OPTIONS` with 204.
pub fn preflight() -> Vec<Route> {
    vec![Route::ranked(20, Method::Options, "/<path..>", Preflight)]
}

#[derive(Clone)]
struct Preflight;

#[rocket::async_trait]
impl Handler for Preflight {
    async fn handle<'r>(&self, request: &'r Request<'_>, _: Data<'r>) -> Outcome<'r> {
        Outcome::from(request, Reply::no_content())
    }
}
