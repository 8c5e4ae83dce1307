//! The two servers of one schema: ours, which is built for it, and the peer, which imports it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, ensure};
use basalt_blackbox::process::Program;
use basalt_blackbox::{Client, Target, TestServer};
use basalt_codegen::diff::{self, Options};
use serde_json::json;

use crate::export;
use crate::model::Schema;
use crate::rows::{self, PASSWORD, Row};

const MAIN: &str = include_str!("../app/main.rs");
const GENERATED: &str = include_str!("../app/generated.rs");

/// Where the workspace is, whose crates the application is made of.
fn workspace() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Both servers, with the same records.
#[derive(Debug)]
pub struct Pair {
    /// Ours.
    pub ours: TestServer,
    /// The original.
    pub peer: TestServer,
}

/// The folder of an application, inside of `target/`.
pub fn folder(name: &str) -> PathBuf {
    workspace().join("target/differential").join(name)
}

/// Writes an application for the schema and builds it; returns the program.
pub fn build(schema: &Schema, name: &str) -> Result<PathBuf> {
    let dir = folder(name);
    if dir.exists() {
        fs::remove_dir_all(&dir)?;
    }
    let source = dir.join("src");
    fs::create_dir_all(&source)?;
    fs::write(dir.join("Cargo.toml"), manifest(name)?)?;
    fs::write(
        dir.join("build.rs"),
        "fn main() { basalt_codegen::build_script(\"schema\"); }\n",
    )?;
    fs::write(source.join("main.rs"), MAIN)?;
    fs::write(source.join("generated.rs"), GENERATED)?;
    fs::write(source.join("judges.rs"), judges(schema))?;
    fs::copy(workspace().join("Cargo.lock"), dir.join("Cargo.lock"))?;
    let (files, migrations) = (dir.join("schema"), dir.join("migrations/sqlite"));
    export::write_files(schema, &files)?;
    fs::create_dir_all(&migrations)?;
    let options = Options::default();
    diff::propose(&files, &migrations, "2000-01-01-000000", "create", &options)
        .map_err(|error| refused(&error))?;
    compile(&dir)?;
    Ok(workspace()
        .join("target/debug")
        .join(format!("differential-{name}")))
}

/// What the generator says against a schema.
fn refused(error: &diff::ProposeError) -> anyhow::Error {
    match error {
        diff::ProposeError::Schema(report) => anyhow!("{}", report.render(false)),
        other => anyhow!("{other}"),
    }
}

fn compile(dir: &Path) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--offline", "--quiet", "--target-dir"])
        .arg(workspace().join("target").canonicalize()?)
        .current_dir(dir)
        .output()?;
    let log = String::from_utf8_lossy(&built.stderr);
    ensure!(built.status.success(), "build of {}:\n{log}", dir.display());
    Ok(())
}

/// The judges of all collections, by name.
fn judges(schema: &Schema) -> String {
    let mut text =
        "fn judge_of(collection: &str) -> Option<Judge> {\n    Some(match collection {\n"
            .to_owned();
    for collection in &schema.collections {
        let name = &collection.name;
        let (first, rest) = name.split_at(1);
        let kind = format!("{}{rest}", first.to_uppercase());
        text.push_str(&format!(
            "        \"{name}\" => judge::<generated::{name}::{kind}>,\n"
        ));
    }
    text.push_str("        _ => return None,\n    })\n}\n");
    text
}

/// The same versions, profiles and settings as the workspace's, so that its build is used again.
fn manifest(name: &str) -> Result<String> {
    let root = workspace().canonicalize()?;
    let root = root.display();
    let text = fs::read_to_string(workspace().join("Cargo.toml"))?;
    let version = |dependency: &str| {
        let start = format!("{dependency} = ");
        let line = text.lines().find(|line| line.starts_with(&start));
        line.map(str::to_owned)
            .with_context(|| format!("no version of {dependency}"))
    };
    Ok(format!(
        "[package]\nname = \"differential-{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [workspace]\n\n[dependencies]\nbasalt-runtime = {{ path = \"{root}/app/runtime\" }}\n{}\n{}\n{}\n{}\n\n\
         [build-dependencies]\nbasalt-codegen = {{ path = \"{root}/codegen/compiler\" }}\n\n\
         [profile.dev]\ndebug = \"line-tables-only\"\n\n[profile.dev.package.\"*\"]\nopt-level = 1\n",
        version("diesel")?,
        version("diesel_migrations")?,
        version("rocket")?,
        version("serde")?
    ))
}

/// Starts the peer, without collections.
pub fn start_peer(binary: PathBuf) -> Result<TestServer> {
    let peer = server(binary, true)?;
    let root = peer.superuser()?;
    let settings = root.patch("/api/settings", &json!({ "logs": { "maxDays": 0 } }))?;
    ensure!(settings.status == 200, "settings: {settings:?}");
    Ok(peer)
}

/// Starts our server and stores the records; the peer has them already.
pub fn start(schema: &Schema, rows: &[Row], ours: PathBuf, peer: TestServer) -> Result<Pair> {
    let ours = server(ours, false)?;
    rows::load(schema, rows, &ours.superuser()?).context("ours")?;
    Ok(Pair { ours, peer })
}

/// Makes the peer's collections those of the schema.
pub fn import(schema: &Schema, root: &Client) -> Result<()> {
    let body = export::import(schema).to_string();
    let json = Some("application/json");
    let answer = root.send("PUT", "/api/collections/import", json, body.as_bytes())?;
    ensure!(answer.status == 204, "import: {answer:?}");
    Ok(())
}

fn server(binary: PathBuf, peer: bool) -> Result<TestServer> {
    let program = Program {
        binary,
        file_blocks: None,
    };
    let mut server = TestServer::prepare(&Target { program, peer })?;
    server.launch()?;
    Ok(server)
}

/// A superuser who has the same id and address at every server: rules may ask for both.
pub fn superuser(server: &TestServer) -> Result<Client> {
    let (email, password) = ("main@example.com", PASSWORD);
    let record = json!({
        "id": "rootrootrootroo", "email": email, "password": password, "passwordConfirm": password,
    });
    let path = "/api/collections/_superusers/records";
    let answer = server.superuser()?.post(path, &record)?;
    ensure!(answer.status == 200, "a second superuser: {answer:?}");
    server.guest().log_in("_superusers", email, password)
}

/// Whoever asks: superuser, guest, and records of the auth collection.
pub fn callers(server: &TestServer, people: usize) -> Result<Vec<Client>> {
    let guest = server.guest();
    let mut callers = vec![superuser(server)?, guest.clone()];
    for number in 0..people {
        callers.push(guest.log_in("people", &rows::email(number), PASSWORD)?);
    }
    Ok(callers)
}
