//! Loads against a server that answers at once.
#![allow(clippy::unwrap_used)]

use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::request::Request;

/// Answers by what the path asks for, `/200` or `/500`, and hangs up on anything else.
fn serve(mut stream: TcpStream) {
    let mut request = [0; 1024];
    while let Ok(length @ 1..) = stream.read(&mut request) {
        let text = String::from_utf8_lossy(request.get(..length).unwrap_or_default());
        let status = match text.split(' ').nth(1) {
            Some("/200" | "/api/health") => "200 OK",
            Some("/500") => "500 Oh",
            _ => return,
        };
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nab");
        stream.write_all(answer.as_bytes()).unwrap();
    }
}

/// A server, and how many connections it has accepted.
fn server() -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let accepted = Arc::new(AtomicUsize::new(0));
    let counter = accepted.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            counter.fetch_add(1, Ordering::Relaxed);
            std::thread::spawn(move || serve(stream.unwrap()));
        }
    });
    (address, accepted)
}

fn load(address: SocketAddr, paths: &[&str], concurrency: usize) -> Load {
    let wire = |path: &&str| Request::new("GET", path).wire(address, false);
    Load {
        requests: paths.iter().map(wire).collect(),
        concurrency,
        status: 200,
        new_connections: false,
        pace: None,
        may_give_up: false,
        model: None,
    }
}

fn run_one(address: SocketAddr, load: &Load) -> Tally {
    let (mut pool, mut ticks) = (Pool::new(address), 0);
    let tallies = run(&mut pool, &[load], None, &mut || ticks += 1).unwrap();
    assert_eq!(ticks, load.requests.len());
    tallies.into_iter().next().unwrap()
}

#[test]
fn every_request_is_sent_once() {
    let (address, accepted) = server();
    let tally = run_one(address, &load(address, &["/200"; 50], 5));
    assert_eq!((tally.latencies.len(), tally.errors), (50, 0));
    assert_eq!(accepted.load(Ordering::Relaxed), 5);
    assert_eq!(tally.statuses, [(200, 50)].into());
    assert_eq!((tally.problem, tally.lengths), (None, Some((2, 2))));
}

#[test]
fn a_connection_each_if_asked() {
    let (address, accepted) = server();
    let load = Load {
        new_connections: true,
        ..load(address, &["/200"; 20], 5)
    };
    assert_eq!(run_one(address, &load).latencies.len(), 20);
    assert_eq!(accepted.load(Ordering::Relaxed), 20);
}

#[test]
fn failures_are_counted_and_the_rest_goes_on() {
    let (address, _) = server();
    let tally = run_one(
        address,
        &load(address, &["/200", "/500", "/gone", "/200"], 1),
    );
    assert_eq!(tally.statuses, [(200, 2), (500, 1)].into());
    assert_eq!((tally.latencies.len(), tally.errors), (3, 1));
    let due = Some("status 500 where 200 was due: ab");
    assert_eq!(tally.problem.as_deref(), due);
}

#[test]
fn paced_requests_last_as_long_as_the_others() {
    let (address, _) = server();
    let main = load(address, &["/200"; 2000], 2);
    let paced = Load {
        pace: Some(Duration::from_micros(500)),
        ..load(address, &["/200"], 3)
    };
    let mut pool = Pool::new(address);
    let tallies = run(&mut pool, &[&main, &paced], None, &mut || {}).unwrap();
    assert_eq!(tallies.first().unwrap().latencies.len(), 2000);
    let beside = tallies.last().unwrap();
    assert!(beside.latencies.len() > 1, "{}", beside.latencies.len());
    assert!(beside.elapsed <= tallies.first().unwrap().elapsed + Duration::from_secs(1));
}

#[test]
fn after_the_deadline_nothing_is_sent() {
    let (address, _) = server();
    let mut pool = Pool::new(address);
    let load = load(address, &["/200"; 100], 1);
    let tallies = run(&mut pool, &[&load], Some(Instant::now()), &mut || {}).unwrap();
    assert!(tallies.first().unwrap().latencies.len() < 100);
}

#[test]
fn each_body_is_compared_with_the_model() {
    let (address, _) = server();
    for (model, due) in [("ab", true), ("a", false), ("abc", false), ("xb", false)] {
        let load = Load {
            model: Some(Arc::from(model.as_bytes())),
            ..load(address, &["/200"; 4], 2)
        };
        let tally = run_one(address, &load);
        assert_eq!(tally.problem.is_none(), due, "{model}: {:?}", tally.problem);
    }
}
