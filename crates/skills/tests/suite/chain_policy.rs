//! AGENTS.md files in the chain of a skill choice.

use contracts::{ChainSlot as _, SkillFailure, SkillOutcome, SkillReason, SkillSlot, Verdict};
use skills::{
    AgentsFile, AgentsFiles, AgentsMd, Skill, SkillIndex, SkillRequest, SkillRouter, SkillSettings, SkillSources,
    decide,
};

/// The AGENTS.md of the root of a workspace.
const ROOT: &str = "\
| Task | Load skill |
|---|---|
| Writing tests / stories | `testing` |
| Database queries | `database` |
| Production deploy (safety) | `release` |

- Never load skill `legacy`.
";
/// The AGENTS.md of a package.
const PACKAGE: &str = "\
| Task | Load skill |
|---|---|
| Database queries | `api-db` |
";

/// Returns a router with both files and the skills that they name.
fn router() -> SkillRouter {
    let file = |path: &str, text: &str| AgentsFile { path: path.to_owned(), content: AgentsMd::parse(text) };
    let skill =
        |name: &str| Skill { name: name.to_owned(), description: format!("Use for {name} work."), ..Skill::default() };
    let names = ["testing", "database", "release", "api-db", "legacy"];
    let sources = SkillSources {
        index: SkillIndex::new(names.into_iter().map(skill).collect()),
        agents: AgentsFiles::new(vec![file("AGENTS.md", ROOT), file("packages/api/AGENTS.md", PACKAGE)]),
        ..SkillSources::default()
    };
    SkillRouter::new(sources, SkillSettings::default()).unwrap()
}

/// SC-04, SC-51: a row that maps the task to a skill decides, and no score is computed.
#[test]
fn a_row_decides_before_the_scores() {
    let request = SkillRequest { text: "write tests for the board", ..SkillRequest::default() };
    let decision = decide(&request, &router());
    assert_eq!(decision.chosen, Some(SkillOutcome::load("testing")));
    let winner = decision.winner().unwrap();
    assert_eq!(winner.slot.method(), "policy");
    assert!(matches!(&winner.reason, SkillReason::PolicyRow { path, line: 3, .. } if path == "AGENTS.md"));
    assert_eq!(decision.entry(SkillSlot::Score), None);
}

/// SC-06: the file nearest to the edited path decides.
#[test]
fn the_nearest_file_decides() {
    for (path, skill) in [("packages/api/x.ts", "api-db"), ("src/x.ts", "database")] {
        let files = [path.to_owned()];
        let request = SkillRequest { text: "optimize the database queries", files: &files, ..SkillRequest::default() };
        assert_eq!(decide(&request, &router()).chosen, Some(SkillOutcome::load(skill)), "{path}");
    }
}

/// SC-27: a skill that the AGENTS.md forbids is not loaded, except by its name.
#[test]
fn a_forbidden_skill_is_not_loaded() {
    let request = SkillRequest { text: "legacy work", ..SkillRequest::default() };
    let decision = decide(&request, &router());
    assert_eq!(decision.chosen, Some(SkillOutcome::None));
    let attempts = &decision.entry(SkillSlot::Score).unwrap().attempts;
    let failure = SkillFailure::Forbidden { path: "AGENTS.md".to_owned(), line: 7 };
    assert_eq!(attempts.iter().map(|attempt| &attempt.failure).collect::<Vec<_>>(), [&failure]);
    let named = SkillRequest { text: "/legacy work", ..SkillRequest::default() };
    assert_eq!(decide(&named, &router()).chosen, Some(SkillOutcome::load("legacy")));
}

/// SC-05: the request for no skill has no effect on a row for safety.
#[test]
fn a_row_for_safety_applies_without_skills() {
    let text = "production deploy without any skills";
    let decision = decide(&SkillRequest { text, ..SkillRequest::default() }, &router());
    let refusal = decision.entry(SkillSlot::NoSkill).unwrap();
    assert_eq!(refusal.verdict, Verdict::Rejected);
    assert_eq!(refusal.failure, Some(SkillFailure::RequiredForSafety { path: "AGENTS.md".to_owned(), line: 5 }));
    assert_eq!(decision.chosen, Some(SkillOutcome::load("release")));
    let text = "write tests without any skills";
    assert_eq!(decide(&SkillRequest { text, ..SkillRequest::default() }, &router()).chosen, Some(SkillOutcome::None));
}

/// SC-01: the inputs are evaluated in the order of 003: the request, AGENTS.md, the metadata of the skills with the
/// artifacts of the task. Failures at run time come after the decision.
#[test]
fn inputs_are_evaluated_in_their_order() {
    let files = ["docs/notes.md".to_owned()];
    let request = SkillRequest { text: "release notes", files: &files, ..SkillRequest::default() };
    let decision = decide(&request, &router());
    let slots: Vec<_> = decision.chain.iter().map(|entry| entry.slot).collect();
    let (explicit, policy, score) = (SkillSlot::Explicit, SkillSlot::Policy, SkillSlot::Score);
    assert!(explicit.precedes(policy) && policy.precedes(score) && slots.is_sorted_by_key(|slot| slot.number()));
    let SkillReason::Scores(scores) = &decision.entry(score).unwrap().reason else { panic!() };
    assert_eq!((scores[0].skill.as_str(), scores[0].artifact), ("release", Some(0)));
}
