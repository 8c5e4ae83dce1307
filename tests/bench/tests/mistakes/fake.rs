//! Stands in for a server's HTTP side: a script keeps the process, this thread answers in its place.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::{Place, until};

/// What becomes of a request that creates a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creates {
    /// It is answered as it should be.
    Succeed,
    /// It is answered as a server does that can't write.
    FindNoRoom,
    /// It is never answered.
    Hang,
    /// The process ends.
    Kill,
}

/// The server: a program for the tool, and how often it was asked for a record.
pub struct Fake {
    pub program: PathBuf,
    pub created: Arc<AtomicUsize>,
}

impl Fake {
    /// Answers once the tool has started the program.
    pub fn new(place: &Place, name: &str, creates: Creates) -> Fake {
        let started = place.path().join(format!("{name}-started"));
        let text = format!(
            "case $1 in superuser) exit 0;; --version) echo pocketbase version 0.40.6; exit 0;; esac\n\
             echo $$ $3 > '{0}.new'; mv '{0}.new' '{0}'; echo 'its last words' >&2; exec sleep 600",
            started.display()
        );
        let fake = Fake {
            program: place.script(name, &text, 0o755),
            created: Arc::default(),
        };
        let created = Arc::clone(&fake.created);
        thread::spawn(move || serve(&started, creates, &created));
        fake
    }

    /// Waits until a record was to be created.
    pub fn is_asked(&self) {
        until(|| (self.created.load(Ordering::Relaxed) > 0).then_some(()));
    }
}

fn serve(started: &Path, creates: Creates, created: &Arc<AtomicUsize>) {
    let said = until(|| std::fs::read_to_string(started).ok());
    let (pid, address) = said.trim().split_once(' ').unwrap();
    let listener = TcpListener::bind(address).unwrap();
    for stream in listener.incoming() {
        let (pid, created) = (pid.to_owned(), Arc::clone(created));
        thread::spawn(move || answer(&stream.unwrap(), creates, &pid, &created));
    }
}

/// All requests of a connection.
fn answer(stream: &TcpStream, creates: Creates, pid: &str, created: &AtomicUsize) {
    let mut reader = BufReader::new(stream);
    while let Some(line) = request(&mut reader) {
        let (status, body) = match line.starts_with("POST") && line.contains("/records ") {
            false => (200, r#"{"token":"t","totalItems":0}"#),
            true => {
                created.fetch_add(1, Ordering::Relaxed);
                match creates {
                    Creates::Succeed => (200, "{}"),
                    Creates::FindNoRoom => (500, r#"{"message":"database or disk is full"}"#),
                    Creates::Hang => return thread::park(),
                    Creates::Kill => {
                        Command::new("kill").args(["-9", pid]).status().unwrap();
                        return;
                    }
                }
            }
        };
        let length = body.len();
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n\r\n");
        if (&*stream).write_all((head + body).as_bytes()).is_err() {
            return;
        }
    }
}

/// The first line of the next request, which is read to its end.
fn request(reader: &mut impl BufRead) -> Option<String> {
    let (mut first, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
        if first.is_empty() {
            first = line;
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    Some(first)
}
