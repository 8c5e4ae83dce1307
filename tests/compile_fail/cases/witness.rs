//! Reading and writing asks for a permit, and a record that passed its rule is one of its own
//! type: nothing outside of the runtime makes either.

use basalt_compile_fail::generated::posts::{Post, Posts};
use basalt_runtime::access::{Allowed, Permit};
use basalt_runtime::collection::Collection;
use basalt_runtime::sql::{Conn, Pred};

pub fn count(conn: &mut Conn) {
    let _ = Posts::count(Permit::grant(conn), None);
}

pub fn delete(conn: &mut Conn, which: Pred<<Posts as Collection>::Table>) {
    let _ = Posts::delete(Permit::delete(conn, "posts"), which);
}

pub fn made(conn: &mut Conn) -> Permit<'_> {
    Permit { conn }
}

pub fn passed(post: Post) -> Allowed<Post> {
    Allowed(post)
}

fn main() {}
