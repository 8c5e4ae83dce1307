//! Reading schema files from disk: the only IO of the front end.

use std::fs;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Code, Diagnostic, Report};

/// Files over this many bytes are refused unread.
pub const MAX_BYTES: usize = 1 << 20;

/// One schema file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// As it is shown in reports, with forward slashes, e.g. `schema/posts.toml`.
    pub path: String,
    /// What it says.
    pub text: String,
}

impl Source {
    /// Line and column (in characters) of a byte, both from 1.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        (line, column)
    }
}

/// Reads the `*.toml` files of a directory (not `*.test.toml`), ordered by name.
///
/// # Errors
/// A report of every file that can't be read, is too large or isn't UTF-8.
pub fn read_dir(dir: &Path) -> Result<Vec<Source>, Report> {
    read_files(dir, is_schema_file)
}

/// Reads the policy tests of a directory, `*.test.toml`, ordered by name.
///
/// # Errors
/// As [`read_dir`].
pub fn read_tests(dir: &Path) -> Result<Vec<Source>, Report> {
    read_files(dir, is_test_file)
}

fn read_files(dir: &Path, wanted: fn(&str) -> bool) -> Result<Vec<Source>, Report> {
    let fail = |error: std::io::Error| {
        let message = format!("can't read the schema directory: {error}");
        let path = dir.display().to_string();
        Report::new(
            vec![Diagnostic::of_path(Code::Unreadable, path, message)],
            &[],
        )
    };
    let mut paths = Vec::new();
    for entry in fs::read_dir(dir).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if wanted(&name) {
            paths.push(path);
        }
    }
    paths.sort();
    let mut sources = Vec::new();
    let mut failures = Vec::new();
    for path in paths {
        match read_file(&path, shown_path(dir, &path)) {
            Ok(source) => sources.push(source),
            Err(failure) => failures.push(*failure),
        }
    }
    if failures.is_empty() {
        Ok(sources)
    } else {
        Err(Report::new(failures, &[]))
    }
}

fn is_schema_file(name: &str) -> bool {
    name.ends_with(".toml") && !name.ends_with(".test.toml") && !name.starts_with('.')
}

fn is_test_file(name: &str) -> bool {
    name.ends_with(".test.toml") && !name.starts_with('.')
}

/// The directory's last component and the file's name, whatever the way to them.
fn shown_path(dir: &Path, path: &Path) -> String {
    let last = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    let mut dir_name = last(dir);
    if dir_name.is_empty() {
        let full = fs::canonicalize(dir).unwrap_or_else(|_| PathBuf::from(dir));
        dir_name = last(&full);
    }
    format!("{dir_name}/{}", last(path))
}

fn read_file(path: &Path, shown: String) -> Result<Source, Box<Diagnostic>> {
    let unreadable = |error: std::io::Error| {
        let message = format!("can't read this file: {error}");
        Box::new(Diagnostic::of_path(
            Code::Unreadable,
            shown.clone(),
            message,
        ))
    };
    let size = fs::metadata(path).map_err(unreadable)?.len();
    if size > MAX_BYTES as u64 {
        return Err(Box::new(too_large(&shown, size)));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source { path: shown, text }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let before = error.as_bytes().get(..at).unwrap_or_default();
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            let message = format!("not UTF-8: byte {at}, in line {line}, is no text");
            Err(Box::new(Diagnostic::of_path(Code::NotUtf8, shown, message)))
        }
    }
}

/// The finding for a file over [`MAX_BYTES`].
pub(crate) fn too_large(path: &str, bytes: u64) -> Diagnostic {
    let message = format!("the file is too large: {bytes} bytes");
    Diagnostic::of_path(Code::TooLarge, path, message)
}
