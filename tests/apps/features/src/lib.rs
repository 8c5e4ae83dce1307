//! A test application that uses every feature: its schema is in `schema/`, and here are the hooks
//! and a route of its own.

pub mod generated;
mod hooks;
mod routes;

use std::sync::Arc;

use basalt_runtime::app::Application;
use diesel_migrations::{EmbeddedMigrations, embed_migrations};

/// The migrations of `migrations/sqlite`, in the binary.
pub const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

/// The application.
pub fn application() -> Application {
    Application {
        name: "basalt-features-app",
        collections: generated::registry()
            .hooks(Arc::new(hooks::OfNotes))
            .hooks(Arc::new(hooks::OfMembers)),
        migrations: MIGRATIONS,
        extend: routes::extend,
    }
}
