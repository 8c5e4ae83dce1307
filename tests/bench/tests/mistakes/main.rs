//! What goes wrong before or while something is measured: one clear line, exit code 1, and neither a
//! process nor a folder is left behind.
#![allow(clippy::unwrap_used, clippy::panic)]

mod fake;

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fake::{Creates, Fake};
use tempfile::TempDir;

/// The folder of a test: `tmp` is where the tool may make its own.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        fs::create_dir(place.tmp()).unwrap();
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn tmp(&self) -> PathBuf {
        self.path().join("tmp")
    }

    /// A program that stands in for a server.
    fn script(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }

    fn tool(&self, option: &str, program: &Path) -> Command {
        let mut tool = Command::new(env!("CARGO_BIN_EXE_basalt-bench"));
        tool.arg("--smoke").arg(option).arg(program);
        tool.current_dir(self.path())
            .env("TMPDIR", self.tmp())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        tool
    }

    /// The tool says this, and leaves nothing.
    #[track_caller]
    fn refuses(&self, output: &Output, words: &[&str]) {
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let errors = said.lines().filter(|line| line.starts_with("error: "));
        assert_eq!(errors.count(), 1, "{said}");
        for word in words {
            assert!(said.contains(word), "no {word:?} in: {said}");
        }
        let left: Vec<_> = fs::read_dir(self.tmp()).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
        let left = self.processes();
        assert!(left.is_empty(), "{left:?}");
    }

    /// Processes that were started in a folder of the tool's; a folder that is gone keeps its name.
    fn processes(&self) -> Vec<PathBuf> {
        let all = fs::read_dir("/proc").unwrap();
        let all = all.map(|entry| entry.unwrap().path());
        let here = |process: &PathBuf| {
            let folder = fs::read_link(process.join("cwd"));
            folder.is_ok_and(|folder| folder.starts_with(self.tmp()))
        };
        all.filter(here).collect()
    }
}

#[test]
fn a_path_without_a_server() {
    let place = Place::new();
    let nowhere = place.path().join("nowhere");
    for option in ["--server", "--peer"] {
        let output = place.tool(option, &nowhere).output().unwrap();
        place.refuses(&output, &["nowhere"]);
    }
}

#[test]
fn a_file_that_is_no_program() {
    let place = Place::new();
    let file = place.script("server", "exit 0", 0o644);
    let output = place.tool("--server", &file).output().unwrap();
    place.refuses(&output, &[&file.to_string_lossy()]);
    let output = place.tool("--server", place.path()).output().unwrap();
    place.refuses(&output, &[]);
}

#[test]
fn a_server_that_ends_at_once() {
    let place = Place::new();
    let text = "[ \"$1\" = superuser ] && exit 0; echo 'the moon is full' >&2; exit 3";
    let program = place.script("server", text, 0o755);
    let output = place.tool("--server", &program).output().unwrap();
    place.refuses(&output, &["ended at once", "the moon is full"]);
}

#[test]
fn a_server_that_makes_no_superuser() {
    let place = Place::new();
    let program = place.script(
        "server",
        "echo 'no space left on device' >&2; exit 1",
        0o755,
    );
    let output = place.tool("--server", &program).output().unwrap();
    place.refuses(&output, &["superuser", "no space left on device"]);
}

#[test]
fn a_peer_of_another_version() {
    let place = Place::new();
    let program = place.script("server", "echo 'pocketbase version 0.22.1'", 0o755);
    let output = place.tool("--peer", &program).output().unwrap();
    place.refuses(&output, &["0.22.1"]);
}

/// Waits for something that another process does.
fn until<T>(mut ready: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        match ready() {
            Some(value) => return value,
            None => assert!(Instant::now() < end, "it doesn't happen"),
        }
        thread::park_timeout(Duration::from_millis(5));
    }
}

#[test]
fn a_port_that_is_taken() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for option in ["--server", "--peer"] {
        let fake = Fake::new(&place, option, Creates::Succeed);
        let mut tool = place.tool(option, &fake.program);
        let output = tool.args(["--port", &port]).output().unwrap();
        place.refuses(&output, &[&port, "is taken", "--port"]);
    }
}

/// The peer runs by then, and must be stopped.
#[test]
fn the_next_port_is_taken() {
    let place = Place::new();
    let free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
    let (taken, port) = until(|| {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port() - 1;
        free(port).then_some((taken, port))
    });
    let peer = Fake::new(&place, "peer", Creates::Succeed);
    let server = Fake::new(&place, "server", Creates::Succeed);
    let mut tool = place.tool("--peer", &peer.program);
    tool.arg("--server").arg(&server.program);
    let output = tool.args(["--port", &port.to_string()]).output().unwrap();
    let next = taken.local_addr().unwrap().port().to_string();
    place.refuses(&output, &[&next, "is taken", "--port"]);
}

/// Interrupts the tool.
#[track_caller]
fn interrupt(place: &Place, tool: Child) {
    let kill = ["-INT".to_owned(), tool.id().to_string()];
    assert!(Command::new("kill").args(kill).status().unwrap().success());
    let output = tool.wait_with_output().unwrap();
    place.refuses(&output, &["interrupted"]);
}

#[test]
fn an_interruption_while_a_server_starts() {
    let place = Place::new();
    let ready = place.path().join("ready");
    let text = format!(
        "[ \"$1\" = superuser ] && exit 0; touch '{}'; exec sleep 600",
        ready.display()
    );
    let program = place.script("server", &text, 0o755);
    let tool = place.tool("--server", &program).spawn().unwrap();
    until(|| ready.exists().then_some(()));
    assert_eq!(place.processes().len(), 1, "so a left one would be found");
    interrupt(&place, tool);
}

#[test]
fn an_interruption_in_the_middle_of_a_row() {
    let place = Place::new();
    let fake = Fake::new(&place, "server", Creates::Hang);
    let tool = place.tool("--server", &fake.program).spawn().unwrap();
    fake.is_asked();
    interrupt(&place, tool);
}

#[test]
fn a_server_that_dies_in_the_middle_of_a_row() {
    let place = Place::new();
    let fake = Fake::new(&place, "server", Creates::Kill);
    let output = place.tool("--server", &fake.program).output().unwrap();
    place.refuses(
        &output,
        &["basalt has ended", "signal: 9", "its last words"],
    );
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("FAILED"), "{table}");
}

/// What a server says that can't write is the row's failure, and quoted. (A disk of a test's own would
/// take a superuser to mount, and a limit on files would hit the tool before the server.)
#[test]
fn a_server_whose_disk_is_full() {
    let place = Place::new();
    let fake = Fake::new(&place, "server", Creates::FindNoRoom);
    let mut tool = place.tool("--server", &fake.program);
    let only = ["--rows", "^create organizations$"];
    let output = tool.args(only).output().unwrap();
    place.refuses(&output, &["1 rows failed"]);
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("database or disk is full"), "{table}");
}

/// `/dev/full` takes being opened, and refuses every byte.
#[test]
fn a_report_whose_disk_is_full() {
    let place = Place::new();
    for option in ["--json", "--markdown"] {
        let fake = Fake::new(&place, option, Creates::Succeed);
        let mut tool = place.tool("--server", &fake.program);
        tool.args(["--rows", "^create organizations$"]);
        let output = tool.args([option, "/dev/full"]).output().unwrap();
        place.refuses(&output, &["cannot write /dev/full", "No space left"]);
        let table = String::from_utf8_lossy(&output.stdout);
        assert!(table.contains("create organizations"), "{table}");
    }
}

/// Nothing is started then.
#[test]
fn a_temporary_folder_that_cannot_be_made() {
    let place = Place::new();
    let fake = Fake::new(&place, "server", Creates::Succeed);
    let mut tool = place.tool("--server", &fake.program);
    tool.env("TMPDIR", "/proc/self");
    let output = tool.output().unwrap();
    place.refuses(&output, &["temporary directory", "/proc/self"]);
}
