//! An application whose fields have rules of their own: its schema, and a hook that tells when it
//! runs.

mod generated;
mod hooks;

use std::sync::Arc;

use basalt_runtime::app::Application;
use diesel_migrations::{EmbeddedMigrations, embed_migrations};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

/// The application.
pub fn application() -> Application {
    Application {
        name: "basalt-guards-app",
        collections: generated::registry().hooks(Arc::new(hooks::OfStaff)),
        migrations: MIGRATIONS,
        extend: |rocket| rocket,
    }
}
