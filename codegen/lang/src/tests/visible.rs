//! Clients' filters through collections that have a list rule: what the live peer answers.

use super::fixture::{C, Fixture, RULED, X, Y};
use super::model::{Cell, Model, list, text};
use crate::schema::Schema;
use crate::{Caller, Scope, compile, shares, together};

/// The peer's rows: A to D of `ruled`, of which A and C are public; Y1 to Y4 of `y`; and in `c` one
/// row for each way to point to them, named after what it points to.
fn model(ruled: &'static str, y: &'static str) -> Model {
    let mut model = Model::new();
    model.list_rules = vec![(RULED, ruled), (Y, y)];
    model.add(X, "P", &[("title", text("P"))]);
    for (id, n, public, next, nexts) in [
        ("A", 1.0, true, "", &[][..]),
        ("B", 2.0, false, "", &[]),
        ("C", 3.0, true, "B", &["A", "B"]),
        ("D", 4.0, false, "A", &["A"]),
    ] {
        let cells = [
            ("title", text(id)),
            ("n", Cell::Number(n)),
            ("public", Cell::Bool(public)),
            ("next", text(next)),
            ("nexts", list(nexts)),
        ];
        model.add(RULED, id, &cells);
    }
    for (id, ru, rus) in [
        ("Y1", "A", &["A"][..]),
        ("Y2", "B", &["B"]),
        ("Y3", "", &[]),
        ("Y4", "", &["A", "B"]),
    ] {
        let cells = [("title", text(id)), ("ru", text(ru)), ("rus", list(rus))];
        model.add(Y, id, &cells);
    }
    for (id, ru, rus, y, ys) in [
        ("a", "A", &["A"][..], "", &[][..]),
        ("ab", "", &["A", "B"], "", &[]),
        ("ac", "", &["A", "C"], "", &[]),
        ("b", "B", &["B"], "", &[]),
        ("bd", "", &["B", "D"], "", &[]),
        ("c", "C", &["C"], "", &[]),
        ("d", "D", &["D"], "", &[]),
        ("g", "", &[], "", &[]),
        ("none", "", &[], "", &[]),
        ("y1", "", &[], "Y1", &["Y1"]),
        ("y12", "", &[], "", &["Y1", "Y2"]),
        ("y2", "", &[], "Y2", &["Y2"]),
        ("y3", "", &[], "Y3", &["Y3"]),
        ("y4", "", &[], "Y4", &["Y4"]),
    ] {
        let cells = [
            ("title", text(id)),
            ("ru", text(ru)),
            ("rus", list(rus)),
            ("y", text(y)),
            ("ys", list(ys)),
        ];
        model.add(C, id, &cells);
    }
    model
}

/// What a client's filter finds under the given list rules of `ruled` and `y`.
fn checker(model: Model) -> impl Fn(&str, &str) {
    move |text, expected| {
        assert_eq!(
            model.matched_in(C, text, Caller::Client),
            expected,
            "{text}"
        );
    }
}

#[test]
fn single_relations() {
    let check = checker(model("public = true", "title != ''"));
    check("ru.title = 'A'", "a");
    check("ru.title = 'B'", "");
    check("ru.title != 'A'", "ab ac bd c g none y1 y12 y2 y3 y4");
    check("ru.title != 'B'", "a ab ac bd c g none y1 y12 y2 y3 y4");
    check("ru.title = ''", "ab ac bd g none y1 y12 y2 y3 y4");
    check("ru.title != ''", "a c");
    check("ru.n > 0", "a c");
    check("title = 'b' || ru.title = 'A'", "a");
    check(
        "title = 'b' || ru.id != 'zz'",
        "a ab ac b bd c d g none y1 y12 y2 y3 y4",
    );
    check("title = 'b' || ru = 'zz'", "b");
    check("ru.next.title != 'zz'", "a ab ac bd g none y1 y12 y2 y3 y4");
    check(
        "title != '' || ru.next.id = 'zz'",
        "a ab ac bd c g none y1 y12 y2 y3 y4",
    );
    // Superusers are not bound.
    let model = model("public = true", "title != ''");
    assert_eq!(model.matched("ru.title = 'B'"), "b");
}

#[test]
fn multiple_relations() {
    let check = checker(model("public = true", "title != ''"));
    check("rus.title ?= 'A'", "a ab ac");
    check("rus.title ?= 'B'", "");
    check("rus.title = 'A'", "a");
    check("rus.title != 'A'", "c g none y1 y12 y2 y3 y4");
    check("rus.title ?!= 'A'", "ac c g none y1 y12 y2 y3 y4");
    check("rus.title != 'B'", "a ac c g none y1 y12 y2 y3 y4");
    check("rus.title ?!= 'B'", "a ab ac c g none y1 y12 y2 y3 y4");
    check("rus.title ?= ''", "g none y1 y12 y2 y3 y4");
    check("rus.n < 2", "a");
    check(
        "title != '' || rus.title = 'zz'",
        "a ab ac c g none y1 y12 y2 y3 y4",
    );
    check(
        "title != '' || rus:each = 'zz'",
        "a ab ac b bd c d g none y1 y12 y2 y3 y4",
    );
    check(
        "title != '' || rus.id = 'zz'",
        "a ab ac c g none y1 y12 y2 y3 y4",
    );
    check(
        "rus.nexts.title != 'zz'",
        "a ab ac c g none y1 y12 y2 y3 y4",
    );
    check(
        "title != '' || ru.nexts.title = 'zz'",
        "a ab ac bd c g none y1 y12 y2 y3 y4",
    );
    check(
        "title != '' || ru.nexts:each ?= 'zz'",
        "a ab ac bd c g none y1 y12 y2 y3 y4",
    );
    check("ru.nexts:length = 0", "a ab ac bd g none y1 y12 y2 y3 y4");
    check("rus:length = 2", "ab ac bd");
    check(
        "(rus.title ?= 'A' || rus.title ?= 'C') && (ru.title != '' || rus.n ?> 0)",
        "a ab ac c",
    );
    check("ru.p.title != 'zz'", "a ab ac bd c g none y1 y12 y2 y3 y4");
}

#[test]
fn rules_about_the_caller() {
    let rule = "@request.auth.id != ''";
    let check = checker(model(rule, "title != ''"));
    check("ru.title != 'A'", "ab ac bd g none y1 y12 y2 y3 y4");
    check("ru.title = ''", "ab ac bd g none y1 y12 y2 y3 y4");
    check("title = 'a' || ru.title = 'zz'", "");
    check("rus.title ?= 'A'", "");
    check("title != '' || rus.title = 'zz'", "g none y1 y12 y2 y3 y4");
    let mut model = model(rule, "title != ''");
    model.auth = Some(vec![("id", text("u"))]);
    let check = checker(model);
    check("ru.title != 'A'", "ab ac b bd c d g none y1 y12 y2 y3 y4");
    check("ru.title = ''", "ab ac bd g none y1 y12 y2 y3 y4");
    check("title = 'a' || ru.title = 'zz'", "a");
    check("rus.title ?= 'A'", "a ab ac");
    check(
        "title != '' || rus.title = 'zz'",
        "a ab ac b bd c d g none y1 y12 y2 y3 y4",
    );
}

#[test]
fn rules_that_look_at_relations_are_bound_by_no_other_rule() {
    let check = checker(model("public = true", "ru.title = 'B'"));
    check(
        "title != '' || y.title = 'zz'",
        "a ab ac b bd c d g none y12 y2",
    );
    check(
        "title != '' || ys.title = 'zz'",
        "a ab ac b bd c d g none y12 y2",
    );
    check(
        "title != '' || y.ru.title = 'zz'",
        "a ab ac b bd c d g none y12",
    );
    // Nor do they share rows with the filter.
    let check = checker(model("public = true", "rus.title ?= 'B'"));
    check(
        "title != '' || y.title = 'zz'",
        "a ab ac b bd c d g none y12 y2 y4",
    );
    check("y.rus.title ?= 'A'", "y4");
    check("y.rus.title ?= 'B'", "");
    check("y.title = 'Y4' && y.rus.title ?= 'A'", "y4");
    check(
        "title != '' || y.rus.title = 'zz'",
        "a ab ac b bd c d g none y12 y4",
    );
    let check = checker(model("public = true", "rus.title = 'A'"));
    check(
        "title != '' || ys.title = 'zz'",
        "a ab ac b bd c d g none y1 y12",
    );
    check("ys.title ?= 'Y4'", "");
    check("y.rus.title ?= 'A'", "y1");
}

#[test]
fn the_rule_of_the_listed_collection_shares_rows_with_the_filter() {
    let model = model("public = true", "title != ''");
    let both = |rule: &str, filter: &str, expected: &str| {
        let typed = |text, caller| {
            let scope = Scope::new(&model.schema, C, caller);
            compile(text, &scope).unwrap().typed
        };
        let rule = typed(rule, Caller::Rule);
        let plan = together(&rule, &typed(filter, Caller::Client)).unwrap();
        assert_eq!(model.matched_by(C, &plan), expected);
    };
    both(
        "ru.title != 'zz'",
        "title != '' || ru.n = 99",
        "a ab ac bd c g none y1 y12 y2 y3 y4",
    );
    both(
        "ru.title != 'zz'",
        "title != '' || rus.n = 99",
        "a ab ac c g none y1 y12 y2 y3 y4",
    );
    both("rus.title ?= 'B'", "title != '' || rus.n = 99", "");
    both("ru.title = 'B' || title = 'a'", "ru.title ?= 'A'", "a");
    both("rus.title ?= 'B'", "title != ''", "ab b bd");
}

#[test]
fn back_relations_ask_the_list_rule_of_what_they_find() {
    let mut model = Model::new();
    model.list_rules = vec![(RULED, "public = true")];
    for id in ["none", "one", "two", "three"] {
        model.add(X, id, &[("title", text(id))]);
    }
    for (id, public, p) in [
        ("A", true, "one"),
        ("B", true, "two"),
        ("D", false, "two"),
        ("E", false, "three"),
    ] {
        let cells = [
            ("public", Cell::Bool(public)),
            ("p", text(p)),
            ("title", text(id)),
        ];
        model.add(RULED, id, &cells);
    }
    let check = |text: &str, client: &str, superuser: &str| {
        let found = |caller| model.matched_in(X, text, caller);
        assert_eq!(found(Caller::Client), client, "{text}");
        assert_eq!(found(Caller::Superuser), superuser, "{text}");
    };
    check("ruled_via_p.title ?= 'A'", "one", "one");
    check("ruled_via_p.title ?= 'D'", "", "two");
    check(
        "ruled_via_p.title ?!= 'B'",
        "none one",
        "none one two three",
    );
    // Whatever the comparison comes to.
    check(
        "title = 'three' || ruled_via_p.title ?!= ''",
        "one two",
        "one two three",
    );
    check(
        "title != 'x' || ruled_via_p.n ?> 9",
        "none one two",
        "none one two three",
    );
    // The part that looks at every value isn't asked.
    check("ruled_via_p.title = 'B'", "", "");
    check("ruled_via_p.title != 'A'", "none two", "none two three");
    check(
        "locked_via_x.title = 'A'",
        "rule::unknown_field",
        "rule::unknown_field",
    );
}

#[test]
fn fields_that_the_caller_may_not_read_decide_nothing() {
    let mut model = Model::new();
    model.read_rules = vec![
        ("x.memo", "public = true"),
        ("x.to", "public = true"),
        ("x.tos", "public = true"),
    ];
    for (id, memo, public, to, tos) in [
        ("a", "m", true, "b", &["one", "all"][..]),
        ("b", "m", false, "a", &["two", "all"]),
        ("d", "", true, "", &[]),
    ] {
        let cells = [
            ("memo", text(memo)),
            ("title", text(id)),
            ("public", Cell::Bool(public)),
            ("to", text(to)),
            ("tos", list(tos)),
        ];
        model.add(X, id, &cells);
    }
    for (id, r, rm) in [
        ("all", "d", &["a", "b", "d"][..]),
        ("none", "", &[]),
        ("one", "a", &["a"]),
        ("two", "b", &["b"]),
    ] {
        model.add(
            C,
            id,
            &[("title", text(id)), ("r", text(r)), ("rm", list(rm))],
        );
    }
    let check = |collection, text: &str, client: &str, superuser: &str| {
        let found = |caller| model.matched_in(collection, text, caller);
        assert_eq!(found(Caller::Client), client, "{text}");
        assert_eq!(found(Caller::Superuser), superuser, "{text}");
    };
    check(X, "memo = 'm'", "a", "a b");
    check(X, "memo != 'x'", "a d", "a b d");
    check(X, "memo != 'x' || title = 'b'", "a b d", "a b d");
    check(X, "memo = title", "", "");
    check(X, "memo:lower = 'm'", "a", "a b");
    check(X, "to = 'a'", "", "b");
    check(X, "to.title = 'b'", "a", "a");
    check(X, "to.title != 'b'", "d", "b d");
    check(X, "to.id = ''", "d", "d");
    check(X, "tos:each ?= 'all'", "a", "a b");
    check(X, "tos:length = 2", "a", "a b");
    check(C, "r.memo = 'm'", "one", "one two");
    check(C, "r.memo = ''", "all none", "all none");
    check(C, "rm.memo ?= 'm'", "all one", "all one two");
    check(C, "rm.memo = 'm'", "one", "one two");
    check(C, "rm.memo != ''", "one", "one two");
    check(C, "rm.to.title ?= 'a'", "", "all two");
    check(C, "rm.to.title = 'b'", "all one", "one");
    check(C, "x_via_tos.title ?= 'a'", "all one", "all one");
    check(C, "x_via_tos.title ?= 'b'", "", "all two");
    check(C, "x_via_tos.title = 'a'", "all one", "one");
    check(C, "x_via_tos.title = ''", "none", "none");
    check(C, "other = r.memo", "all none", "all none");
    check(
        C,
        "strftime('%Y', r.memo) = ''",
        "all none one",
        "all none one two",
    );
}

#[test]
fn a_rule_and_a_filter_share_what_is_multi_valued() {
    let schema = Fixture::new();
    let typed = |text, caller| {
        let scope = Scope::new(&schema, C, caller);
        compile(text, &scope).unwrap().typed
    };
    let rule = typed(
        "title = 'x' || (rus.title ?= 'A' && ru.p.title = 'P')",
        Caller::Rule,
    );
    let check = |filter, expected| {
        let filter = typed(filter, Caller::Client);
        assert_eq!(shares(&rule, &filter), expected, "{filter}");
    };
    check("rus.n ?> 1", true);
    check("title = 'y' && rus:each ?= 'A'", true);
    check("ru.title = 'A'", false);
    check("ru.nexts.title ?= 'A'", false);
    check("rus:length = 1 || title = 'x'", false);
}

#[test]
fn plans_name_the_read_rules_that_they_ask() {
    let schema = Fixture::new();
    let asked = |text| {
        let scope = Scope::new(&schema, C, Caller::Client);
        let plan = compile(text, &scope).unwrap().plan;
        let rules = plan.read_rules().into_iter();
        let names = rules.map(|(of, field)| (of, schema.fields(of)[field.0].name));
        names.collect::<Vec<_>>()
    };
    assert_eq!(
        asked("r.memo = 'm' || rm.to.title ?= 'a'"),
        [(X, "memo"), (X, "to")]
    );
    assert_eq!(asked("x_via_tos.title = 'a'"), [(X, "tos")]);
    assert_eq!(asked("title = 'a'"), []);
}

#[test]
fn nothing_is_kept_back_behind_links_that_the_caller_may_not_read() {
    let mut model = Model::new();
    model.list_rules = vec![(RULED, "public = true")];
    model.read_rules = vec![("x.way", "public = true"), ("x.ways", "public = true")];
    for (id, public, next) in [("A", true, ""), ("B", false, ""), ("N", true, "B")] {
        let cells = [
            ("title", text(id)),
            ("public", Cell::Bool(public)),
            ("next", text(next)),
        ];
        model.add(RULED, id, &cells);
    }
    for (id, public, way) in [
        ("a", true, "A"),
        ("b", true, "B"),
        ("hidden", false, "B"),
        ("n", true, "N"),
        ("none", true, ""),
    ] {
        let ways: &[&str] = if way.is_empty() { &[] } else { &[way] };
        let cells = [
            ("title", text(id)),
            ("public", Cell::Bool(public)),
            ("way", text(way)),
            ("ways", list(ways)),
        ];
        model.add(X, id, &cells);
        model.add(
            C,
            id,
            &[("title", text(id)), ("r", text(id)), ("rm", list(&[id]))],
        );
    }
    let check = |collection, text: &str, expected: &str| {
        let found = model.matched_in(collection, text, Caller::Client);
        assert_eq!(found, expected, "{text}");
    };
    for path in [
        "way.title",
        "ways.title",
        "way.p.title",
        "r.title = 'x' || way.title",
    ] {
        let text = format!("title != '' || {path} ?= 'x'");
        check(X, &text, "a hidden n none");
    }
    for path in ["way.next.title", "ways.next.title"] {
        check(X, &format!("title != '' || {path} = 'x'"), "a hidden none");
    }
    for path in [
        "r.way.title",
        "rm.way.title",
        "rm.ways.title",
        "other = r.way.title || title",
    ] {
        let text = format!("title != '' || {path} ?= 'x'");
        check(C, &text, "a hidden n none");
    }
    // What is compared must be readable all the same.
    check(X, "way.title = 'B' || ways.title ?= 'B'", "");
    check(X, "way.title ?= 'A' || ways.title = 'A'", "a");
    check(C, "rm.ways.title ?= 'B' || rm.ways.title = 'A'", "a");
}

#[test]
fn plans_name_the_rules_that_they_ask() {
    let model = model("public = true", "title != ''");
    let rules = |text, caller| {
        let plan = compile(text, &Scope::new(&model.schema, C, caller))
            .unwrap()
            .plan;
        plan.list_rules().into_iter().collect::<Vec<_>>()
    };
    let text = "y.ru.title = 'A' || r.title = 'x'";
    assert_eq!(rules(text, Caller::Client), [RULED, Y]);
    assert_eq!(rules(text, Caller::Superuser), []);
    assert_eq!(rules(text, Caller::Rule), []);
    assert_eq!(rules("rus:each = 'A' || ru.id = 'A'", Caller::Client), []);
}

#[test]
fn many_alternatives_beside_one_rule() {
    let check = checker(model("public = true", "title != ''"));
    let text = vec!["rus.title ?= 'B' || rus.title ?= 'A'"; 99].join(" || ");
    check(&format!("title != '' && ({text})"), "a ab ac");
}
