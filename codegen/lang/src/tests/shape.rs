//! Plans as text: the form that a rule is compiled to.

use super::fixture::{C, Fixture, LOCKED, RULED, USERS, X, compiled};
use crate::plan::Class;
use crate::schema::CollectionId;
use crate::{Caller, Scope, compile};

fn check(text: &str, expected: &[&str]) {
    let compiled = compiled(text, Caller::Rule).unwrap_or_else(|errors| panic!("{errors:?}"));
    let plan = compiled.plan.describe(&Fixture::new(), C);
    assert_eq!(plan.lines().collect::<Vec<_>>(), expected, "{text}");
}

#[test]
fn paths_become_nested_plans() {
    check("title = 'x'", &["title = 'x'"]);
    check("5 < n", &["n > 5"]);
    check("'a' ~ title", &["'a' ~ title"]);
    check("title = other", &["title = other"]);
    check("r.id = 'a'", &["r = 'a'"]);
    check("self.r.id = 'a'", &["some self in c with", "  r = 'a'"]);
    check("r.title = 'x'", &["some r in x with", "  title = 'x'"]);
    check(
        "r.title != 'x'",
        &[
            "any of",
            "  some r in x with",
            "    title != 'x'",
            "  r is empty",
        ],
    );
    check(
        "rm.title = 'x'",
        &[
            "all of",
            "  some rm in x with",
            "    title = 'x'",
            "  no rm in x with",
            "    title = 'x' is false",
        ],
    );
    check("rm:each ?= 'x'", &["some rm in x with", "  id = 'x'"]);
    check("sm:each ?= 'a'", &["some item of sm with", "  item = 'a'"]);
    check("kind:each = 'a'", &["kind = 'a'"]);
    check("j.a.0 = 1", &["j.a.0 = 1"]);
    check("geo.lon > 1", &["geo.lon > 1"]);
    check(
        "rm.title ?= @request.auth.username",
        &[
            "any of",
            "  some rm in x with",
            "    title = @request.auth.username",
            "  all of",
            "    rm is empty",
            "    null = @request.auth.username",
        ],
    );
}

#[test]
fn conditions_on_one_path_share_its_row() {
    check(
        "rm.title ?= 'x' && rm.n ?= 2",
        &[
            "some rm in x with",
            "  all of",
            "    title = 'x'",
            "    n = 2",
        ],
    );
    check(
        "author.username = 'x' && author.verified = true",
        &[
            "some author in users with",
            "  all of",
            "    username = 'x'",
            "    verified = true",
        ],
    );
    check(
        "r.rm.title ?= 'x' && r.rm.n ?= 2",
        &[
            "some r in x with",
            "  some rm in x with",
            "    all of",
            "      title = 'x'",
            "      n = 2",
        ],
    );
}

#[test]
fn other_ways_become_joined_rows() {
    check(
        "x_via_p.n ?= 2 && x_via_p.rm.title ?= title",
        &[
            "some rows with",
            "  r1 = every record of x whose p holds this record",
            "  r2 = each of r1.rm in x",
            "  all of",
            "    r1.n = 2",
            "    r2.title = title",
        ],
    );
    check(
        "@collection.x.p = id",
        &[
            "all of",
            "  some rows with",
            "    r1 = every record of x",
            "    r1.p = id",
            "  no rows with",
            "    r1 = every record of x",
            "    r1.p = id is false",
        ],
    );
    check(
        "rm.title = @request.auth.friends.username",
        &[
            "all of",
            "  some rows with",
            "    r1 = each of rm in x",
            "    r2 = the caller in users",
            "    r3 = each of r2.friends in users",
            "    r1.title = r3.username",
            "  no rows with",
            "    r1 = each of rm in x",
            "    r2 = the caller in users",
            "    r3 = each of r2.friends in users",
            "    r1.title = r3.username is false",
        ],
    );
    check(
        "@request.body.r.title = other || strftime('%Y', sm:each, 'utc') ?= '2024'",
        &[
            "any of",
            "  some rows with",
            "    r1 = each of @request.body.r in x",
            "    r1.title = other",
            "  some rows with",
            "    r1 = each item of sm",
            "    strftime('%Y', r1, 'utc') = '2024'",
        ],
    );
    // One of several conditions on one row, and something about every row.
    check(
        "x_via_p.n ?= 1 && (x_via_p.title = 'a' || public = true)",
        &[
            "some rows with",
            "  r1 = every record of x whose p holds this record",
            "  all of",
            "    r1.n = 1",
            "    any of",
            "      all of",
            "        r1.title = 'a'",
            "        no rows with",
            "          s1 = every record of x whose p holds this record",
            "          s1.title = 'a' is false",
            "      public = true",
        ],
    );
    check(
        "geoDistance(geo.lon, geo.lat, 1, 2.5) < 5",
        &["geoDistance(geo.lon, geo.lat, 1, 2.5) < 5"],
    );
}

#[test]
fn changes_are_written_out() {
    let changed = [
        "all of",
        "  @request.body.n:isset = true",
        "  n != @request.body.n",
    ];
    check("@request.body.n:changed = true", &changed);
    check("false != @request.body.n:changed", &changed);
    let same = [
        "any of",
        "  @request.body.j:isset = false",
        "  j = @request.body.j",
    ];
    check("@request.body.j:changed = false", &same);
}

#[test]
fn literals_fold() {
    check("title = 'x' && 1 = 1", &["title = 'x'"]);
    check("title = 'x' || 1 = 2", &["title = 'x'"]);
    check(
        "(title = 'x' && (n = 1 && n = 1))",
        &["all of", "  title = 'x'", "  n = 1"],
    );
    check(
        "title = 'x' || (n = 1 || n = 2)",
        &["any of", "  title = 'x'", "  n = 1", "  n = 2"],
    );
}

#[test]
fn classes_and_reads() {
    let check = |text: &str, class, reads: &[CollectionId]| {
        let compiled = compiled(text, Caller::Rule).unwrap();
        assert_eq!(compiled.class, class, "{text}");
        assert_eq!(
            compiled.reads.into_iter().collect::<Vec<_>>(),
            reads,
            "{text}"
        );
    };
    check("@request.auth.id != ''", Class::Request, &[]);
    check("author = @request.auth.id", Class::Record, &[]);
    check("@request.body.title:changed = true", Class::Record, &[]);
    check("sm:each ?= 'a'", Class::Record, &[]);
    check(
        "author.verified = true || @request.method = 'GET'",
        Class::Relational,
        &[USERS],
    );
    check(
        "lo.title = 'a' || (ru.title = 'a' && rm.r.title ?= 'a')",
        Class::Relational,
        &[LOCKED, RULED, X],
    );
    // What lies behind the caller's own record counts too.
    check(
        "title = @request.auth.friends.username",
        Class::Relational,
        &[USERS],
    );
}

#[test]
fn constant_filters_are_allowed() {
    let schema = Fixture::new();
    let compiled = compile("1 = 1", &Scope::new(&schema, C, Caller::Client)).unwrap();
    assert_eq!(compiled.class, Class::Constant);
    assert_eq!(compiled.plan.to_string(), "always");
}

#[test]
fn typed_trees_show_their_types() {
    let text = "author = @request.auth.id && (sm:each ?= 'a' || created > @now)";
    let typed = compiled(text, Caller::Rule).unwrap().typed.to_string();
    let expected = [
        "all of",
        "  author (record) = @request.auth.id (text)",
        "  any of",
        "    sm:each (choice) ?= 'a' (text)",
        "    created (date) > @now (date)",
    ];
    assert_eq!(typed.lines().collect::<Vec<_>>(), expected);
    let text = "@request.query.n > 4 || @request.headers.title = 'a'";
    let typed = compiled(text, Caller::Rule).unwrap().typed.to_string();
    let expected = [
        "any of",
        "  @request.query.n (number) > 4 (number)",
        "  @request.headers.title (text) = 'a' (text)",
    ];
    assert_eq!(typed.lines().collect::<Vec<_>>(), expected);
    let plan = compiled("rm.title ?= 'it\\'s'", Caller::Rule).unwrap().plan;
    assert_eq!(plan.to_string(), "some #9 in #4 with\n  #1 = 'it\\'s'");
}
