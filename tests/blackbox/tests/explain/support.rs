//! A folder with the demo's schema, where the command runs.

use std::fs;
use std::path::{Path, PathBuf};

use basalt_blackbox::Target;
use basalt_blackbox::process::Ended;
use tempfile::TempDir;

/// The folder; it is removed with this.
pub struct Place {
    folder: TempDir,
    target: Target,
}

impl Place {
    /// With a copy of the demo's `schema/`.
    pub fn new() -> Self {
        let place = Place {
            folder: tempfile::tempdir().unwrap(),
            target: Target::find(option_env!("CARGO_BIN_EXE_basalt-under-test")).unwrap(),
        };
        fs::create_dir(place.path().join("schema")).unwrap();
        let schema = root().join("schema");
        for entry in fs::read_dir(schema).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|it| it == "toml") {
                let name = path.file_name().unwrap();
                fs::copy(&path, place.path().join("schema").join(name)).unwrap();
            }
        }
        place
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Changes a schema file.
    pub fn edit(&self, name: &str, change: impl Fn(&str) -> String) {
        let path = self.path().join("schema").join(format!("{name}.toml"));
        let text = fs::read_to_string(&path).unwrap();
        let changed = change(&text);
        assert_ne!(text, changed, "nothing was changed");
        fs::write(path, changed).unwrap();
    }

    /// Runs any command.
    pub fn run(&self, args: &[&str]) -> Ended {
        self.target.run(args, self.path()).unwrap()
    }

    /// Runs `schema explain`.
    pub fn explain(&self, args: &[&str]) -> Ended {
        self.run(&[&["schema", "explain"], args].concat())
    }

    /// The output of `schema explain`, which must go well.
    #[track_caller]
    pub fn explained(&self, args: &[&str]) -> String {
        let ended = self.explain(args);
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(0), ""),
            "{args:?}"
        );
        ended.stdout
    }

    /// The same as JSON.
    #[track_caller]
    pub fn json(&self, args: &[&str]) -> serde_json::Value {
        let text = self.explained(&[args, &["--json"]].concat());
        serde_json::from_str(&text).unwrap()
    }
}

/// The root of the sources.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}
