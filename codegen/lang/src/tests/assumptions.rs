//! What is left of rules for guests and for users, in one line.

use super::fixture::{C, Fixture, LOCKED, USERS, X, compiled};
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
        "author.username = '' || author is empty",
        "author.username = @request.auth.username || \
         (author is empty && '' = @request.auth.username)",
    );
    check(
        "title = 'a' && (n > 1 || public = true)",
        "title = 'a' && (n > 1 || public = true)",
        "title = 'a' && (n > 1 || public = true)",
    );
    check("sm:each ?= 'a'", "sm:each = 'a'", "sm:each = 'a'");
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
        "@request.auth.friends.username = 'ann'"
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
    assert_eq!(plan.phrase(&schema, C), "@collection.x#2.title ~ 't'");
}
