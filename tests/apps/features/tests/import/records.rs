//! Files of records: what is written is read again as the same.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use basalt_blackbox::Random;
use basalt_runtime::app::{App, Pending};
use basalt_runtime::collection::Record;
use basalt_runtime::config::Settings;
use basalt_runtime::error::ApiError;
use basalt_runtime::import::{self, Format, Manner, Records, Summary};
use basalt_runtime::meta::{FieldKind, FieldMeta};
use basalt_runtime::storage;
use basalt_runtime::value::{DateTime, Value};
use features_app::{MIGRATIONS, application};
use tempfile::TempDir;

use crate::peer::{look, registry};

const AS_IS: Manner = Manner {
    keep_going: false,
    as_is: true,
};

/// Opens an application's data folder, which is made if need be.
fn app(dir: &Path) -> App {
    let application = application();
    let settings = Settings {
        dir: dir.to_owned(),
        ..Settings::default()
    };
    App::open(
        application.collections,
        application.migrations,
        settings,
        Pending::Apply,
    )
    .unwrap()
}

fn export(dir: &Path, collection: &str, format: Format, secrets: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut conn = storage::look(&dir.join("data.db")).unwrap();
    let registry = registry();
    let entry = registry.find(collection).unwrap();
    import::export(&mut conn, entry, format, secrets, &mut out).unwrap();
    out
}

fn import(
    dir: &Path,
    collection: &str,
    format: Format,
    content: &[u8],
    manner: Manner,
) -> anyhow::Result<Summary> {
    let file = dir.with_extension("file");
    File::create(&file).unwrap().write_all(content).unwrap();
    let records = Records {
        from: &file,
        format,
        collection,
        to: dir.to_owned(),
        manner,
        dry_run: false,
    };
    import::records(&records, &registry(), &MIGRATIONS)
}

/// A text of characters that files could stumble over.
fn text(random: &mut Random) -> String {
    let characters = [
        'a', 'Z', '"', '\'', ',', ';', '\n', '\r', '\t', '\0', '\\', '[', '{', ' ', 'ü',
        '\u{2028}', '😀', '\u{1}', '\u{feff}', '=', '0',
    ];
    (0..random.below(9))
        .map(|_| characters[random.below(characters.len())])
        .collect()
}

fn number(random: &mut Random) -> f64 {
    let number = match random.below(4) {
        0 => 0.0,
        1 => (random.word() % 2_000_001) as f64 - 1_000_000.0,
        2 => f64::from_bits(random.word()),
        _ => (random.word() % 1000) as f64 / 8.0,
    };
    if number.is_finite() { number } else { 1e300 }
}

fn value(random: &mut Random, field: &FieldMeta, ids: &[String]) -> Value {
    if field.nullable && random.below(3) == 0 {
        return Value::Null;
    }
    let some = |random: &mut Random, all: &[String]| {
        let mut kept: Vec<String> = all
            .iter()
            .filter(|_| random.below(3) == 0)
            .cloned()
            .collect();
        let by = random.below(2).min(kept.len());
        kept.rotate_left(by);
        kept
    };
    match &field.kind {
        FieldKind::Number { .. } => Value::Number(number(random)),
        FieldKind::Bool => Value::Bool(random.below(2) == 0),
        FieldKind::Date { .. } | FieldKind::Autodate { .. } => {
            let now = DateTime::now().as_str().to_owned();
            Value::Text(if random.below(2) == 0 {
                String::new()
            } else {
                now
            })
        }
        FieldKind::Select { values, .. } => {
            let all: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
            let mut items = some(random, &all);
            match field.kind.is_many() {
                true => Value::List(items),
                false => Value::Text(items.pop().unwrap_or_default()),
            }
        }
        FieldKind::Relation { .. } => {
            let mut items = some(random, ids);
            match field.kind.is_many() {
                true => Value::List(items),
                false => Value::Text(items.pop().unwrap_or_default()),
            }
        }
        FieldKind::Json { .. } => {
            let text = serde_json::to_string(&text(random)).unwrap();
            let whole = ["null", "1.50", "true", "[]"][random.below(4)];
            Value::Json(format!("{{{text}:[{whole},{text}]}}"))
        }
        FieldKind::GeoPoint => Value::Json(r#"{"lon":1.5,"lat":-2}"#.to_owned()),
        FieldKind::Password { .. } => Value::Text(String::new()),
        _ => Value::Text(text(random)),
    }
}

/// Fills a collection with records of its own type only.
fn fill(dir: &Path, collection: &'static str, seed: u64) {
    let app = app(dir);
    let registry = app.registry.clone();
    let written = app.db.write_blocking(move |conn| {
        let entry = registry.find(collection).unwrap();
        let mut random = Random::new(seed);
        let ids: Vec<String> = (0..25).map(|number| format!("record{number:09}")).collect();
        let mut records: Vec<Box<dyn Record>> = Vec::new();
        for id in &ids {
            let mut record = entry.blank();
            for (place, field) in entry.meta().fields.iter().enumerate().skip(1) {
                record.set(place, value(&mut random, field, &ids));
            }
            record.set(0, Value::Text(id.clone()));
            // First without relations, which lead to records that come later.
            let mut alone = entry.copy(&*record).unwrap();
            for (place, field) in entry.meta().fields.iter().enumerate() {
                if matches!(field.kind, FieldKind::Relation { .. }) {
                    alone.set(place, Value::Null);
                }
            }
            entry
                .insert_unchecked(conn, &*alone)
                .map_err(ApiError::internal)?;
            records.push(record);
        }
        for record in &records {
            let old = entry
                .find_unchecked(conn, 0, record.id(), false, Some(1))
                .unwrap();
            entry
                .update_unchecked(conn, &*old[0], &**record)
                .map_err(ApiError::internal)?;
        }
        Ok(())
    });
    written.unwrap();
    app.db.shutdown();
}

#[test]
fn what_is_exported_is_imported_as_the_same() {
    for (collection, seed) in [("things", 1), ("things", 2), ("extras", 3), ("extras", 4)] {
        let root = tempfile::tempdir().unwrap();
        let first = root.path().join("first");
        fill(&first, collection, seed);
        let wanted =
            [Format::JsonLines, Format::Csv].map(|format| export(&first, collection, format, true));
        for (format, content) in [Format::JsonLines, Format::Csv].into_iter().zip(&wanted) {
            let other = root.path().join(format!("{format:?}"));
            let summary = import(&other, collection, format, content, AS_IS).unwrap();
            assert_eq!(
                summary.refused(),
                0,
                "{collection} {seed} {format:?}: {summary}"
            );
            for (format, content) in [Format::JsonLines, Format::Csv].into_iter().zip(&wanted) {
                let found = export(&other, collection, format, true);
                let found = String::from_utf8_lossy(&found);
                assert_eq!(
                    found,
                    String::from_utf8_lossy(content),
                    "{collection} {seed}"
                );
            }
            // And again: nothing changes.
            let summary = import(&other, collection, format, content, AS_IS).unwrap();
            assert_eq!(summary.tallies[0].1.present, 25, "{summary}");
        }
    }
}

#[test]
fn secrets_leave_only_if_that_is_said() {
    let root = tempfile::tempdir().unwrap();
    let first = root.path().join("first");
    let hash = "$2a$13$uULN32dHTkWQIALJP1N54.22HW/K9/qkXqcmsfz2hOA1wGeuUDbfG";
    let key = "k".repeat(40);
    let line = format!(
        r#"{{"id":"member000000001","username":"one","password":"{hash}","tokenKey":"{key}","expand":{{}}}}"#
    );
    import(
        &first,
        "members",
        Format::JsonLines,
        line.as_bytes(),
        Manner::default(),
    )
    .unwrap();
    let text =
        |secrets, format| String::from_utf8(export(&first, "members", format, secrets)).unwrap();
    for format in [Format::JsonLines, Format::Csv] {
        let without = text(false, format);
        for part in [hash, key.as_str(), "password", "tokenKey"] {
            assert!(!without.contains(part), "{without}");
            assert!(text(true, format).contains(part));
        }
    }
    // An account without secrets gets a key of its own, and no password.
    let other = root.path().join("other");
    let content = text(false, Format::Csv);
    import(
        &other,
        "members",
        Format::Csv,
        content.as_bytes(),
        Manner::default(),
    )
    .unwrap();
    let found = "SELECT password || length(tokenKey) || username AS found FROM members";
    assert_eq!(look(&other.join("data.db"), found), "50one");
}

#[test]
fn files_of_other_programs() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("data");
    let content = "\u{feff}title,revision\r\n\"a, b\",1\r\nc,\r\n";
    import(
        &dir,
        "notes",
        Format::Csv,
        content.as_bytes(),
        Manner::default(),
    )
    .unwrap();
    let found = "SELECT group_concat(title || revision || length(id), '|') AS found FROM notes";
    assert_eq!(look(&dir.join("data.db"), found), "a, b115|c015");
}

/// The import fails, or refuses a record, for this reason; nothing is made.
#[track_caller]
fn refuses(collection: &str, format: Format, content: &[u8], expected: &str) {
    let root: TempDir = tempfile::tempdir().unwrap();
    let dir = root.path().join("data");
    let found = match import(&dir, collection, format, content, Manner::default()) {
        Ok(summary) => summary.tallies[0].1.reasons.join("; "),
        Err(error) => format!("{error:#}"),
    };
    assert!(found.contains(expected), "{found}");
    assert!(!dir.exists());
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    use Format::{Csv, JsonLines};
    let lines =
        |text: &'static str, expected| refuses("notes", JsonLines, text.as_bytes(), expected);
    lines(
        "{\"title\":\"a\"}\n\n{\"title\":1}",
        "line 3: title: `1` is no text",
    );
    lines(
        "{\"titel\":\"a\"}",
        "line 1: `titel` is no field of the collection",
    );
    lines(
        "{\"title\":\"a\"",
        "line 1: it is no JSON object: EOF while parsing",
    );
    lines("[]", "line 1: it is no JSON object");
    lines(
        "{\"revision\":\"1\"}",
        "line 1: revision: `\\\"1\\\"` is no number",
    );
    lines(
        "{\"owner\":\"nobody\"}",
        "owner: there is no record `nobody` in `members`",
    );
    let twice = "{\"title\":\"a\",\"title\":\"b\"}";
    lines(twice, "line 1: `title` is there twice");
    let long = format!("{{\"title\":\"{}\"}}", "x".repeat(41));
    let reason = "line 1: title: Must be no more than 40 character(s).";
    refuses("notes", JsonLines, long.as_bytes(), reason);
    refuses(
        "notes",
        JsonLines,
        b"{\"title\":\"\xff\"}",
        "line 1: it isn't valid UTF-8",
    );
    refuses(
        "nothing",
        JsonLines,
        b"{}",
        "there is no collection `nothing`",
    );
    refuses(
        "notes",
        Csv,
        b"titel\na\n",
        "the column `titel` is no field of `notes`",
    );
    refuses(
        "notes",
        Csv,
        b"title,title\na,b\n",
        "there are two columns `title`",
    );
    refuses("notes", Csv, b"title,revision\na\n", "line: 2");
    refuses(
        "notes",
        Csv,
        b"title,revision\na,b\n",
        "line 2: revision: `b` is no number",
    );
    refuses(
        "notes",
        Csv,
        b"title\n\xff\n",
        "line 2: title: it isn't valid UTF-8",
    );
}
