//! What benchmarks measure: the processor time of their thread, so that others at work on the machine hardly count.

use std::time::Duration;

use criterion::{
    Criterion,
    measurement::{Measurement, ValueFormatter, WallTime},
};

/// Processor time of the thread on Unix, time on the clock elsewhere.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProcessorTime;

impl ProcessorTime {
    /// Criterion with its usual settings and this measure.
    pub fn criterion() -> Criterion<Self> {
        Criterion::default().with_measurement(Self)
    }
}

#[cfg(unix)]
fn now() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    // Neither is ever negative.
    Duration::new(u64::try_from(now.tv_sec).unwrap_or_default(), u32::try_from(now.tv_nsec).unwrap_or_default())
}

#[cfg(not(unix))]
fn now() -> Duration {
    use std::{sync::OnceLock, time::Instant};
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}

impl Measurement for ProcessorTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        now()
    }

    fn end(&self, begun: Duration) -> Duration {
        now().saturating_sub(begun)
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
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
    fn sleeping_takes_no_processor_time_and_working_does() {
        let begun = ProcessorTime.start();
        std::thread::sleep(Duration::from_millis(50));
        assert!(ProcessorTime.end(begun) < Duration::from_millis(25));

        let begun = ProcessorTime.start();
        let clock = std::time::Instant::now();
        while ProcessorTime.end(begun) < Duration::from_millis(5) {
            assert!(clock.elapsed() < Duration::from_secs(10), "a busy thread uses the processor");
        }
    }
}
