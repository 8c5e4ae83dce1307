//! Conditions of rules, on rows and in memory, over a table made for it.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Arc;

use basalt_lang::eval::{Affinity, Operand, Side};
use basalt_lang::plan::{Op, Quantifier, Truth, Value as PlanValue};
use serde_json::json;

use super::{Context, Given};
use crate::collection::Record;
use crate::meta::{CollectionMeta, FieldKind, FieldMeta};
use crate::request::{Auth, Body, RequestInfo};
use crate::sql::Form;
use crate::value::{Value, ValueRef};

static META: CollectionMeta = CollectionMeta {
    id: "col_members",
    name: "members",
    system: false,
    fields: &[field("id"), field("level"), field("tags"), field("extra")],
    unique: &[],
    auth: None,
    source: "schema/members.toml",
};

const fn field(name: &'static str) -> FieldMeta {
    FieldMeta {
        name,
        kind: FieldKind::Bool,
        hidden: false,
        required: false,
        present: false,
        nullable: false,
        default: None,
        dictionary: false,
    }
}

struct Member;

impl Record for Member {
    fn meta(&self) -> &'static CollectionMeta {
        &META
    }
    fn id(&self) -> &str {
        "m1"
    }
    fn get(&self, field: usize) -> ValueRef<'_> {
        match field {
            0 => ValueRef::Text("m1"),
            1 => ValueRef::Number(3.0),
            2 => ValueRef::List("[\"a\"]"),
            3 => ValueRef::Json("{\"a\":1}"),
            _ => ValueRef::Null,
        }
    }
    fn set(&mut self, _: usize, _: Value) {}
}

fn request(auth: bool) -> RequestInfo {
    let raw = json!({
        "title": " sent ", "empty": null, "blank": "", "n": "5", "list": ["a", "b"],
        "deep": { "a": [{ "b": "found" }, 2.5, true] },
    });
    let fields = [
        ("title", Value::Text("cast".to_owned())),
        ("n", Value::Number(5.0)),
        ("list", Value::List(vec!["a".to_owned(), "b".to_owned()])),
        ("json", Value::Json("{\"k\":[7]}".to_owned())),
    ];
    RequestInfo {
        auth: auth.then(|| Auth {
            record: Arc::new(Member),
            superuser: false,
            token: "".into(),
            refreshable: true,
        }),
        method: "PATCH",
        context: "default",
        query: BTreeMap::from([("q".to_owned(), "1".to_owned())]),
        headers: BTreeMap::from([("x_token".to_owned(), "t".to_owned())]).into(),
        body: Body {
            raw: raw.as_object().unwrap().clone(),
            fields: fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        },
        now: time::OffsetDateTime::UNIX_EPOCH,
        client: None,
    }
}

#[track_caller]
fn check(value: impl Fn(&Context<'_>) -> Given, expected: Given) {
    let request = request(true);
    let context = Context {
        request: &request,
        form: Form::In,
    };
    assert_eq!(value(&context), expected);
}

fn items(texts: &[&'static str], quantifier: Quantifier) -> Given {
    let items = texts.iter().map(|text| Operand::Text((*text).into()));
    Given::Each(items.collect(), quantifier)
}

#[test]
fn the_caller() {
    check(|cx| cx.auth("id"), Given::text("m1"));
    let column = |operand, affinity| Given::One(Side::column(operand, affinity));
    let number = column(Operand::Number(3.0), Affinity::Numeric);
    check(|cx| cx.auth("level"), number);
    let text = |text: &'static str| Operand::Text(text.into());
    let list = column(text("[\"a\"]"), Affinity::Numeric);
    check(|cx| cx.auth("tags"), list);
    let json = Given::One(Side::strict(text("{\"a\":1}"), Affinity::None));
    check(|cx| cx.auth("extra"), json);
    let lower = column(text("3"), Affinity::None);
    check(|cx| Given::lower(cx.auth("level")), lower);
    check(|cx| cx.auth("collectionId"), Given::text("col_members"));
    check(|cx| cx.auth("collectionName"), Given::text("members"));
    check(|cx| cx.auth("nope"), Given::null());

    let guest = request(false);
    let context = Context {
        request: &guest,
        form: Form::In,
    };
    for name in ["id", "level", "collectionId", "collectionName"] {
        assert_eq!(context.auth(name), Given::null(), "{name}");
    }
}

#[test]
fn the_body() {
    check(|cx| cx.body(&["title"]), Given::text("cast"));
    check(|cx| cx.body(&["n"]), Given::number(5.0));
    check(|cx| cx.body(&["list"]), Given::text("[\"a\",\"b\"]"));
    check(|cx| cx.body(&["list", "1"]), Given::text("b"));
    check(|cx| cx.body(&["list", "2"]), Given::null());
    check(|cx| cx.body(&["json", "k", "0"]), Given::integer(7));
    check(|cx| cx.body(&["empty"]), Given::null());
    check(|cx| cx.body(&["missing"]), Given::null());
    check(|cx| cx.body(&[]), Given::null());
    check(|cx| cx.body(&["deep", "a", "0", "b"]), Given::text("found"));
    check(|cx| cx.body(&["deep", "a", "1"]), Given::number(2.5));
    check(
        |cx| cx.body(&["deep", "a", "2"]),
        Given::value(Operand::Bool(true)),
    );
    check(
        |cx| cx.body(&["deep", "a", "0"]),
        Given::text("{\"b\":\"found\"}"),
    );
    check(|cx| cx.body(&["title", "x"]), Given::null());
}

#[test]
fn what_was_sent() {
    check(|cx| cx.body_is_set(&["empty"]), Given::bool(true));
    check(|cx| cx.body_is_set(&["deep", "a"]), Given::bool(true));
    check(|cx| cx.body_is_set(&["deep", "b"]), Given::bool(false));
    check(|cx| cx.body_is_set(&["missing"]), Given::bool(false));
    check(|cx| cx.query_is_set("q"), Given::bool(true));
    check(|cx| cx.query_is_set("Q"), Given::bool(false));
    check(|cx| cx.header_is_set("x_token"), Given::bool(true));
    check(|cx| cx.body_length(&["list"]), Given::integer(2));
    check(|cx| cx.body_length(&["title"]), Given::integer(1));
    check(|cx| cx.body_length(&["blank"]), Given::integer(0));
    check(|cx| cx.body_length(&["missing"]), Given::integer(0));
    let all = Quantifier::All;
    check(|cx| cx.body_each(&["list"], all), items(&["a", "b"], all));
    check(|cx| cx.body_each(&["missing"], all), items(&[], all));
}

#[test]
fn the_rest() {
    check(|cx| cx.query("q"), Given::text("1"));
    check(|cx| cx.query("none"), Given::null());
    check(|cx| cx.header("x_token"), Given::text("t"));
    check(|cx| cx.method(), Given::text("PATCH"));
    check(|cx| cx.context(), Given::text("default"));
    check(|_| Given::lower(Given::text("ÄBC")), Given::text("Äbc"));
    check(|_| Given::lower(Given::number(5.0)), Given::text("5.0"));
    check(|_| Given::lower(Given::null()), Given::null());
}

#[test]
fn the_caller_compares_as_columns_do() {
    let request = request(true);
    let cx = Context {
        request: &request,
        form: Form::In,
    };
    let level = || cx.auth("level");
    assert!(cx.request(level(), Op::Equal, "3", Truth::True));
    assert!(!cx.request(level(), Op::Less, "2", Truth::True));
    // The id is a value: `%` in it would be a pattern, in a column's text it is part of the text.
    assert!(cx.request("xm1x", Op::Like, cx.auth("id"), Truth::True));
    // Json that is not there is no empty text; a guest has neither.
    assert!(!cx.request(cx.auth("extra"), Op::Equal, "", Truth::True));
    let guest = self::request(false);
    let cx = Context {
        request: &guest,
        form: Form::In,
    };
    assert!(cx.request(cx.auth("extra"), Op::Equal, "", Truth::True));
}

#[test]
fn texts_that_stand_for_numbers() {
    for (text, number) in [
        ("1", 1.0),
        ("+5", 5.0),
        (".5", 0.5),
        ("1e1", 10.0),
        ("05", 5.0),
    ] {
        assert_eq!(Given::numeric(Given::text(text)), Given::number(number));
    }
    for text in ["", "abc", " 5", "5 ", "0x10", "true"] {
        assert_eq!(Given::numeric(Given::text(text)), Given::text(text));
    }
    assert_eq!(Given::numeric(Given::text("NaN")), Given::null());
    assert_eq!(Given::numeric(Given::null()), Given::null());
    let query = PlanValue::Query("q".to_owned());
    check(
        |cx| cx.value(&PlanValue::Numeric(Box::new(query.clone()))),
        Given::number(1.0),
    );
}

#[test]
fn plans_name_the_same_values() {
    let body = |name: &str| Box::new(PlanValue::Body(vec![name.to_owned()]));
    check(|cx| cx.value(&body("n")), Given::number(5.0));
    check(
        |cx| cx.value(&PlanValue::Lower(body("title"))),
        Given::text("cast"),
    );
    check(
        |cx| cx.value(&PlanValue::IsSet(body("empty"))),
        Given::bool(true),
    );
    check(
        |cx| cx.value(&PlanValue::Length(body("list"))),
        Given::integer(2),
    );
    let some = Quantifier::Some;
    check(
        |cx| cx.value(&PlanValue::Each(body("list"), some)),
        items(&["a", "b"], some),
    );
    check(
        |cx| cx.value(&PlanValue::Auth("id".to_owned())),
        Given::text("m1"),
    );
}

#[test]
fn comparisons_of_request_values() {
    let request = request(false);
    let cx = Context {
        request: &request,
        form: Form::In,
    };
    let each = |quantifier| cx.body_each(&["list"], quantifier);
    let (some, all) = (Quantifier::Some, Quantifier::All);
    // Guests: NULL and the empty text are one, and NULL is never ordered.
    assert!(cx.request(cx.auth("id"), Op::Equal, "", Truth::True));
    assert!(!cx.request(cx.auth("id"), Op::NotEqual, "", Truth::True));
    assert!(!cx.request(cx.auth("level"), Op::Less, 4.0, Truth::True));
    assert!(!cx.request(cx.auth("level"), Op::Less, 4.0, Truth::False));
    // Values keep their types.
    assert!(!cx.request(cx.query("q"), Op::Equal, 1.0, Truth::True));
    assert!(cx.request(cx.body(&["n"]), Op::Equal, 5.0, Truth::True));
    // Some item, or the peer's match-all.
    assert!(cx.request(each(some), Op::Equal, "a", Truth::True));
    assert!(!cx.request(each(all), Op::Equal, "a", Truth::True));
    assert!(cx.request(each(all), Op::NotEqual, "c", Truth::True));
    assert!(cx.request("a", Op::Equal, each(some), Truth::True));
    // Nothing counts as one NULL.
    let nothing = cx.body_each(&["missing"], all);
    assert!(cx.request(nothing.clone(), Op::Equal, "", Truth::True));
    assert!(!cx.request(nothing, Op::Equal, "a", Truth::True));
}
