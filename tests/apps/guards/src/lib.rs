//! An application whose fields have rules of their own: its schema, and nothing besides.

mod generated;

use basalt_runtime::app::Application;
use diesel_migrations::{EmbeddedMigrations, embed_migrations};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

/// The application.
pub fn application() -> Application {
    Application {
        name: "basalt-guards-app",
        collections: generated::registry(),
        migrations: MIGRATIONS,
        extend: |rocket| rocket,
    }
}
