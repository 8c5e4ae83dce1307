//! One of the two servers: started with a fresh directory on a free port, asked, stopped.

use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::cli::Side;
use crate::data::PASSWORD;
use crate::http::Connection;
use crate::request::Request;

const SUPERUSER: &str = "bench@example.com";
const START_PATIENCE: Duration = Duration::from_secs(30);
const STOP_PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(50);

/// A running server.
pub struct Server {
    /// Which of the two.
    pub side: Side,
    /// Where it listens.
    pub address: SocketAddr,
    /// The superuser's token.
    pub superuser: String,
    /// The token of user 0, once there is one.
    pub user: String,
    program: PathBuf,
    home: PathBuf,
    child: Child,
}

impl Server {
    /// Makes a superuser in a fresh directory below `home`, starts the server and logs in.
    pub async fn start(side: Side, program: &Path, home: &Path) -> Result<Server> {
        let program = fs::canonicalize(program)
            .with_context(|| format!("there is no server at {}", program.display()))?;
        fs::create_dir_all(home)?;
        let upsert = ["superuser", "upsert", SUPERUSER, PASSWORD];
        let output = command(side, &program, home, "data", &upsert)
            .output()
            .await
            .with_context(|| format!("cannot run {}", program.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!(
                "{} superuser upsert: {}: {said}",
                program.display(),
                output.status
            );
        }
        Server::serve(side, program, home.to_owned(), "data").await
    }

    async fn serve(side: Side, program: PathBuf, home: PathBuf, data: &str) -> Result<Server> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let log = File::options()
            .create(true)
            .append(true)
            .open(home.join("log"))?;
        let serve = ["serve", "--http", &address.to_string()];
        let child = command(side, &program, &home, data, &serve)
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot run {}", program.display()))?;
        let (superuser, user) = (String::new(), String::new());
        let mut server = Server {
            side,
            address,
            superuser,
            user,
            program,
            home,
            child,
        };
        server.wait_until_ready().await?;
        server.superuser = server.log_in("_superusers", SUPERUSER).await?;
        Ok(server)
    }

    async fn wait_until_ready(&mut self) -> Result<()> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                bail!(
                    "the {} ended at once ({status}): {}",
                    self.side.name(),
                    self.last_words()
                );
            }
            if let Ok((200, _)) = self.call(Request::new("GET", "/api/health")).await {
                return Ok(());
            }
            if started.elapsed() > START_PATIENCE {
                bail!(
                    "the {} does not get ready: {}",
                    self.side.name(),
                    self.last_words()
                );
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// The end of its log.
    fn last_words(&self) -> String {
        let log = fs::read_to_string(self.home.join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().rev().take(8).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }

    /// The process, as long as it runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// One request and its answer, on a connection of its own.
    pub async fn call(&self, request: Request<'_>) -> Result<(u16, Value)> {
        let mut connection = Connection::open(self.address).await?;
        let answer = connection.send(&request.wire(self.address, true)).await?;
        let body = match answer.body.as_slice() {
            [] => Value::Null,
            body => serde_json::from_slice(body)
                .with_context(|| format!("{} {}: not JSON", request.method, request.path))?,
        };
        Ok((answer.status, body))
    }

    /// The same, where anything but success is an error.
    pub async fn ask(&self, request: Request<'_>) -> Result<Value> {
        let (method, path) = (request.method, request.path);
        match self.call(request).await? {
            (200..300, body) => Ok(body),
            (status, body) => {
                bail!(
                    "the {}: {method} {path}: status {status}: {body}",
                    self.side.name()
                )
            }
        }
    }

    /// Logs in with the password that everyone has here.
    pub async fn log_in(&self, collection: &str, identity: &str) -> Result<String> {
        let path = format!("/api/collections/{collection}/auth-with-password");
        let body = json!({ "identity": identity, "password": PASSWORD }).to_string();
        let answer = self.ask(Request::new("POST", &path).body(&body)).await?;
        let token = answer.get("token").and_then(Value::as_str);
        Ok(token
            .context("the answer to a login has no token")?
            .to_owned())
    }

    /// Imports the peer's collections and turns its request logs off.
    pub async fn import(&self, collections: &Value) -> Result<()> {
        let body = json!({ "collections": collections, "deleteMissing": true }).to_string();
        let import = Request::new("PUT", "/api/collections/import").token(&self.superuser);
        self.ask(import.body(&body))
            .await
            .context("the peer refuses its schema")?;
        let settings = Request::new("PATCH", "/api/settings").token(&self.superuser);
        self.ask(settings.body(r#"{"logs":{"maxDays":0}}"#)).await?;
        Ok(())
    }

    /// Changes a collection of the peer.
    pub async fn patch(&self, collection: &str, change: &Value) -> Result<()> {
        let path = format!("/api/collections/{collection}");
        let body = change.to_string();
        let request = Request::new("PATCH", &path)
            .token(&self.superuser)
            .body(&body);
        self.ask(request).await.map(|_| ())
    }

    /// Lets it finish; past its patience it is killed, which is an error.
    pub async fn stop(&mut self) -> Result<()> {
        let pid = self
            .pid()
            .and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        let Some(pid) = pid else { return Ok(()) };
        kill_process(pid, Signal::TERM).context("cannot stop the server")?;
        match tokio::time::timeout(STOP_PATIENCE, self.child.wait()).await {
            Ok(status) => status.map(|_| ()).context("cannot wait for the server"),
            Err(_) => {
                self.child.kill().await?;
                let (name, limit) = (self.side.name(), STOP_PATIENCE.as_secs());
                bail!("the {name} did not stop within {limit} seconds and was killed")
            }
        }
    }

    /// Keeps a copy of the data as it is now, to go back to it later.
    pub async fn save(self) -> Result<Server> {
        self.restart("data", true).await
    }

    /// Goes back to the data of the last `save`.
    pub async fn go_back(self) -> Result<Server> {
        self.restart("saved", false).await
    }

    async fn restart(mut self, data: &str, save: bool) -> Result<Server> {
        self.stop().await?;
        if save {
            copy(&self.home.join("data"), &self.home.join("saved"))?;
        }
        let user = std::mem::take(&mut self.user);
        let Server {
            side,
            program,
            home,
            ..
        } = self;
        Ok(Server {
            user,
            ..Server::serve(side, program, home, data).await?
        })
    }
}

fn command(side: Side, program: &Path, home: &Path, data: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(home)
        .kill_on_drop(true)
        .stdin(Stdio::null());
    command.args(arguments).arg("--dir").arg(home.join(data));
    if side == Side::Peer {
        // Writing a migration file at each change of a rule is not part of any row.
        command.arg("--automigrate=false");
    }
    command
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
