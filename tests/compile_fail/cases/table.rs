//! Tables are private to generated code.

use basalt_compile_fail::generated::posts::schema::posts;
use basalt_runtime::sql::Conn;
use diesel::prelude::*;

pub fn titles(conn: &mut Conn) -> QueryResult<Vec<String>> {
    posts::table.select(posts::title).load(conn)
}

fn main() {}
