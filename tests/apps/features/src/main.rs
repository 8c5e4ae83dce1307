//! The server of the test application.

use std::process::ExitCode;

fn main() -> ExitCode {
    basalt_runtime::cli::main(features_app::application())
}
