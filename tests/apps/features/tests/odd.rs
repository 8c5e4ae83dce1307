//! Odd filters, all the way to the database: what compiles must run, and nothing panics.
//! `FUZZ_RUNS` says how many, `FUZZ_SEED` which.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use basalt_fuzz::mutate::{Random, Words, text};
use basalt_fuzz::run::STACK;
use basalt_lang::schema::Schema;
use basalt_lang::scope::{Caller, Scope};
use basalt_runtime::access;
use basalt_runtime::collection::Collection;
use basalt_runtime::diesel::sqlite::Sqlite;
use basalt_runtime::diesel::{RunQueryDsl as _, debug_query, sql_query};
use basalt_runtime::request::{Body, RequestInfo};
use basalt_runtime::rules::{Context, Filter};
use basalt_runtime::sql::filter::dynamic;
use basalt_runtime::sql::predicate::Predicate;
use basalt_runtime::sql::{self, Form};
use features_app::MIGRATIONS;
use features_app::generated::{self, rules_own::RulesOwn};
use time::macros::datetime;

const WORDS: Words = Words {
    seeds: &[
        "t = 'x' && (n > 2 || b = true)",
        "@request.auth.id != '' && owner = @request.auth.id",
        "many.title ?= 'x' && many.n ?> 1 && m:each ?!= 'a'",
        "@collection.subjects:s.next ?= one && @collection.subjects:s.n ?>= n",
        "rules_each_via_many.t ~ 'a\\%c%' || many.subjects_via_more.n != 0",
        "geoDistance(g.lon, g.lat, 13.5, 52.5) < 10.25 // km",
        "strftime('%Y-%m', d, '+1 day') = \"2024-01\"",
        "@request.body.t:isset = true && @request.body.many.title:lower != ''",
        "j.a.0.b = null && j.k !~ '_' && g.lat <= -0.5 && d < @now && d >= @todayStart",
        "one.next.more.kinds:each = 'a' && owners.username != one.title",
        "many.title = many.j && many.more:length >= owners.team",
    ],
    identifiers: &[
        "t",
        "n",
        "b",
        "d",
        "s",
        "m",
        "j",
        "g",
        "one",
        "many",
        "owner",
        "owners",
        "id",
        "one.title",
        "many.title",
        "many.n",
        "many.more.title",
        "one.next.next.n",
        "one.j.k",
        "many.j",
        "owner.email",
        "owners.username",
        "j.a.0",
        "g.lon",
        "m:each",
        "m:length",
        "t:lower",
        "many:each",
        "many.kinds:each",
        "one.kinds:length",
        "nope",
        "one.nope",
        "many.subjects_via_more.title",
        "one.rules_own_via_one.t",
        "owner.rules_each_via_owners.n",
        "@collection.subjects.title",
        "@collection.subjects:a.n",
        "@collection.members.email",
        "@request.auth.id",
        "@request.auth.username",
        "@request.body.t",
        "@request.body.n:changed",
        "@request.body.many.title",
        "@request.body.m:each",
        "@request.body.x.y.0",
        "@request.query.a",
        "@request.headers.a_b",
        "@request.method",
        "@now",
        "@year",
    ],
};

fn setting(name: &str, default: u64) -> u64 {
    let set = std::env::var(name).ok();
    set.map_or(default, |value| value.parse().unwrap())
}

fn request() -> RequestInfo {
    RequestInfo {
        auth: None,
        query: [("a".to_owned(), "x".to_owned())].into(),
        headers: std::collections::BTreeMap::from([("a_b".to_owned(), "5".to_owned())]).into(),
        method: "GET",
        context: "default",
        body: Body::default(),
        now: datetime!(2024-07-01 12:00 UTC),
        client: None,
    }
}

/// Compiles and runs so many texts; returns how many of them ran.
fn run(seed: u64, runs: u64) -> usize {
    let mut conn = sql::open(":memory:").unwrap();
    basalt_runtime::migrate::run(&mut conn, &MIGRATIONS, |_, _| {}).unwrap();
    let rows = "INSERT INTO rules_own (id, t, n) VALUES ('a', 'x', 1), ('b', '', -2.5)";
    sql_query(rows).execute(&mut conn).unwrap();
    let registry = generated::registry().build();
    let collection = registry.collection(RulesOwn::META.name).unwrap();
    let request = request();
    let mut random = Random::new(seed);
    let (mut bytes, mut ran) = (Vec::new(), 0);
    for number in 0..runs {
        text(WORDS, &mut random, &mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let caller = [Caller::Superuser, Caller::Client][(number % 2) as usize];
        let Ok(compiled) = basalt_lang::compile(&text, &Scope::new(&registry, collection, caller))
        else {
            continue;
        };
        let context = Context {
            request: &request,
            form: [Form::In, Form::Exists][(number / 2 % 2) as usize],
        };
        let filter = Filter {
            plan: &compiled.plan,
            context: &context,
            registry: Some(&registry),
        };
        let scope = access::Scope::<RulesOwn>::system().matching(dynamic::<RulesOwn>(&filter));
        if let Err(error) = scope.count(&mut conn) {
            panic!("{text:?}: {error}");
        }
        ran += 1;
    }
    ran
}

#[test]
fn odd_filters_run() {
    let (seed, runs) = (setting("FUZZ_SEED", 1), setting("FUZZ_RUNS", 4000));
    let work = move || run(seed, runs);
    let thread = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(work)
        .unwrap();
    let ran = thread.join().unwrap();
    println!("{ran} of {runs} filters compiled and ran");
    assert!(ran as u64 > runs / 20, "only {ran} of {runs}");
}

/// Filters as long as may be, of alternatives beside conditions on the same values, cost what their
/// length says: multiplied out, these would be some 8000 comparisons each.
#[test]
fn long_filters_stay_small() {
    let all = |text: &str, and: &str| {
        let each = (0..90).map(|number| text.replace('#', &number.to_string()));
        each.collect::<Vec<_>>().join(and)
    };
    let filters = [
        ("m:each = 'a#'", "m:each != 'b#'"),
        ("many.title ?= 'a#'", "many.n ?!= #"),
        (
            "many.subjects_via_more.n = #",
            "many.subjects_via_more.title != 'a#'",
        ),
    ];
    let mut conn = sql::open(":memory:").unwrap();
    basalt_runtime::migrate::run(&mut conn, &MIGRATIONS, |_, _| {}).unwrap();
    let registry = generated::registry().build();
    let collection = registry.collection(RulesOwn::META.name).unwrap();
    let request = request();
    for (one, other) in filters {
        let text = format!("({}) && {}", all(one, " || "), all(other, " && "));
        let scope = Scope::new(&registry, collection, Caller::Superuser);
        let compiled = basalt_lang::compile(&text, &scope).unwrap();
        for form in [Form::In, Form::Exists] {
            let context = Context {
                request: &request,
                form,
            };
            let filter = Filter {
                plan: &compiled.plan,
                context: &context,
                registry: Some(&registry),
            };
            let Predicate::When(condition) = dynamic::<RulesOwn>(&filter) else {
                panic!("{text}: it depends on the record");
            };
            let sql = debug_query::<Sqlite, _>(&condition).to_string();
            // The comparison itself, and that no value gives the opposite.
            assert!(sql.len() < 180 * 500, "{} bytes", sql.len());
            let scope = access::Scope::<RulesOwn>::system();
            let scope = scope.matching(Predicate::When(condition));
            assert_eq!(scope.count(&mut conn).unwrap(), 0);
        }
    }
}
