//! What is refused, what is remarked on, and where the finger points.

use super::fixture::{C, USERS, compiled};
use crate::path::MAX_PARTS;
use crate::plan::Plan;
use crate::{Caller, Code, Error, Scope, Severity, compile};

/// `code at marked`, for each finding.
fn shown(text: &str, findings: &[Error]) -> Vec<String> {
    let show = |it: &Error| {
        let marked = text
            .get(it.span.start..it.span.end)
            .expect("a span inside the text");
        format!("{} {marked}", it.code.as_str().trim_start_matches("rule::"))
    };
    findings.iter().map(show).collect()
}

fn findings(text: &str, caller: Caller) -> Vec<Error> {
    match compiled(text, caller) {
        Ok(compiled) => compiled.warnings,
        Err(errors) => errors,
    }
}

/// Exactly these findings, for a rule.
fn check(text: &str, expected: &[&str]) {
    assert_eq!(
        shown(text, &findings(text, Caller::Rule)),
        expected,
        "{text}"
    );
}

fn check_help(text: &str, expected: &str) {
    let findings = findings(text, Caller::Rule);
    assert_eq!(findings[0].help.as_deref(), Some(expected), "{text}");
}

#[test]
fn unknown_names() {
    check("titel = 'x'", &["unknown_field titel"]);
    check("r.titel = 'x'", &["unknown_field titel"]);
    check("expand = 'x'", &["unknown_field expand"]);
    check("title:lowr = 'x'", &["unknown_modifier lowr"]);
    check("created < @nwo", &["unknown_macro @nwo"]);
    check("strftme('%Y') = 'x'", &["unknown_function strftme('%Y')"]);
    check("author = @request.auht.id", &["unknown_request_part auht"]);
    check(
        "@request.auth.usrname = 'x'",
        &["unknown_request_part usrname"],
    );
    check("@request = 'x'", &["unknown_request_part @request"]);
    check("@request.auth = 'x'", &["unknown_request_part auth"]);
    check("@request.method.x = 'x'", &["unknown_request_part x"]);
    check("@request.body.titel = 'x'", &["unknown_field titel"]);
    check("@request.body.whatever = 'x'", &[]);
    check("@collection.nope.x = 1", &["unknown_collection nope"]);
    check("@collection.x.nope = 1", &["unknown_field nope"]);
    check(
        "nope_via_self.id = 'x'",
        &["unknown_collection nope_via_self"],
    );
    check("c_via_nope.id = 'x'", &["unknown_field c_via_nope"]);
    check("c_via_author.id = 'x'", &["bad_path c_via_author"]);
    check("c_via_self = 'x'", &["bad_path c_via_self"]);
}

#[test]
fn did_you_mean() {
    check_help("titel = 'x'", "did you mean `title`?");
    check_help("author = @request.auht.id", "did you mean `auth`?");
    check_help("@request.data.title = 'x'", "did you mean `body`?");
    check_help("@request.auth.usrname = 'x'", "did you mean `username`?");
    check_help("title:lowr = 'x'", "did you mean `:lower`?");
    check_help("created < @todaystart", "did you mean `@todayStart`?");
    check_help("geodistance(1,2,3,4) = 1", "did you mean `geoDistance`?");
    check_help("@collection.usrs.id = ''", "did you mean `users`?");
    check_help("kind = 'drft'", "did you mean `draft`?");
    check_help("kind = 'zzzzz'", "the values are `a`, `b`, `c`, `draft`");
    check_help("title == 'x'", "did you mean `=`?");
}

#[test]
fn paths_that_lead_nowhere() {
    check("title.x = 1", &["not_a_relation x"]);
    check("r.n.x = 1", &["not_a_relation x"]);
    check("geo.alt = 1", &["unknown_field alt"]);
    check("@request.auth.username.x = 1", &["not_a_relation x"]);
    check("@request.body.title.x = 1", &["not_a_relation x"]);
    check("self.self.self.self.self.self.title = 'x'", &[]);
    check(
        "self.self.self.self.self.self.self.title = 'x'",
        &["too_deep self"],
    );
}

#[test]
fn operators_and_literals_must_suit_the_type() {
    check("public > 1", &["operator >"]);
    check("public ~ public", &["operator ~"]);
    check("public = 'true'", &["literal 'true'"]);
    check("public = 1", &[]);
    check("public = 2", &["literal 2"]);
    check("@request.body.title:isset = 'true'", &["literal 'true'"]);
    check("n = 'abc'", &["literal 'abc'"]);
    check("'abc' < n", &["literal 'abc'"]);
    check("n = ' 5.0 '", &[]);
    // Only columns of numbers convert a text.
    check("@year < '2000'", &["literal '2000'"]);
    check(
        "sm:length < '0' || '1' > rm:length",
        &["literal '0'", "literal '1'"],
    );
    check("@request.body.n = '5'", &["literal '5'"]);
    check("@request.query.n = '5'", &["literal '5'"]);
    check("@request.auth.level = '5'", &[]);
    check("@request.auth.level = 'x'", &["literal 'x'"]);
    // A value that is called like a number field is one.
    check("@request.query.n > 4 && @request.headers.n = 5", &[]);
    check("@request.query.title = 5", &["odd_literal 5"]);
    check("n ~ 'abc'", &[]);
    check("kind = 'e'", &["literal 'e'"]);
    check("kind != 'e'", &["literal 'e'"]);
    check(
        "kind = 'a' || kind = '' || kind ~ 'e' || kind:lower = 'e'",
        &[],
    );
    check("sm:each ?= 'e'", &["literal 'e'"]);
    check("@request.body.sm:each ?= 'e'", &["literal 'e'"]);
    check("sm = 'a'", &["literal 'a'"]);
    check("sm = ''", &["literal ''"]);
    check("sm = '[\"a\"]' || sm ~ 'a'", &[]);
    check("created > 5", &["literal 5"]);
}

#[test]
fn modifiers_must_suit_the_type() {
    check("title:each = 'x'", &["modifier each"]);
    check("n:length = 1", &["modifier length"]);
    check("title:isset = true", &["modifier isset"]);
    check("title:changed = true", &["modifier changed"]);
    check("title:lower:each = 'x'", &["modifier lower:each"]);
    check("r:lower.title = 'x'", &["modifier r:lower"]);
    check("j.a:lower = 'x'", &["modifier lower"]);
    check("@now:lower = 'x'", &["modifier :lower"]);
    check("@request.method:lower = 'x'", &["modifier lower"]);
    check("@request.query.a:each = 'x'", &["modifier each"]);
    check("@request.body.title:length = 1", &["modifier length"]);
    check("@request.body.extra:changed = true", &["modifier changed"]);
    check(
        "@request.body.title:changed = true && @request.body.sm:length < 3",
        &[],
    );
}

#[test]
fn changes_compare_with_anything() {
    check("true != @request.body.title:changed", &[]);
    check("@request.body.title:changed ?= false", &[]);
    check("@request.body.title:changed = 1", &[]);
    check("public = @request.body.title:changed", &[]);
    check("@request.body.title:changed = @request.body.n:changed", &[]);
}

#[test]
fn constant_rules_and_parts() {
    check("1 = 1", &["constant 1 = 1"]);
    check(" ('a' = 'b') ", &["constant ('a' = 'b')"]);
    check(
        "title = 'x' || 'a' != null",
        &["constant title = 'x' || 'a' != null"],
    );
    check("title > null", &["constant title > null"]);
    check("title = 'x' && 1 = 1", &["constant_part 1 = 1"]);
}

#[test]
fn oddities_are_warnings() {
    check("title = title", &["same_operand title = title"]);
    check("rm = @request.auth.id", &["json_text rm"]);
    check("rm = 'abc'", &["json_text 'abc'"]);
    check("title = 5", &["odd_literal 5"]);
    check("title = 5.5", &[]);
    check("n = null", &["odd_literal null"]);
    check("public != ''", &["odd_literal ''"]);
    check("r.n = null", &[]);
    check("created = '2024-01-01'", &["odd_literal '2024-01-01'"]);
    check("created > '2024-01-01'", &[]);
    check(
        "created > '2024-01-01T00:00:00Z'",
        &["odd_literal '2024-01-01T00:00:00Z'"],
    );
    check("created = '' || created ~ 'x'", &[]);
    check("n = 1 || @request.query.a.b = 'x'", &["never_set a"]);
    check(
        "n = 1 || @request.headers.X_Token = 'x'",
        &["never_set X_Token"],
    );
}

#[test]
fn functions_check_their_arguments() {
    check("geoDistance(1,2,3) = 1", &["arguments geoDistance(1,2,3)"]);
    check(
        "geoDistance(1,2,3,'4') = 1",
        &["arguments geoDistance(1,2,3,'4')"],
    );
    check("strftime(created) = '1'", &["arguments strftime(created)"]);
    check("strftime() = '1'", &["arguments strftime()"]);
    check("strftime('%Y', nope) = '1'", &["unknown_field nope"]);
    check(
        "strftime('%Y', @request.body.sm:each) = '1'",
        &["arguments @request.body.sm:each"],
    );
    check(
        "strftime('%Y', true) = '1'",
        &["arguments strftime('%Y', true)"],
    );
    check(
        "strftime('%Y', created, 5) = '1'",
        &["arguments strftime('%Y', created, 5)"],
    );
    let many = format!("strftime('%Y', created{}) = '1'", ", 'utc'".repeat(9));
    check(
        &many,
        &[&format!("arguments {}", many.replace(" = '1'", ""))],
    );
    check(
        "geodistance(1, 2, 3, 4) = 1",
        &["unknown_function geodistance(1, 2, 3, 4)"],
    );
}

#[test]
fn other_ways_are_checked_to_their_end() {
    check("@collection = 1", &["bad_path @collection"]);
    check("@collection.x = 1", &["bad_path @collection.x"]);
    check("@collection.xx.n = 1", &["unknown_collection xx"]);
    check("@collection.x:a:b.n = 1", &["bad_path :a:b"]);
    check("@collection.x:a.nope = 1", &["unknown_field nope"]);
    check("xx_via_p.n = 1", &["unknown_collection xx_via_p"]);
    check("x_via_nope.n = 1", &["unknown_field x_via_nope"]);
    check("x_via_r.n = 1", &["bad_path x_via_r"]);
    check("x_via_p = 1", &["bad_path x_via_p"]);
    let help = |text| findings(text, Caller::Rule)[0].help.clone().unwrap();
    let meant = "did you mean `x_via_p` or `x_via_ps` or `x_via_only` or `x_via_tos`?";
    assert_eq!(help("x_via_r.n = 1"), meant);
    assert_eq!(
        help("author.x_via_r.n = 1"),
        "no field of `x` points to `users`"
    );
    check("@request.auth.friends.nope ?= 1", &["unknown_field nope"]);
    check("@request.auth.nope.x ?= 1", &["unknown_request_part nope"]);
    check(
        "@request.auth.nope_via_x.x ?= 1",
        &["unknown_collection nope_via_x"],
    );
    check("@request.auth.username.x ?= 1", &["not_a_relation x"]);
    check("@request.body.author.nope ?= 1", &["unknown_field nope"]);
    check("@request.body.title.nope ?= 1", &["not_a_relation nope"]);
    check("r.r.r.r.r.r.x_via_r.n = 1", &["too_deep x_via_r"]);
}

#[test]
fn all_mistakes_at_once_and_no_echo() {
    check(
        "titel = 'x' && (nope.x = 1 || public > 'x') && title:each = 5",
        &[
            "unknown_field titel",
            "unknown_field nope",
            "operator >",
            "modifier each",
        ],
    );
}

#[test]
fn too_many_tables() {
    let aliases = |count: usize| {
        let names = (0..count).map(|i| format!("@collection.x:a{i}.n = 1"));
        names.collect::<Vec<_>>().join(" && ")
    };
    check(&aliases(63), &[]);
    let errors = findings(&aliases(64), Caller::Rule);
    assert_eq!(errors[0].code, Code::TooComplex);
    let again = format!("{} && @collection.x:a0.title = 'x'", aliases(63));
    check(&again, &[]);
}

#[test]
fn clients_see_less() {
    let check = |text: &str, client: &[&str], superuser: &[&str]| {
        assert_eq!(
            shown(text, &findings(text, Caller::Client)),
            client,
            "{text}"
        );
        assert_eq!(
            shown(text, &findings(text, Caller::Superuser)),
            superuser,
            "{text}"
        );
        assert!(compiled(text, Caller::Rule).is_ok(), "{text}");
    };
    check("secret = 'x'", &["unknown_field secret"], &[]);
    check("author.password = 'x'", &["unknown_field password"], &[]);
    check("author.tokenKey = 'x'", &["unknown_field tokenKey"], &[]);
    check("lo.title = 'x'", &["forbidden lo"], &[]);
    check("lo.id = 'x' && lo = 'x'", &[], &[]);
    check(
        "@request.auth.id = 'x'",
        &["forbidden @request.auth.id"],
        &[],
    );
    let error = &findings("secrt = 'x'", Caller::Client)[0];
    assert_eq!(error.help, None, "a hidden field is not suggested");
}

#[test]
fn filters_are_lenient_where_rules_are_not() {
    for text in [
        "title:isset = true",
        "title:each = 'x'",
        "n:length = 1",
        "public = 'true'",
        "public > 1",
        "kind = 'zzz'",
        "sm = ''",
        "1 = 1",
        "created > 5",
        "j.s:lower = 'x'",
    ] {
        assert!(compiled(text, Caller::Rule).is_err(), "{text}");
        for caller in [Caller::Client, Caller::Superuser] {
            let found = compiled(text, caller);
            assert_eq!(found.map(|it| it.warnings), Ok(vec![]), "{text}");
        }
    }
    assert!(compiled("@request.auth.nope = ''", Caller::Superuser).is_ok());
    assert!(compiled("@request.auth.email:each = ''", Caller::Superuser).is_ok());
    assert!(compiled("@request.auth.email:each = ''", Caller::Rule).is_err());
}

#[test]
fn body_keys_of_auth_forms_are_known() {
    let schema = super::fixture::Fixture::new();
    let scope = Scope::new(&schema, USERS, Caller::Rule);
    for key in ["oldPassword", "passwordConfirm"] {
        assert!(
            compile(&format!("@request.body.{key} != ''"), &scope).is_ok(),
            "{key}"
        );
    }
}

#[test]
fn texts_follow_the_style() {
    for text in [
        "titel = 'x'",
        "1 = 1",
        "a (b = 1)",
        "public > 1",
        "n = 'abc'",
        "kind = 'e'",
        "rm = 'abc'",
        "title:each = 'x'",
        "@request.x = 1",
        "c_via_self.title = 'x'",
        "title = r.title",
        "",
    ] {
        for error in findings(text, Caller::Rule) {
            let lower = |text: &str| !text.starts_with(char::is_uppercase) && !text.ends_with('.');
            assert!(
                lower(&error.message) && !error.message.is_empty(),
                "{}",
                error.message
            );
            assert!(
                lower(&error.label) && !error.label.is_empty(),
                "{}",
                error.label
            );
            assert!(error.help.as_deref().is_none_or(lower), "{:?}", error.help);
        }
    }
}

#[test]
fn codes_are_unique_and_well_formed() {
    let mut names: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert!(names.iter().all(|name| name.starts_with("rule::")));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Code::ALL.len());
}

#[test]
fn comparisons_that_never_hold() {
    check("n = 1 || title > null", &["constant_part title > null"]);
    check("n = 1 || @request.method = 'get'", &["never_equal 'get'"]);
    check("n = 1 || 'PATCH' = @request.method", &[]);
    check(
        "n = 1 || @request.context != 'export'",
        &["never_equal 'export'"],
    );
    check("n = 1 || @request.context = 'expand'", &[]);
    check(
        "@request.auth.collectionName = 'user'",
        &["never_equal 'user'"],
    );
    check("@request.auth.collectionName = 'users'", &[]);
    let error = &findings("@request.auth.collectionName = 'user'", Caller::Rule)[0];
    assert_eq!(error.help.as_deref(), Some("did you mean `users`?"));
    check("strftime('%Y', created) = 2024", &["never_equal 2024"]);
    check("strftime('%Y', created) = '2024'", &[]);
    check("title = n", &["never_equal title = n"]);
    check("public != r.title", &["never_equal public != r.title"]);
    check("title >= n && n = public", &[]);
    check("author = r", &["never_equal author = r"]);
    check("r.r = x_via_p.id", &[]);
    check("r = author.id", &["never_equal r = author.id"]);
    check(
        "rm:each ?= authors.id",
        &["never_equal rm:each ?= authors.id"],
    );
    check(
        "@request.auth.id != '' && r = @request.auth.id",
        &["never_equal r = @request.auth.id"],
    );
    check("@request.auth.id != '' && author = @request.auth.id", &[]);
}

#[test]
fn conditions_that_exclude_each_other() {
    check("kind = 'a' && kind = 'b'", &["conflict kind = 'b'"]);
    check(
        "kind = 'a' && (n = 1 && 'b' = kind)",
        &["conflict 'b' = kind"],
    );
    check("kind = 'a' || kind = 'b'", &[]);
    check("kind = 'a' && kind = 'a' && kind != 'b'", &[]);
    check("n = 1 && n = 1.0", &[]);
    let text = "rm.title ?= 'x' && rm.title ?= 'y'";
    check(text, &["conflict rm.title ?= 'y'"]);
    let help = findings(text, Caller::Rule)[0].help.clone().unwrap();
    assert!(help.contains("same record"), "{help}");
    let text = "sm:each ?= 'a' && sm:each ?= 'b'";
    check(text, &["conflict sm:each ?= 'b'"]);
    let help = findings(text, Caller::Rule)[0].help.clone().unwrap();
    assert!(help.contains("`sm ~"), "{help}");
    check("@collection.x:a.n ?= 1 && @collection.x:b.n ?= 2", &[]);
}

#[test]
fn guests_have_nothing() {
    let own = "author = @request.auth.id";
    check(own, &["guests author = @request.auth.id"]);
    check(
        "@request.auth.id = author.id",
        &["guests @request.auth.id = author.id"],
    );
    check(&format!("@request.auth.id != '' && {own}"), &[]);
    check(&format!("{own} && @request.auth.verified = true"), &[]);
    check(
        &format!("public = true || {own}"),
        &["guests author = @request.auth.id"],
    );
    check(
        &format!("public = true || (@request.auth.id != '' && {own})"),
        &[],
    );
    check(
        "authors.id ?= @request.auth.id",
        &["guests authors.id ?= @request.auth.id"],
    );
    // A required field, an id, a number are never empty.
    check("id = @request.auth.id", &[]);
    check("lo = @request.auth.username", &[]);
    check("n = @request.auth.level", &[]);
    check(
        "@request.auth.verified != true",
        &["guests @request.auth.verified != true"],
    );
    check(
        "author != @request.auth.id",
        &["guests author != @request.auth.id"],
    );
    check("@request.auth.id = ''", &[]);
    check("@request.auth.id != '' && author != @request.auth.id", &[]);
    let schema = super::fixture::Fixture::new();
    let scope = Scope::new(&schema, C, Caller::Rule);
    assert_eq!(compile(own, &scope.of_users()).unwrap().warnings, []);
    check(
        "@request.auth.friends.id ?= author",
        &["guests @request.auth.friends.id ?= author"],
    );
}

#[test]
fn nothing_points_to_a_new_record() {
    let schema = super::fixture::Fixture::new();
    let scope = Scope::new(&schema, C, Caller::Rule);
    let text = "title = 'x' || x_via_p.n ?= 1";
    let compiled = compile(text, &scope.creating()).unwrap();
    assert_eq!(shown(text, &compiled.warnings), ["never_holds x_via_p.n"]);
    assert_eq!(compiled.plan, Plan::Never);
    assert!(compile(text, &scope).unwrap().warnings.is_empty());
    let elsewhere = "r.c_via_r.n ?= 1 && @collection.x.p ?= id";
    let compiled = compile(elsewhere, &scope.creating()).unwrap();
    assert_eq!(compiled.warnings, []);
    assert_ne!(compiled.plan, Plan::Never);
}

#[test]
fn imported_rules_are_warned_of() {
    let schema = super::fixture::Fixture::new();
    let scope = Scope::new(&schema, C, Caller::Rule).imported(true);
    let check = |text: &str, expected: &[&str]| {
        let compiled = compile(text, &scope).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        assert_eq!(shown(text, &compiled.warnings), expected, "{text}");
        let severe = |it: &&Error| it.severity() == Severity::Error;
        assert_eq!(compiled.warnings.iter().find(severe), None);
    };
    check("1 = 2", &["constant 1 = 2"]);
    check(
        "public > 'x' && kind = 'zzz'",
        &["operator >", "literal 'zzz'"],
    );
    check("title:each = 'x'", &["modifier each"]);
    check("@request.auth.nope = ''", &["unknown_request_part nope"]);
    check("@request.body.titel = ''", &["unknown_field titel"]);
    check("title = 5", &["odd_literal 5"]);
    check("@request.auth.username.x != 'a'", &["not_a_relation x"]);
    let aliases = (0..64).map(|i| format!("@collection.x:a{i}.n = 1"));
    let text = aliases.collect::<Vec<_>>().join(" || ");
    check(&text, &["too_complex @collection.x:a63.n = 1"]);
    for text in ["nope = 1", "title = ", "@request.nope = 1", "nope(1) = 1"] {
        let errors = compile(text, &scope).expect_err(text);
        assert!(errors.iter().all(|it| it.severity() == Severity::Error));
    }
}

#[test]
fn long_lists_of_arguments_and_parts_are_refused_early() {
    let refused = |text: &str| compiled(text, Caller::Superuser).unwrap_err()[0].code;
    let times = format!("strftime('%Y'{}) = '1'", ",title".repeat(200));
    assert_eq!(refused(&times), Code::Arguments);
    let place = |parts: usize| format!("j{} = 1", ".a".repeat(parts));
    assert!(compiled(&place(MAX_PARTS), Caller::Superuser).is_ok());
    assert_eq!(refused(&place(MAX_PARTS + 1)), Code::TooDeep);
}

#[test]
fn an_id_is_a_hop_and_is_looked_up_with_a_modifier() {
    let hops = |count: usize| format!("{}id = 'x'", "self.".repeat(count));
    assert!(compiled(&hops(6), Caller::Superuser).is_ok());
    let deep = compiled(&hops(7), Caller::Superuser).unwrap_err();
    assert_eq!(deep[0].code, Code::TooDeep);
    let plan = |text: &str| compiled(text, Caller::Superuser).unwrap().plan;
    assert!(matches!(plan("r.id < 'x'"), Plan::Test { .. }));
    assert!(matches!(plan("r.id:lower < 'x'"), Plan::Via { .. }));
}

#[test]
fn a_pattern_is_what_was_sent() {
    let plan = |text: &str| compiled(text, Caller::Superuser).unwrap().plan;
    for sent in [
        "query.n",
        "headers.n",
        "body.n",
        "body.title",
        "query.title",
    ] {
        let (lower, plain) = (
            plan(&format!("title ~ @request.{sent}:lower")),
            plan(&format!("title ~ @request.{sent}")),
        );
        assert_eq!(lower, plain, "{sent}");
        let sides = format!("{:?}", plan(&format!("@request.{sent}:lower !~ title")));
        assert!(sides.contains("Lower"), "{sides}");
    }
    let own = plan("title ~ @request.auth.verified:lower");
    assert_ne!(own, plan("title ~ @request.auth.verified"));
    assert_ne!(
        plan("title = @request.query.n:lower"),
        plan("title = @request.query.n")
    );
}
