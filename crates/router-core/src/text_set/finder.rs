//! [`Finder`], which searches a message for many texts in one pass.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// The total length of texts, in bytes, up to which a table of all transitions is used; it then takes a few megabytes.
const MAX_TABLE_BYTES: usize = 64 * 1024;

/// A set of numbered texts to search for.
#[derive(Debug)]
pub(super) enum Finder {
    /// Searches all texts in one pass.
    Automaton(AhoCorasick),
    /// Searches the texts one by one, if there are none or more than an automaton supports.
    Sequential(Vec<Vec<u8>>),
}

/// The texts that were found in a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FoundTexts {
    /// The indices of the texts that were found, each once.
    pub(super) numbers: Vec<usize>,
    /// For each text, by its index, whether it was found.
    is_found: Vec<bool>,
}

impl FoundTexts {
    /// Returns whether the text with this index was found; false for an index beyond the last text.
    pub(super) fn contains(&self, number: usize) -> bool {
        self.is_found.get(number).is_some_and(|is_found| *is_found)
    }

    /// Records that the text with this index was found.
    fn insert(&mut self, number: usize) {
        if let Some(is_found) = self.is_found.get_mut(number)
            && !*is_found
        {
            *is_found = true;
            self.numbers.push(number);
        }
    }
}

impl Finder {
    /// Creates a finder of non-empty texts; the index of each is its number.
    pub(super) fn new(texts: Vec<Vec<u8>>) -> Self {
        let bytes: usize = texts.iter().map(Vec::len).sum();
        let kind = (bytes <= MAX_TABLE_BYTES).then_some(AhoCorasickKind::DFA);
        match AhoCorasick::builder().kind(kind).build(&texts) {
            Ok(automaton) if !texts.is_empty() => Self::Automaton(automaton),
            _ => Self::Sequential(texts),
        }
    }

    /// Returns the texts that occur in `message`. `prepare` normalises the message like the texts; it is called only if
    /// there are texts.
    pub(super) fn find(&self, message: &str, prepare: impl FnOnce(&str) -> String) -> FoundTexts {
        let mut found = FoundTexts { numbers: Vec::new(), is_found: Vec::new() };
        match self {
            Self::Automaton(automaton) => {
                found.is_found = vec![false; automaton.patterns_len()];
                let message = prepare(message);
                automaton.find_overlapping_iter(&message).for_each(|hit| found.insert(hit.pattern().as_usize()));
            }
            Self::Sequential(texts) if texts.is_empty() => {}
            Self::Sequential(texts) => {
                found.is_found = vec![false; texts.len()];
                let message = prepare(message);
                let contains = |text: &[u8]| message.as_bytes().windows(text.len()).any(|window| window == text);
                (0..).zip(texts).filter(|(_, text)| contains(text)).for_each(|(number, _)| found.insert(number));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Finder;

    /// The automaton and the sequential search return the same texts, also for overlapping ones.
    #[test]
    fn at_once_and_one_by_one_find_the_same() {
        let texts: Vec<_> = ["ab", "b", "abc", "zz"].map(|text| text.as_bytes().to_vec()).to_vec();
        let finders = [Finder::new(texts.clone()), Finder::Sequential(texts)];
        assert!(matches!(finders[0], Finder::Automaton(_)));
        for (message, numbers) in
            [("", vec![]), ("a", vec![]), ("ABAB", vec![0, 1]), ("xabcx", vec![0, 1, 2]), ("zzz", vec![3])]
        {
            for finder in &finders {
                let mut found = finder.find(message, str::to_ascii_lowercase);
                found.numbers.sort_unstable();
                assert_eq!(found.numbers, numbers, "{message}");
                assert!((0..5).all(|number| found.contains(number) == numbers.contains(&number)), "{message}");
            }
        }
    }
}
