//! Vectors of long-lived state: they grow by a sixteenth, so that little of their capacity stays unused.

/// Appends an item.
pub(crate) fn push<T>(list: &mut Vec<T>, item: T) {
    insert(list, list.len(), item);
}

/// Inserts an item at an index.
pub(crate) fn insert<T>(list: &mut Vec<T>, index: usize, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 16 + 4);
    }
    list.insert(index, item);
}
