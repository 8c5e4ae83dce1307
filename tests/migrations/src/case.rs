//! A change of a schema, made on a real database with rows in it.

use basalt_codegen::diff::Options;
use basalt_runtime::migrate;

use crate::{TestDb, introspect, meta, schema};

/// A question to the database, as `SELECT .0 .1`, and its answer.
pub type Ask = (&'static str, &'static str, &'static str);

/// One change of a schema.
pub struct Case {
    /// The files before.
    pub before: &'static [&'static str],
    /// What is in the tables then.
    pub rows: &'static str,
    /// The files after.
    pub after: &'static [&'static str],
    /// What would be lost; without any, the change must be made without the flag.
    pub losses: &'static [&'static str],
    /// What the database answers after it.
    pub up: &'static [Ask],
    /// What it answers when the change is taken back.
    pub down: &'static [Ask],
}

/// Makes the change on a database with rows: up, down, and up again.
pub fn check(case: &Case) {
    let (before, after) = (schema(case.before), schema(case.after));
    let mut db = TestDb::new();
    db.migrate(&before, false);
    db.execute(case.rows);
    db.assert_sound(&before);

    let refused = match db.diff(&after, &Options::default()) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.into_iter().map(|it| it.message).collect(),
    };
    assert_eq!(refused, case.losses);

    assert!(db.migrate(&after, !case.losses.is_empty()));
    let up = |db: &mut TestDb| {
        db.assert_sound(&after);
        assert_eq!(
            introspect::without_conditions(introspect::found(&mut db.conn)),
            introspect::wanted(&after)
        );
        migrate::check_fits(&mut db.conn, &meta::of(&after)).unwrap();
    };
    up(&mut db);
    ask(&mut db, case.up);
    assert!(
        !db.migrate(&after, false),
        "the second diff found something"
    );

    db.revert();
    db.assert_sound(&before);
    assert_eq!(
        introspect::without_conditions(introspect::found(&mut db.conn)),
        introspect::wanted(&before)
    );
    ask(&mut db, case.down);

    assert_eq!(db.run().unwrap(), 1);
    up(&mut db);
}

fn ask(db: &mut TestDb, questions: &[Ask]) {
    for (what, rest, answer) in questions {
        assert_eq!(&db.ask(what, rest), answer, "SELECT {what} {rest}");
    }
}
