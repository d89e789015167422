//! The least few of many, kept in place: no heap, no allocation.

/// The most that can be kept.
pub const MOST: usize = 512;

const ROOM: usize = 2 * MOST;

/// Keeps the least so many of what it is shown. Twice as many wait in its room; when that is full, the greater half
/// goes, which costs a constant time for each.
pub(crate) struct Nearest<T> {
    items: [T; ROOM],
    length: usize,
    most: usize,
    /// Once so many are kept: the greatest of them. Nothing beyond it will stay.
    floor: Option<T>,
}

impl<T: Ord + Copy + Default> Nearest<T> {
    /// Keeps at most so many, and never more than [`MOST`].
    pub(crate) fn keeping(most: usize) -> Self {
        Self { items: [T::default(); ROOM], length: 0, most: most.min(MOST), floor: None }
    }

    /// The greatest that is kept, once as many are kept as may be; what is not less need not be shown.
    pub(crate) const fn floor(&self) -> Option<T> {
        self.floor
    }

    #[inline]
    pub(crate) fn show(&mut self, item: T) {
        if self.most == 0 || self.floor.is_some_and(|floor| floor <= item) {
            return;
        }
        self.items[self.length] = item;
        self.length += 1;
        if self.length == 2 * self.most {
            self.drop_greater();
        }
    }

    fn drop_greater(&mut self) {
        let (_, greatest, _) = self.items[..self.length].select_nth_unstable(self.most - 1);
        self.floor = Some(*greatest);
        self.length = self.most;
    }

    /// What is kept, the least first.
    pub(crate) fn sorted(&mut self) -> impl Iterator<Item = T> {
        if self.most < self.length {
            self.drop_greater();
        }
        self.items[..self.length].sort_unstable();
        self.items[..self.length].iter().copied()
    }

    /// What is kept, in no particular order.
    pub(crate) fn kept(mut self) -> impl Iterator<Item = T> {
        if self.most < self.length {
            self.drop_greater();
        }
        self.items.into_iter().take(self.length)
    }
}
