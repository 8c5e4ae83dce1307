//! The SQL form and the memory form of every condition give the same answer, for every kind of
//! column, operator, value and outcome, on rows of awkward values.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use basalt_lang::eval::{Affinity, Operand, Side, sqlite_number_text};
use basalt_lang::plan::{Op, Quantifier, Truth};
use diesel::prelude::*;
use diesel::sql_types::{Nullable, Text};

use super::fragment::{Fragment, Piece};
use super::predicate::Predicate;
use super::{Boxed, Column, Conn, compare, items, joined};
use crate::memory::{self, Computed};
use crate::meta::FieldKind;
use crate::rules::Given;
use crate::value::{FieldValue, Json, ValueRef};

diesel::table! {
    cells (id) {
        id -> BigInt,
        text -> Nullable<Text>,
        number -> Nullable<Double>,
        flag -> Nullable<Bool>,
        relation -> Nullable<Text>,
        key -> Text,
        list -> Nullable<Text>,
        json -> Nullable<Text>,
    }
}

/// The column types are those of the generator's migrations.
const TABLE: &str = "CREATE TABLE cells (id INTEGER PRIMARY KEY, text TEXT, number NUMERIC,
    flag BOOLEAN, relation TEXT, key TEXT NOT NULL, list TEXT, json TEXT)";

const OPS: [Op; 8] = [
    Op::Equal,
    Op::NotEqual,
    Op::Greater,
    Op::GreaterOrEqual,
    Op::Less,
    Op::LessOrEqual,
    Op::Like,
    Op::NotLike,
];
const TRUTHS: [Truth; 2] = [Truth::True, Truth::False];
const TEXTS: [&str; 39] = [
    "", " ", "a", "A", "b", "é", "É", "abc", "ABC", "a%c", "a_c", "a\\c", "abc\\", "\\", "\\%",
    "%", "%%", "_", "50%", "50\\%", "0", "1", "5", "5.0", " 5", "5 ", "05", "+5", "5.5", ".5",
    "5.", "-3", "1e3", "1e400", "0x10", "true", "null", "[]", "[\"a\"]",
];
const NUMBERS: [f64; 20] = [
    0.0,
    -0.0,
    1.0,
    2.0,
    5.0,
    5.5,
    50.0,
    -3.0,
    0.1,
    1.0 / 3.0,
    1000.0,
    123_456_789.125,
    1e14,
    1e15,
    9.1e15,
    1e16,
    1e18,
    1e20,
    1e-7,
    1e300,
];
const LISTS: [&str; 8] = [
    "[]",
    "[\"a\"]",
    "[\"a\",\"b\"]",
    "[\"\"]",
    "[\"5\"]",
    "[\"A\",\"é\"]",
    "[\"a%c\",\"abc\"]",
    "[\"q\\\"q\",\"a\\\\c\",\"\\u0041\"]",
];
const JSONS: [&str; 22] = [
    "null",
    "true",
    "false",
    "0",
    "5",
    "-3",
    "5.0",
    "5.5",
    "1e3",
    "12345678901234567890123",
    "\"\"",
    "\"a\"",
    "\"5\"",
    "\"q\\\"\\u00e9\\n\"",
    "[]",
    "{}",
    "[1,{\"z\":5}]",
    "[\"a\",null,true]",
    "{\"a\":1,\"a\":2}",
    "{\"a\":{\"b\":[\"x\",{\"c\":\"abc\"}]}}",
    "{\"a\":\"A\",\"0\":\"zero\"}",
    "{\"a\":null,\"lon\":5.5,\"lat\":-0.5}",
];

struct Cells {
    text: Option<&'static str>,
    number: Option<f64>,
    bool: Option<bool>,
    relation: Option<&'static str>,
    key: &'static str,
    list: Option<&'static str>,
    json: Option<&'static str>,
}

/// NULL first, then each kind's values over and over.
fn rows() -> Vec<Cells> {
    let relations: Vec<_> = TEXTS.iter().filter(|text| !text.is_empty()).collect();
    (0..=TEXTS.len())
        .map(|at| at.checked_sub(1))
        .map(|at| Cells {
            text: at.map(|at| TEXTS[at]),
            number: at.map(|at| NUMBERS[at % NUMBERS.len()]),
            bool: at.map(|at| at % 2 == 0),
            relation: at.map(|at| *relations[at % relations.len()]),
            key: at.map_or("a", |at| *relations[(at + 1) % relations.len()]),
            list: at.map(|at| LISTS[at % LISTS.len()]),
            json: at.map(|at| JSONS[at % JSONS.len()]),
        })
        .collect()
}

fn database(rows: &[Cells]) -> Conn {
    let mut conn = crate::sql::open(":memory:").unwrap();
    diesel::sql_query(TABLE).execute(&mut conn).unwrap();
    for (id, row) in rows.iter().enumerate() {
        diesel::insert_into(cells::table)
            .values((
                cells::id.eq(id as i64),
                cells::text.eq(row.text),
                cells::number.eq(row.number),
                cells::flag.eq(row.bool),
                cells::relation.eq(row.relation),
                cells::key.eq(row.key),
                cells::list.eq(row.list),
                cells::json.eq(row.json),
            ))
            .execute(&mut conn)
            .unwrap();
    }
    conn
}

fn found(conn: &mut Conn, predicate: Predicate<cells::table>) -> Vec<usize> {
    let query = cells::table.select(cells::id).order(cells::id).into_boxed();
    let query = match predicate {
        Predicate::Never => return Vec::new(),
        Predicate::Always => query,
        Predicate::When(condition) => query.filter(condition),
    };
    let ids: Vec<i64> = query.load(conn).unwrap();
    ids.into_iter().map(|id| id as usize).collect()
}

type Sql = fn() -> Column<cells::table>;
type Memory = for<'a> fn(&'a Cells) -> Computed<'a>;
type Stored = for<'a> fn(&'a Cells) -> ValueRef<'a>;

fn text(row: &Cells) -> ValueRef<'_> {
    row.text.map_or(ValueRef::Null, ValueRef::Text)
}
fn number(row: &Cells) -> ValueRef<'_> {
    row.number.map_or(ValueRef::Null, ValueRef::Number)
}
fn bool_(row: &Cells) -> ValueRef<'_> {
    row.bool.map_or(ValueRef::Null, ValueRef::Bool)
}
/// Empty is NULL in the table, and the empty text in a record.
fn relation(row: &Cells) -> ValueRef<'_> {
    ValueRef::Text(row.relation.unwrap_or(""))
}
fn list(row: &Cells) -> ValueRef<'_> {
    row.list.map_or(ValueRef::Null, ValueRef::List)
}
fn json(row: &Cells) -> ValueRef<'_> {
    row.json.map_or(Json::null(), ValueRef::Json)
}

const fn columns() -> [(&'static str, Sql, Memory); 26] {
    [
        ("text", text_column, |row| text(row).into()),
        ("number", number_column, |row| number(row).into()),
        ("bool", bool_column, |row| bool_(row).into()),
        ("relation", relation_column, |row| relation(row).into()),
        ("key", key_column, |row| ValueRef::Text(row.key).into()),
        ("list", list_column, |row| list(row).into()),
        (
            "text of a draft",
            || Column::Loose(bare(text_column())),
            |row| memory::draft(text(row)),
        ),
        (
            "nothing",
            || Column::Missing { strict: false },
            |_| ValueRef::Null.into(),
        ),
        (
            "nothing in json",
            || Column::Missing { strict: true },
            |_| memory::json_path(ValueRef::Null, &[]),
        ),
        ("json", json_column, |row| json(row).into()),
        (
            "lower text",
            || compare::lower(text_column()),
            |row| memory::lower(text(row)),
        ),
        (
            "lower number",
            || compare::lower(number_column()),
            |row| memory::lower(number(row)),
        ),
        (
            "lower bool",
            || compare::lower(bool_column()),
            |row| memory::lower(bool_(row)),
        ),
        (
            "single text",
            || compare::single(text_column()),
            |row| memory::single(text(row)),
        ),
        (
            "single relation",
            || compare::single(relation_column()),
            |row| memory::single(relation(row)),
        ),
        (
            "lower relation",
            || compare::lower(relation_column()),
            |row| memory::lower(relation(row)),
        ),
        (
            "lower list",
            || compare::lower(list_column()),
            |row| memory::lower(list(row)),
        ),
        (
            "lower json",
            || compare::lower(json_column()),
            |row| memory::lower(json(row)),
        ),
        (
            "length text",
            || compare::length(text_column()),
            |row| memory::length(text(row)),
        ),
        (
            "length relation",
            || compare::length(relation_column()),
            |row| memory::length(relation(row)),
        ),
        (
            "length list",
            || compare::length(list_column()),
            |row| memory::length(list(row)),
        ),
        (
            "json a",
            || compare::json_path(json_column(), &["a"]),
            |row| memory::json_path(json(row), &["a"]),
        ),
        (
            "json 0",
            || compare::json_path(json_column(), &["0"]),
            |row| memory::json_path(json(row), &["0"]),
        ),
        (
            "json 001",
            || compare::json_path(json_column(), &["001"]),
            |row| memory::json_path(json(row), &["001"]),
        ),
        (
            "json a b 1 c",
            || compare::json_path(json_column(), &["a", "b", "1", "c"]),
            |row| memory::json_path(json(row), &["a", "b", "1", "c"]),
        ),
        (
            "json far away",
            || compare::json_path(json_column(), &["99999999999999999999"]),
            |row| memory::json_path(json(row), &["99999999999999999999"]),
        ),
    ]
}

fn text_column() -> Column<cells::table> {
    Column::Text(Box::new(cells::text))
}
fn number_column() -> Column<cells::table> {
    Column::Number(Box::new(cells::number))
}
fn bool_column() -> Column<cells::table> {
    Column::Bool(Box::new(cells::flag))
}
fn relation_column() -> Column<cells::table> {
    Column::Relation(Box::new(cells::relation))
}
fn key_column() -> Column<cells::table> {
    Column::Key(Box::new(cells::key.nullable()))
}
/// The same text, without the conversions of its column.
fn bare(column: Column<cells::table>) -> Boxed<cells::table, Nullable<Text>> {
    let (_, part) = column.erase();
    Fragment {
        parts: vec![part],
        pieces: vec![Piece::Sql("+"), Piece::Part(0)],
    }
    .typed()
}
fn list_column() -> Column<cells::table> {
    Column::List(Box::new(cells::list))
}
fn json_column() -> Column<cells::table> {
    Column::Json(Box::new(cells::json))
}

fn givens() -> Vec<Given> {
    let mut givens: Vec<_> = TEXTS.iter().map(|text| Given::text(*text)).collect();
    givens.extend(JSONS.iter().chain(&LISTS).map(|text| Given::text(*text)));
    givens.extend(NUMBERS.map(Given::number));
    givens.extend([0, 1, 2, 5, 2026, -3].map(Given::integer));
    givens.extend([Given::null(), Given::bool(true), Given::bool(false)]);
    let text = |text| Operand::Text(std::borrow::Cow::Borrowed(text));
    for quantifier in [Quantifier::Some, Quantifier::All] {
        givens.push(Given::Each(Vec::new(), quantifier));
        givens.push(Given::Each(vec![text("a")], quantifier));
        givens.push(Given::Each(vec![text("a"), text("abc")], quantifier));
        givens.push(Given::Each(
            vec![text("5"), Operand::Number(5.0)],
            quantifier,
        ));
        givens.push(Given::Each(vec![text(""), Operand::Null], quantifier));
        givens.push(Given::Each(
            vec![text("%"), Operand::Bool(true)],
            quantifier,
        ));
    }
    givens.extend(caller().map(Given::One));
    givens
}

/// Fields of the caller's record, which compare as the columns that they are.
fn caller() -> impl Iterator<Item = Side<'static>> {
    let text = |text| Operand::Text(std::borrow::Cow::Borrowed(text));
    let texts = TEXTS.map(|it| Side::column(text(it), Affinity::Text));
    let lower = ["", "a", "a%c", "5"].map(|it| Side::column(text(it), Affinity::None));
    let numbers = NUMBERS.map(|it| Side::column(Operand::Number(it), Affinity::Numeric));
    let lists = LISTS.map(|it| Side::column(text(it), Affinity::Numeric));
    let bools = [true, false].map(|it| Side::column(Operand::Bool(it), Affinity::Numeric));
    let json = [
        Operand::Null,
        text(""),
        text("5"),
        text("a%c"),
        text("[\"a\"]"),
        Operand::Integer(5),
        Operand::Integer(0),
        Operand::Number(5.5),
    ];
    let json = json.map(|it| Side::strict(it, Affinity::None));
    let null = [Side::column(Operand::Null, Affinity::None)];
    let all = texts.into_iter().chain(lower).chain(numbers).chain(lists);
    all.chain(bools).chain(json).chain(null)
}

fn expected(rows: &[Cells], holds: impl Fn(&Cells) -> bool) -> Vec<usize> {
    (0..rows.len()).filter(|at| holds(&rows[*at])).collect()
}

#[test]
fn columns_against_values() {
    let rows = rows();
    let mut conn = database(&rows);
    for (name, sql, value) in columns() {
        for given in givens() {
            for (op, when) in OPS.iter().flat_map(|op| TRUTHS.map(|when| (*op, when))) {
                let found = found(&mut conn, compare::test(sql(), op, given.clone(), when));
                let expected = expected(&rows, |row| {
                    memory::test(value(row), op, given.clone(), when)
                });
                assert_eq!(found, expected, "{name} {op:?} {given:?} is {when:?}");
            }
        }
    }
}

#[test]
fn values_within_columns() {
    let rows = rows();
    let mut conn = database(&rows);
    for (name, sql, value) in columns() {
        for given in givens() {
            for (op, when) in [Op::Like, Op::NotLike]
                .iter()
                .flat_map(|op| TRUTHS.map(|when| (*op, when)))
            {
                let found = found(&mut conn, compare::within(given.clone(), op, sql(), when));
                let expected = expected(&rows, |row| {
                    memory::within(given.clone(), op, value(row), when)
                });
                assert_eq!(found, expected, "{given:?} {op:?} {name} is {when:?}");
            }
        }
    }
}

/// A pattern that is too long for SQLite is like one that isn't known, rather than an error.
#[test]
fn long_patterns() {
    // Each begins in a way of its own, so that nothing is compared at every place.
    let lengths = [("b", 49_997), ("c", 49_997), ("d", 49_998), ("e", 60_000)];
    let texts = lengths.map(|(begin, more)| &*(begin.to_owned() + &"a".repeat(more)).leak());
    let row = |text| Cells {
        text: Some(text),
        ..rows().remove(0)
    };
    let rows = texts.map(row);
    let mut conn = database(&rows);
    let long = Given::text(texts.concat());
    for (op, when) in [(Op::Like, Truth::True), (Op::NotLike, Truth::False)] {
        let within = compare::within(long.clone(), op, text_column(), when);
        assert_eq!(found(&mut conn, within), [0, 1]);
        let in_memory = |row: &Cells| memory::within(long.clone(), op, text(row), when);
        assert_eq!(expected(&rows, in_memory), [0, 1]);
        let beside = compare::columns(text_column(), op, text_column(), when);
        assert_eq!(found(&mut conn, beside), [0, 1]);
        for (given, count) in texts.map(Given::text).into_iter().zip([1, 1, 0, 0]) {
            let test = compare::test(text_column(), op, given.clone(), when);
            assert_eq!(found(&mut conn, test).len(), count);
            let in_memory = |row: &Cells| memory::test(text(row), op, given.clone(), when);
            assert_eq!(expected(&rows, in_memory).len(), count);
        }
    }
}

#[test]
fn columns_against_columns() {
    let rows = rows();
    let mut conn = database(&rows);
    for (left, left_sql, left_value) in columns() {
        for (right, right_sql, right_value) in columns() {
            for (op, when) in OPS.iter().flat_map(|op| TRUTHS.map(|when| (*op, when))) {
                let found = found(
                    &mut conn,
                    compare::columns(left_sql(), op, right_sql(), when),
                );
                let expected = expected(&rows, |row| {
                    memory::columns(left_value(row), op, right_value(row), when)
                });
                assert_eq!(found, expected, "{left} {op:?} {right} is {when:?}");
            }
        }
    }
}

/// Values of records in memory, as they are bound for what only the database can decide.
#[test]
fn bound_values_against_values() {
    let mut conn = crate::sql::open(":memory:").unwrap();
    let json_kind = FieldKind::Json { max_size: 0 };
    let kinds: [Stored; 6] = [text, number, bool_, relation, list, json];
    for row in rows().iter().step_by(2) {
        for value in kinds.map(|kind| kind(row)) {
            for given in givens().into_iter().step_by(7) {
                for (op, when) in OPS.iter().flat_map(|op| TRUTHS.map(|when| (*op, when))) {
                    let stored = joined::stored_value(value, &json_kind);
                    let stored = compare::test(stored, op, given.clone(), when);
                    let found = joined::decide(&mut conn, stored).unwrap();
                    // NULL of a json column equals only NULL; of the others there is none.
                    let expected = match value {
                        ValueRef::Null => continue,
                        value => memory::test(value, op, given.clone(), when),
                    };
                    assert_eq!(found, expected, "{value:?} {op:?} {given:?} is {when:?}");
                    let draft = compare::test(joined::draft_value(value), op, given.clone(), when);
                    let found = joined::decide(&mut conn, draft).unwrap();
                    let expected = memory::test(memory::draft(value), op, given.clone(), when);
                    assert_eq!(found, expected, "{value:?} {op:?} {given:?} is {when:?}");
                }
            }
        }
    }
}

#[test]
fn emptiness() {
    let rows = rows();
    let mut conn = database(&rows);
    let cases: [(&str, Sql, Stored); 6] = [
        ("text", text_column, text),
        ("number", number_column, number),
        ("bool", bool_column, bool_),
        ("relation", relation_column, relation),
        ("list", list_column, list),
        ("json", json_column, json),
    ];
    for (name, sql, value) in cases {
        for holds in [true, false] {
            let found = found(&mut conn, compare::empty(sql(), holds));
            let expected = expected(&rows, |row| memory::is_empty(value(row)) == holds);
            assert_eq!(found, expected, "{name} {holds}");
        }
    }
}

#[test]
fn items_of_lists() {
    let rows = rows();
    let mut conn = database(&rows);
    let cases: [(&str, Sql, Stored); 3] = [
        ("list", list_column, list),
        ("text", text_column, text),
        ("relation", relation_column, relation),
    ];
    for (name, sql, value) in cases {
        for given in givens() {
            for (op, when) in OPS.iter().flat_map(|op| TRUTHS.map(|when| (*op, when))) {
                for holds in [true, false] {
                    let inner = compare::test(items::item(), op, given.clone(), when);
                    let found = found(&mut conn, compare::each(sql(), inner, holds));
                    let expected = expected(&rows, |row| {
                        memory::each(value(row), |item| {
                            memory::test(item, op, given.clone(), when)
                        }) == holds
                    });
                    assert_eq!(found, expected, "{name} {op:?} {given:?} {when:?} {holds}");
                }
            }
        }
    }
}
#[derive(QueryableByName)]
struct Rendered {
    #[diesel(sql_type = diesel::sql_types::Text)]
    value: String,
}

/// The language's own rendering of numbers is that of the SQLite that is built in.
#[test]
fn numbers_as_text() {
    let mut conn = crate::sql::open(":memory:").unwrap();
    let mut rendered = |number: f64| {
        let rendered: Rendered = diesel::sql_query("SELECT CAST(? AS TEXT) AS value")
            .bind::<diesel::sql_types::Double, _>(number)
            .get_result(&mut conn)
            .unwrap();
        rendered.value
    };
    let special = [
        f64::INFINITY,
        f64::MIN_POSITIVE,
        f64::MAX,
        5e-324,
        1e23,
        9.999e22,
        0.3,
    ];
    for number in NUMBERS.into_iter().chain(special) {
        assert_eq!(sqlite_number_text(number), rendered(number), "{number:e}");
    }
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    let mut different = 0;
    for round in 0..20_000_u64 {
        bits = bits
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(round);
        // Decimals as people write them.
        let short = (bits >> 40) as f64 / 10_f64.powi((round % 9) as i32);
        assert_eq!(sqlite_number_text(short), rendered(short), "{short:e}");
        assert_eq!(sqlite_number_text(-short), rendered(-short), "{short:e}");
        // Of any bits at all, SQLite's own arithmetic is sometimes off in the 17th digit.
        let any = f64::from_bits(bits.rotate_left(17));
        if !any.is_nan() && sqlite_number_text(any) != rendered(any) {
            different += 1;
        }
    }
    assert!(different < 400, "{different} of 20000");
}
