//! The slot of the model or tier that a skill of the message asks for.

use contracts::{Reason, SkillWish, Slot, Tier, Verdict};
use router_core::Scenario;

use crate::support::{decide, policy};

/// Returns the wish of the skill `database`.
fn wish(model: Option<&str>, tier: Option<Tier>) -> SkillWish {
    SkillWish { skill: "database".to_owned(), model: model.map(str::to_owned), tier }
}

/// A policy that reads wishes, with these other lines.
fn reading(rest: &str) -> router_core::Policy {
    policy(&format!("routing: {{skill_wishes: true}}\nglobal_default: haiku\n{rest}"))
}

/// The wish of a skill decides before what was learned and the default, and after a rule. Without the setting its slot is not
/// in the chain.
#[test]
fn a_wish_decides_if_the_policy_reads_it() {
    let scenario = Scenario::message("write the migration").skill_wish(wish(Some("opus"), Some(Tier::Fast)));
    let decision = decide(&scenario, &reading(""));
    let winner = decision.winner().unwrap();
    assert_eq!((winner.slot, &winner.reason), (Slot::SkillWish, &Reason::SkillWish { skill: "database".to_owned() }));
    assert!(decision.chosen.as_ref().is_some_and(|model| model.as_str().contains("opus")));

    let off = decide(&scenario, &policy("global_default: haiku"));
    assert_eq!((off.winner().unwrap().slot, off.entry(Slot::SkillWish)), (Slot::GlobalDefault, None));
    assert!(off.skipped_slots().all(|slot| slot != Slot::SkillWish));

    let ruled = decide(&scenario, &reading("rules: [{name: all, when: {}, use: sonnet}]"));
    assert_eq!(ruled.winner().unwrap().slot, Slot::ConfiguredRules);
    let learned = decide(&scenario.learned("haiku", 90, 10), &reading(""));
    assert_eq!(learned.winner().unwrap().slot, Slot::SkillWish);
}

/// A tier is that of the policy; its rejected models are attempts, and the next slot decides if none can serve the turn.
#[test]
fn a_tier_is_that_of_the_policy() {
    let text = "tiers: {fast: haiku, balanced: sonnet, deep: [opus]}";
    let decision = decide(&Scenario::message("x").skill_wish(wish(None, Some(Tier::Deep))), &reading(text));
    assert!(decision.chosen.is_some_and(|model| model.as_str().contains("opus")));
}

/// An unknown model is not applicable, with the name that the skill has; so is a message without a wish.
#[test]
fn an_unknown_model_is_named() {
    let decision = decide(&Scenario::message("x").skill_wish(wish(Some("gpt-99"), None)), &reading(""));
    let entry = decision.entry(Slot::SkillWish).unwrap();
    let reason = Reason::UnknownSkillWish { skill: "database".to_owned(), wish: "gpt-99".to_owned() };
    assert_eq!((entry.verdict, &entry.reason), (Verdict::NotApplicable, &reason));
    assert_eq!(decision.winner().unwrap().slot, Slot::GlobalDefault);
    let none = decide(&Scenario::message("x"), &reading(""));
    assert_eq!(none.entry(Slot::SkillWish).unwrap().reason, Reason::NoSkillWish);
}
