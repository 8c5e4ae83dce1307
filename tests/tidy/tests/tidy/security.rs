//! docs/security-of-rules.md names tests and warnings that are there.

use std::fs;

use super::none;
use super::tree::root;

/// The rows of the table under a heading, as cells.
fn rows<'a>(page: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let (_, section) = page.split_once(heading).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let lines = section.lines().filter(|line| line.starts_with("| "));
    let cells = |line: &'a str| line.trim_matches('|').split(" | ").map(str::trim).collect();
    lines.skip(1).map(cells).collect()
}

fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn what_is_closed_has_a_test() {
    let page = fs::read_to_string(root().join("docs/security-of-rules.md")).unwrap();
    let rows = rows(&page, "\n## Closed\n");
    assert!(rows.len() > 10, "{rows:?}");
    let mut missing = Vec::new();
    for row in rows {
        let tests: Vec<&str> = quoted(row.last().unwrap()).collect();
        assert!(!tests.is_empty(), "no test for: {}", row[0]);
        for test in tests {
            let (file, name) = test.split_once("::").unwrap();
            let source = fs::read_to_string(root().join(file)).unwrap_or_default();
            if !source.contains(&format!("fn {name}(")) {
                missing.push(test.to_owned());
            }
        }
    }
    none(
        &missing,
        "docs/security-of-rules.md names tests that aren't there",
    );
}

#[test]
fn what_is_reported_has_a_case() {
    let page = fs::read_to_string(root().join("docs/security-of-rules.md")).unwrap();
    let rows = rows(&page, "\n## Reported\n");
    assert!(rows.len() > 4, "{rows:?}");
    for row in rows {
        let code = quoted(row[1]).next().unwrap();
        let case = quoted(row[2]).next().unwrap();
        let report = fs::read_to_string(root().join(case).join("expected.txt")).unwrap();
        assert!(
            report.contains(&format!("{code}\n")),
            "{case} has no {code}"
        );
    }
}
