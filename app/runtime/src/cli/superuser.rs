//! `superuser`: the accounts that no rule applies to.

use anyhow::bail;
use clap::{Args, Subcommand};
use rand::distr::{Alphanumeric, SampleString};

use super::{DataArgs, open};
use crate::app::{App, Application, Pending};
use crate::auth::guard::SUPERUSERS;
use crate::auth::password;
use crate::collection::Record;
use crate::error::ApiError;
use crate::field::address::is_email;
use crate::registry::Endpoint;
use crate::sql::Conn;
use crate::value::{DateTime, Value};

/// Manage the accounts that no rule applies to.
#[derive(Debug, Subcommand)]
pub enum SuperuserCommand {
    /// Create a superuser, or set its password if it exists
    #[command(
        after_help = "Example:\n  basalt superuser upsert admin@example.com 'a long password'"
    )]
    Upsert(Credentials),
    /// Delete a superuser
    #[command(after_help = "Example:\n  basalt superuser delete admin@example.com")]
    Delete {
        /// The account's email.
        email: String,
        /// Where the data is.
        #[command(flatten)]
        data: DataArgs,
    },
}

/// Who, and with which password.
#[derive(Debug, Args)]
pub struct Credentials {
    /// The account's email
    email: String,
    /// The password: at least 8 characters
    password: String,
    #[command(flatten)]
    data: DataArgs,
}

pub(super) fn run(command: SuperuserCommand, application: Application) -> anyhow::Result<()> {
    match command {
        SuperuserCommand::Upsert(credentials) => upsert(credentials, application),
        SuperuserCommand::Delete { email, data } => delete(&email, &data, application),
    }
}

fn upsert(credentials: Credentials, application: Application) -> anyhow::Result<()> {
    let Credentials {
        email,
        password,
        data,
    } = credentials;
    if !is_email(&email) {
        bail!("`{email}` is no email address");
    }
    let length = password.chars().count();
    if !(8..=71).contains(&length) {
        bail!("the password must have 8 to 71 characters, not {length}");
    }
    let hash = password::hash_blocking(&password).map_err(failure("cannot hash the password"))?;
    let app = open(application, data.settings()?, Pending::Apply)?;
    let name = email.clone();
    let created = with_superusers(&app, move |endpoint, conn| {
        let old = find(endpoint, conn, &name)?;
        let now = DateTime::now().as_str().to_owned();
        let mut new = match &old {
            Some(old) => endpoint.copy(&**old).map_err(ApiError::internal)?,
            None => {
                let mut new = endpoint.blank();
                set(&mut *new, "id", random_id());
                set(&mut *new, "email", name);
                set(&mut *new, "created", now.clone());
                new
            }
        };
        set(&mut *new, "password", hash);
        set(
            &mut *new,
            "tokenKey",
            Alphanumeric.sample_string(&mut rand::rng(), 50),
        );
        set(&mut *new, "updated", now);
        if let Some(verified) = endpoint.meta().field_index("verified") {
            new.set(verified, Value::Bool(true));
        }
        match &old {
            Some(old) => endpoint.update_unchecked(conn, &**old, &*new),
            None => endpoint.insert_unchecked(conn, &*new),
        }
        .map_err(ApiError::internal)?;
        Ok(old.is_none())
    })?;
    app.db.shutdown();
    println!(
        "{} superuser {email}",
        if created {
            "Created"
        } else {
            "Changed the password of"
        }
    );
    Ok(())
}

fn delete(email: &str, data: &DataArgs, application: Application) -> anyhow::Result<()> {
    let app = open(application, data.settings()?, Pending::Apply)?;
    let name = email.to_owned();
    let deleted = with_superusers(&app, move |endpoint, conn| {
        let Some(record) = find(endpoint, conn, &name)? else {
            return Ok(0);
        };
        endpoint
            .delete_unchecked(conn, record.id())
            .map_err(ApiError::internal)
    })?;
    app.db.shutdown();
    if deleted == 0 {
        bail!("there is no superuser {email}");
    }
    println!("Deleted superuser {email}");
    Ok(())
}

fn with_superusers<R: Send + 'static>(
    app: &App,
    job: impl FnOnce(&dyn Endpoint, &mut Conn) -> Result<R, ApiError> + Send + 'static,
) -> anyhow::Result<R> {
    let registry = app.registry.clone();
    app.db
        .write_blocking(move |conn| {
            let entry = registry.find(SUPERUSERS).ok_or_else(ApiError::not_found)?;
            job(&***entry, conn)
        })
        .map_err(failure("the database refused"))
}

fn find(
    endpoint: &dyn Endpoint,
    conn: &mut Conn,
    email: &str,
) -> Result<Option<Box<dyn Record>>, ApiError> {
    let field = endpoint
        .meta()
        .field_index("email")
        .ok_or_else(ApiError::not_found)?;
    let found = endpoint.find_unchecked(conn, field, email, false, Some(1));
    Ok(found.map_err(ApiError::internal)?.pop())
}

fn failure(what: &'static str) -> impl Fn(ApiError) -> anyhow::Error {
    move |error| anyhow::anyhow!("{what}: {}", error.message)
}

/// Fifteen letters and digits, as every generated id.
fn random_id() -> String {
    Alphanumeric
        .sample_string(&mut rand::rng(), 15)
        .to_ascii_lowercase()
}

fn set(record: &mut dyn Record, name: &str, text: String) {
    if let Some(field) = record.meta().field_index(name) {
        record.set(field, Value::Text(text));
    }
}
