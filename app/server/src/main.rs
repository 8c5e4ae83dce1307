//! The `basalt` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    basalt::cli()
}
