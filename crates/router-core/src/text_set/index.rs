//! Which predicates a message may satisfy, found in one pass.

use std::collections::BTreeMap;

use super::{Entry, finder::Finder};

/// What is looked for at once.
#[derive(Debug)]
pub(super) struct Index {
    /// Texts of patterns, found in the message with small ASCII letters.
    texts: Finder,
    /// By text: the patterns to look at when it is found.
    triggers: Vec<Vec<u16>>,
    /// By pattern: texts one of which must be found as well, if there are any.
    also: Vec<Vec<usize>>,
    /// Patterns without texts: always run.
    always: Vec<u16>,
    /// Needles, found in the message in lower case.
    needles: Finder,
    /// By needle: the predicates it satisfies.
    satisfies: Vec<Vec<u16>>,
}

/// Texts, each once, and who has them.
#[derive(Debug)]
struct Numbered<T> {
    numbers: BTreeMap<Vec<u8>, usize>,
    owners: Vec<Vec<T>>,
}

impl<T> Numbered<T> {
    const fn new() -> Self {
        Self { numbers: BTreeMap::new(), owners: Vec::new() }
    }

    fn number(&mut self, text: Vec<u8>) -> usize {
        let next = self.owners.len();
        let number = *self.numbers.entry(text).or_insert(next);
        if number == next {
            self.owners.push(Vec::new());
        }
        number
    }

    /// The texts by number, and their owners.
    fn finish(self) -> (Finder, Vec<Vec<T>>) {
        let mut texts: Vec<_> = self.numbers.into_iter().collect();
        texts.sort_unstable_by_key(|(_, number)| *number);
        (Finder::new(texts.into_iter().map(|(text, _)| text).collect()), self.owners)
    }
}

impl Index {
    pub(super) fn new(entries: &[Entry]) -> Self {
        let (mut texts, mut needles) = (Numbered::new(), Numbered::new());
        let (mut patterns, mut always) = (Vec::new(), Vec::new());
        for (number, entry) in (0_u16..).zip(entries) {
            match entry {
                Entry::Needles(own) => {
                    for text in own {
                        let text = needles.number(text.clone().into_bytes());
                        needles.owners[text].push(number);
                    }
                }
                Entry::Pattern(pattern) => {
                    let groups: Vec<Vec<usize>> = pattern
                        .groups()
                        .into_iter()
                        .map(|group| group.into_iter().map(|text| texts.number(text)).collect())
                        .collect();
                    if groups.is_empty() { always.push(number) } else { patterns.push((number, groups)) }
                }
            }
        }
        let mut also = vec![Vec::new(); entries.len()];
        let mut users = vec![0_usize; texts.owners.len()];
        for text in patterns.iter().flat_map(|(_, groups)| groups).flatten() {
            users[*text] += 1;
        }
        for (number, mut groups) in patterns {
            // What few patterns share says most: a text of a thousand patterns must not wake them all.
            groups.sort_by_key(|group| group.iter().map(|text| users[*text]).sum::<usize>());
            if 1 < groups.len() {
                also[usize::from(number)] = groups.swap_remove(1);
            }
            for text in groups.swap_remove(0) {
                texts.owners[text].push(number);
            }
        }
        let (texts, triggers) = texts.finish();
        let (needles, satisfies) = needles.finish();
        Self { texts, triggers, also, always, needles, satisfies }
    }

    /// The patterns that may match a message.
    pub(super) fn promising(&self, message: &str) -> Vec<u16> {
        let found = self.texts.find(message, str::to_ascii_lowercase);
        let possible = |number: &u16| {
            let also = &self.also[usize::from(*number)];
            also.is_empty() || also.iter().any(|text| found.has(*text))
        };
        let mut promising = self.always.clone();
        for text in &found.numbers {
            promising.extend(self.triggers[*text].iter().copied().filter(possible));
        }
        promising.sort_unstable();
        promising.dedup();
        promising
    }

    /// The predicates of which a needle stands in a message.
    pub(super) fn needled(&self, message: &str) -> impl Iterator<Item = u16> {
        let found = self.needles.find(message, str::to_lowercase);
        found.numbers.into_iter().flat_map(|needle| self.satisfies[needle].iter().copied())
    }
}
