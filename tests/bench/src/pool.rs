//! Connections that are open, and that the server has answered on, before a clock starts.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::answer::Reader;
use crate::http::waits;
use crate::request::Request;
use crate::stop;

/// Servers close what was idle for longer (Rocket after five seconds).
const FRESH: Duration = Duration::from_secs(2);
const GREETING: Duration = Duration::from_secs(30);
/// How often a wait looks whether it should end.
const LOOK: Duration = Duration::from_millis(200);

/// The connections to one server.
pub struct Pool {
    /// Where they lead.
    pub address: SocketAddr,
    idle: Vec<TcpStream>,
    used: Instant,
}

impl Pool {
    /// None yet.
    pub fn new(address: SocketAddr) -> Pool {
        Pool {
            address,
            idle: Vec::new(),
            used: Instant::now(),
        }
    }

    /// So many, of which none waits to be accepted.
    pub fn take(&mut self, count: usize) -> Result<Vec<TcpStream>> {
        if self.used.elapsed() > FRESH {
            self.idle.clear();
        }
        let kept = self.idle.len().saturating_sub(count);
        let mut streams = self.idle.split_off(kept);
        while streams.len() < count {
            streams.push(greeted(self.address)?);
        }
        Ok(streams)
    }

    /// Back, for the next load.
    pub fn give_back(&mut self, streams: impl Iterator<Item = TcpStream>) {
        self.idle.extend(streams);
        self.used = Instant::now();
    }
}

/// Opens a connection whose reads and writes don't wait.
pub fn open(address: SocketAddr) -> Result<TcpStream> {
    let stream = TcpStream::connect(address).context("cannot connect")?;
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}

/// The kernel completes a connection before the server takes it. One answer shows that it has.
fn greeted(address: SocketAddr) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(address).context("cannot connect")?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(LOOK))?;
    stream.write_all(&Request::new("GET", "/api/health").wire(address, false))?;
    let (mut reader, mut piece) = (Reader::new(), [0; 1024]);
    let asked = Instant::now();
    loop {
        stop::check()?;
        let length = match stream.read(&mut piece) {
            Err(error) if waits(&error) && asked.elapsed() < GREETING => continue,
            read => read.context("no answer to a greeting")?,
        };
        let Some(part @ [_, ..]) = piece.get(..length) else {
            bail!("the server closed a new connection");
        };
        if reader.take(part, |_| {})? {
            stream.set_nonblocking(true)?;
            return Ok(stream);
        }
    }
}
