//! Sends the requests of a row at its concurrency and keeps what came of each.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::task::JoinSet;

use crate::http::{Answer, Connection};
use crate::request::Wire;

/// Longer than any request of the benchmark should take, so that a stuck server ends the run.
const PATIENCE: Duration = Duration::from_secs(120);
const QUOTED: usize = 300;

/// Requests, and how to send them.
#[derive(Clone)]
pub struct Load {
    /// In the order in which they are sent.
    pub requests: Vec<Wire>,
    /// How many at a time.
    pub concurrency: usize,
    /// The status that each should get.
    pub status: u16,
    /// Open a connection for each request, inside the measured time?
    pub new_connections: bool,
}

/// What came of a load.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    /// How long each answered request took.
    pub latencies: Vec<Duration>,
    /// How often each status came.
    pub statuses: BTreeMap<u16, usize>,
    /// Requests that got no answer.
    pub errors: usize,
    /// The first wrong status or error, quoted.
    pub problem: Option<String>,
    /// From the first request to the last answer.
    pub elapsed: Duration,
}

impl Tally {
    fn add(&mut self, outcome: Result<Answer>, took: Duration, expected: u16) {
        match outcome {
            Ok(answer) => {
                self.latencies.push(took);
                *self.statuses.entry(answer.status).or_default() += 1;
                if answer.status != expected && self.problem.is_none() {
                    let body = String::from_utf8_lossy(&answer.body);
                    let quoted: String = body.chars().take(QUOTED).collect();
                    self.problem = Some(format!(
                        "status {} where {expected} was due: {quoted}",
                        answer.status
                    ));
                }
            }
            Err(error) => {
                self.errors += 1;
                self.problem.get_or_insert_with(|| format!("{error:#}"));
            }
        }
    }

    fn merge(&mut self, other: Tally) {
        self.latencies.extend(other.latencies);
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.errors += other.errors;
        self.problem = self.problem.take().or(other.problem);
    }
}

/// A load whose connections are open: it starts at once.
pub struct Ready {
    address: SocketAddr,
    load: Load,
    connections: Vec<Option<Connection>>,
}

/// Opens the connections of a load.
pub async fn prepare(address: SocketAddr, load: Load) -> Result<Ready> {
    let workers = load.concurrency.min(load.requests.len());
    let mut connections = Vec::with_capacity(workers);
    for _ in 0..workers {
        connections.push(match load.new_connections {
            true => None,
            false => Some(Connection::open(address).await?),
        });
    }
    Ok(Ready {
        address,
        load,
        connections,
    })
}

impl Ready {
    /// Sends everything; `tick` is called after each request.
    pub async fn run(self, tick: impl Fn() + Clone + Send + 'static) -> Result<Tally> {
        let Ready {
            address,
            load,
            connections,
        } = self;
        let load = Arc::new(load);
        let next = Arc::new(AtomicUsize::new(0));
        let mut tasks = JoinSet::new();
        let started = Instant::now();
        for connection in connections {
            tasks.spawn(work(
                address,
                load.clone(),
                next.clone(),
                connection,
                tick.clone(),
            ));
        }
        let mut total = Tally::default();
        while let Some(tally) = tasks.join_next().await {
            total.merge(tally.context("a worker of the load tool failed")?);
        }
        total.elapsed = started.elapsed();
        Ok(total)
    }
}

/// Takes requests until none is left.
async fn work(
    address: SocketAddr,
    load: Arc<Load>,
    next: Arc<AtomicUsize>,
    mut connection: Option<Connection>,
    tick: impl Fn(),
) -> Tally {
    let mut tally = Tally::default();
    while let Some(wire) = load.requests.get(next.fetch_add(1, Ordering::Relaxed)) {
        let started = Instant::now();
        let outcome = tokio::time::timeout(PATIENCE, exchange(address, &mut connection, wire));
        let outcome = match outcome.await {
            Ok(outcome) => outcome,
            Err(_) => {
                connection = None;
                Err(anyhow::anyhow!(
                    "no answer within {} seconds",
                    PATIENCE.as_secs()
                ))
            }
        };
        tally.add(outcome, started.elapsed(), load.status);
        if load.new_connections || connection.as_ref().is_some_and(|one| !one.is_open()) {
            connection = None;
        }
        tick();
    }
    tally
}

async fn exchange(
    address: SocketAddr,
    connection: &mut Option<Connection>,
    wire: &[u8],
) -> Result<Answer> {
    let connection = match connection {
        Some(connection) => connection,
        None => connection.insert(Connection::open(address).await?),
    };
    connection.send(wire).await
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::request::Request;

    /// Answers by what the path asks for, `/200` or `/500`, and hangs up on anything else.
    async fn serve(mut stream: TcpStream) {
        let mut request = [0; 1024];
        while let Ok(length @ 1..) = stream.read(&mut request).await {
            let text = String::from_utf8_lossy(request.get(..length).unwrap_or_default());
            let status = match text.split(' ').nth(1) {
                Some("/200") => "200 OK",
                Some("/500") => "500 Oh",
                _ => return,
            };
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nab");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    }

    async fn check(paths: &[&str], concurrency: usize, new_connections: bool) -> (Tally, usize) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let accepted = Arc::new(AtomicUsize::new(0));
        let counter = accepted.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                counter.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(serve(stream));
            }
        });
        let requests = paths
            .iter()
            .map(|path| Request::new("GET", path).wire(address, false))
            .collect();
        let load = Load {
            requests,
            concurrency,
            status: 200,
            new_connections,
        };
        let tally = prepare(address, load)
            .await
            .unwrap()
            .run(|| {})
            .await
            .unwrap();
        (tally, accepted.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn every_request_is_sent_once() {
        let (tally, connections) = check(&["/200"; 50], 5, false).await;
        assert_eq!(
            (tally.latencies.len(), tally.errors, connections),
            (50, 0, 5)
        );
        assert_eq!(tally.statuses, BTreeMap::from([(200, 50)]));
        assert_eq!(tally.problem, None);
    }

    #[tokio::test]
    async fn a_connection_each_if_asked() {
        let (tally, connections) = check(&["/200"; 20], 5, true).await;
        assert_eq!((tally.latencies.len(), connections), (20, 20));
    }

    #[tokio::test]
    async fn failures_are_counted_and_the_rest_goes_on() {
        let (tally, _) = check(&["/200", "/500", "/gone", "/200"], 1, false).await;
        assert_eq!(tally.statuses, BTreeMap::from([(200, 2), (500, 1)]));
        assert_eq!((tally.latencies.len(), tally.errors), (3, 1));
        assert_eq!(
            tally.problem.as_deref(),
            Some("status 500 where 200 was due: ab")
        );
    }
}
