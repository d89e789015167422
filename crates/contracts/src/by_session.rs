//! A map whose keys are sessions, found by the hash of their id.
//!
//! Ids begin alike (`http-` and many digits), and comparing two of them takes a look at where each is kept. A hash
//! compares at once. It orders nothing that anyone sees: sessions are listed, and saved, in the order of their ids.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use serde::{Deserialize, Serialize, Serializer};

use crate::SessionId;

/// What is known of sessions, by their id.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "BTreeMap<SessionId, T>", bound(deserialize = "T: Default + Deserialize<'de>"))]
pub struct BySession<T> {
    /// By the hash of the id: most often one, in the order of ids.
    sessions: BTreeMap<u64, Vec<(SessionId, T)>>,
}

impl<T> Default for BySession<T> {
    fn default() -> Self {
        Self { sessions: BTreeMap::new() }
    }
}

impl<T> BySession<T> {
    /// What is known of a session.
    pub fn get(&self, id: &SessionId) -> Option<&T> {
        let alike = self.sessions.get(&hash(id))?;
        let place = alike.binary_search_by(|(known, _)| known.cmp(id)).ok()?;
        alike.get(place).map(|(_, known)| known)
    }

    /// All sessions, by id. Costs as much as putting them in that order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&SessionId, &T)> {
        let mut all: Vec<_> =
            self.sessions.values().flat_map(|alike| alike.iter().map(|(id, known)| (id, known))).collect();
        all.sort_unstable_by_key(|(id, _)| *id);
        all.into_iter()
    }
}

impl<T: Default> BySession<T> {
    /// What is known of a session, which is added when it is new.
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

    fn id(name: &str) -> SessionId {
        SessionId::try_from(name).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

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
