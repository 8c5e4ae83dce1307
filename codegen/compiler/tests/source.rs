//! Which files of a directory are read, and under which path they are shown.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use basalt_codegen::read_dir;

/// A directory of its own for one test, removed at the end.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Self {
        let unique = format!("basalt-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(unique).join("schema");
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let parent = self.0.parent().unwrap();
        fs::remove_dir_all(parent).unwrap();
    }
}

#[test]
fn reads_schema_files_by_name() {
    let dir = Dir::new("names");
    for name in [
        "b.toml",
        "a.toml",
        "a.test.toml",
        ".hidden.toml",
        "README.md",
    ] {
        fs::write(dir.0.join(name), name).unwrap();
    }
    let sources = read_dir(&dir.0).unwrap();
    let shown: Vec<(&str, &str)> = sources
        .iter()
        .map(|source| (source.path.as_str(), source.text.as_str()))
        .collect();
    assert_eq!(
        shown,
        [("schema/a.toml", "a.toml"), ("schema/b.toml", "b.toml")]
    );
}

#[test]
fn reports_every_file_that_cannot_be_read() {
    let dir = Dir::new("unreadable");
    fs::write(dir.0.join("a.toml"), b"name = \"\xff\"").unwrap();
    fs::write(dir.0.join("b.toml"), " ".repeat((1 << 20) + 1)).unwrap();
    fs::create_dir(dir.0.join("c.toml")).unwrap();
    let report = read_dir(&dir.0).unwrap_err();
    let codes: Vec<&str> = report
        .diagnostics()
        .iter()
        .map(|found| found.code)
        .collect();
    assert_eq!(
        codes,
        [
            "source::not_utf8",
            "source::too_large",
            "source::unreadable"
        ]
    );
    assert_eq!(
        report.first_lines().first().unwrap(),
        "schema/a.toml: not UTF-8: byte 8, in line 1, is no text"
    );
}
