//! Random records, the same for both servers.

use anyhow::{Result, ensure};
use basalt_blackbox::{Client, Random};
use serde_json::{Map, Value, json};

use crate::model::{CHOICES, Collection, Kind, Schema, Unique};

/// Password of all records of the auth collection.
pub const PASSWORD: &str = "correct horse";

/// Texts of records, and of the literals that they are compared with.
pub const TEXTS: &[&str] = &[
    "",
    "x",
    "y",
    "a",
    "b",
    "ab",
    "AB",
    "aB",
    "a_c",
    "abc",
    "a%c",
    "50%",
    "5",
    "5.0",
    "0",
    "1",
    "é",
    "É",
    "it's",
    "say \"a\"",
    "a\\b",
    "a\\_c",
    "[]",
    "[\"a\"]",
    "true",
    "null",
    " x",
    "x ",
    "one\ntwo",
    "😀",
    "2024",
    "2024-01-02 03:04:05.678Z",
];
/// Numbers.
pub const NUMBERS: &[f64] = &[
    0.0, 1.0, 2.0, 3.0, 5.0, -3.0, 0.5, 5.5, 100.0, 1e15, -0.25, 2024.0,
];
/// Dates as they are stored.
pub const DATES: &[&str] = &[
    "",
    "2024-01-02 03:04:05.678Z",
    "2024-01-02 00:00:00.000Z",
    "1999-12-31 23:59:59.999Z",
    "2099-06-15 12:00:00.000Z",
];
const JSONS: &[&str] = &[
    "null",
    "1",
    "0",
    "\"x\"",
    "\"\"",
    "\"5\"",
    "true",
    "[]",
    "[1,2]",
    "[\"a\",\"b\"]",
    "{}",
    "{\"a\":1,\"k\":1}",
    "{\"a\":\"1\",\"b\":[0,{\"c\":\"x\"}]}",
    "{\"b\":[null,true],\"k\":2.5}",
    "{\"a\":null,\"k\":\"\"}",
    "{\"a\":{\"b\":\"x\"},\"k\":true}",
    "[1,{\"a\":5}]",
];

/// One record: what it is created with, and what it gets once all records are there.
#[derive(Debug, Clone)]
pub struct Row {
    /// Place of its collection.
    pub collection: usize,
    /// Its id.
    pub id: String,
    /// Everything that refers to no other record.
    pub plain: Value,
    /// Its relations.
    pub relations: Value,
}

/// The records of all collections.
pub fn random(schema: &Schema, random: &mut Random) -> Vec<Row> {
    let mut rows = Vec::new();
    for (place, collection) in schema.collections.iter().enumerate() {
        if collection.fields.iter().any(|field| field.required) {
            continue;
        }
        for number in 0..collection.rows {
            rows.push(row(schema, random, place, collection, number));
        }
    }
    // What needs other records comes after all of them.
    for (place, collection) in schema.collections.iter().enumerate() {
        if collection.fields.iter().any(|field| field.required) {
            let guards =
                (0..collection.rows).map(|number| guard(schema, place, collection, number));
            rows.extend(guards);
        }
    }
    rows
}

/// A record that refers to the record with its own number in each collection.
fn guard(schema: &Schema, place: usize, collection: &Collection, number: usize) -> Row {
    let id = collection.row_id(number);
    let mut plain = Map::new();
    plain.insert("id".to_owned(), id.as_str().into());
    for field in &collection.fields {
        if let Kind::Relation { target, .. } = field.kind {
            let value = ids(schema, target).get(number).cloned();
            plain.insert(field.name.clone(), value.unwrap_or_default().into());
        }
    }
    Row {
        collection: place,
        id,
        plain: Value::Object(plain),
        relations: json!({}),
    }
}

fn row(
    schema: &Schema,
    random: &mut Random,
    place: usize,
    collection: &Collection,
    number: usize,
) -> Row {
    let id = collection.row_id(number);
    let (mut plain, mut relations) = (Map::new(), Map::new());
    plain.insert("id".to_owned(), id.as_str().into());
    if collection.auth {
        plain.insert("email".to_owned(), email(number).into());
        plain.insert(
            "emailVisibility".to_owned(),
            number.is_multiple_of(2).into(),
        );
        plain.insert("verified".to_owned(), number.is_multiple_of(3).into());
        plain.insert("password".to_owned(), PASSWORD.into());
        plain.insert("passwordConfirm".to_owned(), PASSWORD.into());
    }
    for field in &collection.fields {
        let name = field.name.clone();
        match (field.kind, field.unique) {
            (Kind::Relation { target, .. }, Some(unique)) => {
                plain.insert(name, solo(schema, target, number, unique).into());
            }
            (Kind::Relation { target, many }, None) => {
                relations.insert(name, some_of(&ids(schema, target), many, random));
            }
            (kind, _) => {
                plain.insert(name, value(kind, random));
            }
        }
    }
    Row {
        collection: place,
        id,
        plain: Value::Object(plain),
        relations: Value::Object(relations),
    }
}

/// The address of a record of the auth collection.
pub fn email(number: usize) -> String {
    format!("p{number}@example.com")
}

/// The ids of a collection's records.
pub fn ids(schema: &Schema, place: usize) -> Vec<String> {
    let Some(collection) = schema.collections.get(place) else {
        return Vec::new();
    };
    (0..collection.rows)
        .map(|number| collection.row_id(number))
        .collect()
}

/// A different record for each number; none once they are used up.
fn solo(schema: &Schema, target: usize, number: usize, unique: Unique) -> String {
    let skip = match unique {
        Unique::Whole => 0,
        Unique::Partial => 2,
    };
    let all = ids(schema, target);
    let chosen = number.checked_sub(skip).and_then(|number| all.get(number));
    chosen.cloned().unwrap_or_default()
}

/// A value of a field that refers to no other record.
pub fn value(kind: Kind, random: &mut Random) -> Value {
    match kind {
        Kind::Text | Kind::Editor => random.pick(TEXTS).into(),
        Kind::Lock | Kind::Relation { .. } => "".into(),
        Kind::Email => random.pick(&["", "a@x.io", "B@x.io"]).into(),
        Kind::Url => random.pick(&["", "https://x.io/a_b", "http://y.io"]).into(),
        Kind::Number => json!(random.pick(NUMBERS)),
        Kind::Bool => (random.below(2) == 0).into(),
        Kind::Date => random.pick(DATES).into(),
        Kind::Json => serde_json::from_str(random.pick(JSONS)).unwrap_or_default(),
        Kind::Geo => match random.below(3) {
            0 => json!({ "lon": 0, "lat": 0 }),
            1 => json!({ "lon": 13.5, "lat": 52.5 }),
            _ => json!({ "lon": -0.25, "lat": 5 }),
        },
        Kind::Select { many } => {
            let choices: Vec<String> = CHOICES.iter().map(|&it| it.to_owned()).collect();
            some_of(&choices, many, random)
        }
    }
}

/// None, one or several different ones.
pub fn some_of(values: &[String], many: bool, random: &mut Random) -> Value {
    let mut chosen: Vec<String> = Vec::new();
    for _ in 0..random.below(4) {
        if let Some(value) = values.get(random.below(values.len()))
            && !chosen.contains(value)
        {
            chosen.push(value.clone());
        }
    }
    match many {
        true => chosen.into(),
        false => chosen.pop().unwrap_or_default().into(),
    }
}

/// Stores the records in a server, as superuser.
pub fn load(schema: &Schema, rows: &[Row], root: &Client) -> Result<()> {
    let name = |row: &Row| {
        schema
            .collections
            .get(row.collection)
            .map_or("", |it| &it.name)
    };
    for row in rows {
        let path = format!("/api/collections/{}/records", name(row));
        let answer = root.post(&path, &row.plain)?;
        ensure!(answer.status == 200, "create {}: {answer:?}", row.plain);
    }
    for row in rows {
        if row.relations.as_object().is_some_and(Map::is_empty) {
            continue;
        }
        let path = format!("/api/collections/{}/records/{}", name(row), row.id);
        let answer = root.patch(&path, &row.relations)?;
        ensure!(
            answer.status == 200,
            "{} {}: {answer:?}",
            row.id,
            row.relations
        );
    }
    Ok(())
}
