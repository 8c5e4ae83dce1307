//! A small application for the micro-benchmarks in `benches/`: posts of users in organizations.

pub mod generated;

use basalt_runtime::app::Application;
use diesel_migrations::{EmbeddedMigrations, embed_migrations};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

/// The application.
pub fn application() -> Application {
    Application {
        name: "basalt-micro",
        collections: generated::registry(),
        migrations: MIGRATIONS,
        extend: |rocket| rocket,
    }
}
