//! The demo application, built along with the tests of this package, which run it.

use std::process::ExitCode;

fn main() -> ExitCode {
    basalt::cli()
}
