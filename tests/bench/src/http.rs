//! A cheap HTTP/1.1 client: it sends ready-made bytes, and a connection has one request at a time. The load tool shares the machine with the servers it measures, so
//! every cycle that the client saves is one that doesn't blur the comparison.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer larger than this is an error of the server, not something to store.
const LARGEST_BODY: usize = 64 << 20;
const MOST_HEADERS: usize = 64;

/// One answer.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body, without transfer coding.
    pub body: Vec<u8>,
}

/// What the head of an answer says of its body.
enum Framing {
    None,
    Sized(usize),
    Chunked,
    UntilClose,
}

/// One connection and what was read from it beyond the last answer.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    start: usize,
    open: bool,
}

impl Connection {
    /// Opens a connection.
    pub async fn open(address: SocketAddr) -> Result<Connection> {
        let stream = TcpStream::connect(address)
            .await
            .context("cannot connect")?;
        stream.set_nodelay(true)?;
        Ok(Connection {
            stream,
            buffer: Vec::with_capacity(16 << 10),
            start: 0,
            open: true,
        })
    }

    /// May another request be sent?
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Sends one request and reads the whole answer.
    pub async fn send(&mut self, wire: &[u8]) -> Result<Answer> {
        // Closed until the answer is complete: a failure half-way leaves nothing to build on.
        self.open = false;
        self.buffer.clear();
        self.start = 0;
        self.stream.write_all(wire).await.context("cannot send")?;
        loop {
            let (status, framing, close) = self.head().await?;
            if (100..200).contains(&status) {
                continue;
            }
            let mut body = Vec::new();
            match framing {
                Framing::None => {}
                Framing::Sized(length) => self.take(length, &mut body).await?,
                Framing::Chunked => self.chunks(&mut body).await?,
                Framing::UntilClose => {
                    body.extend_from_slice(self.unread());
                    self.stream.read_to_end(&mut body).await?;
                }
            }
            self.open = !close && !matches!(framing, Framing::UntilClose);
            return Ok(Answer { status, body });
        }
    }

    fn unread(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    async fn fill(&mut self) -> Result<()> {
        match self
            .stream
            .read_buf(&mut self.buffer)
            .await
            .context("cannot read")?
        {
            0 => bail!("the server closed the connection before its answer was complete"),
            _ => Ok(()),
        }
    }

    /// Reads status line and headers.
    async fn head(&mut self) -> Result<(u16, Framing, bool)> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
            let mut response = httparse::Response::new(&mut headers);
            let parsed = response
                .parse(self.unread())
                .context("the answer is not HTTP")?;
            if let httparse::Status::Complete(length) = parsed {
                let status = response.code.unwrap_or_default();
                let (framing, close) = framing(status, response.headers)?;
                self.start += length;
                return Ok((status, framing, close));
            }
            self.fill().await?;
        }
    }

    /// Moves the next `length` bytes into `body`.
    async fn take(&mut self, length: usize, body: &mut Vec<u8>) -> Result<()> {
        if body.len().saturating_add(length) > LARGEST_BODY {
            bail!("the answer has more than {LARGEST_BODY} bytes");
        }
        while self.unread().len() < length {
            self.buffer.reserve(length);
            self.fill().await?;
        }
        body.extend_from_slice(self.unread().get(..length).unwrap_or_default());
        self.start += length;
        Ok(())
    }

    async fn chunks(&mut self, body: &mut Vec<u8>) -> Result<()> {
        loop {
            let (head, size) = match httparse::parse_chunk_size(self.unread()) {
                Ok(httparse::Status::Complete(found)) => found,
                Ok(httparse::Status::Partial) => {
                    self.fill().await?;
                    continue;
                }
                Err(_) => bail!("the answer has a chunk without a size"),
            };
            self.start += head;
            self.take(usize::try_from(size)?, body).await?;
            // Each chunk, the empty last one too, ends with CR LF. (Neither server sends trailers.)
            self.take(2, &mut Vec::with_capacity(2)).await?;
            if size == 0 {
                return Ok(());
            }
        }
    }
}

fn framing(status: u16, headers: &[httparse::Header<'_>]) -> Result<(Framing, bool)> {
    let mut framing = if matches!(status, 100..200 | 204 | 304) {
        Framing::None
    } else {
        Framing::UntilClose
    };
    let mut close = false;
    for header in headers {
        let value = std::str::from_utf8(header.value).unwrap_or_default().trim();
        if header.name.eq_ignore_ascii_case("content-length") {
            framing = Framing::Sized(value.parse().context("the answer's length is no number")?);
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            framing = Framing::Chunked;
        } else if header.name.eq_ignore_ascii_case("connection") {
            close = value.eq_ignore_ascii_case("close");
        }
    }
    Ok((framing, close))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use tokio::net::TcpListener;

    use super::*;
    use crate::request::Request;

    /// Sends one request to a server that answers with `pieces`, one write each, and keeps open.
    async fn ask(pieces: &'static [&'static str]) -> Result<(Answer, bool)> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 256];
            let read = stream.read(&mut request).await.unwrap();
            assert!(request[..read].starts_with(b"GET /x HTTP/1.1\r\n"));
            for piece in pieces {
                stream.write_all(piece.as_bytes()).await.unwrap();
                stream.flush().await.unwrap();
                tokio::task::yield_now().await;
            }
        };
        let client = async move {
            let mut connection = Connection::open(address).await?;
            let answer = connection
                .send(&Request::new("GET", "/x").wire(address, false))
                .await?;
            Ok((answer, connection.is_open()))
        };
        tokio::join!(server, client).1
    }

    #[tokio::test]
    async fn reads_each_framing() {
        let (answer, open) = ask(&["HTTP/1.1 200 OK\r\nContent-", "Length: 5\r\n\r\nhe", "llo"])
            .await
            .unwrap();
        assert_eq!(
            (answer.status, answer.body.as_slice(), open),
            (200, &b"hello"[..], true)
        );

        const CHUNKED: &str = "HTTP/1.1 201 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel";
        let (answer, open) = ask(&[CHUNKED, "lo\r\n1", "\r\n!\r\n0\r\n", "\r\n"])
            .await
            .unwrap();
        assert_eq!(
            (answer.status, answer.body.as_slice(), open),
            (201, &b"hello!"[..], true)
        );

        let (answer, open) = ask(&["HTTP/1.1 204 No Content\r\n\r\n"]).await.unwrap();
        assert_eq!((answer.status, answer.body.len(), open), (204, 0, true));

        let (answer, open) = ask(&["HTTP/1.1 200 OK\r\n\r\nall", " of it"])
            .await
            .unwrap();
        assert_eq!((answer.body.as_slice(), open), (&b"all of it"[..], false));
    }

    #[tokio::test]
    async fn a_broken_answer_is_an_error() {
        assert!(
            ask(&["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"])
                .await
                .is_err()
        );
        assert!(ask(&["nonsense\r\n\r\n"]).await.is_err());
        assert!(ask(&[]).await.is_err());
    }
}
