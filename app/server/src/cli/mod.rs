//! The `basalt` command: what every application can do, and what needs the generator.

mod access;
mod explain;
mod import;
mod migrate;
mod schema;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A typed backend, generated from a schema
#[derive(Debug, Parser)]
#[command(
    name = "basalt",
    version,
    after_help = "\
Examples:
  basalt superuser upsert admin@example.com 'a long password'
  basalt serve
  basalt schema check
  basalt migrate diff add_summary
  basalt import schema pb_data
  basalt import data pb_data"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Common(basalt_runtime::cli::Command),
    /// Look at the schema files
    #[command(subcommand)]
    Schema(schema::SchemaCommand),
    /// Migrations: make, list, apply and revert them
    #[command(subcommand)]
    Migrate(migrate::MigrateCommand),
    /// Bring a project of PocketBase over
    #[command(subcommand)]
    Import(import::ImportCommand),
}

pub(crate) fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Common(command) => basalt_runtime::cli::run(command, crate::application()),
        Command::Schema(command) => schema::run(command),
        Command::Migrate(command) => migrate::run(command, &crate::MIGRATIONS),
        Command::Import(command) => import::run(command),
    };
    basalt_runtime::cli::report(outcome)
}
