//! The application that the benchmark measures: its schema, a route and a hook.

mod generated;
mod own;

use std::process::ExitCode;
use std::sync::Arc;

use basalt_runtime::app::Application;
use diesel_migrations::{EmbeddedMigrations, embed_migrations};

/// As in the demo.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

fn main() -> ExitCode {
    basalt_runtime::cli::main(Application {
        name: "basalt-bench-app",
        collections: generated::registry().hooks(Arc::new(own::Rewriting)),
        migrations: MIGRATIONS,
        extend: own::extend,
    })
}
