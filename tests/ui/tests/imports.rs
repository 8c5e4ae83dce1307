//! Exports under `imports/`, good and bad ones, each with the whole of what they give: the report, and
//! the schema files. `UPDATE_GOLDEN=1 cargo test -p basalt-ui-tests` rewrites what is expected.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

use basalt_codegen::import::{self, Import};
use basalt_codegen::{Report, Source, resolve};

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
