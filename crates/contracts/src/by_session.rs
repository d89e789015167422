//! [`BySession`], a map from session ids that is searched by the hash of the id.
//!
//! Many ids share a prefix (`http-` and digits), which makes comparisons of whole ids slow. Iteration and serialisation
//! are in the order of ids, so hash values have no visible effect.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use serde::{Deserialize, Serialize, Serializer};

use crate::SessionId;

/// A map from session ids to values. Projections store their state of each session in it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "BTreeMap<SessionId, T>", bound(deserialize = "T: Default + Deserialize<'de>"))]
pub struct BySession<T> {
    /// Entries by the hash of the id. Entries with the same hash are sorted by id.
    sessions: BTreeMap<u64, Vec<(SessionId, T)>>,
}

impl<T> Default for BySession<T> {
    fn default() -> Self {
        Self { sessions: BTreeMap::new() }
    }
}

impl<T> BySession<T> {
    /// Returns the value of a session; `None` if it has no entry.
    pub fn get(&self, id: &SessionId) -> Option<&T> {
        let alike = self.sessions.get(&hash(id))?;
        let place = alike.binary_search_by(|(known, _)| known.cmp(id)).ok()?;
        alike.get(place).map(|(_, known)| known)
    }

    /// Returns all entries in the order of ids. Sorts them on each call, so prefer [`BySession::get`] for one session.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&SessionId, &T)> {
        let mut all: Vec<_> =
            self.sessions.values().flat_map(|alike| alike.iter().map(|(id, known)| (id, known))).collect();
        all.sort_unstable_by_key(|(id, _)| *id);
        all.into_iter()
    }
}

impl<T: Default> BySession<T> {
    /// Returns the value of a session for modification; inserts the default value if there is none.
    pub fn entry(&mut self, id: &SessionId) -> &mut T {
        let alike = self.sessions.entry(hash(id)).or_default();
        let place = alike.binary_search_by(|(known, _)| known.cmp(id)).unwrap_or_else(|place| {
            alike.reserve_exact(1);
            alike.insert(place, (id.clone(), T::default()));
            place
        });
        &mut alike[place].1
    }
}

/// Returns the hash of an id, the same in every process of one build.
fn hash(id: &SessionId) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

impl<T: Default> From<BTreeMap<SessionId, T>> for BySession<T> {
    fn from(saved: BTreeMap<SessionId, T>) -> Self {
        let mut sessions = Self::default();
        for (id, known) in saved {
            *sessions.entry(&id) = known;
        }
        sessions
    }
}

impl<T: Serialize> Serialize for BySession<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Creates a session id.
    fn id(name: &str) -> SessionId {
        SessionId::try_from(name).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Has the same values, order and serialised form as a `BTreeMap` from ids.
        #[test]
        fn it_is_a_map_in_the_order_of_ids(names in prop::collection::vec("[ab]{1,4}", 0..40), other in "[ab]{1,4}") {
            let (mut found, mut expected) = (BySession::default(), BTreeMap::<_, u32>::new());
            for name in &names {
                *found.entry(&id(name)) += 1;
                *expected.entry(id(name)).or_default() += 1;
            }
            prop_assert_eq!(found.get(&id(&other)), expected.get(&id(&other)));
            prop_assert!(found.iter().eq(expected.iter()));
            prop_assert_eq!(serde_json::to_string(&found).unwrap(), serde_json::to_string(&expected).unwrap());
            prop_assert_eq!(BySession::from(expected), found);
        }
    }
}
