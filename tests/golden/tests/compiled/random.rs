//! Records with random values, from the metadata alone.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;

use basalt_runtime::access::system;
use basalt_runtime::collection::{Collection, Record as _};
use basalt_runtime::meta::FieldKind;
use basalt_runtime::sql::Conn;
use basalt_runtime::value::Value;

const TEXTS: [&str; 12] = [
    "", "a", "A", "abc", "xabcx", "test", "TEST", "edit", "z%", "5", "5.0", "b\"c",
];
const NUMBERS: [f64; 8] = [-1.5, 0.0, 1.0, 2.5, 3.0, 9.0, 10.0, 1e9];
const DATES: [&str; 3] = ["", "1969-01-01 00:00:00.000Z", "2999-01-01 00:00:00.000Z"];
const JSONS: [&str; 7] = [
    "null",
    r#"{"a":{"b":"x"}}"#,
    r#"{"a":[1]}"#,
    "\"x\"",
    "3",
    "[]",
    r#"{"a":{"b":null}}"#,
];
const PLACES: [&str; 2] = [r#"{"lon":0,"lat":0}"#, r#"{"lon":1.5,"lat":-3}"#];

/// Ids by name of the collection, for relations.
pub type Ids = BTreeMap<&'static str, Vec<String>>;

/// A source of numbers that are the same in every run.
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// Up to three different ones, in random order.
    fn some(&mut self, values: &[String]) -> Vec<String> {
        let mut chosen = Vec::new();
        for _ in 0..self.below(4).min(values.len()) {
            let value = values[self.below(values.len())].clone();
            if !chosen.contains(&value) {
                chosen.push(value);
            }
        }
        chosen
    }
}

/// Inserts records; relations point to the records that `ids` knows so far.
pub fn fill<C: Collection>(conn: &mut Conn, random: &mut Random, ids: &mut Ids, count: usize) {
    for number in 0..count {
        let mut record = C::Record::default();
        for (place, field) in C::META.fields.iter().enumerate() {
            let unique = C::META
                .unique
                .iter()
                .any(|index| index.fields.contains(&place));
            let value = if place == 0 || unique {
                Value::Text(format!("{}{number}", field.name))
            } else {
                value(random, ids, &field.kind)
            };
            let null = field.nullable && random.below(3) == 0;
            record.set(place, if null { Value::Null } else { value });
        }
        system::insert::<C>(conn, &record).unwrap();
        ids.entry(C::META.name)
            .or_default()
            .push(record.id().to_owned());
    }
}

fn value(random: &mut Random, ids: &Ids, kind: &FieldKind) -> Value {
    match kind {
        FieldKind::Number { .. } => Value::Number(random.of(&NUMBERS)),
        FieldKind::Bool => Value::Bool(random.below(2) == 0),
        FieldKind::Date { .. } | FieldKind::Autodate { .. } => text(random.of(&DATES)),
        FieldKind::Json { .. } => Value::Json(random.of(&JSONS).to_owned()),
        FieldKind::GeoPoint => Value::Json(random.of(&PLACES).to_owned()),
        FieldKind::Select { values, .. } => {
            let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
            pick(random, kind, &values)
        }
        FieldKind::Relation { collection, .. } => {
            pick(random, kind, ids.get(collection).map_or(&[], Vec::as_slice))
        }
        _ => text(random.of(&TEXTS)),
    }
}

fn pick(random: &mut Random, kind: &FieldKind, values: &[String]) -> Value {
    let chosen = random.some(values);
    if kind.is_many() {
        Value::List(chosen)
    } else {
        Value::Text(chosen.into_iter().next().unwrap_or_default())
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}
