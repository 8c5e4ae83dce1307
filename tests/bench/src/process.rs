//! What a server's process used: processor time and memory, as the kernel counts them.

use std::fs;

use crate::outcome::Used;

/// The unit of times in `/proc/PID/stat`: Linux reports them in hundredths of a second everywhere.
const TICKS_A_SECOND: f64 = 100.0;

/// Watches a server, and this tool, for the time of a row.
pub struct Clock {
    server: u32,
    before: [Option<f64>; 2],
}

impl Clock {
    /// From now on. The peak of memory starts anew, so that each row has its own; where the kernel
    /// refuses, it stays that of the whole run, which is still an upper bound.
    pub fn start(server: u32) -> Clock {
        let _refused = fs::write(format!("/proc/{server}/clear_refs"), "5");
        Clock {
            server,
            before: times(server),
        }
    }

    /// What was used since.
    pub fn stop(self) -> Used {
        let [old_server, old_tool] = self.before;
        let [server, tool] = times(self.server);
        let since = |after: Option<f64>, before: Option<f64>| Some(after? - before?);
        Used {
            cpu_s: since(server, old_server),
            tool_cpu_s: since(tool, old_tool),
            peak_kib: peak_memory(self.server),
        }
    }
}

/// Of the server and of this tool.
fn times(server: u32) -> [Option<f64>; 2] {
    [server, std::process::id()].map(cpu_seconds)
}

/// Seconds of processor time that a process has used so far, in user and kernel mode.
fn cpu_seconds(pid: u32) -> Option<f64> {
    parse_cpu(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The most memory that a process had resident, in KiB.
fn peak_memory(pid: u32) -> Option<u64> {
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
