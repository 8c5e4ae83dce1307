//! The demo application, made from `schema/`, and the `basalt` command, which adds the commands
//! of the generator to those that every application has.

mod cli;
mod generated;
mod hooks;
mod routes;

use std::process::ExitCode;
use std::sync::Arc;

use basalt_runtime::app::Application;
use diesel_migrations::{EmbeddedMigrations, embed_migrations};

/// The migrations of `migrations/sqlite`, in the binary.
pub const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// The demo application.
pub fn application() -> Application {
    Application {
        name: "basalt",
        collections: generated::registry().hooks(Arc::new(hooks::Posts)),
        migrations: MIGRATIONS,
        extend: routes::extend,
    }
}

/// Parses the arguments of the process and does what they say.
pub fn cli() -> ExitCode {
    cli::main()
}
