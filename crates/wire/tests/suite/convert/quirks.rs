//! How providers differ in saying the same: chosen at random for every stream.

use proptest::prelude::*;

/// A source of choices for a stream that is being made up.
#[derive(Debug, Clone)]
pub(crate) struct Quirks {
    choices: Vec<u8>,
    used: usize,
}

pub(crate) fn quirks() -> impl Strategy<Value = Quirks> {
    prop::collection::vec(any::<u8>(), 1..40).prop_map(|choices| Quirks { choices, used: 0 })
}

impl Quirks {
    /// A choice below `most`.
    pub(crate) fn choose(&mut self, most: usize) -> usize {
        let choice = self.choices[self.used % self.choices.len()];
        self.used += 1;
        (usize::from(choice) + self.used / self.choices.len()) % most
    }

    pub(crate) fn maybe(&mut self) -> bool {
        self.choose(2) == 1
    }

    /// `text` in pieces, some of which may be empty.
    pub(crate) fn pieces(&mut self, text: &str) -> Vec<String> {
        let mut pieces = vec![String::new()];
        for letter in text.chars() {
            if self.choose(4) == 0 {
                pieces.push(String::new());
            }
            pieces.last_mut().unwrap().push(letter);
        }
        pieces
    }
}

/// Places to cut bytes at.
pub(crate) fn cuts() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..12)
}

/// `bytes` cut at some places.
pub(crate) fn chunks<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}
