//! [`ProcessorTime`], a criterion measurement of the benchmark thread's processor time, which is hardly affected by
//! other load on the machine.

use std::time::Duration;

use criterion::{
    Criterion,
    measurement::{Measurement, ValueFormatter, WallTime},
};

/// Measures the processor time of the current thread on Unix, and wall-clock time on other platforms. Values are
/// formatted as criterion formats wall-clock time.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProcessorTime;

impl ProcessorTime {
    /// Creates a criterion instance with default settings that measures processor time.
    pub fn criterion() -> Criterion<Self> {
        Criterion::default().with_measurement(Self)
    }
}

/// Returns the processor time that the current thread has used so far.
#[cfg(unix)]
fn now() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    // Both parts are non-negative.
    Duration::new(u64::try_from(now.tv_sec).unwrap_or_default(), u32::try_from(now.tv_nsec).unwrap_or_default())
}

/// Returns the wall-clock time since the first call in this process.
#[cfg(not(unix))]
fn now() -> Duration {
    use std::{sync::OnceLock, time::Instant};
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

impl Measurement for ProcessorTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        now()
    }

    fn end(&self, start: Duration) -> Duration {
        now().saturating_sub(start)
    }

    fn add(&self, left: &Duration, right: &Duration) -> Duration {
        *left + *right
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, time: &Duration) -> f64 {
        WallTime.to_f64(time)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_work_takes_processor_time() {
        let start = ProcessorTime.start();
        std::thread::sleep(Duration::from_millis(50));
        assert!(ProcessorTime.end(start) < Duration::from_millis(25));

        let start = ProcessorTime.start();
        let clock = std::time::Instant::now();
        while ProcessorTime.end(start) < Duration::from_millis(5) {
            assert!(clock.elapsed() < Duration::from_secs(10), "a busy thread uses the processor");
        }
    }
}
