//! Room in lists that are kept for long: they grow by a sixteenth, so that little of it stays empty.

/// By how much a full list of this length grows.
pub(crate) const fn more(length: usize) -> usize {
    length / 16 + 4
}

pub(crate) fn push<T>(list: &mut Vec<T>, item: T) {
    insert(list, list.len(), item);
}

pub(crate) fn insert<T>(list: &mut Vec<T>, index: usize, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(more(list.len()));
    }
    list.insert(index, item);
}
