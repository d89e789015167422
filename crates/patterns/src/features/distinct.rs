//! How many different words there are among some.

/// Words up to so many bytes are compared as one number.
const SHORT: usize = 15;

/// Words, to be counted once each.
#[derive(Debug, Default)]
pub(super) struct Distinct<'a> {
    /// The bytes of every short word, and its length in the last one.
    short: Vec<u128>,
    long: Vec<&'a [u8]>,
}

impl<'a> Distinct<'a> {
    pub(super) fn add(&mut self, word: &'a [u8]) {
        let mut bytes = [0; SHORT + 1];
        match (bytes.get_mut(..word.len()), u8::try_from(word.len())) {
            (Some(place), Ok(length)) if word.len() <= SHORT => {
                place.copy_from_slice(word);
                bytes[SHORT] = length;
                self.short.push(u128::from_le_bytes(bytes));
            }
            _ => self.long.push(word),
        }
    }

    /// How many there are, and how many different ones.
    pub(super) fn count(mut self) -> (u64, u64) {
        let all = self.short.len() + self.long.len();
        self.short.sort_unstable();
        self.short.dedup();
        self.long.sort_unstable();
        self.long.dedup();
        (all as u64, (self.short.len() + self.long.len()) as u64)
    }
}

impl<'a> Extend<&'a [u8]> for Distinct<'a> {
    fn extend<I: IntoIterator<Item = &'a [u8]>>(&mut self, words: I) {
        words.into_iter().for_each(|word| self.add(word));
    }
}
