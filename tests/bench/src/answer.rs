//! Reads an answer from the pieces in which it arrives. Nothing of its body is kept: who wants it
//! takes it while it passes.

use anyhow::{Context, Result, bail};

const MOST_HEADERS: usize = 64;
/// A head longer than this is no answer.
const LONGEST_HEAD: usize = 64 << 10;

/// What the head of an answer says of its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Head,
    /// So many bytes of the body are still to come.
    Sized(usize),
    ChunkHead,
    /// The same of a chunk, and what follows it.
    Chunk(usize),
    /// CR LF after a chunk: so many bytes of them, and whether that ends the answer.
    ChunkEnd(usize, bool),
    UntilClose,
    Done,
}

/// The state of one answer. Used again for the next one, so that a row allocates nothing.
#[derive(Debug)]
pub struct Reader {
    /// What can't be understood before more has arrived.
    held: Vec<u8>,
    state: State,
    status: u16,
    length: usize,
    close: bool,
}

impl Reader {
    /// Ready for an answer.
    pub fn new() -> Reader {
        Reader {
            held: Vec::new(),
            state: State::Head,
            status: 0,
            length: 0,
            close: false,
        }
    }

    /// Ready for the next answer.
    pub fn reset(&mut self) {
        self.held.clear();
        self.state = State::Head;
        (self.status, self.length, self.close) = (0, 0, false);
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// How many bytes of body came so far.
    pub fn length(&self) -> usize {
        self.length
    }

    /// May the connection take another request?
    pub fn keeps_open(&self) -> bool {
        !self.close
    }

    /// Takes a piece, and hands on what of it belongs to the body. Is the answer complete?
    pub fn take(&mut self, piece: &[u8], mut body: impl FnMut(&[u8])) -> Result<bool> {
        if self.held.is_empty() {
            let used = self.advance(piece, &mut body)?;
            self.held
                .extend_from_slice(piece.get(used..).unwrap_or_default());
        } else {
            let mut held = std::mem::take(&mut self.held);
            held.extend_from_slice(piece);
            let used = self.advance(&held, &mut body)?;
            held.drain(..used);
            self.held = held;
        }
        let done = self.state == State::Done;
        if done && !self.held.is_empty() {
            bail!("the server sent more than its answer");
        }
        if self.held.len() > LONGEST_HEAD {
            bail!("the answer is not HTTP");
        }
        Ok(done)
    }

    /// The connection ended. Was that the end of the answer?
    pub fn end(&mut self) -> Result<()> {
        if self.state != State::UntilClose {
            bail!("the server closed the connection before its answer was complete");
        }
        self.state = State::Done;
        Ok(())
    }

    /// As far as the bytes go; how many of them were used.
    fn advance(&mut self, bytes: &[u8], body: &mut impl FnMut(&[u8])) -> Result<usize> {
        let mut used = 0;
        loop {
            let rest = bytes.get(used..).unwrap_or_default();
            if rest.is_empty() && self.state != State::Sized(0) {
                return Ok(used);
            }
            match self.state {
                State::Head => match self.head(rest)? {
                    Some(length) => used += length,
                    None => return Ok(used),
                },
                State::ChunkHead => match httparse::parse_chunk_size(rest) {
                    Ok(httparse::Status::Complete((length, size))) => {
                        used += length;
                        let size = usize::try_from(size)?;
                        self.state = match size {
                            0 => State::ChunkEnd(2, true),
                            _ => State::Chunk(size),
                        };
                    }
                    Ok(httparse::Status::Partial) => return Ok(used),
                    Err(_) => bail!("the answer has a chunk without a size"),
                },
                State::Sized(left) => {
                    let length = self.pass(rest, left, body);
                    used += length;
                    self.state = match left - length {
                        0 => State::Done,
                        left => State::Sized(left),
                    };
                }
                State::Chunk(left) => {
                    let length = self.pass(rest, left, body);
                    used += length;
                    self.state = match left - length {
                        0 => State::ChunkEnd(2, false),
                        left => State::Chunk(left),
                    };
                }
                // Each chunk, the empty last one too, ends with CR LF. (Neither server sends trailers.)
                State::ChunkEnd(left, last) => {
                    let length = left.min(rest.len());
                    used += length;
                    self.state = match (left - length, last) {
                        (0, true) => State::Done,
                        (0, false) => State::ChunkHead,
                        (left, last) => State::ChunkEnd(left, last),
                    };
                }
                State::UntilClose => used += self.pass(rest, rest.len(), body),
                State::Done => return Ok(used),
            }
        }
    }

    /// Hands on at most `left` bytes of the body.
    fn pass(&mut self, rest: &[u8], left: usize, body: &mut impl FnMut(&[u8])) -> usize {
        let part = rest.get(..left.min(rest.len())).unwrap_or_default();
        body(part);
        self.length += part.len();
        part.len()
    }

    /// Reads status line and headers, if all of them are there.
    fn head(&mut self, bytes: &[u8]) -> Result<Option<usize>> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let parsed = response.parse(bytes).context("the answer is not HTTP")?;
        let httparse::Status::Complete(length) = parsed else {
            return Ok(None);
        };
        self.status = response.code.unwrap_or_default();
        if (100..200).contains(&self.status) {
            return Ok(Some(length));
        }
        self.state = match self.status {
            204 | 304 => State::Done,
            _ => State::UntilClose,
        };
        for header in response.headers.iter() {
            let value = header.value.trim_ascii();
            if header.name.eq_ignore_ascii_case("content-length") && self.state != State::Done {
                let text = std::str::from_utf8(value)?;
                self.state = State::Sized(text.parse().context("a wrong Content-Length")?);
            } else if header.name.eq_ignore_ascii_case("transfer-encoding")
                && value.eq_ignore_ascii_case(b"chunked")
            {
                self.state = State::ChunkHead;
            } else if header.name.eq_ignore_ascii_case("connection") {
                self.close = value.eq_ignore_ascii_case(b"close");
            }
        }
        self.close |= self.state == State::UntilClose;
        Ok(Some(length))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Feeds the text in pieces of each length; status, body, and whether the connection stays.
    fn check(text: &str, status: u16, body: &str, stays: bool) {
        for length in 1..=text.len() {
            let (mut reader, mut got) = (Reader::new(), Vec::new());
            let mut done = false;
            for piece in text.as_bytes().chunks(length) {
                assert!(!done, "complete before its end: {text:?} in {length}");
                done = reader
                    .take(piece, |part| got.extend_from_slice(part))
                    .unwrap();
            }
            if !done {
                reader.end().unwrap();
            }
            assert_eq!(String::from_utf8_lossy(&got), body, "in pieces of {length}");
            assert_eq!((reader.status(), reader.keeps_open()), (status, stays));
            assert_eq!(reader.length(), body.len());
        }
    }

    #[test]
    fn reads_each_framing() {
        check(
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            200,
            "hello",
            true,
        );
        check(
            "HTTP/1.1 400 No\r\ncontent-length: 0\r\nConnection: close\r\n\r\n",
            400,
            "",
            false,
        );
        check(
            "HTTP/1.1 201 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n",
            201,
            "hello!",
            true,
        );
        check("HTTP/1.1 204 No Content\r\n\r\n", 204, "", true);
        check("HTTP/1.1 200 OK\r\n\r\nall of it", 200, "all of it", false);
        check(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
            200,
            "a",
            true,
        );
    }

    #[test]
    fn a_broken_answer_is_an_error() {
        let take = |text: &str| Reader::new().take(text.as_bytes(), |_| {});
        assert!(take("nonsense\r\n\r\n").is_err());
        assert!(take("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n").is_err());
        assert!(take("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n").is_err());
        assert!(take("HTTP/1.1 204 No Content\r\n\r\nmore").is_err());
        let mut reader = Reader::new();
        let half = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf";
        assert!(!reader.take(half, |_| {}).unwrap());
        assert!(reader.end().is_err(), "cut off");
    }

    #[test]
    fn serves_again_after_a_reset() {
        let mut reader = Reader::new();
        for _ in 0..2 {
            reader.reset();
            let text = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab";
            assert!(reader.take(text, |_| {}).unwrap());
            assert_eq!(reader.length(), 2);
        }
    }
}
