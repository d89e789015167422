//! Counts of distinct words.

/// The greatest length, in bytes, of a word that is packed into one 128-bit integer.
const MAX_SHORT_WORD: usize = 15;

/// Counts the words of a text and its distinct words. Short words are packed into integers, which sort faster than byte
/// slices.
#[derive(Debug, Default)]
pub(super) struct DistinctWords<'a> {
    /// Words of at most [`MAX_SHORT_WORD`] bytes: the bytes of the word, zeros, and the length in the last byte.
    short: Vec<u128>,
    /// All longer words.
    long: Vec<&'a [u8]>,
}

impl<'a> DistinctWords<'a> {
    /// Adds one occurrence of a word: packed into an integer if it has at most [`MAX_SHORT_WORD`] bytes, as a byte
    /// slice otherwise.
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

    /// Returns two numbers: all words added, repetitions included, and the distinct words among them. Words are
    /// compared byte by byte, so case matters.
    pub(super) fn count(mut self) -> (u64, u64) {
        let added = self.short.len() + self.long.len();
        self.short.sort_unstable();
        self.short.dedup();
        self.long.sort_unstable();
        self.long.dedup();
        (added as u64, (self.short.len() + self.long.len()) as u64)
    }
}

impl<'a> FromIterator<&'a [u8]> for DistinctWords<'a> {
    fn from_iter<I: IntoIterator<Item = &'a [u8]>>(words: I) -> Self {
        let mut distinct = Self::default();
        words.into_iter().for_each(|word| distinct.add(word));
        distinct
    }
}
