//! Each folder of `cases/` is a schema with mistakes, and `expected.txt` is the report to the last
//! character. Every code must occur in some report, and every folder must be used.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use basalt_codegen::diagnostic::Code;
use basalt_codegen::{Report, Source, policy, read_dir, read_tests, resolve};

/// Codes that no rule of a schema can bring about: they are for the texts of clients.
const CLIENT_CODES: &[basalt_lang::Code] = &[basalt_lang::Code::Sort, basalt_lang::Code::Forbidden];

fn cases_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

/// What is wrong with the schema; if nothing is, with the policy tests beside it.
fn report(dir: &Path) -> Report {
    let checked = match read_dir(dir).and_then(|sources| resolve(&sources)) {
        Ok(checked) => checked,
        Err(report) => return report,
    };
    let tests = read_tests(dir).and_then(|tests| policy::load(&checked.schema, &tests));
    match tests {
        Ok(_) => checked.warnings,
        Err(report) => report,
    }
}

/// What is compared: cargo's one-line form, then the whole report.
fn shown(report: &Report) -> String {
    format!("{report}\n\n{}", report.render(false))
}

/// Compares with the committed text, or writes it if asked to.
fn check(expected: &Path, actual: &str) -> Result<(), String> {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(expected, actual).unwrap();
        return Ok(());
    }
    let wanted = fs::read_to_string(expected).unwrap_or_default();
    if wanted == actual {
        return Ok(());
    }
    let path = expected.display();
    Err(format!("{path} differs; now it is:\n{actual}"))
}

fn case_names() -> Vec<String> {
    let entries = fs::read_dir(cases_dir()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Reports of what can't be committed as a folder of files.
fn special_reports() -> Vec<(&'static str, Report)> {
    let large = Source {
        path: "too_large/posts.toml".to_owned(),
        text: " ".repeat((1 << 20) + 1),
    };
    vec![
        ("no_files", resolve(&[]).unwrap_err()),
        ("too_large", resolve(&[large]).unwrap_err()),
        (
            "unreadable",
            read_dir(Path::new("no/such/schema")).unwrap_err(),
        ),
    ]
}

fn all_reports() -> Vec<(String, Report)> {
    let special = special_reports();
    let mut reports: Vec<(String, Report)> = Vec::new();
    for name in case_names() {
        if !special.iter().any(|(special, _)| *special == name) {
            let report = report(&cases_dir().join(&name));
            reports.push((name, report));
        }
    }
    let special = special.into_iter();
    reports.extend(special.map(|(name, report)| (name.to_owned(), report)));
    reports
}

#[test]
fn reports_are_as_expected() {
    let mut failures = Vec::new();
    for (name, report) in all_reports() {
        if report.is_empty() {
            failures.push(format!("case `{name}` finds nothing"));
        }
        let expected = cases_dir().join(&name).join("expected.txt");
        if let Err(failure) = check(&expected, &shown(&report)) {
            failures.push(failure);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Those of exports, which have a test of their own.
fn import_reports() -> Vec<(String, Report)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("imports");
    let paths = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let exports = paths.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let report = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let import = basalt_codegen::import::schema("export.json", &text);
        let report = import.map_or_else(|report| report, |import| import.report);
        (path.display().to_string(), report)
    };
    exports.map(report).collect()
}

#[test]
fn every_code_has_a_case() {
    let mut reports = all_reports();
    reports.extend(import_reports());
    let seen: BTreeSet<&str> = reports
        .iter()
        .flat_map(|(_, report)| report.diagnostics())
        .map(|found| found.code)
        .collect();
    let own = Code::ALL.iter().map(|code| code.as_str());
    let rule = basalt_lang::Code::ALL.iter();
    let rule = rule
        .filter(|code| !CLIENT_CODES.contains(code))
        .map(|code| code.as_str());
    let missing: Vec<&str> = own
        .chain(rule)
        .filter(|code| !seen.contains(code))
        .collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}

#[test]
fn independent_mistakes_are_all_reported_and_nothing_follows_from_them() {
    let count = |name: &str| report(&cases_dir().join(name)).errors();
    assert_eq!(count("three_mistakes_in_two_files"), 3);
    assert_eq!(count("unknown_collection_used_by_rules"), 1);
    assert_eq!(count("unknown_field_type_used_by_rules"), 1);
    assert_eq!(count("malformed_file_used_by_others"), 1);
    assert_eq!(count("own_mistakes_beside_a_malformed_file"), 3);
}

#[test]
fn huge_and_hostile_texts_give_a_report() {
    let schema = |rule: &str| {
        let text = format!("name = \"posts\"\n[rules]\nlist = '''{rule}'''\n");
        vec![Source {
            path: "schema/posts.toml".to_owned(),
            text,
        }]
    };
    let rules = [
        "a".repeat(10_000_000),
        "a = 1 && ".repeat(100_000),
        "(".repeat(100_000),
        "(".repeat(1_100_000),
        "a.".repeat(100_000),
        "\\".repeat(1000),
    ];
    for rule in rules {
        let report = resolve(&schema(&rule)).unwrap_err();
        assert!(report.errors() > 0);
        let lines = report.render(false).len();
        assert!(lines < 100_000, "the report has {lines} bytes");
    }
}

#[test]
fn deep_files_give_a_report() {
    let deep = 200_000;
    let texts = [
        format!("{}a = 1", "a.".repeat(deep)),
        format!("[{}a]\nb = 1", "a.".repeat(deep)),
        format!("a = {}", "[".repeat(deep)),
        format!("a = {}1{}", "[".repeat(deep), "]".repeat(deep)),
        format!("a = {}", "{ a = ".repeat(deep / 2)),
        "[[indexes]]\n".repeat(50_000),
        "[fields]\n".to_owned() + &"x".repeat(1_000_000) + " = { type = \"x\" }",
        (0..10_000).map(|at| format!("k{at} = 1\n")).collect(),
    ];
    for text in texts {
        let source = Source {
            path: "schema/deep.toml".to_owned(),
            text,
        };
        let report = resolve(&[source]).unwrap_err();
        assert!(report.errors() > 0);
        assert!(!report.render(false).is_empty());
    }
}

#[test]
fn huge_files_of_tests_give_a_report() {
    let posts = Source {
        path: "schema/posts.toml".to_owned(),
        text: "name = 'posts'\n[fields]\nnext = { type = 'relation', collection = 'posts' }"
            .to_owned(),
    };
    let schema = resolve(&[posts]).unwrap().schema;
    let lines =
        |count: usize, line: &dyn Fn(usize) -> String| -> String { (0..count).map(line).collect() };
    let texts = [
        lines(20_000, &|at| format!("[records.posts.a{at}]\n")),
        lines(1000, &|at| {
            format!("[records.posts.a{at}]\nnext = '@posts.a{}'\n", at + 1)
        }),
        lines(15_000, &|at| {
            format!("[[test]]\nname = '{at}'\nmay = ['view posts.b{at}']\n")
        }),
        format!(
            "[[test]]\nname = 'x'\nmay = [{}]",
            "'list posts',".repeat(80_000)
        ),
        format!(
            "[[test]]\nname = 'x'\nmay = ['{}']",
            "list posts where (".repeat(50_000)
        ),
        format!(
            "[[test]]\nname = 'x'\nsees = {{ 'posts.a' = ['{}'] }}",
            "next.".repeat(100_000)
        ),
        "[".repeat(1_000_000),
    ];
    for text in texts {
        let source = Source {
            path: "schema/posts.test.toml".to_owned(),
            text,
        };
        if let Err(report) = policy::load(&schema, &[source]) {
            assert!(report.errors() > 0);
            let bytes = report.render(false).len();
            assert!(bytes < 200_000, "the report has {bytes} bytes");
        }
    }
}
