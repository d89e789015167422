//! What many hold alike, kept once.

use std::{borrow::Borrow, collections::BTreeSet, ops::Deref, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// So many that nobody holds any more are left in peace.
const FEW: usize = 16;

/// A value that others may hold as well; saved as if nobody else did.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Held<T>(Arc<T>);

impl<T> Deref for Held<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Borrow<T> for Held<T> {
    fn borrow(&self) -> &T {
        &self.0
    }
}

impl<T: Serialize> Serialize for Held<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        T::serialize(self, serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Held<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Arc::new(T::deserialize(deserializer)?)))
    }
}

/// Where values are found that others hold already.
#[derive(Debug, Clone)]
pub(crate) struct Shared<T> {
    all: BTreeSet<Held<T>>,
    /// When there are so many, those that nobody holds go.
    clean_at: usize,
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self { all: BTreeSet::new(), clean_at: FEW }
    }
}

/// It is a place to look and holds nothing of its own.
impl<T> PartialEq for Shared<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Shared<T> {}

impl<T: Ord + Clone> Shared<T> {
    /// How many are kept.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The value as others hold it.
    pub(crate) fn hold(&mut self, value: T) -> Held<T> {
        if let Some(known) = self.all.get(&value) {
            return known.clone();
        }
        if self.clean_at <= self.all.len() {
            self.all.retain(|known| 1 < Arc::strong_count(&known.0));
            self.clean_at = 2 * self.all.len() + FEW;
        }
        let held = Held(Arc::new(value));
        self.all.insert(held.clone());
        held
    }
}
