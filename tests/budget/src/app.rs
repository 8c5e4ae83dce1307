//! An application around a schema: a folder outside of the workspace, as users have it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow};
use basalt_codegen::diff::{self, Options};
use toml::{Table, Value};

use crate::Profile;
use crate::measure::{Cost, run};
use crate::schema;

/// What an application depends on besides the runtime.
const DEPENDENCIES: [&str; 4] = ["diesel", "diesel_migrations", "rocket", "serde"];

const BUILD: &str = "fn main() {\n    basalt_codegen::build_script(\"schema\");\n}\n";

const MAIN: &str = r#"mod generated {
    include!(concat!(env!("OUT_DIR"), "/basalt/mod.rs"));
}

use basalt_runtime::app::Application;
use diesel_migrations::{EmbeddedMigrations, embed_migrations};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

fn main() -> std::process::ExitCode {
    basalt_runtime::cli::main(Application {
        name: "budget",
        collections: generated::registry(),
        migrations: MIGRATIONS,
        extend: |rocket| rocket,
    })
}
"#;

/// An application in a folder of its own; what it is built from and into is shared.
pub struct App {
    folder: PathBuf,
    target: PathBuf,
    package: String,
    count: u16,
    lines: usize,
}

impl App {
    /// Writes the files of an application with `count` collections below `work`.
    pub fn make(source: &Path, work: &Path, count: u16) -> Result<App> {
        let package = format!("budget{count}");
        let folder = work.join(&package);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        for part in ["src", "schema", "migrations/sqlite", ".cargo"] {
            fs::create_dir_all(folder.join(part))?;
        }
        for (name, text) in schema::files(count) {
            fs::write(folder.join("schema").join(name), text)?;
        }
        fs::write(folder.join("Cargo.toml"), manifest(source, &package)?)?;
        fs::write(folder.join("build.rs"), BUILD)?;
        fs::write(folder.join("src/main.rs"), MAIN)?;
        for name in ["Cargo.lock", ".cargo/config.toml"] {
            fs::copy(source.join(name), folder.join(name))
                .with_context(|| format!("cannot copy {name}"))?;
        }
        let (schema, migrations) = (folder.join("schema"), folder.join("migrations/sqlite"));
        let stamp = "2026-01-01-000000";
        diff::propose(
            &schema,
            &migrations,
            stamp,
            "create_schema",
            &Options::default(),
        )
        .map_err(|error| anyhow!("the schema makes no migration: {error:?}"))?;
        Ok(App {
            lines: generated(&schema)?,
            folder,
            target: work.join("target"),
            package,
            count,
        })
    }

    /// Lines of generated Rust.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Builds what isn't built yet.
    pub fn build(&self, profile: Profile) -> Result<Cost> {
        let mut cargo = self.cargo("build", profile);
        run(&mut cargo, &self.folder.join("cargo.log"))
    }

    /// Throws away what was built of the application itself.
    pub fn forget(&self, profile: Profile) -> Result<()> {
        let mut cargo = self.cargo("clean", profile);
        cargo.args(["--package", &self.package]);
        run(&mut cargo, &self.folder.join("cargo.log")).map(|_| ())
    }

    /// Changes one rule; another one each time.
    pub fn change(&self, number: usize) -> Result<()> {
        let text = format!("changed {number}");
        let (name, text) = match self.count {
            1 => anyhow::bail!("one collection has no rule to change: give at least 2"),
            count => (schema::name(count / 2), schema::file(count / 2, &text)),
        };
        fs::write(self.folder.join(format!("schema/{name}.toml")), text)?;
        Ok(())
    }

    fn cargo(&self, command: &str, profile: Profile) -> Command {
        let mut cargo = Command::new("cargo");
        cargo
            .arg(command)
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target);
        // Cargo tells the programs that it runs about the package that they belong to.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST") {
                cargo.env_remove(&*name);
            }
        }
        if profile == Profile::Release {
            cargo.arg("--release");
        }
        cargo
    }
}

/// The manifest: versions and profiles are those of the workspace.
fn manifest(source: &Path, package: &str) -> Result<String> {
    let path = source.join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("no {}", path.display()))?;
    let theirs: Table = text.parse()?;
    let versions = theirs
        .get("workspace")
        .and_then(|table| table.get("dependencies"));
    let versions = versions.context("the workspace has no shared versions")?;
    let mut dependencies = Table::new();
    for name in DEPENDENCIES {
        let version = versions
            .get(name)
            .with_context(|| format!("no version of {name}"))?;
        dependencies.insert(name.to_owned(), version.clone());
    }
    dependencies.insert("basalt-runtime".to_owned(), at(source, "app/runtime"));
    let mut generator = Table::new();
    generator.insert("basalt-codegen".to_owned(), at(source, "codegen/compiler"));
    let mut own = Table::new();
    for (key, value) in [("name", package), ("version", "0.0.0"), ("edition", "2024")] {
        own.insert(key.to_owned(), Value::from(value));
    }
    let mut manifest = Table::new();
    manifest.insert("package".to_owned(), Value::Table(own));
    manifest.insert("workspace".to_owned(), Value::Table(Table::new()));
    manifest.insert("dependencies".to_owned(), Value::Table(dependencies));
    manifest.insert("build-dependencies".to_owned(), Value::Table(generator));
    if let Some(profiles) = theirs.get("profile") {
        manifest.insert("profile".to_owned(), profiles.clone());
    }
    Ok(toml::to_string(&manifest)?)
}

fn at(source: &Path, folder: &str) -> Value {
    let path = source.join(folder).to_string_lossy().into_owned();
    Value::Table(Table::from_iter([("path".to_owned(), Value::from(path))]))
}

/// How many lines the generator makes of a schema.
fn generated(schema: &Path) -> Result<usize> {
    let wrong = |report: basalt_codegen::Report| anyhow!("{}", report.render(false));
    let sources = basalt_codegen::read_dir(schema).map_err(wrong)?;
    let checked = basalt_codegen::resolve(&sources).map_err(wrong)?;
    let files = basalt_codegen::generate(&checked.schema);
    Ok(files.values().map(|text| text.lines().count()).sum())
}
