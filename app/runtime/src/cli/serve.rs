//! `serve`: the server itself.

use clap::Args;

use super::{DataArgs, open, start_logging};
use crate::app::{Application, Pending};
use crate::config::Flags;

/// Start the server.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  basalt serve
  basalt serve --http 0.0.0.0:80 --dir /var/lib/basalt
  BASALT_LOG=debug BASALT_LOG_FORMAT=json basalt serve")]
pub struct ServeArgs {
    /// Address and port to listen on [default: 127.0.0.1:8090]
    #[arg(long, value_name = "ADDR")]
    pub http: Option<String>,
    /// Refuse to start if migrations are pending, instead of applying them
    #[arg(long)]
    pub no_migrate: bool,
    /// Where the data is.
    #[command(flatten)]
    pub data: DataArgs,
}

pub(super) fn run(args: ServeArgs, application: Application) -> anyhow::Result<()> {
    let settings = args.data.settings_with(Flags {
        http: args.http,
        migrate: args.no_migrate.then_some(false),
        ..Flags::default()
    })?;
    start_logging(&settings)?;
    // Each connection is an open file, and the usual limit of 1024 is for programs with few.
    if let Err(error) = rlimit::increase_nofile_limit(u64::MAX) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
    crate::server::check_address(&settings)?;
    let pending = if settings.migrate {
        Pending::Apply
    } else {
        Pending::Refuse
    };
    let extend = application.extend;
    crate::server::serve(open(application, settings, pending)?, extend)
}
