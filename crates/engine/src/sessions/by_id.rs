//! Sessions by id, found by its hash.
//!
//! Ids begin alike (`http-` and many digits), and comparing two of them takes a look at where each is kept. A hash
//! compares at once. It orders nothing that anyone sees: sessions are listed, and saved, in the order of their ids.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use contracts::SessionId;
use serde::{Deserialize, Serialize, Serializer};

use super::session::Session;

/// Sessions by id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "BTreeMap<SessionId, Session>")]
pub(super) struct ById {
    /// By the hash of the id: most often one, in the order of ids.
    sessions: BTreeMap<u64, Vec<(SessionId, Session)>>,
}

impl ById {
    pub(super) fn get(&self, id: &SessionId) -> Option<&Session> {
        let alike = self.sessions.get(&hash(id))?;
        let place = alike.binary_search_by(|(known, _)| known.cmp(id)).ok()?;
        alike.get(place).map(|(_, session)| session)
    }

    /// The session, which is added when it is new.
    pub(super) fn entry(&mut self, id: &SessionId) -> &mut Session {
        let alike = self.sessions.entry(hash(id)).or_default();
        let place = alike.binary_search_by(|(known, _)| known.cmp(id)).unwrap_or_else(|place| {
            alike.reserve_exact(1);
            alike.insert(place, (id.clone(), Session::default()));
            place
        });
        &mut alike[place].1
    }

    /// All sessions, by id.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (&SessionId, &Session)> {
        let mut all: Vec<_> = self.sessions.values().flatten().map(|(id, session)| (id, session)).collect();
        all.sort_unstable_by_key(|(id, _)| *id);
        all.into_iter()
    }
}

fn hash(id: &SessionId) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

impl From<BTreeMap<SessionId, Session>> for ById {
    fn from(saved: BTreeMap<SessionId, Session>) -> Self {
        let mut sessions = Self::default();
        for (id, session) in saved {
            *sessions.entry(&id) = session;
        }
        sessions
    }
}

impl Serialize for ById {
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
            let (mut found, mut expected) = (ById::default(), BTreeMap::<_, Session>::new());
            for name in &names {
                found.entry(&id(name)).turns += 1;
                expected.entry(id(name)).or_default().turns += 1;
            }
            prop_assert_eq!(found.get(&id(&other)), expected.get(&id(&other)));
            prop_assert!(found.iter().eq(expected.iter()));
            prop_assert_eq!(serde_json::to_string(&found).unwrap(), serde_json::to_string(&expected).unwrap());
            prop_assert_eq!(ById::from(expected), found);
        }
    }
}
