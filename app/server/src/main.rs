//! The `basalt` command.

use std::process::ExitCode;

/// Many small pieces of memory for each request: a quarter less processor time for a page of records
/// than with the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    basalt::cli()
}
