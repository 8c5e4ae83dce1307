//! What a server's process used: processor time and memory, as the kernel counts them.

use std::fs;

use crate::outcome::Used;

/// The unit of times in `/proc/PID/stat`: Linux reports them in hundredths of a second everywhere.
const TICKS_A_SECOND: f64 = 100.0;

/// Watches a server, and this tool, for a time.
pub struct Clock {
    server: u32,
    before: [Option<f64>; 2],
}

impl Clock {
    /// From now on.
    pub fn start(server: u32) -> Clock {
        Clock {
            server,
            before: times(server),
        }
    }

    /// What was used since.
    pub fn stop(self) -> Used {
        let [old_server, old_tool] = self.before;
        let [server, tool] = times(self.server);
        let since = |after: Option<f64>, before: Option<f64>| Some((after? - before?).max(0.0));
        Used {
            cpu_s: since(server, old_server),
            tool_cpu_s: since(tool, old_tool),
            peak_kib: peak_memory(self.server),
        }
    }
}

/// Lets the peak of memory start anew. Where the kernel refuses, it stays that of the whole run,
/// which is still an upper bound.
pub fn reset_peak(pid: u32) {
    let _refused = fs::write(format!("/proc/{pid}/clear_refs"), "5");
}

/// Of the server and of this tool.
fn times(server: u32) -> [Option<f64>; 2] {
    [server, std::process::id()].map(|pid| fine_seconds(pid).or_else(|| cpu_seconds(pid)))
}

/// Seconds of processor time of all threads that a process has, to the nanosecond.
fn fine_seconds(pid: u32) -> Option<f64> {
    let mut nanoseconds = 0.0;
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += text.split(' ').next()?.parse::<f64>().ok()?;
    }
    (nanoseconds > 0.0).then_some(nanoseconds / 1e9)
}

/// Seconds of processor time that a process has used so far, in user and kernel mode, with that of
/// threads that have ended; in hundredths.
pub fn cpu_seconds(pid: u32) -> Option<f64> {
    parse_cpu(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The most memory that a process had resident, in KiB.
pub fn peak_memory(pid: u32) -> Option<u64> {
    parse_peak(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?)
}

fn parse_cpu(stat: &str) -> Option<f64> {
    // The name in parentheses may hold spaces and parentheses: fields count from the last one.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let kernel: f64 = fields.next()?.parse().ok()?;
    Some((user + kernel) / TICKS_A_SECOND)
}

fn parse_peak(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_kernel_writes() {
        let stat = "42 (a (b) c) S 1 42 42 0 -1 4194560 9 0 0 0 150 50 0 0 20 0 4 0 100 1 2";
        assert_eq!(parse_cpu(stat), Some(2.0));
        assert_eq!(parse_cpu("42 (a"), None);
        let status = "Name:\ta\nVmPeak:\t  900 kB\nVmHWM:\t  321 kB\n";
        assert_eq!(parse_peak(status), Some(321));
        assert_eq!(parse_peak("Name:\ta\n"), None);
    }
}
