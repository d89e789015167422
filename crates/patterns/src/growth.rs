//! Insertion into long-lived vectors. They grow by a sixteenth instead of doubling, so that little capacity is unused.

/// Appends an item; a full vector grows by a sixteenth.
pub(crate) fn push<T>(list: &mut Vec<T>, item: T) {
    insert(list, list.len(), item);
}

/// Inserts an item at an index, at most the length; a full vector grows by a sixteenth.
pub(crate) fn insert<T>(list: &mut Vec<T>, index: usize, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 16 + 4);
    }
    list.insert(index, item);
}
