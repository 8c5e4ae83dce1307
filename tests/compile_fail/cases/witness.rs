//! Reading and writing asks for a permit, and a record that passed its rule is one of its own
//! type: nothing outside of the runtime makes either.

use basalt_compile_fail::generated::posts::{Post, Posts};
use basalt_runtime::access::{Allowed, Permit};
use basalt_runtime::collection::Collection;
use basalt_runtime::sql::Conn;

pub fn count(conn: &mut Conn) {
    let _ = Posts::count(Permit::grant(conn), None);
}

pub fn delete(conn: &mut Conn) {
    let _ = Posts::delete(Permit(conn), "p");
}

pub fn passed(post: Post) -> Allowed<Post> {
    Allowed(post)
}

fn main() {}
