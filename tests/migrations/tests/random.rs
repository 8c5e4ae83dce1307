//! Any schema to any other: up gives exactly its tables, down exactly the old ones, whatever rows
//! there are, and no reference is lost or left over.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use basalt_codegen::ir::{self, FieldKind};
use basalt_migration_tests::{TestDb, introspect, meta, schema};
use basalt_runtime::migrate;

/// A small generator of numbers that are the same on each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        // Knuth's linear congruential generator; the high bits are good enough.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn one_in(&mut self, number: u64) -> bool {
        self.below(number) == 0
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len() as u64) as usize]
    }
}

const COLLECTIONS: &[&str] = &["alpha", "beta", "gamma"];
const FIELDS: &[&str] = &["a", "b", "c", "order", "value"];

/// Some of the collections, each with some of the fields, of any type.
fn random_schema(random: &mut Random) -> ir::Schema {
    let mut names: Vec<&str> = COLLECTIONS.to_vec();
    names.retain(|_| !random.one_in(4));
    if names.is_empty() {
        names.push("alpha");
    }
    let files: Vec<String> = names
        .iter()
        .map(|name| random_collection(random, name, &names))
        .collect();
    schema(&files.iter().map(String::as_str).collect::<Vec<_>>())
}

fn random_collection(random: &mut Random, name: &str, names: &[&str]) -> String {
    let mut text = format!("name = '{name}'\n[fields]\n");
    let mut indexes = String::new();
    for field in FIELDS {
        if random.one_in(3) {
            continue;
        }
        let (kind, can_index) = random_type(random, names);
        text.push_str(&format!("{field} = {{ {kind} }}\n"));
        if can_index && random.one_in(3) {
            indexes.push_str(&format!("[[indexes]]\nfields = ['{field}']\n"));
            if random.one_in(2) {
                indexes.push_str("collation = 'nocase'\n");
            }
        }
    }
    text + &indexes
}

/// A type with options, and whether it can be indexed.
fn random_type(random: &mut Random, names: &[&str]) -> (String, bool) {
    let target = random.pick(names);
    let (kind, default, can_index) = match random.below(12) {
        0 => ("type = 'text'".to_owned(), "'it'", true),
        1 => ("type = 'number'".to_owned(), "7", true),
        2 => ("type = 'bool'".to_owned(), "true", false),
        3 => ("type = 'date'".to_owned(), "", true),
        4 => ("type = 'json'".to_owned(), "", false),
        5 => ("type = 'geoPoint'".to_owned(), "", false),
        6 => (
            "type = 'select', values = ['x', 'y']".to_owned(),
            "'y'",
            true,
        ),
        7 => (
            "type = 'select', values = ['y', 'z', 'w'], max_select = 3".to_owned(),
            "",
            false,
        ),
        8 => ("type = 'password'".to_owned(), "", false),
        9 => (
            format!("type = 'relation', collection = '{target}'"),
            "",
            false,
        ),
        10 => (
            format!("type = 'relation', collection = '{target}', max_select = 5"),
            "",
            false,
        ),
        _ => ("type = 'email'".to_owned(), "", true),
    };
    let mut text = kind;
    if !default.is_empty() && random.one_in(2) {
        text.push_str(&format!(", default = {default}"));
    }
    let can_be_null = !["relation", "max_select", "password", "json"]
        .iter()
        .any(|word| text.contains(word));
    if can_be_null && random.one_in(3) {
        text.push_str(", nullable = true");
    }
    (text, can_index)
}

/// Three records in each collection, `r0` to `r2`, with values of every kind.
fn fill(db: &mut TestDb, schema: &ir::Schema, random: &mut Random) {
    let mut sql = "PRAGMA foreign_keys = OFF;\n".to_owned();
    for collection in &schema.collections {
        let table = &collection.name.wire;
        for number in 0..3 {
            let mut columns = vec!["id".to_owned()];
            let mut values = vec![format!("'r{number}'")];
            for field in collection.fields.iter().skip(1) {
                // Unique in auth collections.
                let value = match field.name.wire.as_str() {
                    "tokenKey" | "email" => format!("'{number}'"),
                    _ => random_value(random, field),
                };
                if let (FieldKind::Relation { .. }, true) = (&field.kind, field.kind.is_many()) {
                    sql.push_str(&format!(
                        "INSERT INTO \"_link_{table}_{}\" SELECT 'r{number}', value, key FROM json_each({value});\n",
                        field.name.wire
                    ));
                }
                columns.push(format!("\"{}\"", field.name.wire));
                values.push(value);
            }
            sql.push_str(&format!(
                "INSERT INTO \"{table}\" ({}) VALUES ({});\n",
                columns.join(", "),
                values.join(", ")
            ));
        }
    }
    sql.push_str("PRAGMA foreign_keys = ON;");
    db.execute(&sql);
}

fn random_value(random: &mut Random, field: &ir::Field) -> String {
    if field.nullable && random.one_in(2) {
        return "NULL".to_owned();
    }
    let many = field.kind.is_many();
    random
        .pick(match &field.kind {
            FieldKind::Number { .. } => &["0", "-2.5", "12"],
            FieldKind::Bool => &["TRUE", "FALSE"],
            FieldKind::Date { .. } | FieldKind::Autodate { .. } => {
                &["''", "'2024-02-29 10:11:12.345Z'"]
            }
            FieldKind::Json { .. } => {
                &["'null'", "'[\"x\",1]'", "'{\"a\":null}'", "'\"r1\"'", "'3'"]
            }
            FieldKind::GeoPoint => &["'{\"lon\":1.5,\"lat\":-2}'"],
            FieldKind::Select { .. } if many => &["'[]'", "'[\"y\"]'", "'[\"z\",\"w\",\"y\"]'"],
            FieldKind::Select { .. } => &["''", "'x'", "'y'"],
            FieldKind::Relation { .. } if many => &["'[]'", "'[\"r2\",\"r0\"]'", "'[\"r1\"]'"],
            FieldKind::Relation { .. } => &["NULL", "'r0'", "'r2'"],
            _ => &[
                "''",
                "'x'",
                "'r1'",
                "'12'",
                "'now'",
                "'2024-02-29'",
                "'[1]'",
                "'{'",
            ],
        })
        .to_owned()
}

#[test]
fn any_schema_leads_to_any_other_and_back() {
    for seed in 0..60 {
        let mut random = Random(seed * 7919 + 1);
        let (before, after) = (random_schema(&mut random), random_schema(&mut random));
        let mut db = TestDb::new();
        db.migrate(&before, false);
        fill(&mut db, &before, &mut random);
        db.assert_sound(&before);
        let tables = introspect::found(&mut db.conn);

        let changed = db.migrate(&after, true);
        db.assert_sound(&after);
        let found = introspect::found(&mut db.conn);
        assert_eq!(
            introspect::without_conditions(found),
            introspect::wanted(&after),
            "seed {seed}"
        );
        migrate::check_fits(&mut db.conn, &meta::of(&after)).unwrap();
        for collection in &after.collections {
            let name = &collection.name.wire;
            if before.collection(name).is_some() {
                let count = db.ask("count(*)", &format!("FROM \"{name}\""));
                assert_eq!(count, "3", "seed {seed}, {name}");
            }
        }
        if changed {
            db.revert();
            db.assert_sound(&before);
            assert_eq!(introspect::found(&mut db.conn), tables, "seed {seed}");
            assert_eq!(db.run().unwrap(), 1);
            db.assert_sound(&after);
        }
    }
}
