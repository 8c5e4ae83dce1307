//! One request at a time, and its whole answer: for everything that is not measured.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::answer::Reader;
use crate::stop;

/// Longer than any request of the benchmark should take, so that a stuck server ends the run.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// How often a wait looks whether it should end.
const LOOK: Duration = Duration::from_millis(200);
/// An answer larger than this is an error of the server, not something to store.
const LARGEST_BODY: usize = 64 << 20;

/// One answer.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body, without transfer coding.
    pub body: Vec<u8>,
}

/// Sends a request on a connection of its own.
pub fn exchange(address: SocketAddr, wire: &[u8]) -> Result<Answer> {
    let mut stream = TcpStream::connect(address).context("cannot connect")?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(LOOK))?;
    stream.write_all(wire).context("cannot send")?;
    let started = Instant::now();
    let (mut reader, mut body) = (Reader::new(), Vec::new());
    let mut piece = vec![0; 64 << 10];
    loop {
        stop::check()?;
        let length = match stream.read(&mut piece) {
            Ok(length) => length,
            Err(error) if waits(&error) && started.elapsed() < PATIENCE => continue,
            Err(error) if waits(&error) => {
                bail!("no answer within {} seconds", PATIENCE.as_secs())
            }
            Err(error) => return Err(error).context("cannot read"),
        };
        let done = match piece.get(..length) {
            None | Some([]) => {
                reader.end()?;
                true
            }
            Some(part) => reader.take(part, |part| body.extend_from_slice(part))?,
        };
        if body.len() > LARGEST_BODY {
            bail!("the answer has more than {LARGEST_BODY} bytes");
        }
        if done {
            let status = reader.status();
            return Ok(Answer { status, body });
        }
    }
}

/// Did nothing go wrong but that nothing came yet?
pub fn waits(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use std::net::TcpListener;

    use super::*;
    use crate::request::Request;

    /// What a server that answers with these bytes is understood to say.
    fn ask(answer: &'static str) -> Result<Answer> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 256];
            let read = stream.read(&mut request).unwrap();
            assert!(request[..read].starts_with(b"GET /x HTTP/1.1\r\n"));
            stream.write_all(answer.as_bytes()).unwrap();
        });
        let answer = exchange(address, &Request::new("GET", "/x").wire(address, false));
        server.join().unwrap();
        answer
    }

    #[test]
    fn asks_and_reads() {
        let answer = ask("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab").unwrap();
        assert_eq!((answer.status, answer.body.as_slice()), (200, &b"ab"[..]));
        assert!(ask("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab").is_err());
        assert!(ask("").is_err());
    }
}
