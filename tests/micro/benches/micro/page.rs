//! A page of twenty posts through the whole server but its sockets: read anew, and kept. The floor
//! is a route of Rocket's that answers the same bytes from memory.

use std::sync::{Arc, OnceLock};

use basalt_runtime::server;
use divan::Bencher;
use divan::counter::BytesCount;
use rocket::http::Header;
use rocket::local::blocking::Client;
use rocket::{get, routes};

use crate::world::World;

const PAGE: &str = "/api/collections/posts/records?perPage=20";

static SAME: OnceLock<Arc<[u8]>> = OnceLock::new();

/// The bytes, and their owner.
struct Shared(Arc<[u8]>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<'r> rocket::response::Responder<'r, 'static> for Shared {
    fn respond_to(self, _: &'r rocket::Request<'_>) -> rocket::response::Result<'static> {
        let length = self.0.len();
        rocket::Response::build()
            .header(rocket::http::ContentType::JSON)
            .max_chunk_size(length.max(1))
            .sized_body(length, std::io::Cursor::new(self))
            .ok()
    }
}

#[get("/floor")]
fn floor_route() -> Shared {
    Shared(Arc::clone(SAME.get().unwrap()))
}

fn ask(bencher: Bencher<'_, '_>, path: &'static str, anew: bool) {
    let world = World::new();
    let address = "127.0.0.1:0".parse().unwrap();
    let rocket = server::build(Arc::clone(&world.app), address).mount("/", routes![floor_route]);
    let client = Client::untracked(rocket).unwrap();
    let body = client.get(PAGE).dispatch().into_bytes().unwrap();
    assert!(body.len() > 10_000, "{}", String::from_utf8_lossy(&body));
    SAME.get_or_init(|| body.clone().into());
    bencher
        .counter(BytesCount::new(body.len()))
        .bench_local(|| {
            let mut request = client.get(path);
            if anew {
                request = request.header(Header::new("Cache-Control", "no-cache"));
            }
            let got = request.dispatch().into_bytes().unwrap();
            assert_eq!(got.len(), body.len());
        });
}

#[divan::bench]
fn anew(bencher: Bencher<'_, '_>) {
    ask(bencher, PAGE, true);
}

#[divan::bench]
fn kept(bencher: Bencher<'_, '_>) {
    ask(bencher, PAGE, false);
}

#[divan::bench]
fn floor_from_memory(bencher: Bencher<'_, '_>) {
    ask(bencher, "/floor", false);
}
