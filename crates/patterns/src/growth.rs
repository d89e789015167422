//! Insertion into long-lived vectors. A full vector grows by a sixteenth of its length instead of doubling, so that
//! little capacity is unused.

/// Appends an item to a vector. A full vector grows by a sixteenth of its length plus four.
pub(crate) fn push<T>(list: &mut Vec<T>, item: T) {
    insert(list, list.len(), item);
}

/// Inserts an item at `index`. A full vector grows by a sixteenth of its length plus four.
///
/// # Panics
/// If `index` is greater than the length.
pub(crate) fn insert<T>(list: &mut Vec<T>, index: usize, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 16 + 4);
    }
    list.insert(index, item);
}
