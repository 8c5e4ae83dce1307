//! A connection is opened anew when it keeps too many statements: the writer's, and a reader's.
#![allow(clippy::unwrap_used)]

use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};

use super::super::*;
use super::{execute, insert, open, texts};
use crate::sql::Db;

/// One of many statements.
struct Numbered(usize);

impl QueryId for Numbered {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Db> for Numbered {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        pass.push_sql(&format!("SELECT {}", self.0));
        Ok(())
    }
}

impl RunQueryDsl<Conn> for Numbered {}

/// A table that goes with the connection.
fn marked(db: &Database) -> bool {
    let look = |conn: &mut Conn| execute(conn, "SELECT * FROM temp.mark");
    db.write_blocking(look).is_ok()
}

fn prepare(db: &Database, count: usize) {
    let job = move |conn: &mut Conn| {
        (0..count)
            .try_for_each(|number| Numbered(number).execute(conn).map(drop))
            .map_err(ApiError::internal)
    };
    db.write_blocking(job).unwrap();
}

#[test]
fn the_writer_begins_anew_when_it_keeps_too_many() {
    let (_folder, db) = open();
    let mark = |conn: &mut Conn| execute(conn, "CREATE TEMP TABLE mark (id)");
    db.write_blocking(mark).unwrap();
    prepare(&db, statements::MOST / 2);
    prepare(&db, statements::MOST / 2);
    assert!(marked(&db), "they were the same statements");
    prepare(&db, statements::MOST + 1);
    db.write_blocking(|conn| insert(conn, "a")).unwrap();
    assert!(!marked(&db));
    assert_eq!(texts(&db), ["a"]);
}

fn ask(reader: &mut Reader, number: usize, alone: bool) {
    let run = |conn: &mut Conn| {
        let done = Numbered(number).execute(conn);
        done.map(drop).map_err(ApiError::internal)
    };
    if alone {
        reader.look(|snapshot| run(snapshot.last())).unwrap();
    } else {
        reader.read(run).unwrap();
    }
}

#[test]
fn a_reader_begins_anew_when_it_keeps_too_many() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.db");
    let open = Some(Open::new(&path).unwrap());
    let mut reader = Reader { path, open };
    for round in 0..2 {
        let kept = |reader: &Reader| reader.open.is_some();
        for number in 0..statements::MOST {
            ask(&mut reader, number, round == 0);
            ask(&mut reader, 0, round == 0);
            assert!(kept(&reader), "{number}");
        }
        ask(&mut reader, statements::MOST, round == 0);
        assert!(!kept(&reader));
    }
}
