//! The codes of invalid values, as the peer gives them.

#![allow(clippy::unwrap_used)]

use super::*;

fn field(kind: FieldKind) -> FieldMeta {
    FieldMeta {
        name: "f",
        kind,
        hidden: false,
        required: false,
        present: false,
        nullable: false,
        default: None,
        dictionary: false,
    }
}

/// Every value with its code, or "" if it is fine. A required field refuses `zero`, others don't.
fn check(mut meta: FieldMeta, zero: ValueRef<'_>, cases: &[(ValueRef<'_>, &str)]) {
    let code = |meta: &FieldMeta, value| validate(meta, value).map_or("", |error| error.code);
    assert_eq!(code(&meta, zero), "", "{zero:?}");
    for (value, expected) in cases {
        assert_eq!(code(&meta, *value), *expected, "{value:?}");
    }
    meta.required = true;
    assert_eq!(code(&meta, zero), "validation_required", "{zero:?}");
}

fn text(min: u64, max: u64, pattern: &'static str) -> FieldMeta {
    field(FieldKind::Text {
        min,
        max,
        pattern,
        generate: Generate::Nothing,
    })
}

#[test]
fn texts() {
    use ValueRef::Text;
    check(
        text(3, 5, "^[a-z]*$"),
        Text(""),
        &[
            (Text("abc"), ""),
            (Text("ab"), "validation_min_text_constraint"),
            (Text("abcdef"), "validation_max_text_constraint"),
            (Text("ABC"), "validation_invalid_format"),
            (Text("   "), "validation_invalid_format"),
        ],
    );
    let long = "é".repeat(5001);
    check(
        text(0, 0, ""),
        Text(""),
        &[(Text(&long), "validation_max_text_constraint")],
    );
    check(
        field(FieldKind::Editor { max_size: 5 }),
        Text(""),
        &[
            (Text("12345"), ""),
            (Text("ééé"), "validation_content_size_limit"),
        ],
    );
    let domains = &["a.co"];
    check(
        field(FieldKind::Email {
            only_domains: domains,
            except_domains: &[],
        }),
        Text(""),
        &[
            (Text("x@a.co"), ""),
            (Text("x"), "validation_is_email"),
            (Text("x@b.co"), "validation_email_domain_not_allowed"),
        ],
    );
    check(
        field(FieldKind::Url {
            only_domains: &[],
            except_domains: domains,
        }),
        Text(""),
        &[
            (Text("http://b.co"), ""),
            (Text("abc"), "validation_invalid_url"),
            (Text("http://a.co/x"), "validation_url_domain_not_allowed"),
        ],
    );
}

#[test]
fn numbers() {
    use ValueRef::Number;
    check(
        field(FieldKind::Number {
            min: Some(2.0),
            max: Some(5.5),
            only_int: false,
        }),
        Number(0.0),
        &[
            (Number(5.5), ""),
            (Number(1.0), "validation_min_number_constraint"),
            (Number(7.0), "validation_max_number_constraint"),
            (Number(f64::NAN), "validation_not_a_number"),
            (Number(f64::INFINITY), "validation_not_a_number"),
        ],
    );
    check(
        field(FieldKind::Number {
            min: None,
            max: None,
            only_int: true,
        }),
        Number(0.0),
        &[
            (Number(-3.0), ""),
            (Number(1.5), "validation_only_int_constraint"),
        ],
    );
}

#[test]
fn choices_and_relations() {
    use ValueRef::{List, Text};
    let values = &["a", "b", "c"];
    check(
        field(FieldKind::Select {
            values,
            max_select: 2,
        }),
        List("[]"),
        &[
            (List(r#"["a","b"]"#), ""),
            (List(r#"["a","b","c"]"#), "validation_too_many_values"),
            (List(r#"["A"]"#), "validation_invalid_value"),
        ],
    );
    check(
        field(FieldKind::Select {
            values,
            max_select: 1,
        }),
        Text(""),
        &[(Text("c"), ""), (Text("z"), "validation_invalid_value")],
    );
    check(
        field(FieldKind::Relation {
            collection: "r",
            min_select: 2,
            max_select: 3,
            cascade_delete: false,
        }),
        List("[]"),
        &[
            (List(r#"["a","b"]"#), ""),
            (List(r#"["a"]"#), "validation_not_enough_values"),
            (List(r#"["a","b","c","d"]"#), "validation_too_many_values"),
        ],
    );
}

#[test]
fn json_and_points() {
    use ValueRef::Json;
    check(
        field(FieldKind::Json { max_size: 5 }),
        Json("null"),
        &[
            (Json("12345"), ""),
            (Json("123456"), "validation_json_size_limit"),
        ],
    );
    let mut json = field(FieldKind::Json { max_size: 0 });
    json.required = true;
    for (value, empty) in [
        ("[]", true),
        ("{}", true),
        ("\"\"", true),
        ("0", false),
        ("{ }", false),
    ] {
        assert_eq!(validate(&json, Json(value)).is_some(), empty, "{value}");
    }
    check(
        field(FieldKind::GeoPoint),
        Json(r#"{"lon":0,"lat":0}"#),
        &[
            (Json(r#"{"lon":180,"lat":-90}"#), ""),
            (
                Json(r#"{"lon":200,"lat":100}"#),
                "validation_invalid_latitude",
            ),
            (
                Json(r#"{"lon":200,"lat":10}"#),
                "validation_invalid_longitude",
            ),
        ],
    );
}

#[test]
fn dates() {
    use ValueRef::Text;
    let date = field(FieldKind::Date {
        min: "2024-01-01 00:00:00.000Z",
        max: "2025-01-01 00:00:00.120Z",
    });
    let early = validate(&date, Text("2023-01-01 00:00:00.000Z")).unwrap();
    assert_eq!(early.code, "validation_min_greater_equal_than_required");
    assert_eq!(
        early.message,
        "Must be no less than 2024-01-01 00:00:00 +0000 UTC."
    );
    assert_eq!(
        early.params.get("threshold").unwrap(),
        "2024-01-01T00:00:00Z"
    );
    let late = validate(&date, Text("2026-01-01 00:00:00.000Z")).unwrap();
    assert_eq!(late.code, "validation_max_less_equal_than_required");
    assert_eq!(
        late.message,
        "Must be no greater than 2025-01-01 00:00:00.12 +0000 UTC."
    );
    assert_eq!(
        late.params.get("threshold").unwrap(),
        "2025-01-01T00:00:00.12Z"
    );
    assert!(validate(&date, Text("2024-01-01 00:00:00.000Z")).is_none());
}

#[test]
fn passwords() {
    let password = field(FieldKind::Password {
        min: 3,
        max: 6,
        pattern: "^[a-z]*$",
    });
    for (plain, expected) in [
        ("abc", ""),
        ("ab", "validation_min_text_constraint"),
        ("abcdefg", "validation_max_text_constraint"),
        ("ABC", "validation_invalid_format"),
    ] {
        let error = validate_password(&password, plain);
        assert!(error.as_ref().is_none_or(|error| error.params.is_empty()));
        assert_eq!(error.map_or("", |error| error.code), expected, "{plain}");
    }
}

#[test]
fn ids() {
    let own = text(0, 0, "^[^x]+$");
    for (id, expected) in [
        ("abc", ""),
        ("", "validation_required"),
        ("a b", "validation_forbidden_pk_character"),
        ("con", "validation_reserved_pk"),
        ("Lpt9", "validation_reserved_pk"),
        ("com10", ""),
        ("axb", "validation_invalid_format"),
    ] {
        let error = validate_id(&own, id);
        assert_eq!(error.map_or("", |error| error.code), expected, "{id}");
    }
    let usual = text(15, 15, "^[a-z0-9]+$");
    assert_eq!(
        validate_id(&usual, "a.b").unwrap().code,
        "validation_min_text_constraint"
    );
}
