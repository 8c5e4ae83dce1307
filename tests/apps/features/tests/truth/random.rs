//! Random records, repeatable from a seed.

use std::collections::BTreeMap;

use basalt_runtime::access::system;
use basalt_runtime::collection::{Collection, Record};
use basalt_runtime::diesel::{RunQueryDsl as _, sql_query};
use basalt_runtime::meta::FieldKind;
use basalt_runtime::sql::{self, Conn};
use basalt_runtime::value::Value;
use features_app::MIGRATIONS;

const TEXTS: &[&str] = &[
    "", "x", "y", "b", "a_c", "abc", "aB", "a", "open", "red", "5", "x%b",
];
const NUMBERS: &[f64] = &[0.0, 1.0, 2.0, 3.0, -2.0, 0.5];
const DATES: &[&str] = &[
    "",
    "2024-01-01 00:00:00.000Z",
    "2024-06-01 00:00:00.001Z",
    "2020-02-29 12:00:00.000Z",
];
const JSONS: &[&str] = &[
    "null",
    "1",
    "\"x\"",
    "[1,2]",
    "{\"a\":1,\"k\":1}",
    "{\"a\":\"1\",\"b\":[0]}",
    "{\"b\":[null],\"k\":2}",
    "{}",
];
const PLACES: &[&str] = &["{\"lon\":0,\"lat\":0}", "{\"lon\":13.5,\"lat\":52.5}"];

/// The ids of the records that there are, by collection.
pub type Ids = BTreeMap<&'static str, Vec<String>>;

/// A generator of repeatable random values.
pub struct Random(basalt_blackbox::Random);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(basalt_blackbox::Random::new(seed))
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit)
    }

    /// True once in `times`.
    pub fn chance(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A text that the rules know, or another one.
    pub fn text(&mut self) -> &'static str {
        self.0.pick(TEXTS)
    }
}

/// An empty database with the application's tables.
pub fn database() -> Conn {
    let mut conn = sql::open(":memory:").unwrap();
    basalt_runtime::migrate::run(&mut conn, &MIGRATIONS, |_, _| {}).unwrap();
    sql_query("PRAGMA foreign_keys = ON")
        .execute(&mut conn)
        .unwrap();
    conn
}

/// Inserts random records; their relations point to earlier ones, of their own collection too.
pub fn fill<C: Collection>(conn: &mut Conn, random: &mut Random, ids: &mut Ids, count: usize) {
    for number in 0..count {
        let mut record = C::Record::default();
        let id = format!("{}{number}", C::META.name);
        record.set(0, Value::Text(id.clone()));
        for place in 1..C::META.fields.len() {
            let value = match C::META.fields[place].name {
                "username" if number == 0 => Value::Text("ann".to_owned()),
                "username" | "email" | "tokenKey" => Value::Text(id.clone()),
                _ => owned_value::<C>(place, random, ids),
            };
            record.set(place, value);
        }
        system::insert::<C>(conn, &record).unwrap();
        ids.entry(C::META.name).or_default().push(id);
    }
}

/// A random value of a field's type.
pub fn owned_value<C: Collection>(place: usize, random: &mut Random, ids: &Ids) -> Value {
    let text = |text: &str| Value::Text(text.to_owned());
    match &C::META.fields[place].kind {
        FieldKind::Number { .. } => Value::Number(random.0.pick(NUMBERS)),
        FieldKind::Bool => Value::Bool(random.chance(2)),
        FieldKind::Date { .. } | FieldKind::Autodate { .. } => text(random.0.pick(DATES)),
        FieldKind::Json { .. } => Value::Json(random.0.pick(JSONS).to_owned()),
        FieldKind::GeoPoint => Value::Json(random.0.pick(PLACES).to_owned()),
        kind @ FieldKind::Select { values, .. } => {
            let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
            some_of(&values, kind.is_many(), random)
        }
        kind @ FieldKind::Relation { collection, .. } => {
            let known = ids.get(collection).map_or(&[][..], Vec::as_slice);
            some_of(known, kind.is_many(), random)
        }
        _ => text(random.text()),
    }
}

/// One or none of the values; up to three different ones for a multiple field.
fn some_of(values: &[String], many: bool, random: &mut Random) -> Value {
    let mut chosen: Vec<String> = Vec::new();
    for _ in 0..random.below(if many { 4 } else { 3 }) {
        if let Some(value) = values.get(random.below(values.len()))
            && !chosen.contains(value)
        {
            chosen.push(value.clone());
        }
    }
    match many {
        true => Value::List(chosen),
        false => Value::Text(chosen.pop().unwrap_or_default()),
    }
}
