//! What every request handler shares, and how it is put together from an application's parts.

use anyhow::Context as _;
use diesel_migrations::EmbeddedMigrations;
use rocket::{Build, Rocket};

use crate::auth::callers::Callers;
use crate::auth::password::Passwords;
use crate::auth::secrets::Secrets;
use crate::config::Settings;
use crate::meta::CollectionMeta;
use crate::migrate;
use crate::registry::{Registry, RegistryBuilder};
use crate::sql::Conn;
use crate::storage::{self, Answers, Database, Options};
use crate::throttle::Throttle;

/// An application: what its generated code declares and what it adds by hand.
pub struct Application {
    /// Its name, as the command line shows it.
    pub name: &'static str,
    /// The collections, with their hooks.
    pub collections: RegistryBuilder,
    /// The migrations that its database needs.
    pub migrations: EmbeddedMigrations,
    /// Adds routes, fairings and state of its own.
    pub extend: fn(Rocket<Build>) -> Rocket<Build>,
}

/// The shared state of a running server.
pub struct App {
    /// The collections.
    pub registry: Registry,
    /// The database.
    pub db: Database,
    /// Answers for requests that ask the same again.
    pub answers: Answers,
    /// What tokens are signed with.
    pub secrets: Secrets,
    /// Callers whose tokens were verified before.
    pub callers: Callers,
    /// Holds back the answers to those who guess.
    pub throttle: Throttle,
    /// The settings in force.
    pub settings: Settings,
    /// Where passwords are hashed.
    pub passwords: Passwords,
}

/// The file of the database inside the data folder.
pub const DATABASE_FILE: &str = "data.db";

/// What to do about migrations that the database lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pending {
    /// Apply them.
    Apply,
    /// Refuse to go on.
    Refuse,
}

impl App {
    /// Opens the database, brings it up to date and makes sure that it fits the binary.
    ///
    /// # Errors
    /// One line that says what is wrong and what to run; the data is left as it was.
    pub fn open(
        collections: RegistryBuilder,
        migrations: EmbeddedMigrations,
        settings: Settings,
        pending: Pending,
    ) -> anyhow::Result<App> {
        let registry = collections.build();
        migrate::refuse_unmigrated(registry.unmigrated())?;
        let path = settings.dir.join(DATABASE_FILE);
        let metas: Vec<_> = registry
            .entries()
            .iter()
            .map(|entry| entry.meta())
            .collect();
        let held = storage::hold(&path);
        let secrets = storage::maintain(&path, |conn| prepare(conn, &metas, &migrations, pending))?;
        let db = Database::open(&Options {
            path,
            readers: settings.reader_count(),
        })?;
        drop(held);
        Ok(App::new(registry, db, secrets, settings))
    }

    /// The state of a server on a database that is ready.
    pub fn new(registry: Registry, db: Database, secrets: Secrets, settings: Settings) -> App {
        App {
            registry,
            db,
            answers: Answers::new(settings.answers_mb.saturating_mul(1 << 20)),
            secrets,
            callers: Callers::default(),
            throttle: Throttle::default(),
            passwords: Passwords::on_threads(settings.hashers),
            settings,
        }
    }
}

/// Brings a database up to date.
fn prepare(
    conn: &mut Conn,
    metas: &[&'static CollectionMeta],
    migrations: &EmbeddedMigrations,
    pending: Pending,
) -> anyhow::Result<Secrets> {
    match pending {
        Pending::Refuse => migrate::refuse_pending(conn, migrations)?,
        Pending::Apply => {
            migrate::run(conn, migrations, |_, name| {
                tracing::info!(name, "applying migration")
            })?;
        }
    }
    migrate::check_fits(conn, metas)?;
    migrate::ensure_system_tables(conn)?;
    Secrets::load_or_create(conn, metas.iter().copied()).context("cannot store the token secrets")
}
