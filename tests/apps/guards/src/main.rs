//! The server of the application whose fields have rules.

use std::process::ExitCode;

fn main() -> ExitCode {
    basalt_runtime::cli::main(guards_app::application())
}
