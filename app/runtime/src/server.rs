//! The HTTP server: Rocket with the API's routes, and a shutdown that finishes what is running.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, bail};
use rocket::config::{Shutdown, Sig};
use rocket::error::ErrorKind;
use rocket::fairing::AdHoc;
use rocket::shield::Shield;
use rocket::{Build, Ignite, Rocket};
use tokio::runtime::Runtime;

use crate::app::App;
use crate::config::Settings;

/// How long the database may take to end. Reads whose client has gone may take any time, and an
/// end of the process in the midst of one does no harm.
const CLOSING: Duration = Duration::from_secs(5);

/// Serves until it is told to stop, then finishes the requests in flight. Those that take longer
/// than the grace period are cut off, with a warning.
///
/// # Errors
/// One line that says why the server could not start, or why it failed.
pub fn serve(app: App, extend: fn(Rocket<Build>) -> Rocket<Build>) -> anyhow::Result<()> {
    let address = address(&app.settings)?;
    let app = Arc::new(app);
    let rocket = extend(build(Arc::clone(&app), address)).attach(AdHoc::on_liftoff(
        "greeting",
        move |rocket| {
            let port = rocket.config().port;
            Box::pin(async move { greet(SocketAddr::new(address.ip(), port)) })
        },
    ));
    let runtime = runtime()?;
    let outcome = runtime.block_on(rocket.launch());
    // What runs on has had its time; it holds the application, as does what Rocket hands back.
    runtime.shutdown_timeout(Duration::from_millis(500));
    let ended = conclude(outcome, address);
    close(app);
    ended
}

/// Makes sure that the server can listen, before anything is made or changed for it.
///
/// # Errors
/// One line that says why it can't.
pub fn check_address(settings: &Settings) -> anyhow::Result<()> {
    let address = address(settings)?;
    match TcpListener::bind(address) {
        Ok(_) => Ok(()),
        Err(cause) => bail!("{}", taken(address, &cause)),
    }
}

fn address(settings: &Settings) -> anyhow::Result<SocketAddr> {
    let text = &settings.http;
    text.parse().with_context(|| {
        format!("`{text}` is no address to listen on; write it like 127.0.0.1:8090")
    })
}

fn taken(address: SocketAddr, cause: &io::Error) -> String {
    format!("cannot listen on {address}: {cause}; stop what uses it, or choose another with --http")
}

/// The threads that requests run on. Rocket or tokio alone would take their number from variables
/// that nobody has checked.
fn runtime() -> anyhow::Result<Runtime> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores)
        .thread_name("request")
        .enable_all()
        .build()
        .context("cannot start the threads that serve requests")
}

/// What the end of the server means.
fn conclude(
    outcome: Result<Rocket<Ignite>, rocket::Error>,
    address: SocketAddr,
) -> anyhow::Result<()> {
    let Err(error) = outcome else { return Ok(()) };
    match error.kind() {
        ErrorKind::Shutdown(_, None) => {
            tracing::warn!("stopped; requests that took longer than the grace period were cut off");
            Ok(())
        }
        ErrorKind::Shutdown(_, Some(cause)) => bail!("the server failed: {cause}"),
        ErrorKind::Bind(cause) => bail!("{}", taken(address, cause)),
        other => bail!("the server could not start: {other}"),
    }
}

/// Ends the database, and waits for that, but not for ever.
fn close(app: Arc<App>) {
    let (sender, closed) = mpsc::channel();
    let closing = move || {
        app.db.shutdown();
        drop(app);
        // Nobody listens any more after the limit.
        let _ = sender.send(());
    };
    let thread = thread::Builder::new().name("closing".to_owned());
    let started = thread.spawn(closing);
    if started.is_err() || closed.recv_timeout(CLOSING).is_err() {
        tracing::warn!("stopped while the database was still busy; what was acknowledged is safe");
    }
}

/// Rocket with everything but the application's own routes.
pub fn build(app: Arc<App>, address: SocketAddr) -> Rocket<Build> {
    let config = rocket::Config {
        address: address.ip(),
        port: address.port(),
        ident: rocket::config::Ident::none(),
        log_level: rocket::config::LogLevel::Off,
        shutdown: shutdown(&app.settings),
        ..rocket::Config::release_default()
    };
    // The standard headers of the API are the peer's; Rocket's own set differs.
    crate::api::mount(rocket::custom(config).manage(app).attach(Shield::new()))
}

fn shutdown(settings: &Settings) -> Shutdown {
    Shutdown {
        ctrlc: true,
        signals: [Sig::Term].into(),
        grace: settings.grace_seconds,
        mercy: 1,
        force: true,
        ..Shutdown::default()
    }
}

fn greet(address: SocketAddr) {
    println!("Basalt is serving http://{address}");
    println!("  try it:  curl http://{address}/api/health");
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::path::Path;

    use super::*;
    use crate::app::DATABASE_FILE;
    use crate::auth::secrets::Secrets;
    use crate::registry::RegistryBuilder;
    use crate::storage::{Database, Options, maintain};

    /// Stops the server and answers.
    #[rocket::get("/leave")]
    fn leave(shutdown: rocket::Shutdown) -> &'static str {
        shutdown.notify();
        "bye"
    }

    /// Stops the server and never answers.
    #[rocket::get("/hang")]
    async fn hang(shutdown: rocket::Shutdown) -> &'static str {
        shutdown.notify();
        std::future::pending().await
    }

    fn extend(rocket: Rocket<Build>) -> Rocket<Build> {
        rocket.mount("/", rocket::routes![leave, hang])
    }

    fn app(dir: &Path, http: String) -> App {
        let options = Options {
            path: dir.join(DATABASE_FILE),
            readers: 1,
        };
        let settings = Settings {
            http,
            grace_seconds: 0,
            ..Settings::default()
        };
        let db = Database::open(&options).unwrap();
        App::new(
            RegistryBuilder::new().build(),
            db,
            Secrets::default(),
            settings,
        )
    }

    /// Asks for a path, once the server listens; what it answers until the connection ends.
    fn get(address: &str, path: &str) -> String {
        let mut stream = loop {
            match TcpStream::connect(address) {
                Ok(stream) => break stream,
                Err(_) => thread::park_timeout(Duration::from_millis(5)),
            }
        };
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A connection that is cut off may end with an error.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    }

    /// Serves until a request to `path` stops it; returns how that ended and the answer. The
    /// database must be free again then.
    fn stopped_by(path: &'static str) -> (anyhow::Result<()>, String) {
        let dir = tempfile::tempdir().unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap().to_string();
        drop(free);
        let app = app(dir.path(), address.clone());
        let client = thread::spawn(move || get(&address, path));
        let ended = serve(app, extend);
        maintain(&dir.path().join(DATABASE_FILE), |_| Ok(())).unwrap();
        (ended, client.join().unwrap())
    }

    #[test]
    fn a_stop_closes_the_database() {
        let (ended, answer) = stopped_by("/leave");
        assert!(ended.is_ok(), "{ended:?}");
        assert!(answer.ends_with("bye"), "{answer}");
    }

    #[test]
    fn a_stop_that_cuts_a_request_off_is_still_a_stop() {
        let (ended, answer) = stopped_by("/hang");
        assert!(ended.is_ok(), "{ended:?}");
        assert_eq!(answer, "");
    }

    #[test]
    fn an_address_in_use_is_no_stop() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap().to_string();
        let dir = tempfile::tempdir().unwrap();
        let error = serve(app(dir.path(), address.clone()), extend).unwrap_err();
        assert!(error.to_string().contains(&address), "{error}");
    }
}
