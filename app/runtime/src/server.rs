//! The HTTP server: Rocket with the API's routes, and a shutdown that finishes what is running.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use rocket::config::{Shutdown, Sig};
use rocket::fairing::AdHoc;
use rocket::shield::Shield;
use rocket::{Build, Rocket};

use crate::app::App;
use crate::config::Settings;

/// Serves until it is told to stop, then finishes the requests in flight.
///
/// # Errors
/// One line that says why the server could not start.
pub fn serve(app: App, extend: fn(Rocket<Build>) -> Rocket<Build>) -> anyhow::Result<()> {
    let address: SocketAddr = app.settings.http.parse().with_context(|| {
        format!(
            "`{}` is no address to listen on; write it like 127.0.0.1:8090",
            app.settings.http
        )
    })?;
    let app = Arc::new(app);
    let rocket = extend(build(Arc::clone(&app), address)).attach(AdHoc::on_liftoff(
        "greeting",
        move |rocket| {
            let port = rocket.config().port;
            Box::pin(async move { greet(SocketAddr::new(address.ip(), port)) })
        },
    ));
    let outcome = rocket::execute(rocket.launch());
    if let Some(app) = Arc::into_inner(app) {
        app.db.shutdown();
    }
    match outcome {
        Ok(_) => Ok(()),
        Err(error) => bail!("{}", explain(&error, address)),
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

fn explain(error: &rocket::Error, address: SocketAddr) -> String {
    match error.kind() {
        rocket::error::ErrorKind::Bind(cause) => format!(
            "cannot listen on {address}: {cause}; stop what uses it, or choose another with --http"
        ),
        other => format!("the server could not start: {other}"),
    }
}
