//! Many texts looked for at once.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// With so many bytes of texts, a table of all transitions stays below a few megabytes.
const MAX_TABLE_BYTES: usize = 16 * 1024;

/// Texts to find, and what each stands for.
#[derive(Debug)]
pub(super) struct Finder<T> {
    how: How,
    /// By text.
    owners: Vec<Vec<T>>,
}

#[derive(Debug)]
enum How {
    AtOnce(AhoCorasick),
    /// More texts than an automaton can hold, or none.
    OneByOne(Vec<Vec<u8>>),
}

impl<T: Copy> Finder<T> {
    /// Equal texts are one text with several owners.
    pub(super) fn new(texts: Vec<(Vec<u8>, T)>) -> Self {
        let mut by_text: BTreeMap<Vec<u8>, Vec<T>> = BTreeMap::new();
        for (text, owner) in texts {
            by_text.entry(text).or_default().push(owner);
        }
        let (texts, owners): (Vec<_>, Vec<_>) = by_text.into_iter().unzip();
        let bytes: usize = texts.iter().map(Vec::len).sum();
        let kind = (bytes <= MAX_TABLE_BYTES).then_some(AhoCorasickKind::DFA);
        let how = match AhoCorasick::builder().kind(kind).build(&texts) {
            Ok(automaton) if !texts.is_empty() => How::AtOnce(automaton),
            _ => How::OneByOne(texts),
        };
        Self { how, owners }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// Every owner of every text that stands in `message`; an owner once for each of its texts.
    pub(super) fn each(&self, message: &str, mut found: impl FnMut(T)) {
        let mut seen = vec![false; self.owners.len()];
        let mut hit = |text: usize| {
            if !std::mem::replace(&mut seen[text], true) {
                self.owners[text].iter().for_each(|owner| found(*owner));
            }
        };
        match &self.how {
            How::AtOnce(automaton) => {
                automaton.find_overlapping_iter(message).for_each(|found| hit(found.pattern().as_usize()));
            }
            How::OneByOne(texts) => {
                let contains = |text: &[u8]| message.as_bytes().windows(text.len()).any(|window| window == text);
                (0..).zip(texts).filter(|(_, text)| contains(text)).for_each(|(index, _)| hit(index));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Finder, How};

    #[test]
    fn at_once_and_one_by_one_find_the_same() {
        let texts = ["ab", "b", "abc", "zz", "ab"];
        let mut finder =
            Finder::new(texts.iter().zip(0..).map(|(text, owner)| (text.as_bytes().to_vec(), owner)).collect());
        let found = |finder: &Finder<u8>, message: &str| {
            let mut owners = Vec::new();
            finder.each(message, |owner| owners.push(owner));
            owners.sort_unstable();
            owners
        };
        let messages = ["", "a", "abab", "xabcx", "zzz"];
        let at_once = messages.map(|message| found(&finder, message));
        assert_eq!(at_once, [vec![], vec![], vec![0, 1, 4], vec![0, 1, 2, 4], vec![3]]);

        finder.how = How::OneByOne(["ab", "abc", "b", "zz"].map(|text| text.as_bytes().to_vec()).to_vec());
        assert_eq!(messages.map(|message| found(&finder, message)), at_once);
    }
}
