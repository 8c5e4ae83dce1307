//! How large plans become: what a client may write must not cost more than it is long.

use super::fixture::{C, Fixture, X, collection, compiled};
use crate::error::Code;
use crate::parser::MAX_COMPARISONS;
use crate::plan::{Join, Plan};
use crate::schema::{CollectionId, FieldType, ListAccess};
use crate::{Caller, Compiled, Scope, compile, together};

/// Conditions and joins.
fn size(plan: &Plan) -> usize {
    1 + match plan {
        Plan::All(items) | Plan::Any(items) => items.iter().map(size).sum(),
        Plan::Via { inner, .. } | Plan::Each { inner, .. } => size(inner),
        Plan::Joined { joins, inner, .. } => joins.len() + size(inner),
        _ => 0,
    }
}

fn plan(text: &str) -> Plan {
    compiled(text, Caller::Client).unwrap().plan
}

/// `(one || one || …) && other && other …`, with so many of each.
fn mixed(count: usize, one: &str, other: &str) -> String {
    let all = |text: &str, and: &str| {
        let each = (0..count).map(|number| text.replace('#', &number.to_string()));
        each.collect::<Vec<_>>().join(and)
    };
    format!("({}) && {}", all(one, " || "), all(other, " && "))
}

#[test]
fn plans_grow_as_their_texts_do() {
    for (one, other) in [
        ("sm:each = 'a#'", "sm:each != 'b#'"),
        ("sm:each ?= 'a#'", "sm:each ?!= 'b#'"),
        ("rm.title = 'a#'", "rm.r.title != 'b#'"),
        ("x_via_p.title = 'a#'", "x_via_p.n != #"),
        ("rm.title = 'a#'", "(rm.n = # || rm.n > 1#)"),
        ("(rm.n = # && rm.title = 'a#')", "(rm.n = # || rm.n > 1#)"),
        (
            "(rm.n = # || 1 = 1 && 2 = 2)",
            "(rm.n > # || 1 = 1 && 3 = 3)",
        ),
    ] {
        for count in [2, 6, 12, 25, 50] {
            let text = mixed(count, one, other);
            let comparisons = text.matches(['=', '>']).count();
            if comparisons > MAX_COMPARISONS {
                continue;
            }
            let found = size(&plan(&text));
            let most = 24 * comparisons + 64;
            assert!(found <= most, "{found} > {most}: {text}");
        }
    }
}

/// What is neither TRUE nor FALSE must not be multiplied either.
#[test]
fn what_is_always_true_multiplies_nothing() {
    let constants = vec!["(1 = 1 && 2 = 2 || 3 = 3 && 4 = 4)"; 30].join(" && ");
    assert_eq!(plan(&constants), Plan::Always);
}

#[test]
fn short_alternatives_stay_nested() {
    let text = "(rm.title ?= 'a' || rm.title ?= 'b') && rm.n ?= 1";
    assert!(
        !plan(text).to_string().contains("of rows"),
        "{}",
        plan(text)
    );
    let has_joins = |plan: &Plan| matches!(plan, Plan::Joined { .. });
    let found = plan(&mixed(20, "rm.title ?= 'a#'", "rm.n ?!= #"));
    assert!(has_joins(&found), "{found}");
}

/// `c`, and so many auth collections with a point and a relation.
fn with_callers(count: usize) -> Fixture {
    const NAMES: [&str; 12] = [
        "users0", "users1", "users2", "users3", "users4", "users5", "users6", "users7", "users8",
        "users9", "users10", "users11",
    ];
    let mut all = vec![collection(
        "c",
        ListAccess::Public,
        &[("geo", FieldType::GeoPoint), ("title", FieldType::Text)],
    )];
    for (number, name) in NAMES.into_iter().enumerate().take(count) {
        let fields = [
            ("geo", FieldType::GeoPoint),
            ("up", FieldType::One(CollectionId(1 + number))),
            ("ups", FieldType::Many(CollectionId(1 + number))),
            ("title", FieldType::Text),
        ];
        all.push(collection(name, ListAccess::Public, &fields));
    }
    Fixture::of(all)
}

fn rule(schema: &Fixture, text: &str) -> Result<Compiled, Vec<crate::Error>> {
    compile(text, &Scope::new(schema, C, Caller::Rule))
}

#[test]
fn a_comparison_has_one_caller() {
    let near = "geoDistance(@request.auth.geo.lon, @request.auth.geo.lat, geo.lon, geo.lat) < 5";
    let plan = rule(&with_callers(2), near).unwrap().plan;
    let found = plan.describe(&with_callers(2), C);
    let cases = found.matches("collectionName = ").count();
    assert_eq!(cases, 2, "{found}");
    assert_eq!(found.matches("collectionName != ").count(), 2, "{found}");
    // Eight places, many collections.
    let point = "@request.auth.geo.lon, @request.auth.geo.lat";
    let up = "@request.auth.up.geo.lon, @request.auth.up.geo.lat";
    let far = format!("geoDistance({point}, {up}) > geoDistance({up}, {point})");
    let plan = rule(&with_callers(12), &far).unwrap().plan;
    assert!(size(&plan) < 12 * 10, "{}", size(&plan));
}

#[test]
fn a_request_has_one_caller() {
    let deep = "@request.auth.up.ups.up.ups.up.ups.title = title";
    let schema = with_callers(12);
    let rule = rule(&schema, deep).unwrap();
    assert!(matches!(rule.plan, Plan::Any(_)), "{}", rule.plan);
    // Nine tables for each, of which one caller needs only its own.
    assert!(together(&rule.typed, &rule.typed).is_ok());
}

#[test]
fn back_relations_count_their_tables() {
    let schema = Fixture::new();
    let errors = |text: &str| {
        let found = compile(text, &Scope::new(&schema, C, Caller::Superuser));
        found.err().map(|errors| errors[0].code)
    };
    let through = |field: &str, count: usize| {
        let ways = (0..count).map(|i| format!("@collection.c:a{i}.{field}.n ?= 1"));
        ways.collect::<Vec<_>>().join(" && ")
    };
    // A table for `c` and one for `x`; with `ps` one more between them.
    assert_eq!(errors(&through("x_via_p", 31)), None);
    assert_eq!(errors(&through("x_via_p", 32)), Some(Code::TooComplex));
    assert_eq!(errors(&through("x_via_ps", 21)), None);
    assert_eq!(errors(&through("x_via_ps", 22)), Some(Code::TooComplex));
}

/// Rows that nothing is asked of any more are not looked at.
#[test]
fn what_nothing_names_is_not_joined() {
    let joins = |text: &str| match plan_of_superuser(text) {
        Plan::Joined { joins, .. } => joins,
        other => panic!("{other}"),
    };
    let found = joins("(@collection.y.title ?> null || x_via_p.n ?= 1) && x_via_p.n ?= 2");
    assert!(
        matches!(found.as_slice(), [Join::Back { source: X, .. }]),
        "{found:?}"
    );
    // What the others begin at stays, under its new number.
    let found = joins("(@collection.y.title ?> null || x_via_p.r.n ?= 1) && x_via_p.r.n ?= 2");
    assert_eq!(found.len(), 2, "{found:?}");
    let reads = |text: &str| compiled(text, Caller::Superuser).unwrap().reads;
    let text = "(@collection.y.title ?> null || x_via_p.n ?= 1) && x_via_p.n ?= 2";
    assert_eq!(reads(text).into_iter().collect::<Vec<_>>(), [X]);
}

fn plan_of_superuser(text: &str) -> Plan {
    compiled(text, Caller::Superuser).unwrap().plan
}
