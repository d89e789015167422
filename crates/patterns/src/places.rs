//! Where the item of every key is in a list: four bytes for each, and the list itself says which key is where.

use hashbrown::HashTable;

use crate::spread::Spread;

/// The numbers of items, found by their keys.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places(HashTable<u32>);

/// They follow from the list.
impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Places {}

impl Places {
    /// Those of a whole list, in order.
    pub(crate) fn of<K: Spread>(length: usize, key_of: impl Fn(u32) -> Option<K>) -> Self {
        let mut places = Self(HashTable::with_capacity(length));
        for (number, key) in (0..).map_while(|number| Some((number, key_of(number)?))).take(length) {
            places.add(key, number, &key_of);
        }
        places
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The number of the item with a key.
    pub(crate) fn find<K: Spread>(&self, key: K, key_of: impl Fn(u32) -> Option<K>) -> Option<u32> {
        self.0.find(key.spread(), |number| key_of(*number) == Some(key)).copied()
    }

    /// Adds an item whose key is not there.
    pub(crate) fn add<K: Spread>(&mut self, key: K, number: u32, key_of: impl Fn(u32) -> Option<K>) {
        // An item that is not found has to be somewhere.
        self.0.insert_unique(key.spread(), number, |number| key_of(*number).map_or(0, Spread::spread));
    }

    /// Takes out the item with a key.
    pub(crate) fn remove<K: Spread>(&mut self, key: K, key_of: impl Fn(u32) -> Option<K>) -> Option<u32> {
        let found = self.0.find_entry(key.spread(), |number| key_of(*number) == Some(key));
        found.ok().map(|found| found.remove().0)
    }
}
