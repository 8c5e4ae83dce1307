//! Records from a file of JSON lines or CSV, as `export` writes them or another program does.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use diesel_migrations::EmbeddedMigrations;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::export::Format;
use super::load::{Load, Manner};
use super::progress::Progress;
use super::report::Summary;
use super::{relations, target, written};
use crate::api::write::generate_missing;
use crate::collection::Record;
use crate::field::cast;
use crate::meta::{CollectionMeta, FieldKind};
use crate::registry::{Entry, Registry};
use crate::sql::Conn;
use crate::value::{DateTime, Value};

/// The longest line, in bytes.
const LONGEST: u64 = 64 << 20;

/// What answers of the API hold besides the fields.
const NOT_STORED: [&str; 3] = ["collectionId", "collectionName", "expand"];

/// What is to be imported, and where to.
pub struct Records<'a> {
    /// The file that is read.
    pub from: &'a Path,
    /// Its form.
    pub format: Format,
    /// The collection, by name or id.
    pub collection: &'a str,
    /// The data folder that is written.
    pub to: PathBuf,
    /// How strictly.
    pub manner: Manner,
    /// Is it only tried out?
    pub dry_run: bool,
}

/// The values that were read, by field, or what is wrong with one of them.
type Values = Result<Vec<(usize, Value)>, String>;

/// Imports a file of records into one collection.
///
/// # Errors
/// One line that says what is wrong. Nothing is changed then.
pub fn records(
    import: &Records<'_>,
    registry: &Registry,
    migrations: &EmbeddedMigrations,
) -> anyhow::Result<Summary> {
    let entry = registry.find(import.collection);
    let entry = entry.with_context(|| format!("there is no collection `{}`", import.collection))?;
    let file = File::open(import.from);
    let file = file.with_context(|| format!("cannot read {}", import.from.display()))?;
    let mut summary = Summary {
        dry_run: import.dry_run,
        keep_going: import.manner.keep_going,
        ..Summary::default()
    };
    target::fill(&import.to, registry, migrations, |conn| {
        run(import, entry, BufReader::new(file), conn, &mut summary)?;
        let keep = summary.is_kept();
        Ok(((), keep))
    })?;
    Ok(summary)
}

fn run(
    import: &Records<'_>,
    entry: &Arc<Entry>,
    file: BufReader<File>,
    conn: &mut Conn,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    let meta = entry.meta();
    let mut load = Load::begin(conn, entry, import.manner)?;
    let mut progress = Progress::open();
    progress.say(meta.name);
    let mut take = |line: u64, values: Values| {
        progress.step();
        let at = || format!("line {line}");
        match values {
            Ok(values) => load.add(&*complete(entry, values), at),
            Err(reason) => {
                load.refuse(|| format!("{}: {reason}", at()));
                Ok(())
            }
        }
    };
    let read = match import.format {
        Format::JsonLines => json_lines(file, meta, &mut take),
        Format::Csv => csv(file, meta, &mut take),
    };
    read.with_context(|| format!("cannot read {}", import.from.display()))?;
    let mut loaded = [load.end()?];
    relations::check(conn, import.manner, &mut loaded)?;
    let [one] = &loaded;
    if one.tally.refused == 0 || import.manner.keep_going {
        relations::verify(conn, &loaded)?;
    }
    let tally = |one: super::load::Loaded| (meta.name.to_owned(), one.tally);
    summary.tallies = loaded.into_iter().map(tally).collect();
    Ok(())
}

/// The record, with what a new one has where the file says nothing.
fn complete(entry: &Arc<Entry>, values: Vec<(usize, Value)>) -> Box<dyn Record> {
    let mut record = entry.blank();
    let meta = entry.meta();
    let given: Vec<usize> = values.iter().map(|(place, _)| *place).collect();
    for (place, value) in values {
        record.set(place, value);
    }
    for (place, field) in meta.fields.iter().enumerate() {
        let own = place == 0 || meta.auth.is_some() && field.name == "tokenKey";
        if own {
            generate_missing(&mut *record, place);
        }
        if given.contains(&place) {
            continue;
        }
        match field.kind {
            FieldKind::Autodate { on_create, .. } => {
                if on_create {
                    record.set(place, Value::Text(DateTime::now().as_str().to_owned()));
                }
            }
            _ if own => {}
            _ => {
                record.set(place, cast::initial(field));
                generate_missing(&mut *record, place);
            }
        }
    }
    record
}

fn json_lines(
    mut file: impl BufRead,
    meta: &CollectionMeta,
    take: &mut dyn FnMut(u64, Values) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = (&mut file).take(LONGEST).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        if read as u64 == LONGEST {
            bail!("line {number} has more than {LONGEST} bytes");
        }
        if !line.trim_ascii().is_empty() {
            take(number, object(&line, meta))?;
        }
    }
    Ok(())
}

fn object(line: &[u8], meta: &CollectionMeta) -> Values {
    let text = std::str::from_utf8(line).map_err(|_| "it isn't valid UTF-8".to_owned())?;
    let Pairs(pairs) =
        serde_json::from_str(text).map_err(|error| format!("it is no JSON object: {error}"))?;
    let mut values = Vec::with_capacity(pairs.len());
    for (name, raw) in pairs {
        if NOT_STORED.contains(&name.as_str()) && meta.field_index(&name).is_none() {
            continue;
        }
        let (place, field) = meta
            .field_index(&name)
            .and_then(|place| Some((place, meta.field(place)?)))
            .ok_or_else(|| format!("`{name}` is no field of the collection"))?;
        if values.iter().any(|(known, _)| *known == place) {
            return Err(format!("`{name}` is there twice"));
        }
        let value = written::from_json(field, &raw);
        values.push((place, value.map_err(|reason| format!("{name}: {reason}"))?));
    }
    Ok(values)
}

/// The keys of an object with their values as they are spelled, also those that come twice.
struct Pairs(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

fn csv(
    file: impl BufRead,
    meta: &CollectionMeta,
    take: &mut dyn FnMut(u64, Values) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut table = csv::Reader::from_reader(file);
    let places = header(table.headers()?, meta)?;
    let mut cells = csv::ByteRecord::new();
    while table.read_byte_record(&mut cells)? {
        let line = cells.position().map_or(0, csv::Position::line);
        take(line, row(&cells, &places, meta))?;
    }
    Ok(())
}

/// The field of each column; `None` for those that are not stored.
fn header(names: &csv::StringRecord, meta: &CollectionMeta) -> anyhow::Result<Vec<Option<usize>>> {
    let mut places = Vec::new();
    for name in names {
        let place = meta.field_index(name);
        if place.is_none() && !NOT_STORED.contains(&name) {
            bail!("the column `{name}` is no field of `{}`", meta.name);
        }
        if place.is_some() && places.contains(&place) {
            bail!("there are two columns `{name}`");
        }
        places.push(place);
    }
    Ok(places)
}

fn row(cells: &csv::ByteRecord, places: &[Option<usize>], meta: &CollectionMeta) -> Values {
    let mut values = Vec::with_capacity(places.len());
    for (cell, place) in cells.iter().zip(places) {
        let Some((place, field)) = place.and_then(|place| Some((place, meta.field(place)?))) else {
            continue;
        };
        let named = |reason: &str| format!("{}: {reason}", field.name);
        let cell = std::str::from_utf8(cell).map_err(|_| named("it isn't valid UTF-8"))?;
        let value = written::from_cell(field, cell);
        values.push((place, value.map_err(|reason| named(&reason))?));
    }
    Ok(values)
}
