//! Failures on demand: which, for which model, and how often.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use serde::{Deserialize, Serialize};

/// A failure that is to happen instead of an answer, or in the midst of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// What happens.
    pub fault: Fault,
    /// For requests to this model only.
    #[serde(default)]
    pub model: Option<String>,
    /// How often, at least once; 0 stands for always.
    #[serde(default = "once")]
    pub times: u32,
}

const fn once() -> u32 {
    1
}

/// What happens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    /// An error instead of an answer.
    Status {
        /// From 400 to 599.
        status: u16,
        /// The value of the `retry-after` header: seconds, or a date.
        #[serde(default)]
        retry_after: Option<String>,
    },
    /// The answer begins only after so many milliseconds.
    SlowHeaders(u64),
    /// So many milliseconds between the events of a stream.
    SlowChunks(u64),
    /// A stream ends after so many events; an answer that is no stream, in its middle.
    Cut {
        /// Events before the end.
        after: usize,
        /// How it ends.
        how: How,
    },
    /// An event that is no JSON, after so many proper ones.
    Malformed(usize),
    /// An error as an event of the stream, after so many proper ones; it is the last.
    ErrorEvent(usize),
    /// A stream stops after so many events and stays open.
    Stall(usize),
    /// Nothing is ever answered.
    Never,
}

/// How a connection ends in the midst of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// TCP's reset.
    Reset,
    /// TCP's orderly end, before HTTP's.
    Close,
    /// HTTP's end of the body, before the API's end of the stream.
    End,
}

impl Failure {
    /// Once, whatever the model.
    pub const fn once(fault: Fault) -> Self {
        Self::times(1, fault)
    }

    /// So often, whatever the model.
    pub const fn times(times: u32, fault: Fault) -> Self {
        Self { fault, model: None, times }
    }

    /// Until [`MockUpstream::reset`](crate::MockUpstream::reset), whatever the model.
    pub const fn always(fault: Fault) -> Self {
        Self::times(0, fault)
    }

    /// The same for one model only.
    #[must_use]
    pub fn of_model(self, model: impl Into<String>) -> Self {
        Self { model: Some(model.into()), ..self }
    }

    /// An error without a `retry-after`.
    pub const fn status(status: u16) -> Fault {
        Fault::Status { status, retry_after: None }
    }

    /// 429, to be tried again after so many seconds.
    pub fn too_many(retry_after: u32) -> Fault {
        Fault::Status { status: 429, retry_after: Some(retry_after.to_string()) }
    }
}

/// The failures that are still to happen, in the order in which they were asked for.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// So that a request need not wait for the lock when there are none.
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

    /// The first that fits the model, counted down.
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
