//! [`Finder`], which searches a message for many texts in one pass.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// The total length of the searched texts, in bytes, up to which a table of all transitions is used. The table then
/// takes a few megabytes.
const MAX_TABLE_BYTES: usize = 64 * 1024;

/// A search for many texts. Each text has a number: its index in the list from which the finder is created.
#[derive(Debug)]
pub(super) enum Finder {
    /// Searches all texts in one pass.
    Automaton(AhoCorasick),
    /// Searches the texts one by one, if there are none or more than an automaton supports.
    Sequential(Vec<Vec<u8>>),
}

/// The texts that a [`Finder`] found in a message, by number.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FoundTexts {
    /// The numbers of the texts that were found, each once.
    pub(super) numbers: Vec<usize>,
    /// Whether each text was found, by its number.
    is_found: Vec<bool>,
}

impl FoundTexts {
    /// Returns whether the text with this number was found; `false` if there is no such text.
    pub(super) fn contains(&self, number: usize) -> bool {
        self.is_found.get(number).is_some_and(|is_found| *is_found)
    }

    /// Records that the text with this number was found.
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
    /// Creates a finder of these texts, which must not be empty.
    pub(super) fn new(texts: Vec<Vec<u8>>) -> Self {
        let bytes: usize = texts.iter().map(Vec::len).sum();
        let kind = (bytes <= MAX_TABLE_BYTES).then_some(AhoCorasickKind::DFA);
        match AhoCorasick::builder().kind(kind).build(&texts) {
            Ok(automaton) if !texts.is_empty() => Self::Automaton(automaton),
            _ => Self::Sequential(texts),
        }
    }

    /// Returns the numbers of the texts that occur in `message`. `prepare` converts the message to the form of the
    /// texts, such as lower case; it is called only if there are texts.
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
    fn automaton_and_sequential_search_find_the_same_texts() {
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
