//! Runs a command and tells what it used, with all the processes that it started.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use wait4::Wait4;

/// What a command used.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Time on the clock.
    pub wall: Duration,
    /// Time of processors, of all processes together.
    pub cpu: Duration,
    /// Most memory of the largest process, in bytes.
    pub peak: u64,
}

impl Cost {
    /// What is left when a part is taken away; the peak stays.
    pub fn without(&self, part: &Cost) -> Cost {
        Cost {
            wall: self.wall.saturating_sub(part.wall),
            cpu: self.cpu.saturating_sub(part.cpu),
            peak: self.peak,
        }
    }
}

/// Runs it to its end; what it prints goes to a file, and into the error if it fails.
pub fn run(command: &mut Command, log: &Path) -> Result<Cost> {
    let output = File::create(log)?;
    let started = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output)
        .spawn()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    let used = child.wait4()?;
    let wall = started.elapsed();
    if !used.status.success() {
        let said = fs::read_to_string(log).unwrap_or_default();
        let lines: Vec<&str> = said.lines().rev().take(40).collect();
        let said: Vec<&str> = lines.into_iter().rev().collect();
        bail!("{command:?}: {}\n{}", used.status, said.join("\n"));
    }
    let rusage = used.rusage;
    Ok(Cost {
        wall,
        cpu: rusage.utime + rusage.stime,
        peak: rusage.maxrss,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_children_use_and_tells_what_they_say() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let mut busy = Command::new("sh");
        busy.args([
            "-c",
            "sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'",
        ]);
        let cost = run(&mut busy, &log).unwrap();
        assert!(cost.cpu > Duration::from_millis(1), "{cost:?}");
        assert!(cost.peak > 100_000, "{cost:?}");

        let mut wrong = Command::new("sh");
        wrong.args(["-c", "echo 'this is why' >&2; exit 3"]);
        let said = run(&mut wrong, &log).unwrap_err().to_string();
        assert!(said.contains("this is why") && said.contains('3'), "{said}");
    }
}
