//! Processor time and memory of another process, from Linux's /proc.

use std::fs;

/// The number of ticks per second in which /proc reports processor time.
const TICKS: f64 = 100.0;

/// Returns the processor time of a process since its start, user and system together, in microseconds; `None` if there
/// is no such process or no /proc.
pub(crate) fn processor_time(pid: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may contain any character. The fields after its last bracket are numbers, except the state, which is
    // first (proc(5), field 3).
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: Vec<f64> = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    let [user, system] = ticks.as_slice() else {
        return None;
    };
    Some((user + system) / TICKS * 1_000_000.0)
}

/// Returns the current and the peak resident memory of a process, in KiB; `None` if there is no such process or
/// no /proc.
pub(crate) fn memory(pid: u32) -> Option<(u64, u64)> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    Some((field("VmRSS:")?, field("VmHWM:")?))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_time_and_memory() {
        let pid = std::process::id();
        assert!(processor_time(pid).is_some());
        let (now, most) = memory(pid).unwrap();
        assert!(0 < now && now <= most);
        assert_eq!(processor_time(u32::MAX), None);
    }
}
