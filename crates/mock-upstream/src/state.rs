//! The settings of a mock, and the state that its connections share.

use std::{
    fmt,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use crate::{failure::Failures, record::Requests, response_cache::ResponseCache};

/// The settings with which a mock provider starts.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The port on 127.0.0.1; 0 selects a free one.
    pub port: u16,
    /// The number of threads of the server, at least 1.
    pub threads: usize,
    /// Whether to respond from a cache, without validating or recording requests. For benchmarks of programs in front
    /// of the mock.
    pub plain: bool,
    /// Whether to record the bodies of requests.
    pub keep_bodies: bool,
    /// Milliseconds between the events of a stream.
    pub gap_ms: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { port: 0, threads: 1, plain: false, keep_bodies: true, gap_ms: 0 }
    }
}

/// The state of a mock that all its connections share: settings, failures, recorded requests and cached responses.
pub(crate) struct State {
    /// The settings at the start. The two settings below can be changed later.
    pub(crate) settings: Settings,
    /// Whether to record the bodies of requests.
    pub(crate) keep_bodies: AtomicBool,
    /// Milliseconds between the events of a stream.
    pub(crate) gap_ms: AtomicU64,
    /// The number of requests so far.
    number: AtomicU64,
    /// The pending failures.
    pub(crate) failures: Failures,
    /// The last requests.
    pub(crate) requests: Requests,
    /// The responses of a plain mock.
    pub(crate) cached_responses: ResponseCache,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl State {
    /// Creates the state of a mock provider that starts with these settings.
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            keep_bodies: AtomicBool::new(settings.keep_bodies),
            gap_ms: AtomicU64::new(settings.gap_ms),
            number: AtomicU64::new(0),
            failures: Failures::default(),
            requests: Requests::default(),
            cached_responses: ResponseCache::default(),
        }
    }

    /// Returns the delay between the events of a stream.
    pub(crate) fn gap(&self) -> Duration {
        Duration::from_millis(self.gap_ms.load(Ordering::Relaxed))
    }

    /// Counts a request and returns its number, from 1.
    pub(crate) fn next_request_number(&self) -> u64 {
        self.number.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Returns the number of requests so far.
    pub(crate) fn request_count(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }
}
