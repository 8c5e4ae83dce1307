//! Rows that are bound together, of a database of three small collections: what is found, and by
//! which SQL.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod sorts;
mod world;

use basalt_lang::plan::{Macro, Op, Quantifier, Truth};
use diesel::query_builder::QueryFragment;
use serde_json::json;

use self::world::{
    AUTHOR, BODY, BOSS, COMMENTS, EDITORS, KINDS, NAME, NUMBER, POST, POSTS, Stored, TITLE, USERS,
    database, guest, load, post, posts, request, user,
};
use super::*;
use crate::request::RequestInfo;
use crate::sql::fragment::sql;
use crate::sql::{Db, Form, compare, function, predicate};
use crate::value::Value;

/// The posts for which the condition holds: as rows in both forms of sub-selects, and then record by
/// record in memory, which must be the same.
fn found(request: &RequestInfo, joins: &[Join], condition: Wanted<'_>, holds: bool) -> String {
    let mut conn = database();
    let [quick, ids] = [Form::In, Form::Exists].map(|form| {
        rows(
            &mut conn,
            &Context { request, form },
            joins,
            condition,
            holds,
        )
    });
    assert_eq!(quick, ids);
    let form = Form::Exists;
    let context = Context { request, form };
    for record in &posts() {
        let some = super::stored(&mut conn, &context, record, joins, condition);
        let in_memory = some.unwrap() == holds;
        let found = ids.iter().any(|id| id == record.id());
        assert_eq!(in_memory, found, "{}", record.id());
    }
    ids.join(" ")
}

fn rows(
    conn: &mut Conn,
    context: &Context<'_>,
    joins: &[Join],
    condition: Wanted<'_>,
    holds: bool,
) -> Vec<String> {
    let own = Source::Table(Name::Outer("posts"), &POSTS);
    let condition = match query::exists::<Bound>(context, own, joins, condition, holds) {
        Predicate::Never => return Vec::new(),
        Predicate::Always => return vec!["p1".into(), "p2".into(), "p3".into()],
        Predicate::When(condition) => condition,
    };
    let query = Fragment {
        parts: vec![condition],
        pieces: vec![
            Piece::Sql("SELECT id FROM posts WHERE "),
            Piece::Part(0),
            Piece::Sql(" ORDER BY id"),
        ],
    };
    load(conn, query).into_iter().map(|row| row.id).collect()
}

/// The SQL of a condition about posts; `true` or `false` where no query is needed.
fn text_of(form: Form, joins: &[Join], condition: Wanted<'_>, holds: bool) -> String {
    let request = &guest();
    let context = Context { request, form };
    let own = Source::Table(Name::Outer("posts"), &POSTS);
    match query::exists::<Bound>(&context, own, joins, condition, holds) {
        Predicate::Never => "false".to_owned(),
        Predicate::Always => "true".to_owned(),
        Predicate::When(condition) => sql(&*condition).unwrap().replace('`', ""),
    }
}

fn is(column: Column<Bound>, value: &'static str) -> Condition {
    compare::test(column, Op::Equal, value, Truth::True)
}

fn same(left: Column<Bound>, right: Column<Bound>) -> Condition {
    compare::columns(left, Op::Equal, right, Truth::True)
}

fn comments() -> Join {
    Join::Back {
        from: Origin::Row,
        source: &COMMENTS,
        field: POST,
    }
}

#[test]
fn records_that_point_here() {
    let joins = [comments()];
    let any = |condition: Wanted<'_>| found(&guest(), &joins, condition, true);
    assert_eq!(any(&|_, rows| is(rows.of(0, BODY), "x")), "p1");
    assert_eq!(any(&|_, rows| is(rows.of(0, BODY), "")), "p3");
    assert_eq!(
        any(&|_, rows| same(rows.of(0, BODY), rows.row(TITLE))),
        "p1"
    );
    // An empty relation of a record that exists is the empty text; of a missing one it is NULL.
    assert_eq!(any(&|_, rows| is(rows.of(0, AUTHOR), "")), "p2 p3");
    let not_ann = |_: &Context<'_>, rows: &Rows<'_>| {
        compare::test(rows.of(0, AUTHOR), Op::Equal, "ann", Truth::False)
    };
    assert_eq!(any(&not_ann), "p1 p2");
    let different = |_: &Context<'_>, rows: &Rows<'_>| {
        compare::test(rows.of(0, BODY), Op::NotEqual, "x", Truth::True)
    };
    assert_eq!(any(&different), "p1 p2 p3");
    assert_eq!(
        found(
            &guest(),
            &joins,
            &|_, rows| is(rows.of(0, BODY), "x"),
            false
        ),
        "p2 p3"
    );
}

#[test]
fn one_row_for_all_conditions() {
    let joins = [
        comments(),
        Join::One {
            from: Origin::Joined(0),
            field: AUTHOR,
            target: &USERS,
        },
    ];
    let both = |name: &'static str| {
        let condition = move |_: &Context<'_>, rows: &Rows<'_>| {
            predicate::all([is(rows.of(0, BODY), "x"), is(rows.of(1, NAME), name)])
        };
        found(&guest(), &joins, &condition, true)
    };
    assert_eq!(both("Bob"), "p1");
    assert_eq!(both("Ann"), "");
}

#[test]
fn several_targets_and_items() {
    let joins = [Join::Many {
        from: Origin::Row,
        field: EDITORS,
        target: &USERS,
    }];
    assert_eq!(
        found(
            &guest(),
            &joins,
            &|_, rows| is(rows.of(0, NAME), "Bob"),
            true
        ),
        "p1 p2"
    );
    assert_eq!(
        found(&guest(), &joins, &|_, rows| is(rows.of(0, NAME), ""), true),
        "p3"
    );
    let boss_writes = [
        joins[0].clone(),
        Join::One {
            from: Origin::Joined(0),
            field: BOSS,
            target: &USERS,
        },
    ];
    let condition = |_: &Context<'_>, rows: &Rows<'_>| same(rows.of(1, 0), rows.row(AUTHOR));
    assert_eq!(found(&guest(), &boss_writes, &condition, true), "p1 p3");
    let kinds = [Join::Items {
        from: Origin::Row,
        field: KINDS,
    }];
    assert_eq!(
        found(&guest(), &kinds, &|_, rows| is(rows.item(0), "b"), true),
        "p1"
    );
    assert_eq!(
        found(&guest(), &kinds, &|_, rows| is(rows.item(0), ""), true),
        "p3"
    );
    let pairs = [kinds[0].clone(), kinds[0].clone()];
    let differ = |_: &Context<'_>, rows: &Rows<'_>| {
        compare::columns(rows.item(0), Op::Equal, rows.item(1), Truth::False)
    };
    assert_eq!(found(&guest(), &pairs, &differ, false), "p2 p3");
}

#[test]
fn all_records_the_caller_and_what_was_sent() {
    let every = [Join::Every {
        collection: &COMMENTS,
    }];
    let condition = |_: &Context<'_>, rows: &Rows<'_>| same(rows.of(0, POST), rows.row(0));
    assert_eq!(found(&guest(), &every, &condition, true), "p1 p2");
    let caller = [
        Join::Caller { collection: &USERS },
        Join::One {
            from: Origin::Joined(0),
            field: BOSS,
            target: &USERS,
        },
    ];
    let condition = |_: &Context<'_>, rows: &Rows<'_>| same(rows.of(1, 0), rows.row(AUTHOR));
    let bob = request(Some(user("bob", "Bob", "ann")), json!({}));
    assert_eq!(found(&bob, &caller, &condition, true), "p1");
    // A guest has no boss, and the last post no author.
    assert_eq!(found(&guest(), &caller, &condition, true), "p3");
    let comment = Stored(&COMMENTS, vec![Value::Text("c1".to_owned())]);
    let other = request(Some(comment), json!({}));
    assert_eq!(found(&other, &caller, &condition, true), "p3");
    let sent = [Join::Submitted {
        key: "who".into(),
        target: &USERS,
    }];
    let condition = |_: &Context<'_>, rows: &Rows<'_>| same(rows.of(0, 0), rows.row(AUTHOR));
    let body = |body| request(None, body);
    assert_eq!(
        found(
            &body(json!({"who": ["ann", "bob"]})),
            &sent,
            &condition,
            true
        ),
        "p1 p2"
    );
    assert_eq!(
        found(&body(json!({"who": "bob"})), &sent, &condition, true),
        "p2"
    );
    assert_eq!(
        found(&body(json!({"who": "nobody"})), &sent, &condition, true),
        "p3"
    );
    assert_eq!(found(&body(json!({})), &sent, &condition, true), "p3");
}

#[test]
fn conditions_beside_others() {
    let joins = [comments()];
    let condition = |_: &Context<'_>, rows: &Rows<'_>| {
        let commented = rows.some(&[comments()], &|_, rows| is(rows.of(0, BODY), "one"));
        let unwritten = rows.none(&[comments()], &|_, rows| is(rows.of(0, BODY), "y"));
        predicate::all([is(rows.of(0, BODY), "x"), commented, unwritten])
    };
    assert_eq!(found(&guest(), &joins, &condition, true), "p1");
    let either = |_: &Context<'_>, rows: &Rows<'_>| {
        let none = rows.none(&[comments()], &|_, rows| is(rows.of(0, BODY), "x"));
        predicate::any([is(rows.of(0, BODY), "one"), none])
    };
    assert_eq!(found(&guest(), &joins, &either, true), "p1 p2 p3");
}

#[test]
fn drafts_convert_nothing() {
    let mut conn = database();
    let request = guest();
    let context = Context {
        request: &request,
        form: Form::Exists,
    };
    let draft = post("p9", "5", "cid", r#"["ann"]"#, r#"["a"]"#, 5.0);
    let mut holds = |joins: &[Join], condition: Wanted<'_>| {
        super::draft(&mut conn, &context, &draft, joins, condition)
    };
    let number =
        |value: &'static str| move |_: &Context<'_>, rows: &Rows<'_>| is(rows.row(NUMBER), value);
    assert!(!holds(&[], &number("5")).unwrap());
    let five = |_: &Context<'_>, rows: &Rows<'_>| {
        compare::test(rows.row(NUMBER), Op::Equal, 5.0, Truth::True)
    };
    assert!(holds(&[], &five).unwrap());
    let one = [Join::One {
        from: Origin::Row,
        field: AUTHOR,
        target: &USERS,
    }];
    assert!(holds(&one, &|_, rows| is(rows.of(0, BOSS), "bob")).unwrap());
    let many = [Join::Many {
        from: Origin::Row,
        field: EDITORS,
        target: &USERS,
    }];
    assert!(holds(&many, &|_, rows| is(rows.of(0, NAME), "Ann")).unwrap());
    // Nothing points to it yet, and a rule that asks is a mistake, which must not pass as an answer.
    assert!(holds(&[comments()], &|_, rows| is(rows.of(0, BODY), "")).is_err());
}

#[test]
fn rows_that_must_be_there_need_no_outer_join() {
    let joins = [
        comments(),
        Join::One {
            from: Origin::Joined(0),
            field: AUTHOR,
            target: &USERS,
        },
    ];
    let text = |condition: Wanted<'_>| text_of(Form::Exists, &joins, condition, true);
    assert_eq!(
        text(&|_, rows| is(rows.of(1, NAME), "x")),
        "(EXISTS (SELECT 1 FROM comments AS _r0 JOIN users AS _r1 ON _r1.id = _r0.author \
         WHERE _r0.post = posts.id AND (_r1.name = ?)))"
    );
    assert_eq!(
        text(&|_, rows| is(rows.of(0, BODY), "x")),
        "(EXISTS (SELECT 1 FROM comments AS _r0 WHERE _r0.post = posts.id AND (_r0.body = ?)))"
    );
    let both = |_: &Context<'_>, rows: &Rows<'_>| {
        predicate::all([is(rows.of(0, BODY), "x"), is(rows.of(1, NAME), "")])
    };
    let tables = "FROM comments AS _r0 LEFT JOIN users AS _r1 ON _r1.id = _r0.author \
         WHERE _r0.post = posts.id AND";
    assert!(text(&both).contains(tables), "{}", text(&both));
    assert_eq!(
        text(&|_, rows| is(rows.of(0, BODY), "")),
        "(EXISTS (SELECT 1 FROM (SELECT 1) LEFT JOIN comments AS _r0 ON _r0.post = posts.id \
         WHERE ((_r0.body = '' OR _r0.body IS NULL))))"
    );
    let every = [Join::Every {
        collection: &COMMENTS,
    }];
    let sure = |_: &Context<'_>, rows: &Rows<'_>| {
        predicate::all([
            is(rows.of(0, BODY), "x"),
            same(rows.of(0, POST), rows.row(0)),
        ])
    };
    assert_eq!(
        text_of(Form::In, &every, &sure, true),
        "(EXISTS (SELECT 1 FROM comments AS _r0 \
         WHERE ((_r0.body = ?) AND (_r0.post = posts.id))))"
    );
}

#[test]
fn what_is_not_there_fails() {
    let mut conn = database();
    let request = guest();
    let context = Context {
        request: &request,
        form: Form::Exists,
    };
    let [record, ..] = posts();
    let mut fails = |joins: &[Join], condition: Wanted<'_>| {
        super::stored(&mut conn, &context, &record, joins, condition).is_err()
    };
    assert!(fails(&[], &|_, rows| is(rows.row(99), "x")));
    assert!(fails(&[], &|_, rows| is(rows.of(0, 0), "x")));
    assert!(fails(&[comments()], &|_, rows| is(rows.item(0), "x")));
    let nowhere = [Join::One {
        from: Origin::Joined(3),
        field: 0,
        target: &USERS,
    }];
    assert!(fails(&nowhere, &|_, rows| is(rows.of(0, 0), "x")));
}

/// What a condition on the request leaves nothing of isn't looked at.
#[test]
fn joins_that_nothing_names() {
    let request = guest();
    let joins = [
        Join::Every {
            collection: &COMMENTS,
        },
        Join::One {
            from: Origin::Row,
            field: AUTHOR,
            target: &USERS,
        },
        Join::One {
            from: Origin::Joined(1),
            field: BOSS,
            target: &USERS,
        },
    ];
    let named = |_: &Context<'_>, rows: &Rows<'_>| is(rows.of(2, NAME), "");
    let all = found(&request, &joins, &named, true);
    let alone = |_: &Context<'_>, rows: &Rows<'_>| is(rows.of(1, NAME), "");
    assert_eq!(all, found(&request, &boss(), &alone, true));
    let text = |condition: Wanted<'_>| text_of(Form::Exists, &joins, condition, true);
    let found = text(&named);
    assert!(!found.contains("_r0"), "{found}");
    assert!(
        found.contains("users AS _r1") && found.contains("users AS _r2"),
        "{found}"
    );
    // Nothing at all.
    let own_only = |_: &Context<'_>, rows: &Rows<'_>| is(rows.row(TITLE), "one");
    assert!(!text(&own_only).contains("FROM"), "{}", text(&own_only));
}

/// The author's boss.
fn boss() -> [Join; 2] {
    [
        Join::One {
            from: Origin::Row,
            field: AUTHOR,
            target: &USERS,
        },
        Join::One {
            from: Origin::Joined(0),
            field: BOSS,
            target: &USERS,
        },
    ]
}

/// A client can submit any number of values.
#[test]
fn many_values() {
    let condition = |cx: &Context<'_>, rows: &Rows<'_>| {
        let given = cx.body_each(&["names"], Quantifier::Some);
        compare::test(rows.row(TITLE), Op::Equal, given, Truth::True)
    };
    let all = |cx: &Context<'_>, rows: &Rows<'_>| {
        let given = cx.body_each(&["names"], Quantifier::All);
        compare::test(rows.row(TITLE), Op::NotEqual, given, Truth::True)
    };
    for (count, kept) in [(3, true), (5000, false)] {
        let mut names: Vec<_> = (0..count).map(|number| number.to_string()).collect();
        names.push("two".to_owned());
        let request = request(None, json!({ "names": names }));
        assert_eq!(found(&request, &[], &condition, true), "p2", "{count}");
        assert_eq!(found(&request, &[], &all, true), "p1 p3", "{count}");
        let form = Form::Exists;
        let context = Context {
            request: &request,
            form,
        };
        let own = Source::Table(Name::Outer("posts"), &POSTS);
        let rows = Rows::bind(&context, own, &[], None);
        let Predicate::When(made) = condition(&context, &rows) else {
            panic!("it depends on the row");
        };
        let safe = QueryFragment::<Db>::is_safe_to_cache_prepared(&*made, &Db::default());
        assert_eq!(safe.unwrap(), kept, "{count}");
    }
}

#[test]
fn functions() {
    let mut conn = database();
    let request = guest();
    let context = Context {
        request: &request,
        form: Form::Exists,
    };
    let [record, ..] = posts();
    let mut holds = |condition: Wanted<'_>| {
        super::stored(&mut conn, &context, &record, &[], condition).unwrap()
    };
    assert!(holds(&|_, _| is(
        function::time("%Y-%m", "2024-02-03 04:05:06.789Z".into(), &["+1 month"]),
        "2024-03"
    )));
    // What is no time is as good as empty.
    assert!(holds(&|_, rows| is(
        function::time("%Y", rows.row(TITLE).into(), &[]),
        ""
    )));
    let now = |cx: &Context<'_>, _: &Rows<'_>| {
        is(
            function::time("%Y", cx.macro_value(Macro::Now).into(), &[]),
            "2026",
        )
    };
    assert!(holds(&now));
    // The database's own clock is not asked, whoever names it.
    for word in ["now", "NOW", "now\0", "subsec", "subsecond"] {
        let given = |_: &Context<'_>, _: &Rows<'_>| is(function::time("%Y", word.into(), &[]), "");
        assert!(holds(&given), "{word:?}");
        let stored = |_: &Context<'_>, _: &Rows<'_>| {
            let part = Fragment {
                parts: Vec::new(),
                pieces: vec![Piece::Text(word.to_owned())],
            };
            let column = Column::Text(part.typed());
            is(function::time("%Y", column.into(), &[]), "")
        };
        assert!(holds(&stored), "{word:?}");
    }
    let far = |least: f64| {
        move |_: &Context<'_>, _: &Rows<'_>| {
            let points = [13.4.into(), 52.5.into(), 2.35.into(), 48.86.into()];
            compare::test(function::distance(points), Op::Greater, least, Truth::True)
        }
    };
    assert!(holds(&far(870.0)));
    assert!(!holds(&far(885.0)));
    let none = |_: &Context<'_>, rows: &Rows<'_>| {
        let points = [rows.row(TITLE).into(), 0.0.into(), 0.0.into(), 0.0.into()];
        compare::test(
            function::distance(points),
            Op::Equal,
            crate::rules::Given::null(),
            Truth::True,
        )
    };
    assert!(holds(&none));
    let from_number = |_: &Context<'_>, rows: &Rows<'_>| {
        let points = [rows.row(NUMBER).into(), 0.0.into(), 2.0.into(), 0.0.into()];
        compare::test(function::distance(points), Op::Less, 112.0, Truth::True)
    };
    assert!(holds(&from_number));
}

#[test]
fn totals_look_at_the_other_rows_once() {
    let text =
        |joins: &[Join], condition: Wanted<'_>, holds| text_of(Form::In, joins, condition, holds);
    let commented = |_: &Context<'_>, rows: &Rows<'_>| is(rows.of(0, BODY), "x");
    assert_eq!(
        text(&[comments()], &commented, true),
        "(posts.id IN (SELECT _r0.post FROM comments AS _r0 WHERE (_r0.body = ?)))"
    );
    assert_eq!(
        text(&[comments()], &commented, false),
        "(posts.id NOT IN (SELECT _r0.post FROM comments AS _r0 \
         WHERE _r0.post IS NOT NULL AND (_r0.body = ?)))"
    );
    let ways = [
        Join::One {
            from: Origin::Row,
            field: AUTHOR,
            target: &USERS,
        },
        Join::One {
            from: Origin::Joined(0),
            field: BOSS,
            target: &USERS,
        },
    ];
    let boss = |_: &Context<'_>, rows: &Rows<'_>| same(rows.of(1, NAME), rows.of(0, NAME));
    assert!(text(&ways, &boss, true).starts_with("(EXISTS"));
    let boss = |_: &Context<'_>, rows: &Rows<'_>| {
        compare::columns(rows.of(1, NAME), Op::Less, rows.of(0, NAME), Truth::True)
    };
    assert_eq!(
        text(&ways, &boss, false),
        "(posts.author IS NULL OR posts.author NOT IN (SELECT _r0.id FROM users AS _r0 \
         JOIN users AS _r1 ON _r1.id = _r0.boss WHERE (_r1.name < _r0.name)))"
    );
    assert_eq!(found(&guest(), &ways, &boss, true), "p2");
    assert_eq!(found(&guest(), &ways, &boss, false), "p1 p3");
    let editors = [Join::Many {
        from: Origin::Row,
        field: EDITORS,
        target: &USERS,
    }];
    assert_eq!(
        text(&editors, &|_, rows| is(rows.of(0, NAME), "Bob"), true),
        "(posts.id IN (SELECT _l0.owner FROM _link_posts_editors AS _l0 \
         JOIN users AS _r0 ON _r0.id = _l0.target WHERE (_r0.name = ?)))"
    );
    // Where the row itself is looked at, there is nothing to look at once.
    let titled = |_: &Context<'_>, rows: &Rows<'_>| {
        predicate::all([is(rows.of(0, BODY), "x"), is(rows.row(TITLE), "one")])
    };
    assert!(text(&[comments()], &titled, true).starts_with("(EXISTS"));
}
