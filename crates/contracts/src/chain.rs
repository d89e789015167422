//! The recorded chain of a decision, for every kind of decision (004 §7).
//!
//! A *slot* is a source of candidates, such as the rules of the policy. The slots are evaluated in a fixed order, and
//! each yields an entry with its candidate (for the choice of a model: a model), its verdict, its reason and its
//! rejected attempts.

use std::fmt::{Debug, Display};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::decision::ModelChoice;

/// A value that a decision chain records, so that it can be compared, printed and serialised. Every type with these
/// traits implements it.
pub trait ChainValue: Debug + Clone + PartialEq + Eq + Serialize + DeserializeOwned {}

impl<T: Debug + Clone + PartialEq + Eq + Serialize + DeserializeOwned> ChainValue for T {}

/// A kind of decision, such as the choice of a model: the types of its slots, candidates, reasons and failures.
pub trait DecisionKind: Debug + Clone + PartialEq + Eq + 'static {
    /// The slots of the chain: an enum with one variant for each source of candidates.
    type Slot: ChainSlot;
    /// A possible result of the decision, such as a model.
    type Candidate: ChainValue + Display;
    /// Reason for the verdict of a slot.
    type Reason: ChainValue;
    /// Reason why a candidate was rejected.
    type Failure: ChainValue;
}

/// A slot of the decision chain: a source of candidates, such as the rules of the policy.
///
/// A slot is encoded by its place in the declaration of the enum, whereas [`ChainSlot::CHAIN`] is the order of
/// evaluation. A new slot is therefore declared last, so that recorded slots remain readable, and can have any place in
/// `CHAIN`.
pub trait ChainSlot: ChainValue + Copy + 'static {
    /// All slots in the order in which they are evaluated.
    const CHAIN: &'static [Self];

    /// Returns the name of the slot in JSON and in the output of `why`, such as `MANUAL_STICKY`.
    fn name(self) -> &'static str;

    /// Returns whether a chain can lack the slot although it comes before the winner, because the policy does not use it. By
    /// default `false`.
    fn is_optional(self) -> bool {
        false
    }

    /// Returns the position of the slot in [`ChainSlot::CHAIN`], from 1.
    fn number(self) -> usize {
        Self::CHAIN.iter().take_while(|slot| **slot != self).count().saturating_add(1)
    }

    /// Returns whether this slot is evaluated before `other`.
    fn precedes(self, other: Self) -> bool {
        self.number() < other.number()
    }
}

/// Result of the evaluation of one slot of the chain, recorded in its [`ChainEntry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The slot has no candidate.
    NotApplicable,
    /// The candidate is recorded but cannot be chosen: an earlier slot has won (decision D2), or the model that the
    /// client requested takes precedence (decision D35).
    Deferred,
    /// The candidate was rejected, and the chain continued.
    Rejected,
    /// The candidate was chosen.
    Chose,
}

impl Verdict {
    /// Returns the name of the verdict on a candidate, in JSON and in the output of `why`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotApplicable => "not_applicable",
            Self::Deferred => "deferred",
            Self::Rejected => "rejected",
            Self::Chose => "chose",
        }
    }
}

/// A rejected candidate of a slot that tries several, such as the first of two models of a rule (decision D1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Attempt<K: DecisionKind = ModelChoice> {
    /// Name of the source of the candidate, such as a rule or a tier.
    pub name: String,
    /// The candidate.
    pub candidate: K::Candidate,
    /// Reason why the candidate was rejected.
    pub failure: K::Failure,
}

/// Result of evaluating one slot of the decision chain: verdict, candidate and reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ChainEntry<K: DecisionKind = ModelChoice> {
    /// Evaluated slot.
    pub slot: K::Slot,
    /// Result of the evaluation.
    pub verdict: Verdict,
    /// Proposed candidate; `None` if the slot does not apply.
    pub candidate: Option<K::Candidate>,
    /// Reason for the verdict.
    pub reason: K::Reason,
    /// Reason why the candidate failed validation; `None` if it passed or there is none. A deferred entry can have one.
    pub failure: Option<K::Failure>,
    /// Candidates of the slot that were rejected, in order. If all were rejected, the first one is also `candidate`.
    pub attempts: Vec<Attempt<K>>,
}

impl<K: DecisionKind> ChainEntry<K> {
    /// Creates the entry of a slot that has no candidate.
    pub const fn not_applicable(slot: K::Slot, reason: K::Reason) -> Self {
        Self { slot, verdict: Verdict::NotApplicable, candidate: None, reason, failure: None, attempts: Vec::new() }
    }

    /// Creates the entry of a slot with a candidate. The candidate is chosen if `failure` is `None`, and otherwise
    /// rejected.
    pub fn proposed(slot: K::Slot, candidate: K::Candidate, reason: K::Reason, failure: Option<K::Failure>) -> Self {
        let verdict = if failure.is_none() { Verdict::Chose } else { Verdict::Rejected };
        Self { slot, verdict, candidate: Some(candidate), reason, failure, attempts: Vec::new() }
    }
}

/// The chosen candidate and the evaluated chain, with one entry for each slot that was evaluated (decision D2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Decision<K: DecisionKind = ModelChoice> {
    /// Chosen candidate; `None` if every candidate was rejected or no slot has one (004 §4.7).
    pub chosen: Option<K::Candidate>,
    /// Entries in the order of evaluation. A deferred entry follows the winner.
    pub chain: Vec<ChainEntry<K>>,
}

impl<K: DecisionKind> Decision<K> {
    /// Creates a decision from the entries of its chain. The candidate of the first entry with the verdict
    /// [`Verdict::Chose`] is chosen.
    pub fn from_chain(chain: Vec<ChainEntry<K>>) -> Self {
        let winner = chain.iter().find(|entry| entry.verdict == Verdict::Chose);
        Self { chosen: winner.and_then(|entry| entry.candidate.clone()), chain }
    }

    /// Returns the entry whose candidate was chosen; `None` if nothing was chosen.
    pub fn winner(&self) -> Option<&ChainEntry<K>> {
        self.chain.iter().find(|entry| entry.verdict == Verdict::Chose)
    }

    /// Returns the entry of a slot; `None` if the slot was not evaluated.
    pub fn entry(&self, slot: K::Slot) -> Option<&ChainEntry<K>> {
        self.chain.iter().find(|entry| entry.slot == slot)
    }

    /// Iterates over the slots that were not evaluated, in the order of the chain, without optional ones.
    pub fn skipped_slots(&self) -> impl Iterator<Item = K::Slot> {
        K::Slot::CHAIN.iter().copied().filter(|slot| !slot.is_optional() && self.entry(*slot).is_none())
    }

    /// Iterates over all rejected candidates with their failures, in the order of the chain. A candidate that several
    /// slots or attempts proposed is repeated.
    pub fn rejections(&self) -> impl Iterator<Item = (&K::Candidate, &K::Failure)> {
        self.chain.iter().flat_map(|entry| {
            let attempts = entry.attempts.iter().map(|attempt| (&attempt.candidate, &attempt.failure));
            entry.candidate.iter().zip(&entry.failure).chain(attempts)
        })
    }

    /// Returns the slot at which two decisions differ: that of the first entry whose slot, verdict or candidate differs
    /// from the entry of `other` at the same position. If no entry differs, returns the slot that won in this decision.
    /// `None` if both decisions chose the same candidate.
    pub fn first_difference(&self, other: &Self) -> Option<K::Slot> {
        if self.chosen == other.chosen {
            return None;
        }
        let differs = |own: &ChainEntry<K>, other: &ChainEntry<K>| {
            (own.slot, own.verdict, &own.candidate) != (other.slot, other.verdict, &other.candidate)
        };
        let mut pairs = self.chain.iter().zip(&other.chain);
        pairs.find(|(own, other)| differs(own, other)).map(|(own, _)| own).or(self.winner()).map(|entry| entry.slot)
    }
}
