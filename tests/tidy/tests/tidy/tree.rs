//! The files of the repository, and which of their lines are tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold nothing written by hand, besides hidden ones.
const SKIPPED: [&str; 3] = ["target", "node_modules", "basalt_data"];

/// Where the generator's outputs are committed.
const GENERATED: [&str; 2] = ["tests/golden/app/", "tests/golden/cases/"];

/// A text file.
pub struct File {
    /// Its path from the root, with `/`.
    pub path: String,
    pub text: String,
    /// The first line that belongs to tests, counted from 0; the number of lines if there is none.
    tests_from: usize,
}

impl File {
    /// The lines that are no tests, with their numbers.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines().take(self.tests_from)
    }

    /// The lines that are tests, with their numbers.
    pub fn tests(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines().skip(self.tests_from)
    }

    /// All lines, with their numbers, which count from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(i, line)| (i + 1, line))
    }

    /// Is it in one of these folders, or one of these files?
    pub fn is_in(&self, places: &[&str]) -> bool {
        places.iter().any(|place| self.path.starts_with(place))
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files with one of these extensions, by path.
pub fn files(extensions: &[&str]) -> Vec<File> {
    let mut paths = Vec::new();
    walk(&root(), "", &mut paths);
    paths.retain(|path| {
        extensions
            .iter()
            .any(|end| path.ends_with(&format!(".{end}")))
    });
    paths.sort();
    let read = |path: String| File {
        // Some bad schema files are no text, on purpose.
        text: String::from_utf8_lossy(&fs::read(root().join(&path)).unwrap()).into_owned(),
        tests_from: usize::MAX,
        path,
    };
    paths.into_iter().map(read).collect()
}

/// All Rust files that people write.
pub fn sources() -> Vec<File> {
    let mut files = files(&["rs"]);
    files.retain(|file| !file.is_in(&GENERATED));
    let only_tests: BTreeSet<String> = files.iter().flat_map(test_modules).collect();
    for file in &mut files {
        let apart = file.path.starts_with("tests/") || file.path.contains("/tests/");
        file.tests_from = if apart || only_tests.contains(&file.path) {
            0
        } else {
            inline_tests(&file.text).unwrap_or(usize::MAX)
        };
    }
    assert!(files.len() > 100, "the tree wasn't found");
    files
}

fn walk(dir: &Path, prefix: &str, paths: &mut Vec<String>) {
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type().unwrap();
        if name.starts_with('.') || SKIPPED.contains(&name.as_str()) {
            continue;
        }
        if kind.is_dir() {
            walk(&entry.path(), &format!("{path}/"), paths);
        } else if kind.is_file() {
            paths.push(path);
        }
    }
}

/// The lines that follow a `#[cfg(test)]` and other attributes, with their places.
fn for_tests(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines: Vec<&str> = text.lines().collect();
    let marks = (0..lines.len()).filter({
        let lines = lines.clone();
        move |place| {
            lines
                .get(*place)
                .is_some_and(|line| *line == "#[cfg(test)]")
        }
    });
    marks.filter_map(move |mark| {
        let rest = lines.iter().enumerate().skip(mark);
        let (_, item) = rest.clone().find(|(_, line)| !line.starts_with("#["))?;
        Some((mark, *item))
    })
}

/// Where the tests inside a file begin; nothing else follows them.
fn inline_tests(text: &str) -> Option<usize> {
    let mut inline = for_tests(text).filter(|(_, item)| item.ends_with('{'));
    inline.next().map(|(place, _)| place)
}

/// The files of the modules that a file declares for tests.
fn test_modules(file: &File) -> Vec<String> {
    let stem = file.path.trim_end_matches(".rs");
    let (parent, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let folder = if ["mod", "lib", "main"].contains(&name) {
        parent
    } else {
        stem
    };
    let modules = for_tests(&file.text).filter_map(|(_, item)| {
        let name = item.strip_prefix("mod ")?.strip_suffix(';')?;
        Some(format!("{folder}/{name}.rs"))
    });
    modules.collect()
}
