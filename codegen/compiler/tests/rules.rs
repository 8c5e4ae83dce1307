//! Every rule of every golden case is emitted in both of its forms, and always as the same text.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::path::Path;
use std::{fs, iter};

use basalt_codegen::ir::{Collection, Rule, Schema};
use basalt_codegen::{Source, generate, read_dir, resolve};

/// The schemas of the golden cases and the demo's.
fn schemas() -> Vec<Schema> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let cases = fs::read_dir(root.join("tests/golden/cases")).unwrap();
    let folders = cases.map(|case| case.unwrap().path().join("schema"));
    folders
        .chain(iter::once(root.join("schema")))
        .map(|folder| resolve(&read_dir(&folder).unwrap()).unwrap().schema)
        .collect()
}

fn rules(collection: &Collection) -> [(&'static str, &Rule); 7] {
    let rules = &collection.rules;
    [
        ("list", &rules.list),
        ("view", &rules.view),
        ("create", &rules.create),
        ("update", &rules.update),
        ("delete", &rules.delete),
        ("auth", &rules.auth),
        ("manage", &rules.manage),
    ]
}

#[test]
fn each_condition_has_both_forms() {
    let mut conditions = 0;
    for schema in schemas() {
        let files = generate(&schema);
        for collection in &schema.collections {
            let text = &files[&format!("{}.rs", collection.name.rust)];
            for (action, rule) in rules(collection) {
                let place = format!("{}.{action}", collection.name.wire);
                let has = |start: String| text.contains(&start);
                let rows = has(format!("fn {action}(cx: ")) || has(format!("fn {action}(_: "));
                let wanted = matches!(rule, Rule::When(_));
                conditions += usize::from(wanted);
                assert_eq!(rows, wanted, "{place} as a condition on rows");
                let memory = has(format!("fn {action}_in_memory("));
                assert_eq!(memory, wanted, "{place} in memory");
            }
        }
    }
    assert!(conditions > 40, "only {conditions} conditions");
}

#[test]
fn the_same_schema_gives_the_same_text() {
    for (one, other) in schemas().iter().zip(&schemas()) {
        assert_eq!(generate(one), generate(other));
    }
}

/// Rules of shapes that the golden cases leave out, about a record of `things`.
const SHAPES: &[&str] = &[
    "s:each = 'a' || one.s:each ?= 'b'",
    "@request.headers.x_key:isset = true && t != ''",
    "@request.query.x:isset = true && (@request.method = 'GET' || @request.context = 'expand')",
    "(@request.query.x = 'a' || @request.query.y = 'b' && @request.headers.z = 'c') && n > 1",
    "many.t ?= one.u && one.t ?= many.u && one.n > n",
    "many.t ?= t && ('abc' ~ one.t || one.t = one.u || one.u ~ one.t)",
    "many.t ?= t && (one.m:each ?= 'a' || one.t = '' && one.own.t ~ 'x')",
    "many.t ?= t && geoDistance(one.g.lon, one.g.lat, 1.5, one.n) < 10",
    "many.t ?= t && strftime('%Y', one.d, '+1 day') = '2024'",
    "many.t ?= t && geoDistance(one.own.g.lon, 2, 1.5, one.own.n) < many.n",
    "many.own.t ?= one.own.t && many.s:each ?= s && many.m:length ?> m:length",
    "things_via_one.t ?= t && things_via_many.n ?> 2 && @collection.things:x.t ?= u",
    "@request.body.one.t = 'x' || @request.body.many.n ?> n || @request.body.m:each = 'a'",
    "@request.body.t:changed = true && @request.body.m:length > 1 && t:lower = 'x'",
    "one.own.own.j.a.0 = 1 && j.b != null && many.j.k = n && g.lon > 0",
    "strftime('%d', d) = strftime('%d', one.d) && @request.auth.level > n",
    "one.t = one.u && strftime('%Y', one.d) = '2024' && 'abc' ~ one.t || many.t ?= u",
    "geoDistance(one.g.lon, 1, one.n, 2) > 3 && one.t = one.u && 'abc' ~ one.t",
    "many.t ?= many.u && 'abc' ?~ many.t && geoDistance(many.n, 1, 2, 3) ?> 4",
    "many.own.t ?= many.own.u && 'abc' ?~ many.own.t && many.own.n ?> 1 && many.n ?> 1",
    "many.t != 'x' && many.n = many.n && m:each ?!~ t && many:length < 3",
    "s:each = n || n != 1 && n != 2 && n != 3 && n != 4 && n != 5 && n != 6 && n != 7 && n != 8 && \
        n != 9 && t != 'a' && t != 'b' && t != 'c' && t != 'd'",
];

/// Comparisons of every value behind the relation `many`, and what of each speaks of joined rows
/// where it stands beside a choice of rows.
const EVERY: &[(&str, &str)] = &[
    (
        "many.t != 'x'",
        r#"compare::test(rows.of(0,field::T),Op::NotEqual,"x",Truth::False)"#,
    ),
    (
        "'abc' ~ many.t",
        r#"compare::within("abc",Op::Like,rows.of(0,field::T),Truth::False)"#,
    ),
    (
        "many.t:lower = 'x'",
        r#"compare::test(compare::lower(rows.of(0,field::T)),Op::Equal,"x",Truth::False)"#,
    ),
    (
        "many.own.t != @request.query.x",
        r#"cx.request(rules::Given::null(),Op::Equal,cx.query("x"),Truth::True)"#,
    ),
    (
        "many.m:each != 'a'",
        r#"compare::test(rows.item(1),Op::NotEqual,"a",Truth::False)"#,
    ),
    (
        "many.own.many.n < 3",
        "compare::test(rows.of(2,field::N),Op::Less,3.0,Truth::False)",
    ),
];

/// The code of `things` with these rules to list and to create them, or why there is none.
fn emit(list: &str, create: &str) -> Result<String, String> {
    let fields = "t = { type = 'text' }\nu = { type = 'text' }\nn = { type = 'number' }\n\
        d = { type = 'date' }\ng = { type = 'geoPoint' }\nj = { type = 'json' }\n\
        s = { type = 'select', values = ['a', 'b'] }\n\
        m = { type = 'select', values = ['a', 'b'], max_select = 2 }\n\
        own = { type = 'relation', collection = 'things' }\n\
        one = { type = 'relation', collection = 'things' }\n\
        many = { type = 'relation', collection = 'things', max_select = 9 }\n\
        old = { type = 'text', read = \"n > 1 && strftime('%Y', d) = '2024'\" }\n\
        new = { type = 'text', read = 'n > 1 && t != u' }\n";
    let things = Source {
        path: "things.toml".to_owned(),
        text: format!(
            "name = 'things'\n[rules]\nlist = \"{list}\"\ncreate = \"{create}\"\n\
            update = \"{list}\"\n[fields]\n{fields}"
        ),
    };
    let people = Source {
        path: "people.toml".to_owned(),
        text: "name = 'people'\ntype = 'auth'\n[fields]\nlevel = { type = 'number' }".to_owned(),
    };
    match resolve(&[things, people]) {
        Ok(checked) => Ok(generate(&checked.schema)["things.rs"].clone()),
        Err(report) => Err(report.render(false)),
    }
}

fn emitted(rule: &str) -> String {
    emit(rule, "t != ''").unwrap_or_else(|report| panic!("{rule}\n{report}"))
}

#[test]
fn rules_of_all_shapes_are_emitted() {
    for shape in SHAPES {
        let text = emitted(shape);
        assert!(!text.contains("compile_error"), "{shape}");
        assert!(text.contains("fn list_in_memory("), "{shape}");
    }
}

#[test]
fn every_value_beside_joined_rows_is_asked_as_joined_rows() {
    for (every, wanted) in EVERY {
        // The second comparison needs joined rows, and shares one with the first.
        let rule = format!("({every} || n > 1) && many.own.t ?= many.u");
        let text = emitted(&rule);
        assert!(!text.contains("compile_error"), "{rule}");
        let text: String = text.split_whitespace().collect();
        let text = text.replace(",)", ")");
        assert!(text.contains("rows.none("), "{rule}");
        assert!(text.contains(wanted), "{rule}: {wanted}");
    }
}

#[test]
fn a_field_is_read_without_the_database_where_nothing_is_computed() {
    let text = emitted("n > 1");
    let local = text.lines().filter(|line| line.contains("read_is_local"));
    let local: Vec<&str> = local.map(str::trim).collect();
    assert_eq!(local, ["read_is_local: false,", "read_is_local: true,"]);
}

/// What random rules compare.
const OPERANDS: &[&str] = &[
    "t",
    "n",
    "j.a",
    "s:each",
    "m:each",
    "m:length",
    "t:lower",
    "one.t",
    "one.many.n",
    "many.t",
    "many.t:lower",
    "many.j.a",
    "many.s:each",
    "many.m:each",
    "many.m:length",
    "many.own.t",
    "many.many.own.n",
    "many:length",
    "many.id",
    "things_via_one.t",
    "things_via_many.m:each",
    "@collection.things.n",
    "@request.auth.level",
    "@request.auth.id",
    "@request.body.many.t",
    "@request.body.m:each",
    "@request.query.x",
    "strftime('%Y', d)",
    "strftime('%Y', many.d)",
    "geoDistance(n, 1, many.n, 2)",
    "'a'",
    "''",
    "null",
    "2",
];

#[test]
fn no_rule_is_planned_that_cannot_be_emitted() {
    const OPS: &[&str] = &["=", "!=", ">", "~", "!~", "?=", "?!=", "?~"];
    // The same ones each time.
    let mut seed: u64 = 0x2468_ace0_1357_9bdf;
    let mut pick = |from: &[&'static str]| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        from[usize::try_from(seed % u64::try_from(from.len()).unwrap()).unwrap()]
    };
    let mut rule = || {
        let mut compare = || format!("{} {} {}", pick(OPERANDS), pick(OPS), pick(OPERANDS));
        let [a, b, c, d] = [compare(), compare(), compare(), compare()];
        let (first, second) = [(" && ", " || "), (" || ", " && ")][a.len() % 2];
        format!("({a}{first}{b}{second}{c}) && {d}")
    };
    let mut emitted = 0;
    for _ in 0..150 {
        let (list, create) = (rule(), rule());
        let Ok(text) = emit(&list, &create) else {
            continue;
        };
        assert!(!text.contains("compile_error"), "{list}\n{create}");
        emitted += 1;
    }
    assert!(emitted > 100, "only {emitted} pairs of rules are valid");
}
