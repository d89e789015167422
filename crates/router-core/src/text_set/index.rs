//! [`Index`], the search index of a policy's text predicates. It finds the predicates that a message may satisfy in one
//! pass over the message.

use std::collections::BTreeMap;

use super::{TextPredicate, finder::Finder};

/// The literals of all text predicates, so that each message is searched once. Predicates are referred to by their
/// numbers.
#[derive(Debug)]
pub(super) struct Index {
    /// The literals of patterns, which are searched in the message with ASCII letters in lower case.
    texts: Finder,
    /// For each literal: the patterns that may match if the literal is found.
    triggers: Vec<Vec<u16>>,
    /// For each pattern: a second group of literals, of which one must be found as well; empty if the pattern needs
    /// none.
    second_groups: Vec<Vec<usize>>,
    /// The patterns without literals, which are always run.
    always: Vec<u16>,
    /// The texts of `message_contains_any`, which are searched in the message in lower case.
    needles: Finder,
    /// For each text of `needles`: the predicates that hold if it is found.
    needle_predicates: Vec<Vec<u16>>,
}

/// Distinct texts, each with a number and the predicates that contain it.
#[derive(Debug)]
struct NumberedTexts<T> {
    /// The number of each text.
    numbers: BTreeMap<Vec<u8>, usize>,
    /// The predicates that contain each text, by the number of the text.
    owners: Vec<Vec<T>>,
}

impl<T> NumberedTexts<T> {
    /// Creates an empty set.
    const fn new() -> Self {
        Self { numbers: BTreeMap::new(), owners: Vec::new() }
    }

    /// Returns the number of a text. A new text is added without predicates.
    fn number(&mut self, text: Vec<u8>) -> usize {
        let next_number = self.owners.len();
        let number = *self.numbers.entry(text).or_insert(next_number);
        if number == next_number {
            self.owners.push(Vec::new());
        }
        number
    }

    /// Converts the set to a finder of its texts, and the predicates that contain each text, both in the order of the
    /// numbers.
    fn into_finder(self) -> (Finder, Vec<Vec<T>>) {
        let mut texts: Vec<_> = self.numbers.into_iter().collect();
        texts.sort_unstable_by_key(|(_, number)| *number);
        (Finder::new(texts.into_iter().map(|(text, _)| text).collect()), self.owners)
    }
}

impl Index {
    /// Builds the index. The number of a predicate is its position in `entries`.
    pub(super) fn new(entries: &[TextPredicate]) -> Self {
        let (mut texts, mut needles) = (NumberedTexts::new(), NumberedTexts::new());
        let (mut patterns, mut unconditional) = (Vec::new(), Vec::new());
        for (number, entry) in (0_u16..).zip(entries) {
            match entry {
                TextPredicate::Needles(needle_texts) => {
                    for text in needle_texts {
                        let text = needles.number(text.clone().into_bytes());
                        needles.owners[text].push(number);
                    }
                }
                TextPredicate::Pattern(pattern) => {
                    let groups: Vec<Vec<usize>> = pattern
                        .literal_groups()
                        .into_iter()
                        .map(|group| group.into_iter().map(|text| texts.number(text)).collect())
                        .collect();
                    if groups.is_empty() { unconditional.push(number) } else { patterns.push((number, groups)) }
                }
            }
        }
        let mut second_groups = vec![Vec::new(); entries.len()];
        let mut users = vec![0_usize; texts.owners.len()];
        for text in patterns.iter().flat_map(|(_, groups)| groups).flatten() {
            users[*text] += 1;
        }
        for (number, mut groups) in patterns {
            // A literal of few patterns is the most selective: one of a thousand patterns must not trigger all of them.
            groups.sort_by_key(|group| group.iter().map(|text| users[*text]).sum::<usize>());
            if 1 < groups.len() {
                second_groups[usize::from(number)] = groups.swap_remove(1);
            }
            for text in groups.swap_remove(0) {
                texts.owners[text].push(number);
            }
        }
        let (texts, triggers) = texts.into_finder();
        let (needles, needle_predicates) = needles.into_finder();
        Self { texts, triggers, second_groups, always: unconditional, needles, needle_predicates }
    }

    /// Returns the numbers of the patterns that may match a message, sorted and without duplicates. The caller runs
    /// them.
    pub(super) fn candidates(&self, message: &str) -> Vec<u16> {
        let found_texts = self.texts.find(message, str::to_ascii_lowercase);
        let has_second_literal = |number: &u16| {
            let second_groups = &self.second_groups[usize::from(*number)];
            second_groups.is_empty() || second_groups.iter().any(|text| found_texts.contains(*text))
        };
        let mut candidates = self.always.clone();
        for text in &found_texts.numbers {
            candidates.extend(self.triggers[*text].iter().copied().filter(has_second_literal));
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }

    /// Returns the numbers of the predicates `message_contains_any` that hold for a message. A number is repeated for
    /// each text of the predicate that was found.
    pub(super) fn matching_needles(&self, message: &str) -> impl Iterator<Item = u16> {
        let found_needles = self.needles.find(message, str::to_lowercase);
        found_needles.numbers.into_iter().flat_map(|needle| self.needle_predicates[needle].iter().copied())
    }
}
