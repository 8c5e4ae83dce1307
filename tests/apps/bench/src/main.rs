//! The application that the benchmark measures: its schema, and nothing of its own.

mod generated;

use std::process::ExitCode;

use basalt_runtime::app::Application;
use diesel_migrations::{EmbeddedMigrations, embed_migrations};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

fn main() -> ExitCode {
    basalt_runtime::cli::main(Application {
        name: "basalt-bench-app",
        collections: generated::registry(),
        migrations: MIGRATIONS,
        extend: |rocket| rocket,
    })
}
