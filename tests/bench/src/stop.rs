//! Being told to stop. Everything that waits asks here, and leaves by an error: so whatever was
//! started is dropped, and with it servers and directories.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result, bail};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

static TOLD: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on, Ctrl-C and the like only raise a flag.
pub fn listen() -> Result<()> {
    let flag = TOLD.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(flag))
            .context("cannot listen for Ctrl-C")?;
    }
    Ok(())
}

/// An error once the flag is up.
pub fn check() -> Result<()> {
    if TOLD.get().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        bail!("interrupted");
    }
    Ok(())
}
