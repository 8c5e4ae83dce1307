//! Exports under `imports/`, good and bad ones, each with the whole of what they give: the report, and
//! the schema files. `UPDATE_GOLDEN=1 cargo test -p basalt-ui-tests` rewrites what is expected.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

use std::fs;
use std::path::{Path, PathBuf};

use basalt_codegen::import::{self, Import};
use basalt_codegen::{Report, Source, resolve};
use serde_json::Value;

fn exports() -> Vec<(String, PathBuf)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("imports");
    let paths = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let exports = paths.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let name = |path: PathBuf| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path);
    let mut exports: Vec<_> = exports.map(name).collect();
    exports.sort();
    exports
}

fn import(path: &Path) -> Result<Import, Report> {
    import::schema("export.json", &fs::read_to_string(path).unwrap())
}

fn shown(outcome: &Result<Import, Report>) -> String {
    let import = match outcome {
        Ok(import) => import,
        Err(report) => return format!("refused\n\n{}", report.render(false)),
    };
    let report = &import.report;
    let mut text = format!(
        "{} errors, {} warnings\n{report}\n",
        report.errors(),
        report.warnings()
    );
    for (name, file) in &import.files {
        text.push_str(&format!("\n==== {name}\n{file}"));
    }
    text
}

#[test]
fn exports_become_what_is_expected() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut failures = Vec::new();
    let exports = exports();
    assert!(exports.len() >= 40, "{} exports", exports.len());
    for (name, path) in exports {
        let (expected, actual) = (path.with_extension("txt"), shown(&import(&path)));
        if update {
            fs::write(&expected, &actual).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != actual {
            failures.push(format!("{name}.txt differs; now it is:\n{actual}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn live(import: &Import) -> Vec<Source> {
    let files = import.files.iter();
    let files = files.filter(|(name, _)| name.ends_with(".toml"));
    let source = |(name, text): (&String, &String)| Source {
        path: format!("schema/{name}"),
        text: text.clone(),
    };
    files.map(source).collect()
}

#[test]
fn whatever_is_imported_builds() {
    let mut built = 0;
    for (name, path) in exports() {
        let Ok(import) = import(&path) else {
            continue;
        };
        let sources = live(&import);
        assert_eq!(sources.len(), import.holds.collections, "{name}");
        if sources.is_empty() {
            continue;
        }
        match resolve(&sources) {
            Ok(checked) => {
                let (holds, warnings) = (import.holds, checked.warnings.warnings());
                assert_eq!(holds.warnings, warnings, "{name}");
                built += 1;
            }
            Err(report) => panic!("{name}: {report}"),
        }
    }
    assert!(built >= 15, "only {built} exports give files that build");
}

/// Nothing of an export is lost without a word: each collection and field is in a file, and what is
/// a comment there is in the report.
#[test]
fn what_is_a_comment_is_in_the_report() {
    for (name, path) in exports() {
        let Ok(import) = import(&path) else {
            continue;
        };
        let texts = import.files.values();
        let reasons: usize = texts
            .map(|text| text.matches("eft out").count() + text.matches("Not supported yet").count())
            .sum();
        let found = import.report.diagnostics().len();
        assert!(
            found >= reasons,
            "{name}: {found} findings, {reasons} comments"
        );
    }
}

/// Numbers that are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % sides.max(1)
    }

    fn odd(&mut self) -> Value {
        let values = [
            Value::Null,
            Value::from(true),
            Value::from(-1),
            Value::from(1e300),
            Value::from(""),
            Value::from("title = 'a' || id != ''"),
            Value::from("CREATE UNIQUE INDEX a ON b (title COLLATE NOCASE) WHERE title != ''"),
            Value::from("[fields]\nx = '''\u{0}\\"),
            Value::from("_pb_users_auth_"),
            Value::from("relation"),
            Value::from(vec!["title", "email"]),
            serde_json::json!([{}]),
            serde_json::json!({ "enabled": true }),
        ];
        values[self.roll(values.len())].clone()
    }

    /// Changes one value, somewhere: another one in its place, its neighbour's, or none.
    fn spoil(&mut self, value: &mut Value) {
        let deeper = self.roll(5) > 0;
        match value {
            Value::Array(items) if deeper && !items.is_empty() => {
                let at = self.roll(items.len());
                match self.roll(12) {
                    0 => drop(items.remove(at)),
                    1 => items.push(items[at].clone()),
                    _ => self.spoil(&mut items[at]),
                }
            }
            Value::Object(entries) if deeper && !entries.is_empty() => {
                let keys: Vec<String> = entries.keys().cloned().collect();
                let (key, other) = (&keys[self.roll(keys.len())], &keys[self.roll(keys.len())]);
                match self.roll(12) {
                    0 => drop(entries.remove(key)),
                    1 => {
                        let neighbour = entries[other].clone();
                        entries.insert(key.clone(), neighbour);
                    }
                    _ => self.spoil(&mut entries[key.as_str()]),
                }
            }
            value => *value = self.odd(),
        }
    }
}

/// Whatever an export says: no panic, and either a report or files that build.
#[test]
fn spoilt_exports_are_refused_or_build() {
    let rounds = 1500;
    let mut dice = Dice(5);
    let exports = exports();
    let path = |name: &str| exports.iter().find(|(it, _)| it == name).unwrap().1.clone();
    let parse = |name| serde_json::from_str(&fs::read_to_string(path(name)).unwrap()).unwrap();
    let wholes: [Value; 3] = [
        parse("all_options"),
        parse("views_and_files"),
        parse("system_fields"),
    ];
    let (mut refused, mut whole) = (0, 0);
    for round in 0..rounds {
        let mut export = wholes[round % wholes.len()].clone();
        for _ in 0..=dice.roll(4) {
            dice.spoil(&mut export);
        }
        let text = export.to_string();
        let Ok(import) = import::schema("export.json", &text) else {
            refused += 1;
            continue;
        };
        let again = import::schema("export.json", &text).unwrap();
        assert_eq!(import, again, "{text}");
        whole += usize::from(import.report.errors() == 0);
        let sources = live(&import);
        if let Err(report) = resolve(&sources)
            && !sources.is_empty()
        {
            panic!("{report}\n{text}");
        }
    }
    // Each of the three ends is reached often: one of the wholes has a loss to begin with.
    let lost = rounds - refused - whole;
    let least = refused.min(whole).min(lost);
    assert!(
        least > rounds / 40,
        "{refused} refused, {whole} whole, {lost} with a loss"
    );
}

/// Every beginning of an export gives a report, with its place.
#[test]
fn cut_exports_are_refused() {
    let (_, path) = exports().remove(0);
    let text = fs::read_to_string(path.with_file_name("all_options.json")).unwrap();
    let text = text.trim_end();
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        let report = import::schema("export.json", &text[..end]).unwrap_err();
        assert_eq!(report.errors(), 1);
        assert!(report.to_string().starts_with("export.json:"), "{report}");
    }
}
