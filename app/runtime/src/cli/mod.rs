//! The command line that every application has: serve, superuser, migrate, import, export.

mod export;
mod import;
mod migrate;
mod serve;
mod superuser;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::app::{App, Application, Pending};
use crate::config::{Flags, LogFormat, Settings};

pub use self::export::ExportCommand;
pub use self::import::{ImportCommand, run as import};
pub use self::migrate::{MigrateCommand, RevertArgs, run as migrate};
pub use self::serve::ServeArgs;
pub use self::superuser::SuperuserCommand;

/// What an application can be told to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start the server
    Serve(ServeArgs),
    /// Manage the accounts that no rule applies to
    #[command(subcommand)]
    Superuser(SuperuserCommand),
    /// Write records out
    #[command(subcommand)]
    Export(ExportCommand),
}

/// Options of every command that opens the database.
#[derive(Debug, Clone, Args)]
pub struct DataArgs {
    /// Folder of the database [default: basalt_data]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Settings file [default: Basalt.toml, if it exists]
    #[arg(long, value_name = "FILE", env = "BASALT_CONFIG")]
    pub config: Option<PathBuf>,
}

impl DataArgs {
    /// The settings in force.
    pub fn settings(&self) -> anyhow::Result<Settings> {
        self.settings_with(Flags::default())
    }

    fn settings_with(&self, flags: Flags) -> anyhow::Result<Settings> {
        let flags = Flags {
            dir: self.dir.clone(),
            ..flags
        };
        Settings::load(self.config.as_deref(), &flags)
            .map_err(|error| anyhow::anyhow!("bad settings: {error}"))
    }
}

#[derive(Debug, Parser)]
struct Cli {
    #[command(subcommand)]
    command: AllCommands,
}

#[derive(Debug, Subcommand)]
enum AllCommands {
    #[command(flatten)]
    Common(Command),
    /// Migrations: list, apply and revert them
    #[command(subcommand)]
    Migrate(MigrateCommand),
    /// Bring in records from elsewhere
    #[command(subcommand)]
    Import(ImportCommand),
}

/// Parses the arguments and does what they say. For `main` of an application without commands of
/// its own.
pub fn main(application: Application) -> ExitCode {
    let matches = Cli::command().name(application.name).get_matches();
    match Cli::from_arg_matches(&matches) {
        Ok(Cli { command }) => report(match command {
            AllCommands::Common(command) => run(command, application),
            AllCommands::Migrate(command) => migrate(command, &application.migrations),
            AllCommands::Import(command) => import(command, application),
        }),
        Err(error) => error.exit(),
    }
}

/// Does what a command says.
pub fn run(command: Command, application: Application) -> anyhow::Result<()> {
    match command {
        Command::Serve(args) => serve::run(args, application),
        Command::Superuser(command) => superuser::run(command, application),
        Command::Export(command) => export::run(command, application),
    }
}

/// One line on stderr for an error, and the exit code: 0 or 1.
pub fn report(outcome: anyhow::Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn open(application: Application, settings: Settings, pending: Pending) -> anyhow::Result<App> {
    App::open(
        application.collections,
        application.migrations,
        settings,
        pending,
    )
}

fn start_logging(settings: &Settings) -> anyhow::Result<()> {
    let filter = tracing_subscriber::EnvFilter::try_new(&settings.log)
        .map_err(|error| anyhow::anyhow!("bad setting `log`: {error}"))?;
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    // Not `init`: that would also listen to Rocket, which says a dozen lines about each request.
    let started = match settings.log_format {
        LogFormat::Text => {
            let ansi = std::io::IsTerminal::is_terminal(&std::io::stderr());
            tracing::subscriber::set_global_default(logs.with_ansi(ansi).finish())
        }
        LogFormat::Json => tracing::subscriber::set_global_default(logs.json().finish()),
    };
    started.map_err(|error| anyhow::anyhow!("cannot start logging: {error}"))
}
