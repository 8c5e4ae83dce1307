//! A connection alone reads and writes nothing.

use basalt_compile_fail::generated::posts::Posts;
use basalt_runtime::collection::Collection;
use basalt_runtime::sql::Conn;

pub fn delete(conn: &mut Conn) {
    let _ = <Posts as Collection>::delete(conn, "p");
}

fn main() {}
