//! Counts of distinct words.

/// The greatest length in bytes of a word that is stored in one integer.
const MAX_SHORT_WORD: usize = 15;

/// Collects words and counts the distinct ones. Short words are stored as integers, because those sort faster.
#[derive(Debug, Default)]
pub(super) struct DistinctWords<'a> {
    /// Words of at most [`MAX_SHORT_WORD`] bytes: the bytes of the word, zeros, and the length in the last byte.
    short: Vec<u128>,
    /// All longer words.
    long: Vec<&'a [u8]>,
}

impl<'a> DistinctWords<'a> {
    /// Adds one occurrence of a word to the short or the long words.
    fn add(&mut self, word: &'a [u8]) {
        let mut bytes = [0; MAX_SHORT_WORD + 1];
        match (bytes.get_mut(..word.len()), u8::try_from(word.len())) {
            (Some(start), Ok(length)) if word.len() <= MAX_SHORT_WORD => {
                start.copy_from_slice(word);
                bytes[MAX_SHORT_WORD] = length;
                self.short.push(u128::from_le_bytes(bytes));
            }
            _ => self.long.push(word),
        }
    }

    /// Returns the number of all words and the number of distinct words.
    pub(super) fn count(mut self) -> (u64, u64) {
        let all = self.short.len() + self.long.len();
        self.short.sort_unstable();
        self.short.dedup();
        self.long.sort_unstable();
        self.long.dedup();
        (all as u64, (self.short.len() + self.long.len()) as u64)
    }
}

impl<'a> FromIterator<&'a [u8]> for DistinctWords<'a> {
    fn from_iter<I: IntoIterator<Item = &'a [u8]>>(words: I) -> Self {
        let mut distinct = Self::default();
        words.into_iter().for_each(|word| distinct.add(word));
        distinct
    }
}
