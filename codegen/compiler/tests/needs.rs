//! Which indexes rules get, and what a change of a rule does to the database.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use basalt_codegen::diff::{Options, diff};
use basalt_codegen::ir::CollectionId;
use basalt_codegen::needs::{Need, Use, Verdict, needs};
use basalt_codegen::snapshot::Snapshot;
use basalt_codegen::{Source, ir, resolve};

/// Posts under a list rule, beside users, teams and keys.
fn schema(list: &str) -> ir::Schema {
    with_rules(&format!("list = {list:?}"), "")
}

fn with_rules(rules: &str, more: &str) -> ir::Schema {
    let posts = format!(
        "name = 'posts'\ntype = 'base'\n[rules]\n{rules}\n[fields]\n\
         title = {{ type = 'text' }}\nplace = {{ type = 'text' }}\n\
         rank = {{ type = 'number' }}\npublic = {{ type = 'bool' }}\n\
         kind = {{ type = 'select', values = ['a', 'b'] }}\n\
         at = {{ type = 'date' }}\ndata = {{ type = 'json' }}\nhtml = {{ type = 'editor' }}\n\
         author = {{ type = 'relation', collection = 'users' }}\n\
         readers = {{ type = 'relation', collection = 'users', max_select = 9 }}\n\
         up = {{ type = 'relation', collection = 'posts' }}\n{more}"
    );
    let users = "name = 'users'\ntype = 'auth'\n[fields]\nrole = { type = 'text' }\n\
                 city = { type = 'text' }\nlevel = { type = 'number' }\n\
                 team = { type = 'relation', collection = 'teams' }\n";
    let teams = "name = 'teams'\ntype = 'base'\n[fields]\nname = { type = 'text' }\n";
    let sources = [
        ("posts", posts.as_str()),
        ("users", users),
        ("teams", teams),
    ];
    let sources: Vec<Source> = sources
        .map(|(name, text)| Source {
            path: format!("schema/{name}.toml"),
            text: text.to_owned(),
        })
        .into();
    let checked = resolve(&sources).unwrap_or_else(|report| panic!("{}", report.render(false)));
    checked.schema
}

/// The indexes that were made for rules, as `collection(columns)`.
fn made(schema: &ir::Schema) -> Vec<String> {
    let mut made = Vec::new();
    for collection in &schema.collections {
        let indexes = collection.indexes.iter();
        for index in indexes.filter(|index| index.reason.starts_with("for ")) {
            let columns = index.columns.iter();
            let columns = columns.map(|id| collection.fields[id.0].name.wire.as_str());
            let columns: Vec<_> = columns.collect();
            made.push(format!("{}({})", collection.name.wire, columns.join(", ")));
        }
    }
    made
}

#[track_caller]
fn check(list: &str, expected: &[&str]) {
    assert_eq!(made(&schema(list)), expected, "{list}");
}

#[test]
fn a_value_of_the_caller_finds_rows_by_an_index() {
    check("place = @request.auth.city", &["posts(place)"]);
    check("@request.auth.city = place", &["posts(place)"]);
    check("rank = @request.auth.level", &["posts(rank)"]);
    check("place = @request.query.place", &["posts(place)"]);
    check("place = @request.headers.x_place", &["posts(place)"]);
    check(
        "place = @request.auth.city && public = true",
        &["posts(place)"],
    );
}

#[test]
fn what_has_an_index_gets_no_second_one() {
    check("author = @request.auth.id", &[]);
    check("id = @request.auth.city", &[]);
    check(
        "author = @request.auth.id && place = @request.auth.city",
        &[],
    );
    check("readers.id ?= @request.auth.id", &[]);
    check("author.id = @request.auth.id", &[]);
    check("author = ''", &[]);
    let rules = "list = 'place = @request.auth.city'";
    let declared = "[[indexes]]\nfields = ['place', 'at']\n";
    assert_eq!(made(&with_rules(rules, declared)), [""; 0]);
}

#[test]
fn a_list_that_alone_decides_gets_one_if_few_lists_are_possible() {
    let check = |rule: &str, more: &str, expected: &[&str]| {
        let field = format!("tags = {{ type = 'select', max_select = 3, {more} }}\n");
        let schema = with_rules(&format!("list = {rule:?}"), &field);
        assert_eq!(made(&schema), expected, "{rule} {more}");
    };
    let (few, made) = ("values = ['a', 'b', 'c', 'd']", ["posts(tags)"]);
    check("tags:each != 'c'", few, &made);
    check(
        "tags:each ?= @request.auth.role || tags:length > 1",
        few,
        &made,
    );
    check("tags ~ 'a'", few, &made);
    check("tags:each != 'c' && public = true", few, &[]);
    check("tags:each != 'c' && author.role = 'x'", few, &[]);
    let many = ["'c'".to_owned()].into_iter();
    let many: Vec<_> = many.chain((0..20).map(|at| format!("'v{at}'"))).collect();
    check(
        "tags:each != 'c'",
        &format!("values = [{}]", many.join(", ")),
        &[],
    );
}

#[test]
fn an_index_of_other_rows_or_another_order_is_no_help() {
    let rules = "list = 'place = @request.auth.city'";
    for index in [
        "fields = ['place']\nwhere = 'rank > 1'",
        "fields = ['place']\ncollation = 'nocase'",
        "fields = ['at', 'place']",
    ] {
        let declared = format!("[[indexes]]\n{index}\n");
        assert_eq!(
            made(&with_rules(rules, &declared)),
            ["posts(place)"],
            "{index}"
        );
    }
}

#[test]
fn what_many_rows_share_gets_none() {
    check("public = true", &[]);
    check("kind = @request.auth.role", &[]);
    check("place = 'Bern'", &[]);
    check("rank = 3", &[]);
    check("at = ''", &[]);
}

#[test]
fn what_an_index_would_not_find_gets_none() {
    check("place != @request.auth.city", &[]);
    check("place ~ @request.auth.city", &[]);
    check("at <= @now", &[]);
    check("rank > @request.auth.level", &[]);
    check("place:lower = @request.auth.city", &[]);
    check("data = @request.auth.city", &[]);
    check("data.a = @request.auth.city", &[]);
    check("html = @request.auth.city", &[]);
    check("place = title", &[]);
}

#[test]
fn alternatives_need_an_index_each() {
    check(
        "place = @request.auth.city || rank = @request.auth.level",
        &["posts(place)", "posts(rank)"],
    );
    check(
        "place = @request.auth.city || author = @request.auth.id",
        &["posts(place)"],
    );
    check("place = @request.auth.city || public = true", &[]);
    // What the request decides is no alternative any more when there is a query.
    check(
        "@request.auth.role = 'chief' || place = @request.auth.city",
        &["posts(place)"],
    );
    check(
        "@request.auth.role = 'chief' || @request.auth.id != '' && place = @request.auth.city",
        &["posts(place)"],
    );
    check("@request.auth.role = 'chief' || public = true", &[]);
    check(
        "@request.auth.role = 'chief' || @request.auth.city = 'Bern'",
        &[],
    );
}

#[test]
fn rows_behind_relations_are_found_by_values_of_the_caller() {
    check("author.city = @request.auth.city", &["users(city)"]);
    check("readers.city ?= @request.auth.city", &["users(city)"]);
    check("author.team.name = @request.auth.role", &["teams(name)"]);
    check("author.role = 'editor'", &[]);
    check("readers.role ?= 'editor'", &[]);
    check("author.team.name = 'red'", &[]);
    check("author.role = ''", &[]);
    check("author.verified = true", &[]);
}

#[test]
fn rows_of_other_collections_are_found_by_any_rule() {
    for action in ["list", "view", "create", "update", "delete"] {
        let check = |rule: &str, expected: &[&str]| {
            let schema = with_rules(&format!("{action} = {rule:?}"), "");
            assert_eq!(made(&schema), expected, "{action}: {rule}");
        };
        check(
            "@collection.users.city ?= @request.auth.city",
            &["users(city)"],
        );
        check("@collection.users.role ?= 'editor'", &[]);
        check("@collection.users.team ?= @request.auth.team", &[]);
        check("@collection.users.id ?= @request.query.user", &[]);
        check("@collection.users.city ?= place", &[]);
        check("@collection.users.city ?!= @request.auth.city", &[]);
    }
}

#[test]
fn records_that_point_here_are_looked_up_first() {
    check(
        "posts_via_up.place ?= @request.auth.city",
        &["posts(place)"],
    );
    check("posts_via_up.place ?= 'Bern'", &[]);
    check("posts_via_up.author ?= @request.auth.id", &[]);
    check(
        "posts_via_up.author.city ?= @request.auth.city",
        &["users(city)"],
    );
    check(
        "@collection.users.team.name ?= @request.auth.role",
        &["teams(name)"],
    );
    check(
        "@collection.users.team.name ?= @request.auth.role && @collection.users.id ?= @request.auth.id",
        &[],
    );
    // Not if each record must be looked at for its own sake.
    check(
        "posts_via_up.place ?= @request.auth.city && posts_via_up.title ?= title",
        &[],
    );
    for action in ["create", "update", "delete"] {
        let rules = format!("{action} = 'posts_via_up.place ?= @request.auth.city'");
        assert_eq!(made(&with_rules(&rules, "")), [""; 0], "{rules}");
    }
}

#[test]
fn rules_about_one_record_need_none() {
    for action in ["create", "update", "delete"] {
        for rule in [
            "place = @request.auth.city",
            "author.city = @request.auth.city",
        ] {
            let rules = format!("{action} = {rule:?}");
            assert_eq!(made(&with_rules(&rules, "")), [""; 0], "{rules}");
        }
    }
    assert_eq!(
        made(&with_rules("view = 'place = @request.auth.city'", "")),
        [""; 0]
    );
    // A view rule is put to the records that point to others, all at once.
    let rules = "view = 'author.city = @request.auth.city'";
    assert_eq!(made(&with_rules(rules, "")), ["users(city)"]);
}

#[test]
fn rules_of_fields_count_too() {
    let field = |key: &str, rule: &str| {
        let text = format!("secret = {{ type = 'text', {key} = {rule:?} }}\n");
        made(&with_rules("", &text))
    };
    let rule = "author.city = @request.auth.city";
    assert_eq!(field("read", rule), ["users(city)"]);
    assert_eq!(field("write", rule), [""; 0]);
    assert_eq!(field("read", "place = @request.auth.city"), [""; 0]);
    for key in ["read", "write"] {
        let rule = "@collection.users.city ?= @request.auth.city";
        assert_eq!(field(key, rule), ["users(city)"]);
    }
}

/// The columns that the list rule of posts compares and that get no index, with the reasons.
fn refused(list: &str) -> Vec<(String, Verdict)> {
    let schema = schema(list);
    let at = schema
        .collections
        .iter()
        .position(|it| it.name.wire == "posts")
        .unwrap();
    let ir::Rule::When(rule) = &schema.collections[at].rules.list else {
        panic!("no rule")
    };
    let needs = needs(&schema, CollectionId(at), &rule.plan, Use::Finds);
    let name = |need: &Need| {
        let collection = &schema.collections[need.collection.0];
        let field = &collection.fields[need.field.0];
        format!("{}.{}", collection.name.wire, field.name.wire)
    };
    needs
        .iter()
        .map(|need| (name(need), need.verdict))
        .collect()
}

#[test]
fn each_refusal_has_its_reason() {
    for (list, column, verdict) in [
        ("public = true", "posts.public", Verdict::FewValues),
        (
            "kind = @request.auth.role",
            "posts.kind",
            Verdict::FewValues,
        ),
        (
            "author.verified = true",
            "users.verified",
            Verdict::FewValues,
        ),
        ("place = 'Bern'", "posts.place", Verdict::FixedValue),
        ("author.role = 'editor'", "users.role", Verdict::FixedValue),
        (
            "@collection.users.role ?= 'editor'",
            "users.role",
            Verdict::FixedValue,
        ),
        ("at <= @now", "posts.at", Verdict::Range),
        (
            "@collection.users.city ?= place",
            "users.city",
            Verdict::OtherColumn,
        ),
    ] {
        assert_eq!(refused(list), [(column.to_owned(), verdict)], "{list}");
        assert!(!verdict.reason().is_empty());
    }
    // What is found by another condition needs no reason.
    assert_eq!(refused("author = @request.auth.id && public = true"), []);
    assert_eq!(refused("place = @request.auth.city && public = true"), []);
    let rule = "@collection.users.id ?= @request.auth.id && @collection.users.city ?= place";
    assert_eq!(refused(rule), []);
}

#[test]
fn the_migration_gives_the_reason() {
    let schema = schema("place = @request.auth.city");
    let up = diff(None, &schema, &Options::default())
        .unwrap()
        .unwrap()
        .up;
    let expected = "-- for the list rule of posts (schema/posts.toml:4)\n\
                    CREATE INDEX \"idx_posts_place\" ON \"posts\" (\"place\");\n";
    assert!(up.contains(expected), "{up}");
}

#[test]
fn several_rules_share_an_index() {
    let rules =
        "list = 'author.city = @request.auth.city'\nview = 'author.city = @request.auth.city'";
    let schema = with_rules(rules, "");
    let users = schema.collection("users").unwrap();
    let reasons: Vec<_> = users
        .indexes
        .iter()
        .map(|index| index.reason.as_str())
        .collect();
    let shared = "for the list rule of posts (schema/posts.toml:4) and \
                  the view rule of posts (schema/posts.toml:5)";
    assert!(reasons.contains(&shared), "{reasons:?}");
}

#[test]
fn a_rule_that_goes_takes_its_index_along() {
    let (old, new) = (
        schema("place = @request.auth.city"),
        schema("public = true"),
    );
    let last = Snapshot::of(&old).unwrap();
    let migration = diff(Some(&last), &new, &Options::default())
        .unwrap()
        .unwrap();
    let expected = "drop index `idx_posts_place` of `posts`, which was made for \
                    the list rule of posts (schema/posts.toml:4)";
    assert_eq!(migration.summary, [expected]);
    assert!(
        migration.up.ends_with("DROP INDEX \"idx_posts_place\";\n"),
        "{}",
        migration.up
    );
    let last = Snapshot::of(&new).unwrap();
    let back = diff(Some(&last), &old, &Options::default())
        .unwrap()
        .unwrap();
    let expected = "create index `idx_posts_place` on `posts` for the list rule of posts \
                    (schema/posts.toml:4)";
    assert_eq!(back.summary, [expected]);
}

#[test]
fn another_reason_for_the_same_index_is_no_change() {
    let old = with_rules("list = 'place = @request.auth.city'", "");
    let new = with_rules(
        "view = ''\nlist = 'place = @request.auth.city && rank > 1'",
        "",
    );
    let last = Snapshot::of(&old).unwrap();
    assert_ne!(
        Snapshot::of(&new).unwrap(),
        last,
        "the reason has another line"
    );
    assert_eq!(diff(Some(&last), &new, &Options::default()).unwrap(), None);
}
