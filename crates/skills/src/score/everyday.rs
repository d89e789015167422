//! Words of everyday requests to a coding agent, which are no evidence for a skill by themselves.
//!
//! Skills are written about a subject, requests about a piece of work: "run the tests and tell me which fail" has four words
//! that many descriptions contain by chance, and no subject. Rarity among the skills does not show this, because the
//! skills are not what these words are frequent in.

use std::collections::BTreeSet;

use super::terms::term;

/// Verbs, nouns and adjectives of everyday requests, sorted. They are part of the computation: a change can change
/// decisions.
const WORDS: &str = "\
    add answer anything apply argument ask bad better branch broken bug build call change changelog check class clean \
    cleanup clear close code codebase command comment commit compile complete constant continue copy correct current \
    default delete diff different directory double edit end error everything example exist expect explain fail \
    failure fast faster field file find fine finish first fix folder follow forget format found function git github \
    go good great happen hold implement import improve input install instead issue item keep know last leave left \
    line lint list local long look main master mean merge message method missing move name new next nice note nothing \
    number okay old open option output package parameter part pass perfect place point possible pr previous print \
    problem proceed program project pull push question quick read readme ready rebase remote remove rename repeat \
    replace repository rerun restart restore result retry return revert rewrite right run save say script second see \
    set short show similar simple simplify small source spelling squash stage start stash step still stop string \
    stuff switch tag take task tell test text time today todo try turn typo undo unused update value variable version \
    wait warning whole word work wrong yes";

/// The terms of everyday words.
#[derive(Debug, Clone)]
pub(super) struct EverydayWords(BTreeSet<String>);

impl EverydayWords {
    /// Creates the terms of all words.
    pub(super) fn new() -> Self {
        Self(WORDS.split_whitespace().filter_map(term).collect())
    }

    /// Returns whether a term is that of an everyday word.
    pub(super) fn contains(&self, term: &str) -> bool {
        self.0.contains(term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_a_word_are_everyday_words() {
        let everyday = EverydayWords::new();
        for word in ["tests", "tested", "fixing", "failures", "repo", "renamed"] {
            assert!(term(word).is_some_and(|term| everyday.contains(&term)), "{word}");
        }
        for word in ["migration", "write", "review", "debug"] {
            assert!(term(word).is_some_and(|term| !everyday.contains(&term)), "{word}");
        }
        assert!(WORDS.split_whitespace().is_sorted());
    }
}
