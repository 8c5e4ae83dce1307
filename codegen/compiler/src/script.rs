//! What a build script does: read the schema directory, report what is wrong with it, write the
//! generated files. With `source.rs` the only IO of this crate.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use crate::diagnostic::Report;

/// The whole of an application's build script: generates from the schema files in `schema_dir`
/// (relative to the package) into `basalt/` in Cargo's `OUT_DIR`. Ends the process with exit code
/// 1 if a schema file is wrong, after reporting all that is.
pub fn build_script(schema_dir: impl AsRef<Path>) {
    let dir = schema_dir.as_ref();
    println!("cargo::rerun-if-changed={}", dir.display());
    println!("cargo::rerun-if-changed=build.rs");
    let Some(out) = env::var_os("OUT_DIR").map(PathBuf::from) else {
        fail("OUT_DIR is not set: call this from a build script");
    };
    match build(dir) {
        Ok(files) => {
            if let Err(error) = write(&out.join("basalt"), &files) {
                fail(&format!("can't write the generated files: {error}"));
            }
        }
        Err(report) => {
            for line in report.first_lines() {
                println!("cargo::error={line}");
            }
            eprintln!("{}", report.render(false));
            process::exit(1);
        }
    }
}

/// Schema files to Rust files; warnings go to Cargo.
fn build(dir: &Path) -> Result<BTreeMap<String, String>, Report> {
    let sources = crate::source::read_dir(dir)?;
    let checked = crate::resolve::resolve(&sources)?;
    for line in checked.warnings.first_lines() {
        println!("cargo::warning={line}");
    }
    for line in crate::emit::warnings(&checked.schema) {
        println!("cargo::warning={line}");
    }
    Ok(crate::emit::emit(&checked.schema))
}

/// Writes the files that changed and removes those of collections that are gone.
fn write(dir: &Path, files: &BTreeMap<String, String>) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let known = entry
            .file_name()
            .to_str()
            .is_some_and(|name| files.contains_key(name));
        if !known {
            fs::remove_file(entry.path())?;
        }
    }
    for (name, text) in files {
        let path = dir.join(name);
        if fs::read_to_string(&path).ok().as_ref() != Some(text) {
            fs::write(&path, text)?;
        }
    }
    Ok(())
}

fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    process::exit(1);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn only_changes_are_written_and_leftovers_removed() {
        let dir = env::temp_dir().join(format!("basalt-script-{}", process::id()));
        let files = |texts: &[(&str, &str)]| -> BTreeMap<String, String> {
            let texts = texts.iter();
            texts
                .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
                .collect()
        };
        write(&dir, &files(&[("a.rs", "1"), ("b.rs", "1")])).unwrap();
        let before = fs::metadata(dir.join("a.rs")).unwrap().modified().unwrap();
        write(&dir, &files(&[("a.rs", "1"), ("c.rs", "2")])).unwrap();
        let after = fs::metadata(dir.join("a.rs")).unwrap().modified().unwrap();
        let mut names: Vec<_> = fs::read_dir(&dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        fs::remove_dir_all(&dir).unwrap();
        assert_eq!(before, after);
        assert_eq!(names, ["a.rs", "c.rs"]);
    }
}
