//! The parts of the tester that need no server: its schemas are valid, its conditions reach all of
//! the language, and what fails is cut down to what matters.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use basalt_blackbox::Random;
use basalt_codegen::resolve::RuleView;
use basalt_differential::export;
use basalt_differential::exported::{Exported, compile_all};
use basalt_differential::expr::{Expr, shrink};
use basalt_differential::grammar::{Author, Grammar};
use basalt_differential::imported;
use basalt_differential::model::Schema;
use basalt_differential::rows;
use basalt_lang::schema::Schema as _;
use basalt_lang::{Caller, Scope, compile};

fn compare(left: &str, op: &'static str, right: &str) -> Expr {
    Expr::Compare {
        left: left.to_owned(),
        op,
        right: right.to_owned(),
    }
}

fn join(all: bool, items: Vec<Expr>) -> Expr {
    let glue = if all { " && " } else { " || " };
    Expr::Join { all, glue, items }
}

#[test]
fn every_schema_is_one_for_the_generator() {
    for seed in 1..=40 {
        let schema = Schema::random(&mut Random::new(seed), 4);
        let sources = export::sources(&schema);
        if let Err(report) = basalt_codegen::resolve(&sources) {
            panic!("seed {seed}: {}", report.render(false));
        }
        let import = export::import(&schema);
        let imported = import["collections"].as_array().unwrap();
        assert_eq!(imported.len(), sources.len());
    }
}

/// Fields with their options, rules, indexes, ids: what the peer takes is what comes back.
#[test]
fn every_schema_comes_back_from_its_export() {
    for seed in 1..=40 {
        let schema = Schema::random(&mut Random::new(seed), 4);
        let export = export::import(&schema).to_string();
        if let Err(error) = imported::check(&schema, &export) {
            panic!("seed {seed}: {error:#}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_records() {
    let schema = Schema::random(&mut Random::new(3), 2);
    let told = |seed| format!("{:?}", rows::random(&schema, &mut Random::new(seed)));
    assert_eq!(told(1), told(1));
    assert_ne!(told(1), told(2));
}

#[test]
fn conditions_reach_all_of_the_language() {
    let mut random = Random::new(1);
    let schema = Schema::random(&mut random, 2);
    let ir = basalt_codegen::resolve(&export::sources(&schema))
        .unwrap()
        .schema;
    let view = RuleView::new(&ir);
    let (mut all, mut valid, asked) = (String::new(), 0, 4000);
    for number in 0..asked {
        let place = number % schema.collections.len();
        let text = Grammar::new(&schema, &mut random, Author::Superuser)
            .condition(place)
            .to_string();
        let id = view.collection(&schema.collections[place].name).unwrap();
        valid += usize::from(compile(&text, &Scope::new(&view, id, Caller::Superuser)).is_ok());
        all.push_str(&text);
        all.push('\n');
    }
    let parts = [
        "@request.auth.",
        "@request.body.",
        "@request.query.",
        "@request.headers.",
        "@request.method",
        "@request.context",
        "@collection.",
        ":one.",
        "_via_",
        "geoDistance(",
        "strftime(",
        ":each",
        ":length",
        ":lower",
        ":isset",
        ":changed",
        "?=",
        "?!=",
        "?>",
        "?<=",
        "?~",
        "?!~",
        "@now",
        "@year",
        "null",
        "//",
        "&&",
        "||",
        "('",
        ".lon",
        "\\'",
        "(",
    ];
    for part in parts {
        assert!(all.contains(part), "no condition has {part}");
    }
    assert!(valid > asked / 2, "only {valid} of {asked} are valid");
}

#[test]
fn and_binds_tighter() {
    let (a, b, c) = (
        compare("a", "=", "1"),
        compare("b", "=", "2"),
        compare("c", "=", "3"),
    );
    let either = join(false, vec![a.clone(), b.clone()]);
    assert_eq!(
        join(true, vec![either, c.clone()]).to_string(),
        "(a = 1 || b = 2) && c = 3"
    );
    let both = join(true, vec![a, b]);
    assert_eq!(
        join(false, vec![both, c]).to_string(),
        "a = 1 && b = 2 || c = 3"
    );
}

#[test]
fn failures_are_cut_down() {
    let noise = || compare("t", "!=", "'abc'");
    let bad = compare("own.user1.level:lower", "?>", "5.5");
    let whole = join(
        true,
        vec![noise(), join(false, vec![noise(), bad, noise()]), noise()],
    );
    assert_eq!(whole.size(), 5);
    let small = shrink(whole, 500, |expr| Ok(expr.to_string().contains("level"))).unwrap();
    assert_eq!(small.to_string(), "level > 0");
}

#[test]
fn rules_compile_against_an_export() {
    let export = r#"[
        {"id": "one000000000000", "name": "posts", "type": "base", "listRule": "", "fields": [
            {"name": "id", "type": "text"}, {"name": "title", "type": "text"},
            {"name": "files", "type": "file", "maxSelect": 9},
            {"name": "by", "type": "relation", "collectionId": "two000000000000", "maxSelect": 1}]},
        {"id": "two000000000000", "name": "users", "type": "auth", "listRule": null, "fields": [
            {"name": "id", "type": "text"}, {"name": "nick", "type": "text"}]}]"#;
    let schema = Exported::parse(export).unwrap();
    let rules = "posts\tlistRule\t(empty: everyone)\n\
        posts\tviewRule\t// mine \\n by = @request.auth.id\n\
        @case_1:posts\tupdateRule\tby.nick = title && files:length > 1\n\
        posts\tdeleteRule\tby.nock = 'x'\n\
        gone\tlistRule\tid = 'x'\n";
    let (compiled, failures) = compile_all(&schema, rules);
    assert_eq!(compiled, 2, "{failures:?}");
    assert_eq!(failures.len(), 2, "{failures:?}");
    assert!(failures[0].contains("`nock`"), "{failures:?}");
}
