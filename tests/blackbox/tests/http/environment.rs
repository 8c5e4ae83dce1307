//! Variables that are meant for the libraries underneath: the server's settings are its own.

use std::process::{Command, Stdio};
use std::time::Duration;

use basalt_blackbox::process::{terminate, until, wait};
use basalt_blackbox::server::free_address;
use basalt_blackbox::{Client, TestServer};

use crate::support::target;

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn variables_of_libraries_have_no_say() {
    let target = target();
    let server = TestServer::prepare(&target).unwrap();
    let address = free_address().unwrap();
    let mut child = Command::new(&target.program.binary)
        .args(["serve", "--http", &address, "--dir", &server.data_text()])
        .env("ROCKET_WORKERS", "abc")
        .env("ROCKET_SHUTDOWN", "abc")
        .env("TOKIO_WORKER_THREADS", "abc")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let client = Client::guest(&address);
    let answered = until(LIMIT, || match child.try_wait() {
        Ok(None) => client.get("/api/health").ok(),
        ended => panic!("the server did not start: {ended:?}"),
    });
    terminate(&child).unwrap();
    let status = wait(&mut child, LIMIT).unwrap().unwrap();
    assert_eq!(answered.unwrap().status, 200);
    assert!(status.success(), "{status}");
}
