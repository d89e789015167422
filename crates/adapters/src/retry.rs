//! [`RetryBudget`], the limits of the retries of a request.

use std::time::Duration;

/// Limits of the retries of an HTTP request: their number and the pauses between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryBudget {
    /// Maximum number of retries after the first attempt.
    pub retries: u32,
    /// Pause before the first retry; doubled for each further one.
    pub backoff: Duration,
    /// Maximum pause, for both the provider's `Retry-After` and the doubled backoff. A request that would have to wait
    /// longer is not retried.
    pub longest_pause: Duration,
}

impl RetryBudget {
    /// No retry: a request is sent once.
    pub const NONE: Self = Self { retries: 0, backoff: Duration::ZERO, longest_pause: Duration::ZERO };

    /// Returns the pause before the retry with the number `retry`, from 0; `None` if the request must not be retried.
    ///
    /// A `Retry-After` of the provider is used unchanged. Otherwise the pause is the doubled backoff, reduced by up to
    /// a half. `random` must be uniformly distributed over all of `u32`; the jitter prevents clients that failed
    /// together from retrying together.
    pub fn pause(&self, retry: u32, retry_after: Option<Duration>, random: u32) -> Option<Duration> {
        if self.retries <= retry {
            return None;
        }
        let backoff = self.backoff.saturating_mul(2_u32.saturating_pow(retry));
        if self.longest_pause < retry_after.unwrap_or(backoff) {
            return None;
        }
        let jitter = (backoff / 2).mul_f64(f64::from(random) / f64::from(u32::MAX));
        Some(retry_after.unwrap_or_else(|| backoff.saturating_sub(jitter)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::RetryBudget;

    /// A budget whose third pause, 400 ms, is above its limit.
    const BUDGET: RetryBudget =
        RetryBudget { retries: 3, backoff: Duration::from_millis(100), longest_pause: Duration::from_millis(350) };

    #[test]
    fn pauses_double_and_jitter_takes_up_to_half_of_them() {
        let pauses =
            |random| [0, 1, 2, 3].map(|retry| BUDGET.pause(retry, None, random).map(|pause| pause.as_millis()));
        assert_eq!(pauses(0), [Some(100), Some(200), None, None]);
        assert_eq!(pauses(u32::MAX), [Some(50), Some(100), None, None]);
        let half = BUDGET.pause(0, None, u32::MAX / 2).unwrap();
        assert!(Duration::from_millis(74) < half && half < Duration::from_millis(76), "{half:?}");
    }

    #[test]
    fn a_retry_after_counts_without_jitter_up_to_the_longest_pause() {
        let pause = |millis| BUDGET.pause(0, Some(Duration::from_millis(millis)), u32::MAX);
        assert_eq!(pause(0), Some(Duration::ZERO));
        assert_eq!(pause(350), Some(Duration::from_millis(350)));
        assert_eq!(pause(351), None);
        assert_eq!(RetryBudget::NONE.pause(0, Some(Duration::ZERO), 0), None);
    }
}
