//! Sorting by a value of the first of several records.

use super::*;

/// The posts in the order of a value of the first of several records.
fn sorted(
    joins: &[Join],
    value: &dyn Fn(&Rows<'_>) -> Option<Column<Bound>>,
    visible: &dyn Fn(&Rows<'_>) -> Condition,
) -> String {
    let request = guest();
    let context = Context {
        request: &request,
        form: Form::Exists,
    };
    let own = Source::Table(Name::Outer("posts"), &POSTS);
    let (pieces, parts) = query::first(&context, own, joins, (value, visible)).unwrap();
    let mut all = vec![Piece::Sql("SELECT id FROM posts ORDER BY ")];
    all.extend(pieces);
    all.push(Piece::Sql(", id DESC"));
    let rows = load(&mut database(), Fragment { parts, pieces: all });
    let ids: Vec<String> = rows.into_iter().map(|row| row.id).collect();
    ids.join(" ")
}

#[test]
fn the_first_of_several_sorts() {
    let everyone: &dyn Fn(&Rows<'_>) -> Condition = &|_| Predicate::Always;
    let bodies = |visible| sorted(&[comments()], &|rows| Some(rows.of(0, BODY)), visible);
    // The first comments: "one", "y", and none.
    assert_eq!(bodies(everyone), "p3 p1 p2");
    assert_eq!(bodies(&|_| Predicate::Never), "p3 p2 p1");
    assert_eq!(bodies(&|rows| is(rows.of(0, BODY), "y")), "p3 p1 p2");
    assert_eq!(bodies(&|rows| is(rows.of(0, BODY), "one")), "p3 p2 p1");
    let editors = [Join::Many {
        from: Origin::Row,
        field: EDITORS,
        target: &USERS,
    }];
    let names = sorted(&editors, &|rows| Some(rows.of(0, NAME)), everyone);
    assert_eq!(names, "p3 p2 p1");
    let kinds = [Join::Items {
        from: Origin::Row,
        field: KINDS,
    }];
    assert_eq!(
        sorted(&kinds, &|rows| Some(rows.item(0)), everyone),
        "p3 p2 p1"
    );
    let every = [Join::Every {
        collection: &COMMENTS,
    }];
    assert_eq!(
        sorted(&every, &|rows| Some(rows.of(0, 0)), everyone),
        "p3 p2 p1"
    );
}
