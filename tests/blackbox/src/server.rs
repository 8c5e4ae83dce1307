//! A server under test: the built binary, its directory, its process.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::process::{Ended, Program, run, spawn, terminate, until, wait};

const LIMIT: Duration = Duration::from_secs(60);
const DEMO_SCHEMA: &str = include_str!("../../sdk/demo_schema.json");

/// E-mail address of the superuser that each test server has.
pub const ROOT_EMAIL: &str = "root@example.com";
/// Its password.
pub const ROOT_PASSWORD: &str = "1234567890";

/// Which program is tested.
#[derive(Debug, Clone)]
pub struct Target {
    /// The program.
    pub program: Program,
    /// Whether it is the peer, to prove a test against it: the demo schema is imported then.
    pub peer: bool,
}

impl Target {
    /// The program named by `BLACKBOX_PEER` or `BASALT_BIN`, else the one that was built along.
    pub fn find(built: Option<&str>) -> Result<Self> {
        let peer = std::env::var_os("BLACKBOX_PEER");
        let named = peer.clone().or_else(|| std::env::var_os("BASALT_BIN"));
        let Some(path) = named.or_else(|| built.map(Into::into)) else {
            bail!("no server to test: set BASALT_BIN to the path of the binary");
        };
        let binary = PathBuf::from(&path)
            .canonicalize()
            .with_context(|| format!("no binary at {}", Path::new(&path).display()))?;
        Ok(Self {
            program: Program {
                binary,
                file_blocks: None,
            },
            peer: peer.is_some(),
        })
    }

    /// An application of its own, whose binary is at `path`.
    pub fn application(path: &str) -> Self {
        Self {
            program: Program {
                binary: path.into(),
                file_blocks: None,
            },
            peer: false,
        }
    }

    /// Runs a command of the program to its end.
    pub fn run(&self, args: &[&str], logs: &Path) -> Result<Ended> {
        run(&self.program, args, logs, LIMIT)
    }
}

/// A running (or stopped, or killed) server with a directory of its own.
#[derive(Debug)]
pub struct TestServer {
    target: Target,
    root: TempDir,
    address: String,
    child: Option<Child>,
}

impl TestServer {
    /// Starts a server with an empty database and one superuser.
    pub fn start(target: &Target) -> Result<Self> {
        let mut server = Self::prepare(target)?;
        server.launch()?;
        if target.peer {
            server.import_demo_schema()?;
        }
        Ok(server)
    }

    /// A server that isn't running yet; its database and superuser exist.
    pub fn prepare(target: &Target) -> Result<Self> {
        let root = tempfile::Builder::new().prefix("blackbox-").tempdir()?;
        let server = Self {
            target: target.clone(),
            root,
            address: String::new(),
            child: None,
        };
        std::fs::create_dir(server.data())?;
        let data = server.data_text();
        let args = [
            "superuser",
            "upsert",
            ROOT_EMAIL,
            ROOT_PASSWORD,
            "--dir",
            &data,
        ];
        let done = target.run(&args, server.root.path())?;
        ensure!(done.code == Some(0), "{args:?}: {done:?}");
        Ok(server)
    }

    /// Starts the process and waits until it answers.
    pub fn launch(&mut self) -> Result<()> {
        ensure!(self.child.is_none(), "the server runs already");
        self.address = free_address()?;
        let args = ["serve", "--http", &self.address, "--dir", &self.data_text()];
        let mut child = spawn(&self.target.program, &args, self.root.path(), "serve")?;
        let health = self.guest();
        let state = until(LIMIT, || match child.try_wait() {
            Ok(Some(_)) | Err(_) => Some(false),
            Ok(None) => health
                .get("/api/health")
                .ok()
                .map(|answer| answer.status == 200),
        });
        self.child = Some(child);
        ensure!(
            state == Some(true),
            "the server did not start\n{}",
            self.log()
        );
        Ok(())
    }

    /// From the next start on, files of the server can't grow beyond this many blocks.
    pub fn limit_files(&mut self, blocks: Option<u32>) {
        self.target.program.file_blocks = blocks;
    }

    /// Asks the server to end and waits for it; returns whether the exit code was 0.
    pub fn stop(&mut self) -> Result<bool> {
        let mut child = self.child.take().context("the server doesn't run")?;
        terminate(&child)?;
        let status = wait(&mut child, LIMIT)?.context("the server ignored SIGTERM")?;
        Ok(status.success())
    }

    /// Ends the server without warning, as `kill -9` does.
    pub fn kill(&mut self) -> Result<()> {
        let mut child = self.child.take().context("the server doesn't run")?;
        child.kill()?;
        child.wait()?;
        Ok(())
    }

    /// Whether the process still runs.
    pub fn alive(&mut self) -> bool {
        self.child
            .as_mut()
            .is_some_and(|child| matches!(child.try_wait(), Ok(None)))
    }

    /// The process, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// The directory given as `--dir`.
    pub fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    /// The same as text, for a command line.
    pub fn data_text(&self) -> String {
        self.data().to_string_lossy().into_owned()
    }

    /// A directory for the logs of other commands.
    pub fn logs(&self) -> &Path {
        self.root.path()
    }

    /// What the server has printed so far.
    pub fn log(&self) -> String {
        let read = |suffix: &str| {
            let path = self.root.path().join(format!("serve.{suffix}"));
            String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
        };
        format!("{}{}", read("out"), read("err"))
    }

    /// Where the server listens, as `host:port`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// A client without a token.
    pub fn guest(&self) -> Client {
        Client::guest(&self.address)
    }

    /// A client that is logged in as superuser.
    pub fn superuser(&self) -> Result<Client> {
        self.guest()
            .log_in("_superusers", ROOT_EMAIL, ROOT_PASSWORD)
    }

    fn import_demo_schema(&self) -> Result<()> {
        let collections: Value = serde_json::from_str(DEMO_SCHEMA)?;
        let body = json!({ "collections": collections, "deleteMissing": true }).to_string();
        let root = self.superuser()?;
        let json = Some("application/json");
        let answer = root.send("PUT", "/api/collections/import", json, body.as_bytes())?;
        ensure!(answer.status == 204, "schema import: {answer:?}");
        Ok(())
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended already; either way nothing of it is left.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// An address that nobody listens on.
pub fn free_address() -> Result<String> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string())
}
