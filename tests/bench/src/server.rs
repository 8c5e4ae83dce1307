//! One of the two servers: started with a fresh directory on a port of its own, asked, stopped.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::cli::Side;
use crate::data::PASSWORD;
use crate::http::{self, Answer};
use crate::outcome::Spent;
use crate::process;
use crate::request::Request;
use crate::stop;

const SUPERUSER: &str = "bench@example.com";
const START_PATIENCE: Duration = Duration::from_secs(30);
const STOP_PATIENCE: Duration = Duration::from_secs(40);
const POLL: Duration = Duration::from_micros(500);
const HEALTH: &str = "/api/health";

/// What a server is started from.
#[derive(Debug, Clone)]
pub struct Place {
    /// Which of the two.
    pub side: Side,
    /// The executable.
    pub program: PathBuf,
    /// Its own directory: data, logs and what else there is.
    pub home: PathBuf,
    /// 0: any that is free.
    pub port: u16,
}

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
    /// What its processes have used before the one that runs now.
    spent: Spent,
    place: Place,
    child: Child,
}

impl Server {
    /// Makes a superuser in a fresh directory, starts the server and logs in.
    pub fn start(place: Place) -> Result<Server> {
        fs::create_dir_all(&place.home)
            .with_context(|| format!("cannot make {}", place.home.display()))?;
        let program = place.program.display();
        let output = place
            .command(&["superuser", "upsert", SUPERUSER, PASSWORD])
            .output()
            .with_context(|| format!("cannot run {program}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!(
                "{program} superuser upsert: {}: {}",
                output.status,
                said.trim()
            );
        }
        Server::serve(place, &[], HEALTH, Spent::default()).map(|(server, _)| server)
    }

    /// Starts the process; how long until the path was answered with 200.
    fn serve(place: Place, more: &[&str], path: &str, spent: Spent) -> Result<(Server, Duration)> {
        let wanted = SocketAddr::from(([127, 0, 0, 1], place.port));
        let address = TcpListener::bind(wanted)
            .and_then(|listener| listener.local_addr())
            .map_err(|error| {
                let why = match error.kind() {
                    ErrorKind::AddrInUse => "is taken".to_owned(),
                    _ => format!("can't be used ({error})"),
                };
                anyhow!("port {} {why}; choose another with --port", place.port)
            })?;
        let log = File::options()
            .create(true)
            .append(true)
            .open(place.home.join("log"))?;
        let http = address.to_string();
        let serve: Vec<&str> = ["serve", "--http", &http]
            .iter()
            .chain(more)
            .copied()
            .collect();
        let started = Instant::now();
        let child = place
            .command(&serve)
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot run {}", place.program.display()))?;
        let mut server = Server {
            side: place.side,
            address,
            superuser: String::new(),
            user: String::new(),
            spent,
            place,
            child,
        };
        server.wait_until_ready(path)?;
        let took = started.elapsed();
        server.superuser = server.log_in("_superusers", SUPERUSER)?;
        Ok((server, took))
    }

    fn wait_until_ready(&mut self, path: &str) -> Result<()> {
        let started = Instant::now();
        let name = self.side.name();
        loop {
            stop::check()?;
            if let Some(status) = self.child.try_wait()? {
                bail!("the {name} ended at once ({status}): {}", self.last_words());
            }
            let answer = self.fetch(Request::new("GET", path));
            if answer.is_ok_and(|answer| answer.status == 200) {
                return Ok(());
            }
            if started.elapsed() > START_PATIENCE {
                bail!("the {name} does not get ready: {}", self.last_words());
            }
            std::thread::sleep(POLL);
        }
    }

    /// The end of its log.
    fn last_words(&self) -> String {
        let log = fs::read_to_string(self.place.home.join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().rev().take(8).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Where its files are.
    pub fn home(&self) -> &Path {
        &self.place.home
    }

    /// The file with the records.
    pub fn database(&self) -> PathBuf {
        self.place.home.join("data").join("data.db")
    }

    /// One request and its answer as it came, on a connection of its own.
    pub fn fetch(&self, request: Request<'_>) -> Result<Answer> {
        http::exchange(self.address, &request.wire(self.address, true))
    }

    /// One request and its answer.
    pub fn call(&self, request: Request<'_>) -> Result<(u16, Value)> {
        let answer = self.fetch(request)?;
        let body = match answer.body.as_slice() {
            [] => Value::Null,
            body => serde_json::from_slice(body)
                .with_context(|| format!("{} {}: not JSON", request.method, request.path))?,
        };
        Ok((answer.status, body))
    }

    /// The same, where anything but success is an error.
    pub fn ask(&self, request: Request<'_>) -> Result<Value> {
        let (method, path) = (request.method, request.path);
        match self.call(request)? {
            (200..300, body) => Ok(body),
            (status, body) => {
                let name = self.side.name();
                bail!("the {name}: {method} {path}: status {status}: {body}")
            }
        }
    }

    /// Logs in with the password that everyone has here.
    pub fn log_in(&self, collection: &str, identity: &str) -> Result<String> {
        let path = format!("/api/collections/{collection}/auth-with-password");
        let body = json!({ "identity": identity, "password": PASSWORD }).to_string();
        let answer = self.ask(Request::new("POST", &path).body(&body))?;
        let token = answer.get("token").and_then(Value::as_str);
        Ok(token
            .context("the answer to a login has no token")?
            .to_owned())
    }

    /// Imports the peer's collections and turns its request logs off.
    pub fn import(&self, collections: &Value) -> Result<()> {
        let body = json!({ "collections": collections, "deleteMissing": true }).to_string();
        let import = Request::new("PUT", "/api/collections/import").token(&self.superuser);
        self.ask(import.body(&body))
            .context("the peer refuses its schema")?;
        let settings = Request::new("PATCH", "/api/settings").token(&self.superuser);
        self.ask(settings.body(r#"{"logs":{"maxDays":0}}"#))?;
        Ok(())
    }

    /// Changes a collection of the peer.
    pub fn patch(&self, collection: &str, change: &Value) -> Result<()> {
        let path = format!("/api/collections/{collection}");
        let body = change.to_string();
        let request = Request::new("PATCH", &path)
            .token(&self.superuser)
            .body(&body);
        self.ask(request).map(|_| ())
    }

    /// What it has used since the start of the run.
    pub fn spent(&self) -> Spent {
        self.spent.and(Spent {
            cpu_s: process::cpu_seconds(self.pid()).unwrap_or_default(),
            peak_kib: process::peak_memory(self.pid()).unwrap_or_default(),
        })
    }

    /// Lets the peak of memory start anew; the one so far isn't forgotten.
    pub fn reset_peak(&mut self) {
        let peak_kib = process::peak_memory(self.pid()).unwrap_or_default();
        let cpu_s = 0.0;
        self.spent = self.spent.and(Spent { cpu_s, peak_kib });
        process::reset_peak(self.pid());
    }

    /// The end of its log, if its process has ended.
    pub fn has_ended(&mut self) -> Result<Option<String>> {
        let ended = self.child.try_wait()?;
        Ok(ended.map(|status| format!("{status}: {}", self.last_words())))
    }

    /// Lets it finish; past its patience it is killed, which is an error. What all its processes
    /// have used.
    pub fn stop(&mut self) -> Result<Spent> {
        let spent = self.spent();
        let pid = i32::try_from(self.pid()).ok().and_then(Pid::from_raw);
        let pid = pid.context("the server has no process")?;
        if self.has_ended()?.is_some() {
            bail!("nothing is left to stop");
        }
        kill_process(pid, Signal::TERM).context("cannot stop the server")?;
        let asked = Instant::now();
        while self.child.try_wait()?.is_none() {
            if asked.elapsed() > STOP_PATIENCE {
                let (name, limit) = (self.side.name(), STOP_PATIENCE.as_secs());
                bail!("the {name} did not stop within {limit} seconds and is killed");
            }
            stop::check()?;
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(spent)
    }

    /// Stops it, lets `between` have its files, and starts it again, with more arguments. How long
    /// the start took, until the path was answered.
    pub fn restart(
        &mut self,
        more: &[&str],
        path: Option<&str>,
        between: impl FnOnce(&Server) -> Result<()>,
    ) -> Result<Duration> {
        let spent = self.stop()?;
        between(self)?;
        let path = path.unwrap_or(HEALTH);
        let (mut server, took) = Server::serve(self.place.clone(), more, path, spent)?;
        server.user = std::mem::take(&mut self.user);
        *self = server;
        Ok(took)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Whatever ended the run: no process stays behind.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

impl Place {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.home).stdin(Stdio::null());
        command
            .args(arguments)
            .arg("--dir")
            .arg(self.home.join("data"));
        if self.side == Side::Peer {
            // Writing a migration file at each change of a rule is not part of any row.
            command.args(["--automigrate=false", "--hooksWatch=false"]);
        }
        command
    }
}

/// The server's executable, if there is one at that path.
pub fn find(path: &Path) -> Result<PathBuf> {
    let found = fs::canonicalize(path)
        .with_context(|| format!("there is no server at {}", path.display()))?;
    if !found.is_file() {
        bail!("{} is not a program", path.display());
    }
    Ok(found)
}

/// Refuses a peer of another version: its figures would be taken for those of the one that is named.
pub fn check_version(program: &Path, due: &str) -> Result<()> {
    let output = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", program.display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let version = said.split_whitespace().last().unwrap_or_default();
    if version != due {
        let program = program.display();
        bail!("{program} is version {version:?}, but the benchmark compares with PocketBase {due}");
    }
    Ok(())
}
