//! A connection alone reads and writes nothing.

use basalt_compile_fail::generated::posts::Posts;
use basalt_runtime::collection::Collection;
use basalt_runtime::sql::{Conn, Pred};

pub fn delete(conn: &mut Conn, which: Pred<<Posts as Collection>::Table>) {
    let _ = <Posts as Collection>::delete(conn, which);
}

fn main() {}
