//! Comparisons of two values; the outcomes were taken from SQLite.

use std::borrow::Cow;

use crate::eval::{
    Affinity, Operand, Side, compare, like, like_pattern, number_text, sqlite_number_text,
    text_to_number,
};
use crate::plan::Op;

fn text(text: &str) -> Operand<'_> {
    Operand::Text(Cow::Borrowed(text))
}

fn value(operand: Operand<'_>) -> Side<'_> {
    Side::value(operand)
}

fn text_column(content: &str) -> Side<'_> {
    Side::column(text(content), Affinity::Text)
}

fn number_column(number: f64) -> Side<'static> {
    Side::column(Operand::Number(number), Affinity::Numeric)
}

fn null_column() -> Side<'static> {
    Side::column(Operand::Null, Affinity::Text)
}

fn check(left: &Side<'_>, op: Op, right: &Side<'_>, expected: Option<bool>) {
    assert_eq!(
        compare(left, op, right),
        expected,
        "{left:?} {} {right:?}",
        op.as_str()
    );
}

#[test]
fn literals_among_themselves() {
    use Op::{Equal, NotEqual};
    let null = || value(Operand::Null);
    check(&value(text("")), Equal, &null(), Some(true));
    check(&null(), Equal, &null(), Some(true));
    check(&null(), NotEqual, &value(text("")), Some(false));
    check(&value(Operand::Number(0.0)), Equal, &null(), None);
    check(&value(Operand::Bool(false)), Equal, &null(), None);
    check(&value(Operand::Bool(false)), NotEqual, &null(), Some(true));
    check(
        &value(Operand::Number(1.0)),
        Equal,
        &value(text("1")),
        Some(false),
    );
    check(
        &value(Operand::Bool(true)),
        Equal,
        &value(text("true")),
        Some(false),
    );
    check(
        &value(Operand::Bool(true)),
        Equal,
        &value(Operand::Number(1.0)),
        Some(true),
    );
    check(
        &value(Operand::Integer(2026)),
        Equal,
        &value(text("2026")),
        Some(false),
    );
    check(&value(text("a")), Equal, &value(text("")), Some(false));
}

#[test]
fn columns_against_values() {
    use Op::{Equal, Greater, GreaterOrEqual, Less, NotEqual};
    for (content, expected) in [
        ("5", true),
        ("5.0", true),
        (" 5", true),
        ("+5", true),
        ("5x", false),
        ("", false),
    ] {
        check(
            &number_column(5.0),
            Equal,
            &value(text(content)),
            Some(expected),
        );
    }
    check(&number_column(5.0), Less, &value(text("abc")), Some(true));
    check(
        &number_column(5.0),
        Greater,
        &value(text("abc")),
        Some(false),
    );
    check(
        &text_column("5"),
        Equal,
        &value(Operand::Number(5.0)),
        Some(false),
    );
    check(
        &text_column("5.0"),
        Equal,
        &value(Operand::Number(5.0)),
        Some(true),
    );
    check(
        &text_column("5.5"),
        Equal,
        &value(Operand::Number(5.5)),
        Some(true),
    );
    check(
        &text_column("5"),
        Equal,
        &value(Operand::Integer(5)),
        Some(true),
    );
    check(
        &text_column("1"),
        Equal,
        &value(Operand::Bool(true)),
        Some(true),
    );
    check(
        &text_column("5"),
        Greater,
        &value(Operand::Number(4.0)),
        Some(true),
    );
    check(
        &text_column("10"),
        Greater,
        &value(Operand::Number(4.0)),
        Some(false),
    );
    check(&text_column("A"), Equal, &value(text("a")), Some(false));
    check(
        &number_column(0.0),
        Equal,
        &value(Operand::Null),
        Some(false),
    );
    check(
        &number_column(0.0),
        NotEqual,
        &value(Operand::Null),
        Some(true),
    );
    check(&number_column(0.0), Equal, &value(text("")), Some(false));
    check(&null_column(), Equal, &value(text("")), Some(true));
    check(&null_column(), Equal, &value(Operand::Null), Some(true));
    check(&null_column(), Equal, &value(text("a")), None);
    check(&null_column(), NotEqual, &value(text("a")), Some(true));
    check(&null_column(), NotEqual, &value(text("")), Some(false));
    check(&null_column(), GreaterOrEqual, &value(text("")), None);
    check(
        &text_column(""),
        GreaterOrEqual,
        &value(text("")),
        Some(true),
    );
}

#[test]
fn columns_among_themselves() {
    use Op::{Equal, GreaterOrEqual, NotEqual};
    check(&text_column("5"), Equal, &number_column(5.0), Some(false));
    check(
        &text_column("5"),
        GreaterOrEqual,
        &number_column(5.0),
        Some(true),
    );
    check(&number_column(5.0), Equal, &number_column(5.0), Some(true));
    check(&null_column(), Equal, &text_column(""), Some(true));
    check(&null_column(), NotEqual, &text_column(""), Some(false));
    check(&null_column(), NotEqual, &text_column("a"), Some(true));
    check(&null_column(), GreaterOrEqual, &null_column(), None);
}

#[test]
fn json_tells_null_and_empty_apart() {
    use Op::{Equal, Greater, NotEqual};
    let null = || Side::strict(Operand::Null, Affinity::None);
    let one = || Side::strict(Operand::Number(1.0), Affinity::None);
    check(&null(), Equal, &value(Operand::Null), Some(true));
    check(&null(), Equal, &value(text("")), Some(false));
    check(&null(), NotEqual, &value(text("")), Some(true));
    check(&null(), Equal, &value(Operand::Number(1.0)), Some(false));
    check(&one(), Equal, &value(Operand::Number(1.0)), Some(true));
    check(&one(), Equal, &value(Operand::Bool(true)), Some(true));
    check(&one(), Equal, &value(text("1")), Some(false));
    check(&one(), Greater, &value(text("0")), Some(false));
}

#[test]
fn like_follows_the_table() {
    let check = |content: &str, right: Operand<'_>, expected| {
        check(
            &text_column(content),
            Op::Like,
            &value(right.clone()),
            expected,
        );
        let negated = expected.map(|found: bool| !found);
        assert_eq!(
            compare(&text_column(content), Op::NotLike, &value(right)),
            negated
        );
    };
    check("a_c", text("a_c"), Some(true));
    check("abc", text("a_c"), Some(false));
    for content in ["a_c", "abc", "a%c", "abcd"] {
        check(content, text("a_c%"), Some(true));
    }
    check("50 men", text("50%"), Some(true));
    check("a 50% rise", text("50%"), Some(false));
    check("a 50% rise", text("50\\%"), Some(true));
    check("50 men", text("50\\%"), Some(false));
    check("", text(""), Some(true));
    check("x", Operand::Null, None);
    check("HeLLo", text("hEllO"), Some(true));
    check("É", text("é"), Some(false));
    // `true` in a rule is 1, a bool of the request a word.
    check("x51", Operand::Integer(1), Some(true));
    check("x51", Operand::Bool(true), Some(false));
    check("xTRUEx", Operand::Bool(true), Some(true));
    check("x5", Operand::Number(5.0), Some(true));
    assert_eq!(
        compare(&number_column(50.0), Op::Like, &value(Operand::Number(5.0))),
        Some(true)
    );
    assert_eq!(
        compare(&number_column(6.0), Op::Like, &value(Operand::Number(0.0))),
        Some(false)
    );
    // A column's content is no pattern to escape.
    assert_eq!(
        compare(&value(text("abc")), Op::Like, &text_column("a_")),
        Some(true)
    );
    assert_eq!(
        compare(&value(text("abc")), Op::Like, &text_column("")),
        Some(true)
    );
    assert_eq!(compare(&value(text("abc")), Op::Like, &null_column()), None);
}

#[test]
fn patterns() {
    for (content, expected) in [
        ("a", "%a%"),
        ("", "%%"),
        ("a_c", "%a\\_c%"),
        ("a%", "a%"),
        ("50\\%", "%50\\%%"),
        ("a\\b", "%a\\\\b%"),
        ("_", "%\\_%"),
        ("\\", "%\\\\%"),
    ] {
        assert_eq!(like_pattern(content), expected, "{content}");
    }
    for (content, pattern, expected) in [
        ("a\\", "%a\\", false),
        ("a", "a\\", false),
        ("ab", "__", true),
        ("é", "_", true),
        ("a%c", "a\\%c", true),
        ("", "%", true),
        ("", "", true),
        ("aB", "%b", true),
        ("a\\b", "%\\\\%", true),
        ("abcabd", "%ab_", true),
        ("aaa", "a%a%a%a", false),
        ("mississippi", "m%iss%ip%", true),
    ] {
        assert_eq!(like(content, pattern), expected, "{content} like {pattern}");
    }
}

#[test]
fn like_does_not_blow_up() {
    let content = "a".repeat(5000);
    assert!(!like(&content, &"%a".repeat(40).replace("%a", "%a%b")));
    assert!(!like(&content, &format!("{}b", "a%".repeat(500))));
}

#[test]
fn numbers_as_text() {
    for (number, expected) in [
        (5.0, "5.0"),
        (-5.0, "-5.0"),
        (0.0, "0.0"),
        (-0.0, "0.0"),
        (0.1, "0.1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (5.5, "5.5"),
        (100.0, "100.0"),
        (1e14, "100000000000000.0"),
        (1e15, "1000000000000000.0"),
        (123_456_789_012_345.0, "123456789012345.0"),
        (1_234_567_890_123_456.0, "1234567890123456.0"),
        (999_999_999_999_999.9, "999999999999999.88"),
        (0.0001, "0.0001"),
        (0.000_01, "1.0e-05"),
        (0.000_123_45, "0.00012345"),
        (1e16, "10000000000000000.0"),
        (1e17, "1.0e+17"),
        (1.0 / 3.0, "0.33333333333333332"),
        (1e100, "1.0e+100"),
        (1.5e-10, "1.5e-10"),
        (12_345_678.9, "12345678.9"),
        (f64::MAX, "1.7976931348623157e+308"),
    ] {
        assert_eq!(sqlite_number_text(number), expected);
    }
    assert_eq!(
        [5.0, 5.5, -0.0, 1e21].map(number_text),
        ["5", "5.5", "-0", "1000000000000000000000"]
    );
}

#[test]
fn text_as_numbers() {
    for (content, expected) in [
        ("5", Some(5.0)),
        (" 5\n", Some(5.0)),
        ("+5", Some(5.0)),
        ("5.", Some(5.0)),
        (".5e1", Some(5.0)),
        ("1e3", Some(1000.0)),
        ("-1.5E-1", Some(-0.15)),
        ("", None),
        (".", None),
        ("5 x", None),
        ("0x5", None),
        ("1e", None),
        ("inf", None),
        ("nan", None),
        ("--5", None),
        ("5 5", None),
    ] {
        assert_eq!(text_to_number(content), expected, "{content:?}");
    }
}
