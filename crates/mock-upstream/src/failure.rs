//! Failures that tests request, by kind, model and number of times.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use serde::{Deserialize, Serialize};

/// A failure that a test requests: it replaces or interrupts the responses to a number of requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The kind of failure.
    pub fault: Fault,
    /// The model whose requests fail; `None` for all models.
    #[serde(default)]
    pub model: Option<String>,
    /// The number of requests that fail; 0 for all.
    #[serde(default = "once")]
    pub times: u32,
}

/// Returns the number of requests that fail by default: 1.
const fn once() -> u32 {
    1
}

/// The kind of a failure that a test requests from the mock. Delays are in milliseconds.
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
    /// The response starts after a delay in milliseconds.
    SlowHeaders(u64),
    /// The events of a stream are sent with a delay in milliseconds between them.
    SlowChunks(u64),
    /// The response ends early: a stream after a number of events, any other response in its middle.
    Cut {
        /// The number of events before the end.
        after: usize,
        /// The way in which the response ends.
        how: ConnectionEnd,
    },
    /// A stream has an event that is not JSON after this number of valid ones; any other response is truncated.
    Malformed(usize),
    /// A stream ends with an error event after this number of valid ones.
    ErrorEvent(usize),
    /// The response stops, and the connection stays open: a stream after this number of events, any other in its
    /// middle.
    Stall(usize),
    /// No response is sent, and the connection stays open.
    Never,
}

/// The way in which the mock cuts off a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionEnd {
    /// With a TCP reset.
    Reset,
    /// With an orderly close of the TCP connection before the end of the HTTP body.
    Close,
    /// With a regular end of the HTTP body before the API's stream is complete.
    End,
}

impl Failure {
    /// Creates a failure of one request, for any model.
    pub const fn once(fault: Fault) -> Self {
        Self::times(1, fault)
    }

    /// Creates a failure of `times` requests, for any model.
    pub const fn times(times: u32, fault: Fault) -> Self {
        Self { fault, model: None, times }
    }

    /// Creates a failure of all requests until [`MockUpstream::reset`](crate::MockUpstream::reset), for any model.
    pub const fn always(fault: Fault) -> Self {
        Self::times(0, fault)
    }

    /// Restricts the failure to requests for one model.
    #[must_use]
    pub fn for_model(self, model: impl Into<String>) -> Self {
        Self { model: Some(model.into()), ..self }
    }

    /// Returns the fault of an error response without `retry-after`.
    pub const fn status(status: u16) -> Fault {
        Fault::Status { status, retry_after: None }
    }

    /// Returns the fault of an error response with status 429; `retry_after` is in seconds.
    pub fn too_many(retry_after: u32) -> Fault {
        Fault::Status { status: 429, retry_after: Some(retry_after.to_string()) }
    }
}

/// The pending failures that tests have requested, in the order of the requests.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// The length of the list, so that requests take no lock while it is empty.
    count: AtomicUsize,
    /// The pending failures, oldest first.
    list: Mutex<Vec<Failure>>,
}

impl Failures {
    /// Adds a failure after all others.
    pub(crate) fn add(&self, failure: Failure) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.push(failure);
        self.count.store(list.len(), Ordering::Release);
    }

    /// Removes all pending failures.
    pub(crate) fn clear(&self) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.clear();
        self.count.store(0, Ordering::Release);
    }

    /// Returns the fault for a request for `model`: the fault of the first pending failure for the model. Counts the
    /// request; a failure is removed after its last request. `None` if no failure is pending for the model.
    pub(crate) fn take(&self, model: &str) -> Option<Fault> {
        if self.count.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let index = list
            .iter()
            .position(|failure| failure.model.as_deref().is_none_or(|model_of_failure| model_of_failure == model))?;
        let failure = list.get_mut(index)?;
        let fault = failure.fault.clone();
        match failure.times {
            0 => {}
            1 => drop(list.remove(index)),
            _ => failure.times -= 1,
        }
        self.count.store(list.len(), Ordering::Release);
        Some(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A failure applies to its number of requests, and only to requests for its model.
    #[test]
    fn a_failure_happens_as_often_as_asked_and_for_its_model() {
        let failures = Failures::default();
        failures.add(Failure::times(2, Failure::status(529)).for_model("one"));
        failures.add(Failure::always(Fault::Never).for_model("two"));
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
        let expected = Failure::times(3, Failure::too_many(2)).for_model("m");
        assert_eq!(serde_json::from_str::<Failure>(text).unwrap(), expected);
        let text = r#"{"fault":{"cut":{"after":3,"how":"reset"}}}"#;
        let expected = Failure::once(Fault::Cut { after: 3, how: ConnectionEnd::Reset });
        assert_eq!(serde_json::from_str::<Failure>(text).unwrap(), expected);
        assert_eq!(
            serde_json::from_str::<Failure>(r#"{"fault":"never","times":0}"#).unwrap(),
            Failure::always(Fault::Never)
        );
    }
}
