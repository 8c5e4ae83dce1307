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
];

#[test]
fn rules_of_all_shapes_are_emitted() {
    let fields = "t = { type = 'text' }\nu = { type = 'text' }\nn = { type = 'number' }\n\
        d = { type = 'date' }\ng = { type = 'geoPoint' }\nj = { type = 'json' }\n\
        s = { type = 'select', values = ['a', 'b'] }\n\
        m = { type = 'select', values = ['a', 'b'], max_select = 2 }\n\
        own = { type = 'relation', collection = 'things' }\n\
        one = { type = 'relation', collection = 'things' }\n\
        many = { type = 'relation', collection = 'things', max_select = 9 }\n";
    let people = Source {
        path: "people.toml".to_owned(),
        text: "name = 'people'\ntype = 'auth'\n[fields]\nlevel = { type = 'number' }".to_owned(),
    };
    for shape in SHAPES {
        let rules = format!("list = \"{shape}\"\nupdate = \"{shape}\"");
        let things = Source {
            path: "things.toml".to_owned(),
            text: format!("name = 'things'\n[rules]\n{rules}\n[fields]\n{fields}"),
        };
        let schema = match resolve(&[things, people.clone()]) {
            Ok(checked) => checked.schema,
            Err(report) => panic!("{shape}\n{}", report.render(false)),
        };
        let text = &generate(&schema)["things.rs"];
        assert!(!text.contains("compile_error"), "{shape}");
        assert!(text.contains("fn list_in_memory("), "{shape}");
    }
}
