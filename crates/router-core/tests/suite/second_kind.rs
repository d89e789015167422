//! A second decision kind: chain, why-view, JSON, banners and snapshots work for any kind, not only for the model choice.

use contracts::{Attempt, ChainEntry, ChainSlot, Decision, DecisionKind, Verdict};
use router_core::{
    Banner, EvaluateSlots, Explain, Notify, Outcome, RefusalHelp, banners, chain_json, evaluate_chain, reason_text,
};
use serde::{Deserialize, Serialize};

/// The decision which skill is loaded for a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SkillChoice {}

/// The slots. `Pinned` is declared last, as if it had been added later, and is evaluated first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum SkillSlot {
    /// The skill that matches the message best.
    Matched,
    /// The default skill.
    Default,
    /// The skill that the user pinned.
    Pinned,
}

/// Reason for the verdict of a slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SkillReason {
    /// The user pinned no skill.
    NotPinned,
    /// The user pinned the skill.
    Pinned,
    /// The skill matches the message to this extent.
    Matched { percent: u8 },
    /// No skill matches the message.
    NoneMatched,
    /// There is no default skill.
    NoDefault,
    /// The skill is the default.
    Default,
}

/// Reason why a skill was rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SkillFailure {
    /// The skill has this many tokens, more than the maximum.
    TooLong { tokens: u32 },
}

impl DecisionKind for SkillChoice {
    type Slot = SkillSlot;
    type Candidate = String;
    type Reason = SkillReason;
    type Failure = SkillFailure;
}

impl ChainSlot for SkillSlot {
    const CHAIN: &'static [Self] = &[Self::Pinned, Self::Matched, Self::Default];

    fn name(self) -> &'static str {
        match self {
            Self::Pinned => "PINNED",
            Self::Matched => "MATCHED",
            Self::Default => "DEFAULT",
        }
    }
}

impl Explain for SkillChoice {
    const NOUN: &'static str = "skill";

    fn summary(winner: &ChainEntry<Self>) -> String {
        winner.slot.name().to_lowercase()
    }

    fn reason(entry: &ChainEntry<Self>) -> String {
        let skill = entry.candidate.as_deref().unwrap_or("no skill");
        match &entry.reason {
            SkillReason::NotPinned => "no skill pinned".to_owned(),
            SkillReason::Matched { percent } => format!("matches by {percent} % → {skill}"),
            SkillReason::NoneMatched => "no skill matches".to_owned(),
            SkillReason::NoDefault => "no default".to_owned(),
            SkillReason::Pinned | SkillReason::Default => skill.to_owned(),
        }
    }

    fn failure_name(_: &SkillFailure) -> &'static str {
        "too_long"
    }

    fn failure(SkillFailure::TooLong { tokens }: &SkillFailure) -> String {
        format!("too_long: {tokens} tokens")
    }

    fn attempt_noun(_: SkillSlot) -> &'static str {
        "skill"
    }
}

impl Notify for SkillChoice {
    type Notice = String;
    type Context<'a> = &'a Skills;

    fn is_explicit(slot: SkillSlot) -> bool {
        slot == SkillSlot::Pinned
    }

    fn notices(decision: &Decision<Self>, _: &&Skills) -> Vec<String> {
        let deferred = decision.chain.iter().filter(|entry| entry.verdict == Verdict::Deferred);
        deferred.filter_map(|entry| Some(format!("{} matches as well.", entry.candidate.as_ref()?))).collect()
    }

    fn refusal_help(_: &Decision<Self>, skills: &&Skills) -> RefusalHelp {
        RefusalHelp { causes: Vec::new(), advice: vec![format!("Allow more than {} tokens.", skills.max_tokens)] }
    }
}

/// The slots of a skill choice: skills with their length in tokens.
#[derive(Debug, Clone, Default)]
struct Skills {
    /// Maximum length of a skill in tokens.
    max_tokens: u32,
    /// The pinned skill; `None` if there is none.
    pinned: Option<(&'static str, u32)>,
    /// The skills that match the message, the best match first.
    matched: Vec<(&'static str, u32)>,
    /// The default skill; `None` if there is none.
    default: Option<(&'static str, u32)>,
}

impl Skills {
    /// Returns why a skill of this length is rejected; `None` if it is accepted.
    fn failure(&self, tokens: u32) -> Option<SkillFailure> {
        (self.max_tokens < tokens).then_some(SkillFailure::TooLong { tokens })
    }

    /// Creates the entry of a slot: `reason` applies to `skill`, `without` if that is `None`.
    fn entry(
        &self,
        slot: SkillSlot,
        skill: Option<(&str, u32)>,
        reason: SkillReason,
        without: SkillReason,
    ) -> ChainEntry<SkillChoice> {
        match skill {
            Some((name, tokens)) => ChainEntry::proposed(slot, name.to_owned(), reason, self.failure(tokens)),
            None => ChainEntry::not_applicable(slot, without),
        }
    }
}

impl EvaluateSlots for Skills {
    type Kind = SkillChoice;

    fn evaluate(&mut self, slot: SkillSlot) -> ChainEntry<SkillChoice> {
        match slot {
            SkillSlot::Pinned => self.entry(slot, self.pinned, SkillReason::Pinned, SkillReason::NotPinned),
            SkillSlot::Default => self.entry(slot, self.default, SkillReason::Default, SkillReason::NoDefault),
            SkillSlot::Matched => {
                let accepted = self.matched.iter().position(|(_, tokens)| self.failure(*tokens).is_none());
                let candidate = self.matched.get(accepted.unwrap_or(0)).copied();
                let rejected = self.matched.iter().take(accepted.unwrap_or(self.matched.len()));
                let attempts = rejected.filter_map(|(name, tokens)| {
                    let (name, failure) = ((*name).to_owned(), self.failure(*tokens)?);
                    Some(Attempt { name: name.clone(), candidate: name, failure })
                });
                let matched = SkillReason::Matched { percent: 87 };
                let entry = self.entry(slot, candidate, matched, SkillReason::NoneMatched);
                ChainEntry { attempts: attempts.collect(), ..entry }
            }
        }
    }

    fn ends_chain(&self, rejected: &ChainEntry<SkillChoice>) -> bool {
        rejected.slot == SkillSlot::Pinned
    }

    fn deferred(&mut self, winner: &ChainEntry<SkillChoice>) -> Option<ChainEntry<SkillChoice>> {
        let outranked = winner.slot.precedes(SkillSlot::Matched) && !self.matched.is_empty();
        outranked.then(|| ChainEntry { verdict: Verdict::Deferred, ..self.evaluate(SkillSlot::Matched) })
    }
}

/// Decides, and returns the decision with its banners.
fn outcome(mut skills: Skills) -> Outcome<SkillChoice> {
    let decision = evaluate_chain(&mut skills);
    Outcome::new(decision, &&skills)
}

/// Returns two matching skills, of which the best is too long.
fn with_matches() -> Skills {
    Skills { max_tokens: 500, matched: vec![("deploy", 9_000), ("release", 400)], ..Skills::default() }
}

#[test]
fn a_slot_declared_last_can_be_evaluated_first() {
    assert_eq!(event_core::encode("slot", &SkillSlot::Pinned).unwrap(), [2]);
    assert_eq!(SkillSlot::CHAIN.iter().map(|slot| slot.number()).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(SkillSlot::Pinned.precedes(SkillSlot::Matched) && !SkillSlot::Matched.precedes(SkillSlot::Matched));
    let decision = outcome(Skills { pinned: Some(("tests", 10)), ..with_matches() }).decision;
    assert_eq!(decision.winner().unwrap().slot, SkillSlot::Pinned);
    assert_eq!(decision.skipped_slots().collect::<Vec<_>>(), [SkillSlot::Default]);
}

#[test]
fn an_outcome_is_formatted_as_why_view_and_banners() {
    insta::assert_snapshot!(outcome(with_matches()));
    insta::assert_snapshot!(outcome(Skills { pinned: Some(("tests", 10)), ..with_matches() }));
}

#[test]
fn rejected_explicit_choice_refuses_the_turn_with_banners() {
    let refused = outcome(Skills { pinned: Some(("tests", 600)), ..with_matches() });
    assert_eq!(refused.decision.chosen, None);
    assert!(matches!(&refused.banners[..], [Banner::ChoiceRejected { .. }, Banner::Refused { .. }]));
    insta::assert_snapshot!(refused);
    insta::assert_snapshot!(outcome(Skills::default()).banners[0]);
}

#[test]
fn chain_is_converted_to_json() {
    let decision = outcome(with_matches()).decision;
    insta::assert_snapshot!(serde_json::to_string_pretty(&chain_json(&decision)[1]).unwrap());
    let words: Vec<_> = decision.chain.iter().map(reason_text).collect();
    assert_eq!(words[0], "no skill pinned");
}

#[test]
fn decision_is_equal_after_encoding_and_differs_at_the_first_changed_entry() {
    let decision = outcome(with_matches()).decision;
    let bytes = event_core::encode("decision", &decision).unwrap();
    assert_eq!(event_core::decode::<Decision<SkillChoice>>("decision", &bytes).unwrap(), decision);
    let other = outcome(Skills { matched: vec![("lint", 5)], ..with_matches() }).decision;
    assert_eq!(other.first_difference(&decision), Some(SkillSlot::Matched));
    assert_eq!(decision.first_difference(&decision), None);
    assert!(banners(&other, &&with_matches()).is_empty());
}
