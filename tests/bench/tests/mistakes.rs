//! What goes wrong before anything is measured: one clear line, exit code 1, and neither a process
//! nor a folder is left behind.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The folder of a test: `tmp` is where the tool may make its own.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        fs::create_dir(place.tmp()).unwrap();
        place
    }

    fn tmp(&self) -> PathBuf {
        self.0.path().join("tmp")
    }

    /// A program that stands in for a server.
    fn script(&self, text: &str, mode: u32) -> PathBuf {
        let path = self.0.path().join("server");
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }

    fn tool(&self, option: &str, program: &Path) -> Command {
        let mut tool = Command::new(env!("CARGO_BIN_EXE_basalt-bench"));
        tool.arg("--smoke").arg(option).arg(program);
        tool.current_dir(self.0.path())
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
    }
}

#[test]
fn a_path_without_a_server() {
    let place = Place::new();
    let nowhere = place.0.path().join("nowhere");
    for option in ["--server", "--peer"] {
        let output = place.tool(option, &nowhere).output().unwrap();
        place.refuses(&output, &["nowhere"]);
    }
}

#[test]
fn a_file_that_is_no_program() {
    let place = Place::new();
    let file = place.script("exit 0", 0o644);
    let output = place.tool("--server", &file).output().unwrap();
    place.refuses(&output, &[&file.to_string_lossy()]);
    let output = place.tool("--server", place.0.path()).output().unwrap();
    place.refuses(&output, &[]);
}

#[test]
fn a_server_that_ends_at_once() {
    let place = Place::new();
    let text = "[ \"$1\" = superuser ] && exit 0; echo 'the moon is full' >&2; exit 3";
    let program = place.script(text, 0o755);
    let output = place.tool("--server", &program).output().unwrap();
    place.refuses(&output, &["ended at once", "the moon is full"]);
}

#[test]
fn a_server_that_makes_no_superuser() {
    let place = Place::new();
    let program = place.script("echo 'no space left on device' >&2; exit 1", 0o755);
    let output = place.tool("--server", &program).output().unwrap();
    place.refuses(&output, &["superuser", "no space left on device"]);
}

#[test]
fn a_peer_of_another_version() {
    let place = Place::new();
    let program = place.script("echo 'pocketbase version 0.22.1'", 0o755);
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
fn an_interruption_ends_the_server_too() {
    let place = Place::new();
    let pid_file = place.0.path().join("pid");
    let text = format!(
        "[ \"$1\" = superuser ] && exit 0; echo $$ > '{0}.new'; mv '{0}.new' '{0}'; exec sleep 600",
        pid_file.display()
    );
    let program = place.script(&text, 0o755);
    let tool = place.tool("--server", &program).spawn().unwrap();
    let server = until(|| fs::read_to_string(&pid_file).ok());
    let kill = ["-INT".to_owned(), tool.id().to_string()];
    assert!(Command::new("kill").args(kill).status().unwrap().success());
    let output = tool.wait_with_output().unwrap();
    place.refuses(&output, &["interrupted"]);
    let process = PathBuf::from(format!("/proc/{}", server.trim()));
    until(|| (!process.exists()).then_some(()));
}
