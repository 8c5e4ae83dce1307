//! What a build script does: read the schema directory, report what is wrong with it, write the
//! generated files. With `source.rs` the only IO of this crate.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use crate::diagnostic::Report;

/// The whole of an application's build script: generates from the schema files in `schema_dir`
/// (relative to the package) into `basalt/` in Cargo's `OUT_DIR`, and compares the schema with the
/// migrations in `migrations/sqlite` beside that folder. Ends the process with exit code 1 if a
/// schema file is wrong, after reporting all that is.
pub fn build_script(schema_dir: impl AsRef<Path>) {
    let dir = schema_dir.as_ref();
    let beside = dir.parent().unwrap_or(Path::new(""));
    build_script_with(dir, beside.join("migrations/sqlite"));
}

/// [`build_script`] for migrations that stand elsewhere. The build runs again when one is added,
/// so that the program carries it. Changes that no migration makes are a warning, since the
/// program is needed to make one; it then refuses to start on a database.
pub fn build_script_with(schema_dir: impl AsRef<Path>, migrations_dir: impl AsRef<Path>) {
    let (dir, migrations) = (schema_dir.as_ref(), migrations_dir.as_ref());
    for path in [dir, migrations, Path::new("build.rs")] {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let Some(out) = env::var_os("OUT_DIR").map(PathBuf::from) else {
        fail("OUT_DIR is not set: call this from a build script");
    };
    match build(dir, migrations) {
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
fn build(dir: &Path, migrations: &Path) -> Result<BTreeMap<String, String>, Report> {
    let sources = crate::source::read_dir(dir)?;
    let checked = crate::resolve::resolve(&sources)?;
    for line in checked.warnings.first_lines() {
        println!("cargo::warning={line}");
    }
    let unmigrated = match crate::diff::unmigrated(&checked.schema, migrations) {
        Ok(changes) => changes,
        Err(error) => fail(&error.to_string()),
    };
    if let Some(line) = unmigrated_line(&unmigrated) {
        println!("cargo::warning={line}");
    }
    Ok(crate::emit::emit_with(&checked.schema, &unmigrated))
}

/// What to say about changes that no migration makes; nothing if there are none.
fn unmigrated_line(changes: &[String]) -> Option<String> {
    let first = changes.first()?;
    let more = match changes.len() {
        1 => String::new(),
        number => format!(" and {} more", number - 1),
    };
    Some(format!(
        "the schema has changes that no migration makes: {first}{more}; run `basalt migrate diff \
         NAME` and build again"
    ))
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
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

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

    #[test]
    fn changes_without_a_migration_are_said_and_generated() {
        let root = env::temp_dir().join(format!("basalt-unmigrated-{}", process::id()));
        let (schema, migrations) = (root.join("schema"), root.join("migrations"));
        fs::create_dir_all(&schema).unwrap();
        let posts = "name = 'posts'\n[fields]\nkind = { type = 'select', values = [\"a\\rb\"] }";
        fs::write(schema.join("posts.toml"), posts).unwrap();
        let registry = || build(&schema, &migrations).unwrap()["mod.rs"].clone();
        let before = registry();
        let options = crate::diff::Options::default();
        crate::diff::propose(&schema, &migrations, "2000-01-01-000000", "first", &options).unwrap();
        let after = registry();
        let changed = posts.replace("a\\r", "c\\r");
        fs::write(schema.join("posts.toml"), changed).unwrap();
        let changed = registry();
        fs::remove_dir_all(&root).unwrap();
        assert!(before.contains(".unmigrated(&[\"create `_superusers`\", \"create `posts`\"])"));
        assert!(!after.contains("unmigrated"));
        let words = "change `posts.kind`: no longer `a\\\\rb`, now also `c\\\\rb`";
        assert!(changed.contains(words), "{changed}");
        let lines = ["one".to_owned(), "two".to_owned()];
        assert_eq!(unmigrated_line(&[]), None);
        assert!(
            unmigrated_line(&lines)
                .unwrap()
                .contains(": one and 1 more; run")
        );
    }
}
