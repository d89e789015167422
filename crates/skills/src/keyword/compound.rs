//! Compound triggers, compiled to the numbers of their phrases.

use std::collections::BTreeSet;

use crate::{
    phrases::{PhraseId, PhraseList},
    triggers::{Compound, CompoundCondition},
};

/// A compound trigger whose phrases are numbers of the phrase index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CompiledCompound {
    /// The trigger as its author wrote it.
    pub(crate) text: String,
    /// The condition.
    condition: Condition,
}

/// The condition of a compiled compound trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Condition {
    /// The phrase occurs; `None` if it has no word that is searched.
    Phrase(Option<PhraseId>),
    /// Each condition is true.
    All(Vec<Condition>),
    /// At least one condition is true.
    Any(Vec<Condition>),
}

impl CompiledCompound {
    /// Compiles a compound trigger and adds its phrases to `phrases`.
    pub(crate) fn new(compound: &Compound, phrases: &mut PhraseList) -> Self {
        Self { text: compound.text.clone(), condition: Condition::new(&compound.condition, phrases) }
    }

    /// Returns whether the condition is true for a request in which the phrases `found` occur.
    pub(crate) fn matches(&self, found: &BTreeSet<PhraseId>) -> bool {
        self.condition.matches(found)
    }

    /// Adds the phrases of the condition to a list.
    pub(crate) fn collect_phrases(&self, phrases: &mut BTreeSet<PhraseId>) {
        self.condition.collect_phrases(phrases);
    }

    /// Returns whether some of the terms that must occur together do, but the condition is not true.
    pub(crate) fn matches_in_part(&self, found: &BTreeSet<PhraseId>) -> bool {
        !self.condition.matches(found) && self.condition.has_part(found)
    }
}

impl Condition {
    /// Compiles a condition.
    fn new(condition: &CompoundCondition, phrases: &mut PhraseList) -> Self {
        match condition {
            CompoundCondition::Phrase(phrase) => Self::Phrase(phrases.add(phrase)),
            CompoundCondition::All(list) => Self::All(list.iter().map(|part| Self::new(part, phrases)).collect()),
            CompoundCondition::Any(list) => Self::Any(list.iter().map(|part| Self::new(part, phrases)).collect()),
        }
    }

    /// Adds the phrases of the condition to a list.
    fn collect_phrases(&self, phrases: &mut BTreeSet<PhraseId>) {
        match self {
            Self::Phrase(phrase) => phrases.extend(*phrase),
            Self::All(list) | Self::Any(list) => list.iter().for_each(|part| part.collect_phrases(phrases)),
        }
    }

    /// Returns whether the condition is true.
    fn matches(&self, found: &BTreeSet<PhraseId>) -> bool {
        match self {
            Self::Phrase(phrase) => phrase.is_some_and(|phrase| found.contains(&phrase)),
            Self::All(list) => list.iter().all(|part| part.matches(found)),
            Self::Any(list) => list.iter().any(|part| part.matches(found)),
        }
    }

    /// Returns whether an `AND` within the condition has a term that is true.
    fn has_part(&self, found: &BTreeSet<PhraseId>) -> bool {
        match self {
            Self::Phrase(_) => false,
            Self::All(list) => list.iter().any(|part| part.matches(found) || part.has_part(found)),
            Self::Any(list) => list.iter().any(|part| part.has_part(found)),
        }
    }
}
