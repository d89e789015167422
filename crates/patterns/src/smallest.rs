//! Selection of the `k` smallest of many items without heap allocation.

/// The largest number of items (`k`) that can be selected.
pub const MAX_NEIGHBOURS: usize = 512;

/// The size of the buffer, for up to `2k` items.
const CAPACITY: usize = 2 * MAX_NEIGHBOURS;

/// Collects items one at a time and keeps the `k` smallest.
///
/// Collects up to `2k` items, then drops the greater half with a selection in linear time, so that a push takes
/// amortised constant time.
pub(crate) struct SmallestItems<T> {
    /// The buffer, of which the first `length` items are used.
    items: [T; CAPACITY],
    /// The number of items in the buffer, below `2k` between calls.
    length: usize,
    /// The number of items to select, at most [`MAX_NEIGHBOURS`].
    k: usize,
    /// The greatest item that the last selection retained; `None` before the first.
    threshold: Option<T>,
}

impl<T: Ord + Copy + Default> SmallestItems<T> {
    /// Creates a selection of the `k` smallest items, or of the [`MAX_NEIGHBOURS`] smallest if `k` is larger.
    pub(crate) fn new(k: usize) -> Self {
        Self { items: [T::default(); CAPACITY], length: 0, k: k.min(MAX_NEIGHBOURS), threshold: None }
    }

    /// Returns an upper bound for selected items: an item that is not smaller need not be pushed. `None` until `2k`
    /// items have been pushed.
    pub(crate) const fn threshold(&self) -> Option<T> {
        self.threshold
    }

    /// Adds an item, unless `k` items that are not greater are already selected.
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        if self.k == 0 || self.threshold.is_some_and(|threshold| threshold <= item) {
            return;
        }
        self.items[self.length] = item;
        self.length += 1;
        if self.length == 2 * self.k {
            self.drop_greater_half();
        }
    }

    /// Reduces the buffer to its `k` smallest items and sets the threshold; the buffer must hold at least `k` items and
    /// `k` must not be 0.
    fn drop_greater_half(&mut self) {
        let (_, greatest, _) = self.items[..self.length].select_nth_unstable(self.k - 1);
        self.threshold = Some(*greatest);
        self.length = self.k;
    }

    /// Returns the selected items in ascending order.
    pub(crate) fn sorted(&mut self) -> impl Iterator<Item = T> {
        if self.k < self.length {
            self.drop_greater_half();
        }
        self.items[..self.length].sort_unstable();
        self.items[..self.length].iter().copied()
    }

    /// Returns the selected items in no particular order.
    pub(crate) fn unsorted(mut self) -> impl Iterator<Item = T> {
        if self.k < self.length {
            self.drop_greater_half();
        }
        self.items.into_iter().take(self.length)
    }
}
