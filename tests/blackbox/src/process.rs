//! Child processes: start with captured output, wait with a limit, end politely or at once.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// What a command that ended by itself left behind.
#[derive(Debug)]
pub struct Ended {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// All of its standard output.
    pub stdout: String,
    /// All of its standard error.
    pub stderr: String,
}

/// Waits until `ready` returns something; `None` after `limit`.
pub fn until<T>(limit: Duration, mut ready: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + limit;
    loop {
        if let Some(value) = ready() {
            return Some(value);
        }
        if Instant::now() >= end {
            return None;
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// A program, and how long its files may grow.
#[derive(Debug, Clone)]
pub struct Program {
    /// The executable file.
    pub binary: PathBuf,
    /// Most blocks of 512 bytes that a file of the process may have: a disk that is full.
    pub file_blocks: Option<u32>,
}

impl Program {
    fn command(&self) -> Command {
        let Some(blocks) = self.file_blocks else {
            return Command::new(&self.binary);
        };
        // The signal is ignored, so that a write fails with an error as on a full disk.
        let script = "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"";
        let mut shell = Command::new("sh");
        shell
            .args(["-c", script, "sh", &blocks.to_string()])
            .arg(&self.binary);
        shell
    }
}

/// Starts a command whose output goes to two files (`NAME.out`, `NAME.err`) in `logs`.
pub fn spawn(program: &Program, args: &[&str], logs: &Path, name: &str) -> Result<Child> {
    let file = |suffix: &str| {
        let path = logs.join(format!("{name}.{suffix}"));
        File::create(&path).with_context(|| format!("{}", path.display()))
    };
    program
        .command()
        .args(args)
        .current_dir(logs)
        .stdin(Stdio::null())
        .stdout(file("out")?)
        .stderr(file("err")?)
        .spawn()
        .with_context(|| format!("start of {}", program.binary.display()))
}

/// Runs a command to its end; after `limit` it is killed, which is an error.
pub fn run(program: &Program, args: &[&str], logs: &Path, limit: Duration) -> Result<Ended> {
    let mut child = spawn(program, args, logs, "run")?;
    let status = wait(&mut child, limit)?;
    let read = |suffix: &str| {
        let bytes = std::fs::read(logs.join(format!("run.{suffix}")))?;
        anyhow::Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let (stdout, stderr) = (read("out")?, read("err")?);
    match status {
        Some(status) => Ok(Ended {
            code: status.code(),
            stdout,
            stderr,
        }),
        None => bail!("{args:?} did not end within {limit:?}\n{stdout}\n{stderr}"),
    }
}

/// Waits for a child to end; after `limit` it is killed and `None` returned.
pub fn wait(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let ended = until(limit, || child.try_wait().transpose()).transpose()?;
    if ended.is_none() {
        child.kill()?;
        child.wait()?;
    }
    Ok(ended)
}

/// Asks a child to end, as a service manager would.
pub fn terminate(child: &Child) -> Result<()> {
    let status = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()?;
    anyhow::ensure!(status.success(), "kill -TERM {}: {status}", child.id());
    Ok(())
}
