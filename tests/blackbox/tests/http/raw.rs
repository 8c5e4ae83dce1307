//! Requests that no HTTP library would send: broken, cut off, in chunks, pipelined.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use basalt_blackbox::{Random, TestServer};
use serde_json::Value;

use crate::support::{records, server};

const POSTS: &str = "/api/collections/posts/records";

/// Kinds of frames of HTTP/2, and flags.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

fn connect(server: &TestServer) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream
}

/// Sends a whole request and reads until the server closes; empty when it cuts us off.
fn ask(server: &TestServer, request: &[u8]) -> String {
    let mut stream = connect(server);
    // The server may close before it has read everything, so sending may fail.
    let _ = stream.write_all(request);
    rest(stream)
}

/// Sends bytes that needn't be a request, and no more after them, and reads the answer.
fn exchange(server: &TestServer, bytes: &[u8]) -> String {
    let mut stream = connect(server);
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    rest(stream)
}

fn rest(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// Status of an answer; 0 when there is none.
fn status(answer: &str) -> u16 {
    answer
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .unwrap_or(0)
}

/// A POST whose body is sent in chunks.
fn chunked(chunks: &[&str]) -> Vec<u8> {
    let mut request = format!(
        "POST {POSTS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n"
    );
    for chunk in chunks {
        request.push_str(&format!("{:x}\r\n{chunk}\r\n", chunk.len()));
    }
    request.push_str("0\r\n\r\n");
    request.into_bytes()
}

#[track_caller]
fn still_fine(server: &mut TestServer, posts: u64) {
    assert!(server.alive(), "{}", server.log());
    assert!(!server.log().contains("panicked"), "{}", server.log());
    let list = server.guest().get(&records("posts")).unwrap().json();
    assert_eq!(list["totalItems"], Value::from(posts), "{list}");
}

#[test]
fn bodies_in_chunks_are_read_and_limited() {
    let mut server = server();
    let answer = ask(&server, &chunked(&["{\"tit", "le\":", "\"in pieces\"}"]));
    assert_eq!(status(&answer), 200, "{answer}");
    assert!(answer.contains("\"title\":\"in pieces\""), "{answer}");

    let answer = ask(&server, &chunked(&[]));
    assert_eq!(status(&answer), 400, "{answer}");

    let piece = "x".repeat(1024 * 1024);
    let mut huge = vec!["{\"title\":\""];
    huge.extend(std::iter::repeat_n(piece.as_str(), 40));
    huge.push("\"}");
    let answer = ask(&server, &chunked(&huge));
    // Either the refusal arrives, or the connection is cut while we still send.
    assert!([413, 0].contains(&status(&answer)), "{answer}");
    still_fine(&mut server, 1);
}

/// A frame of HTTP/2: what kind, its flags, the number of the stream.
fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).unwrap();
    let mut frame = vec![0, 0, length, kind, flags, 0, 0, 0, stream];
    frame.extend(payload);
    frame
}

/// A request of HTTP/2 with these headers, whose body no header announces.
fn unannounced(headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in headers {
        // A new name, not indexed; both texts as they are.
        block.push(0);
        for text in [name, value] {
            block.push(u8::try_from(text.len()).unwrap());
            block.extend(text.as_bytes());
        }
    }
    let mut request = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    request.extend(frame(SETTINGS, 0, 0, &[]));
    request.extend(frame(HEADERS, END_HEADERS, 1, &block));
    request.extend(frame(DATA, END_STREAM, 1, body));
    request
}

#[test]
fn bodies_that_nothing_announces_are_read() {
    let mut server = server();
    let headers = [
        (":method", "POST"),
        (":scheme", "http"),
        (":authority", "x"),
        (":path", POSTS),
        ("content-type", "application/json"),
    ];
    let request = unannounced(&headers, b"{\"title\":\"of HTTP/2\"}");
    let mut stream = connect(&server);
    stream.write_all(&request).unwrap();
    let mut answer = Vec::new();
    let mut piece = [0; 1024];
    let title = b"\"title\":\"of HTTP/2\"";
    while !answer.windows(title.len()).any(|part| part == title) {
        let length = stream.read(&mut piece).unwrap();
        let said = String::from_utf8_lossy(&answer);
        assert_ne!(length, 0, "no answer with the title, but {said}");
        answer.extend(&piece[..length]);
    }
    drop(stream);
    still_fine(&mut server, 1);
}

#[test]
fn a_body_that_breaks_off_changes_nothing() {
    let mut server = server();
    for length in [1, 20, 500] {
        // The end of the JSON text is missing: with it, PocketBase would take the rest for granted.
        let body = format!("{{\"title\":\"{}", "x".repeat(length));
        let head = format!(
            "POST {POSTS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len() + 2
        );
        let unfinished = chunked(&[&body]);
        let unfinished = &unfinished[..unfinished.len() - 5];
        for request in [
            [head.as_bytes(), body.as_bytes()].concat(),
            unfinished.to_vec(),
        ] {
            let answer = exchange(&server, &request);
            assert!([400, 0].contains(&status(&answer)), "{answer}");
        }
    }
    still_fine(&mut server, 0);
}

#[test]
fn broken_requests_are_refused() {
    let mut server = server();
    let mut random = Random::new(1);
    let long = "x".repeat(200_000);
    let mut requests: Vec<Vec<u8>> = (0..100).map(|_| random.bytes(300)).collect();
    for text in [
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET /api/health HTTP/1.1\r\n\r\n",
        "GET /api/health HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "GET /api/health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        "GET /api/health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: nonsense\r\n\r\n",
        "GET /api/health\0 HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://other.example/api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET * HTTP/1.1\r\nHost: x\r\n\r\n",
        "BREW /api/health HTTP/1.1\r\nHost: x\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "POST /api/collections/posts/records HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
    ] {
        requests.push(text.into());
    }
    requests.push(format!("GET /{long} HTTP/1.1\r\nHost: x\r\n\r\n").into());
    requests.push(format!("GET /api/health HTTP/1.1\r\nHost: x\r\nX-Long: {long}\r\n\r\n").into());
    requests.push(format!("GET {POSTS}?filter={long} HTTP/1.1\r\nHost: x\r\n\r\n").into());
    for request in requests {
        let shown = String::from_utf8_lossy(&request[..request.len().min(120)]).into_owned();
        let code = status(&exchange(&server, &request));
        // 501 and 505 say that a part of HTTP isn't supported, which is no failure of the server.
        assert!(
            code < 500 || code == 501 || code == 505,
            "{code} for {shown:?}"
        );
    }
    still_fine(&mut server, 0);
}

#[test]
fn several_requests_in_one_go_are_answered_in_order() {
    let mut server = server();
    let one = |path: &str, connection: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: {connection}\r\n\r\n")
    };
    let request = one("/api/health", "keep-alive")
        + &one("/api/nothing", "keep-alive")
        + &one(POSTS, "close");
    let mut stream = connect(&server);
    stream.write_all(request.as_bytes()).unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    let codes: Vec<_> = answers
        .split("HTTP/1.1 ")
        .skip(1)
        .map(|answer| &answer[..3])
        .collect();
    assert_eq!(codes, ["200", "404", "200"], "{answers}");
    still_fine(&mut server, 0);
}

#[test]
fn idle_connections_do_not_keep_others_out() {
    let mut server = server();
    let idle: Vec<_> = (0..200).map(|_| connect(&server)).collect();
    for (number, mut stream) in idle.iter().enumerate() {
        stream
            .write_all(&b"GET /api/health HTTP/1.1\r\nHo"[..number % 28])
            .unwrap();
    }
    still_fine(&mut server, 0);
    drop(idle);
    still_fine(&mut server, 0);
}
