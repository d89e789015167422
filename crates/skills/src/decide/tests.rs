//! Tests of the slots of the skill choice.

use contracts::{ChainSlot as _, SkillFailure, SkillOutcome, SkillReason, SkillSlot, Verdict};

use super::decide;
use crate::{
    index::SkillIndex,
    request::SkillRequest,
    router::{SkillRouter, SkillSources},
    settings::SkillSettings,
    skill::Skill,
};

/// Returns a router of skills with these names and no keywords.
fn router(names: &[&str]) -> SkillRouter {
    let skills = names.iter().map(|name| Skill { name: (*name).to_owned(), ..Skill::default() });
    let sources = SkillSources { index: SkillIndex::new(skills.collect()), ..SkillSources::default() };
    SkillRouter::new(sources, SkillSettings::default()).unwrap()
}

/// Returns an outcome that loads these skills.
fn load(skills: &[&str]) -> SkillOutcome {
    SkillOutcome::Load { skills: skills.iter().map(|name| (*name).to_owned()).collect(), coordinated: false }
}

/// SK-01: a slash command at the start bypasses all matching.
#[test]
fn a_slash_command_decides_before_every_layer() {
    let request = SkillRequest { text: "/nasa-se debug the tournament", ..SkillRequest::default() };
    let decision = decide(&request, &router(&["nasa-se", "problem-solving"]));
    assert_eq!(decision.chosen, Some(load(&["nasa-se"])));
    let winner = decision.winner().unwrap();
    assert_eq!((winner.slot.method(), winner.slot.layer()), ("explicit", 0));
    assert_eq!(decision.entry(SkillSlot::Keyword), None);
}

/// SK-02: without a slash command the chain continues with the keywords.
#[test]
fn a_request_without_a_slash_command_reaches_the_keyword_layer() {
    let request = SkillRequest { text: "debug this", ..SkillRequest::default() };
    let decision = decide(&request, &router(&["problem-solving"]));
    assert_eq!(decision.entry(SkillSlot::Explicit).unwrap().verdict, Verdict::NotApplicable);
    assert!(decision.entry(SkillSlot::Keyword).is_some());
}

/// SC-03: skills that the user names in words are loaded.
#[test]
fn skills_named_in_words_are_loaded() {
    let router = router(&["testing", "database", "problem-solving"]);
    for (text, skills) in [
        ("use the testing skill", &["testing"][..]),
        ("Please load the skill `problem-solving` and fix it", &["problem-solving"]),
        ("fix it using the testing and database skills", &["testing", "database"]),
        ("with the problem-solving skill, find the cause", &["problem-solving"]),
        ("use skills testing, database", &["testing", "database"]),
    ] {
        let decision = decide(&SkillRequest { text, ..SkillRequest::default() }, &router);
        assert_eq!(decision.chosen, Some(load(skills)), "{text}");
        assert_eq!(decision.winner().unwrap().slot, SkillSlot::Explicit, "{text}");
    }
    for text in ["how does the testing skill work?", "do not use the testing skill", "use testing", "test my skill"] {
        let decision = decide(&SkillRequest { text, ..SkillRequest::default() }, &router);
        assert_eq!(decision.entry(SkillSlot::Explicit).unwrap().verdict, Verdict::NotApplicable, "{text}");
    }
}

/// SC-07, C-43: of three named skills the first two are loaded, and the third one is recorded.
#[test]
fn named_skills_beyond_the_maximum_are_recorded_as_overflow() {
    let text = "use the testing, database and problem-solving skills";
    let request = SkillRequest { text, ..SkillRequest::default() };
    let decision = decide(&request, &router(&["testing", "database", "problem-solving"]));
    assert_eq!(decision.chosen, Some(load(&["testing", "database"])));
    let overflow = vec!["problem-solving".to_owned()];
    assert_eq!(decision.winner().unwrap().reason, SkillReason::Named { overflow });
}

/// SC-05: a request without skills loads none.
#[test]
fn a_request_for_no_skill_loads_none() {
    let router = router(&["testing"]);
    for (text, phrase) in [
        ("without any skills, fix the query", "without any skill"),
        ("Don't use any skills here.", "dont use any skill"),
        ("fix it, no skills please", "no skill"),
        ("please do not load skills", "not load skill"),
    ] {
        let decision = decide(&SkillRequest { text, ..SkillRequest::default() }, &router);
        let winner = decision.winner().unwrap();
        assert_eq!(winner.reason, SkillReason::Refused { phrase: phrase.to_owned() }, "{text}");
        assert_eq!((winner.slot, decision.chosen), (SkillSlot::NoSkill, Some(SkillOutcome::None)), "{text}");
    }
    let text = "use the testing skill and no other skills";
    let both = decide(&SkillRequest { text, ..SkillRequest::default() }, &router);
    assert_eq!(both.chosen, Some(load(&["testing"])));
}

/// SK-14: a request without any evidence has a recorded outcome, after every slot was evaluated.
#[test]
fn a_request_without_evidence_ends_in_no_skill() {
    let decision = decide(&SkillRequest::default(), &router(&[]));
    assert_eq!(decision.chosen, Some(SkillOutcome::None));
    assert_eq!(decision.chain.len(), SkillSlot::CHAIN.len());
    assert_eq!(decision.winner().unwrap().reason, SkillReason::NoEvidence);
    assert_eq!(decision.rejections().collect::<Vec<(&SkillOutcome, &SkillFailure)>>(), []);
}
