//! [`Faults`], the requests whose decision panicked, which are not decided again.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

/// The maximum number of requests that are stored.
const MAX_REQUESTS: usize = 256;

/// The hashes of the bodies of the latest requests whose decision panicked, at most [`MAX_REQUESTS`], the latest last.
#[derive(Debug, Default)]
pub(crate) struct Faults(Mutex<VecDeque<blake3::Hash>>);

impl Faults {
    /// Stores the hash of a request whose decision panicked.
    pub(crate) fn add(&self, body: &[u8]) {
        let mut requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if requests.len() == MAX_REQUESTS {
            requests.pop_front();
        }
        requests.push_back(blake3::hash(body));
    }

    /// Returns whether the decision of a stored request with an equal body panicked. The body is hashed only if a request is
    /// stored.
    pub(crate) fn contains(&self, body: &[u8]) -> bool {
        let requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        !requests.is_empty() && requests.contains(&blake3::hash(body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_requests_are_remembered() {
        let faults = Faults::default();
        assert!(!faults.contains(b"0"));
        (0..=MAX_REQUESTS).for_each(|number| faults.add(number.to_string().as_bytes()));
        assert!(
            !faults.contains(b"0") && faults.contains(b"1") && faults.contains(MAX_REQUESTS.to_string().as_bytes())
        );
    }
}
