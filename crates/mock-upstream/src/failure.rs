//! Failures that tests request: the kind, the model and the number of times.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use serde::{Deserialize, Serialize};

/// A failure that a test requests, instead of a response or within one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The kind of failure.
    pub fault: Fault,
    /// The model whose requests fail; `None` for all.
    #[serde(default)]
    pub model: Option<String>,
    /// The number of times; 0 for always.
    #[serde(default = "once")]
    pub times: u32,
}

const fn once() -> u32 {
    1
}

/// The kind of failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    /// An error response.
    Status {
        /// The status, from 400 to 599.
        status: u16,
        /// The value of the `retry-after` header: seconds, or a date.
        #[serde(default)]
        retry_after: Option<String>,
    },
    /// The response starts after this many milliseconds.
    SlowHeaders(u64),
    /// This many milliseconds pass between the events of a stream.
    SlowChunks(u64),
    /// A stream ends after this many events; a response that is not streamed ends in its middle.
    Cut {
        /// Events before the end.
        after: usize,
        /// How it ends.
        how: How,
    },
    /// An event that is not JSON, after this many valid ones.
    Malformed(usize),
    /// An error event, after this many valid ones; it is the last.
    ErrorEvent(usize),
    /// A stream stops after this many events, and the connection stays open.
    Stall(usize),
    /// There is no response, and the connection stays open.
    Never,
}

/// How a connection ends within a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// A TCP reset.
    Reset,
    /// The TCP connection is closed before the end of the HTTP body.
    Close,
    /// The HTTP body ends before the API's stream does.
    End,
}

impl Failure {
    /// Returns a failure that happens once, for any model.
    pub const fn once(fault: Fault) -> Self {
        Self::times(1, fault)
    }

    /// Returns a failure that happens `times` times, for any model.
    pub const fn times(times: u32, fault: Fault) -> Self {
        Self { fault, model: None, times }
    }

    /// Returns a failure that happens until [`MockUpstream::reset`](crate::MockUpstream::reset), for any model.
    pub const fn always(fault: Fault) -> Self {
        Self::times(0, fault)
    }

    /// Limits the failure to one model.
    #[must_use]
    pub fn of_model(self, model: impl Into<String>) -> Self {
        Self { model: Some(model.into()), ..self }
    }

    /// Returns an error response without `retry-after`.
    pub const fn status(status: u16) -> Fault {
        Fault::Status { status, retry_after: None }
    }

    /// Returns an error response with status 429 and `retry-after` in seconds.
    pub fn too_many(retry_after: u32) -> Fault {
        Fault::Status { status: 429, retry_after: Some(retry_after.to_string()) }
    }
}

/// The failures that are still to happen, in the order in which they were requested.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// Whether there are any, so that requests do not wait for the lock if there are none.
    count: AtomicUsize,
    list: Mutex<Vec<Failure>>,
}

impl Failures {
    pub(crate) fn add(&self, failure: Failure) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.push(failure);
        self.count.store(list.len(), Ordering::Release);
    }

    pub(crate) fn clear(&self) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.clear();
        self.count.store(0, Ordering::Release);
    }

    /// Returns the first failure for the model, and decrements how often it is to happen.
    pub(crate) fn take(&self, model: &str) -> Option<Fault> {
        if self.count.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let place = list.iter().position(|failure| failure.model.as_deref().is_none_or(|named| named == model))?;
        let failure = list.get_mut(place)?;
        let fault = failure.fault.clone();
        match failure.times {
            0 => {}
            1 => drop(list.remove(place)),
            _ => failure.times -= 1,
        }
        self.count.store(list.len(), Ordering::Release);
        Some(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_happens_as_often_as_asked_and_for_its_model() {
        let failures = Failures::default();
        failures.add(Failure::times(2, Failure::status(529)).of_model("one"));
        failures.add(Failure::always(Fault::Never).of_model("two"));
        assert_eq!(failures.take("three"), None);
        assert_eq!(failures.take("one"), Some(Failure::status(529)));
        assert_eq!(failures.take("two"), Some(Fault::Never));
        assert_eq!(failures.take("one"), Some(Failure::status(529)));
        assert_eq!(failures.take("one"), None);
        assert_eq!(failures.take("two"), Some(Fault::Never));
        failures.clear();
        assert_eq!(failures.take("two"), None);
    }

    #[test]
    fn a_failure_is_read_from_json() {
        let text = r#"{"fault":{"status":{"status":429,"retry_after":"2"}},"model":"m","times":3}"#;
        let expected = Failure::times(3, Failure::too_many(2)).of_model("m");
        assert_eq!(serde_json::from_str::<Failure>(text).unwrap(), expected);
        let text = r#"{"fault":{"cut":{"after":3,"how":"reset"}}}"#;
        let expected = Failure::once(Fault::Cut { after: 3, how: How::Reset });
        assert_eq!(serde_json::from_str::<Failure>(text).unwrap(), expected);
        assert_eq!(
            serde_json::from_str::<Failure>(r#"{"fault":"never","times":0}"#).unwrap(),
            Failure::always(Fault::Never)
        );
    }
}
