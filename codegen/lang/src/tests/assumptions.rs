//! What is left of rules for guests and for users, in one line.

use super::fixture::{C, Fixture, LOCKED, USERS, X, compiled};
use super::model::{Cell, Model, list, text};
use crate::Caller;
use crate::assume::{Assumption, Kind};
use crate::plan::{Column, Join, Op, Origin, Plan, Truth, Value};
use crate::schema::{CollectionId, FieldId, Schema};

/// What the rule says to a guest and to a user.
#[track_caller]
fn check(rule: &str, guest: &str, user: &str) {
    let plan = compiled(rule, Caller::Superuser).unwrap().plan;
    let left = |kind| {
        plan.assume(&Fixture::new(), kind)
            .phrase(&Fixture::new(), C)
    };
    assert_eq!(left(Kind::Guest), guest, "{rule} for guests");
    assert_eq!(left(Kind::User(USERS)), user, "{rule} for users");
}

#[test]
fn being_logged_in_is_decided() {
    check("@request.auth.id != ''", "never", "always");
    check("@request.auth.id = ''", "always", "never");
    check("@request.auth.id = null", "always", "never");
    check("'' != @request.auth.id", "never", "always");
    check(
        "@request.auth.id != '' || public = true",
        "public = true",
        "always",
    );
    check(
        "@request.auth.id != '' && public = true",
        "never",
        "public = true",
    );
}

#[test]
fn the_callers_collection_is_decided() {
    check("@request.auth.collectionName = 'users'", "never", "always");
    check("@request.auth.collectionName = 'staff'", "never", "never");
    check(
        "@request.auth.collectionName != 'staff'",
        "always",
        "always",
    );
    check("@request.auth.collectionId = 'nothing'", "never", "never");
    check("@request.auth.collectionId != ''", "never", "always");
    check(
        "@request.auth.collectionName:lower = 'users'",
        "never",
        "always",
    );
}

#[test]
fn guests_meet_empty_fields() {
    // A well-known pitfall of the language: nobody is the author of what has none.
    check(
        "author = @request.auth.id",
        "author = ''",
        "author = @request.auth.id",
    );
    check("id = @request.auth.id", "never", "id = @request.auth.id");
    check("id != @request.auth.id", "always", "id != @request.auth.id");
    check(
        "n < @request.auth.level",
        "never",
        "n < @request.auth.level",
    );
    check(
        "title ~ @request.auth.username",
        "never",
        "title ~ @request.auth.username",
    );
    check(
        "@request.auth.verified = true",
        "never",
        "@request.auth.verified = true",
    );
    check(
        "@request.auth.verified != true",
        "always",
        "@request.auth.verified != true",
    );
    check("@request.auth.nothing = ''", "always", "always");
}

#[test]
fn what_other_parts_say_stays() {
    check(
        "@request.query.key = 'x' && author.username ?~ @request.auth.username",
        "never",
        "@request.query.key = 'x' && author.username ~ @request.auth.username",
    );
    check(
        "author.username = @request.auth.username",
        "author.username = ''",
        "author.username = @request.auth.username",
    );
    check(
        "title = 'a' && (n > 1 || public = true)",
        "title = 'a' && (n > 1 || public = true)",
        "title = 'a' && (n > 1 || public = true)",
    );
}

#[test]
fn comparisons_are_written_as_they_were() {
    for rule in [
        "title = 'a' && (n > 1 || public = true)",
        "r.title = 'x'",
        "r.title != 'x'",
        "r.title = ''",
        "r.r.title != 'x'",
        "rm.title = 'x'",
        "rm.title ?= 'x'",
        "rm.title != 'x'",
        "rm.title ?!= 'x'",
        "rm.title = '' || n > 1",
        "n > 1 && rm.title ?= ''",
        "rm.r.title != 'x'",
        "rm.rm.title ?~ 'x'",
        "rm.sm:each ?= 'a'",
        "sm:each = 'a'",
        "sm:each ?!= 'a'",
        "sm:each != 'a' && rm.title = 'x'",
        "rm:length > 1 && j.a.b = null",
        "rm.title = title",
        "c_via_self.title ?= 'a'",
        "c_via_self.title = 'a'",
        "@collection.x.title ?= title",
    ] {
        let plan = compiled(rule, Caller::Superuser).unwrap().plan;
        assert_eq!(plan.phrase(&Fixture::new(), C), rule);
    }
}

#[test]
fn a_method_that_is_known_is_decided() {
    let plan = compiled("@request.method = 'POST'", Caller::Superuser)
        .unwrap()
        .plan;
    let assume = |method| {
        let kind = Kind::Guest;
        plan.assume_request(&Fixture::new(), Assumption { kind, method })
    };
    assert_eq!(assume(Some("POST")), Plan::Always);
    assert_eq!(assume(Some("PATCH")), Plan::Never);
    assert_eq!(assume(None), plan);
}

/// A field's place by name.
fn field(collection: CollectionId, name: &str) -> FieldId {
    Fixture::new().field(collection, name).unwrap().id
}

/// A joined row's field against a text.
fn joined(joins: Vec<Join>, row: usize, field: FieldId, op: Op, text: &str, holds: bool) -> Plan {
    Plan::Joined {
        joins,
        inner: Box::new(Plan::Test {
            column: Column::Of(row, Box::new(Column::Field(field))),
            op,
            value: Value::Text(text.to_owned()),
            when: Truth::True,
        }),
        holds,
    }
}

#[test]
fn the_record_of_a_caller_who_is_none_is_missing() {
    let caller = || Join::Caller { collection: USERS };
    let friend = || Join::Many {
        from: Origin::Joined(0),
        field: field(USERS, "friends"),
        target: USERS,
    };
    let name = field(USERS, "username");
    let schema = Fixture::new();
    let says = |plan: &Plan, kind| plan.assume(&schema, kind).phrase(&schema, C);
    let plan = joined(vec![caller(), friend()], 1, name, Op::Equal, "ann", true);
    assert_eq!(says(&plan, Kind::Guest), "never");
    assert_eq!(
        says(&plan, Kind::User(USERS)),
        "@request.auth.friends.username ?= 'ann'"
    );
    let plan = joined(vec![caller(), friend()], 1, name, Op::NotEqual, "ann", true);
    assert_eq!(says(&plan, Kind::Guest), "always");
    assert_eq!(says(&plan, Kind::User(LOCKED)), "always");
    let plan = joined(vec![caller()], 0, name, Op::NotEqual, "ann", false);
    assert_eq!(says(&plan, Kind::Guest), "never");
}

#[test]
fn rows_of_other_collections_have_names() {
    let schema = Fixture::new();
    let back = || Join::Back {
        from: Origin::Row,
        source: X,
        field: field(X, "r"),
    };
    let every = || Join::Every { collection: X };
    let title = field(X, "title");
    let plan = joined(vec![back()], 0, title, Op::Equal, "t", false);
    assert_eq!(plan.phrase(&schema, C), "no(x_via_r.title = 't')");
    let plan = joined(vec![every(), every()], 1, title, Op::Like, "t", true);
    assert_eq!(plan.phrase(&schema, C), "@collection.x#2.title ?~ 't'");
}

/// Parts of rules that speak of the caller, and some that don't.
const PARTS: &[&str] = &[
    "@request.auth.id = ''",
    "@request.auth.id != null",
    "author = @request.auth.id",
    "author != @request.auth.id",
    "authors.id ?= @request.auth.id",
    "authors.id != @request.auth.id",
    "id != @request.auth.id",
    "@request.auth.verified = true",
    "@request.auth.verified != true",
    "@request.auth.level > 3",
    "n < @request.auth.level",
    "n != @request.auth.level",
    "title ~ @request.auth.username",
    "@request.auth.username !~ title",
    "@request.auth.nothing = ''",
    "@request.auth.nothing > 1",
    "@request.auth.collectionName = 'users'",
    "@request.auth.friends.username ?= 'bob'",
    "@request.auth.friends.username != 'bob'",
    "@request.auth.friends.level > 1",
    "@request.auth.friends.id ?= author",
    "@request.auth.friends.username ?= title",
    "author.username = @request.auth.username",
    "authors.level ?> @request.auth.level",
    "j.k = @request.auth.level",
    "@collection.x.title ?= @request.auth.username",
    "public = true",
    "title = 'bob'",
];

/// Two users who know each other, and records of theirs.
fn people() -> Model {
    let mut model = Model::new();
    for (id, name, level, friends) in [
        ("u1", "Ann", 5.0, list(&["u2"])),
        ("u2", "bob", 1.0, list(&["u1", "u2"])),
    ] {
        let cells = [
            ("username", text(name)),
            ("level", Cell::Number(level)),
            ("friends", friends),
        ];
        model.add(USERS, id, &cells);
    }
    model.add(X, "x1", &[("title", text("Ann"))]);
    for (id, author, authors, title, n) in [
        ("free", "", list(&[]), "", 0.0),
        ("anns", "u1", list(&["u1"]), "bob", 5.0),
        ("both", "u2", list(&["u1", "u2"]), "Annabel", 7.0),
    ] {
        let cells = [
            ("author", text(author)),
            ("authors", authors),
            ("title", text(title)),
            ("n", Cell::Number(n)),
            ("public", Cell::Bool(n > 0.0)),
        ];
        model.add(C, id, &cells);
    }
    model
}

#[test]
fn what_is_left_holds_of_the_same_rows() {
    let mut model = people();
    let ann = vec![
        ("id", text("u1")),
        ("username", text("Ann")),
        ("level", Cell::Number(5.0)),
        ("verified", Cell::Bool(true)),
        ("collectionName", text("users")),
        ("friends", list(&["u2"])),
    ];
    let mut shorter = 0;
    for (auth, kind) in [(None, Kind::Guest), (Some(ann), Kind::User(USERS))] {
        model.auth = auth;
        for (left, right) in PARTS
            .iter()
            .flat_map(|it| PARTS.iter().map(move |to| (it, to)))
        {
            for word in ["&&", "||"] {
                let rule = format!("{left} {word} {right}");
                let plan = compiled(&rule, Caller::Superuser).unwrap().plan;
                let rest = plan.assume(&model.schema, kind);
                shorter += usize::from(rest != plan);
                let (all, left) = (model.matched_by(C, &plan), model.matched_by(C, &rest));
                assert_eq!(
                    all,
                    left,
                    "{rule} for {kind:?}: {}",
                    rest.phrase(&model.schema, C)
                );
            }
        }
    }
    assert!(shorter > 1000, "only {shorter} were shorter");
}
