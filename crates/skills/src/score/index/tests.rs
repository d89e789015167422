//! Tests of the scores of requests over the skills of a small project.

use super::{super::decision::ScoreOutcome, *};
use crate::skill::Skill;

/// Creates a skill with a name and a description.
fn skill(name: &str, description: &str) -> Skill {
    Skill { name: name.into(), description: description.into(), ..Skill::default() }
}

/// Creates the four skills of a web project.
fn skills() -> Vec<Skill> {
    vec![
        Skill {
            paths: vec!["supabase/**".into()],
            bytes: 7_018,
            tags: vec!["supabase".into()],
            ..skill("database", "Schema changes, migrations, queries and row level security in Supabase.")
        },
        Skill { bytes: 6_480, ..skill("nextjs-app-router", "Pages, layouts, routing and server actions in Next.js.") },
        Skill { bytes: 6_819, ..skill("testing", "Unit tests with Vitest and stories in Storybook.") },
        Skill { bytes: 6_596, ..skill("ui-components", "Components, theming and accessibility.") },
    ]
}

/// Decides on an input with the default settings.
fn decide(skills: Vec<Skill>, input: &ScoreInput<'_>) -> ScoreDecision {
    ScoreIndex::new(&SkillIndex::new(skills)).decide(input, &ScoringSettings::default())
}

/// Creates the outcome that loads one skill.
fn load(name: &str) -> ScoreOutcome {
    ScoreOutcome::Load(vec![name.into()])
}

/// SC-08, SC-10: all components of a score are recorded, each in its range, with the words that matched.
#[test]
fn a_decision_records_the_components_of_each_score() {
    let (paths, stack) = (["supabase/migrations/0004.sql".to_owned()], ["Supabase (PostgreSQL 16)".to_owned()]);
    let text = "Please write the migration for the tasks schema";
    let decision = decide(skills(), &ScoreInput { text, paths: &paths, stack: &stack, ..ScoreInput::default() });
    insta::assert_json_snapshot!(decision);
    for skill in &decision.ranked {
        assert_eq!(skill.components.check(), Ok(()));
    }
}

/// SC-24, SC-28: generic editing selects no skill.
#[test]
fn generic_editing_selects_no_skill() {
    for text in ["reformat this paragraph", "fix the typo in README", "summarize this text", "rename the variable"] {
        let decision = decide(skills(), &ScoreInput { text, ..ScoreInput::default() });
        assert!(matches!(decision.outcome, ScoreOutcome::NoSkill(_)), "{text}: {decision:?}");
    }
}

/// SC-14, TV-74: skills with the same words are rivals, so that the user is asked.
#[test]
fn skills_with_equal_evidence_are_rivals() {
    let twins = vec![skill("api-db", "Database queries."), skill("database", "Database queries.")];
    let input =
        ScoreInput { text: "database colour", clarification: Clarification::Available, ..ScoreInput::default() };
    let decision = decide(twins, &input);
    assert_eq!(decision.ranked[0].components.ambiguity, 15);
    assert!(!matches!(decision.outcome, ScoreOutcome::Load(_)), "{decision:?}");
}

/// SC-02: the instructions of a skill do not change its score; only its metadata is compared.
#[test]
fn only_metadata_is_compared() {
    let changed = skills().into_iter().map(|skill| Skill { hash: [7; 32], ..skill }).collect();
    let input = ScoreInput { text: "write a migration", ..ScoreInput::default() };
    assert_eq!(decide(skills(), &input), decide(changed, &input));
}

/// SC-27: an excluded skill is not loaded, and the reason is recorded.
#[test]
fn a_stale_skill_is_excluded_with_the_reason() {
    let exclusions = BTreeMap::from([("database".to_owned(), Exclusion::Stale { days: 400 })]);
    let input = ScoreInput { text: "database migrations", ..ScoreInput::default() };
    assert_eq!(decide(skills(), &input).outcome, load("database"));
    let decision = decide(skills(), &ScoreInput { exclusions: Some(&exclusions), ..input });
    assert_eq!(decision.excluded, [("database".to_owned(), Exclusion::Stale { days: 400 })]);
    assert!(!decision.ranked.iter().any(|skill| skill.name == "database"), "{decision:?}");
}

/// SC-21, SC-22: of candidates that are equal otherwise the smaller skill is first, then the more recently used one.
#[test]
fn ties_are_broken_by_size_and_recent_use() {
    let twins = |bytes| vec![skill("a", "database"), Skill { bytes, ..skill("b", "database") }];
    let uses = BTreeMap::from([("b".to_owned(), Timestamp::from_secs(5))]);
    let text = "database";
    let first = |skills, last_used| {
        let decision = decide(skills, &ScoreInput { text, last_used, ..ScoreInput::default() });
        decision.ranked[0].name.clone()
    };
    assert_eq!(first(twins(0), None), "a");
    assert_eq!(first(twins(0), Some(&uses)), "b");
    assert_eq!(first(twins(1), Some(&uses)), "a");
}

/// SC-10: a probability replaces the lexical match and is recorded.
#[test]
fn a_probability_replaces_the_lexical_match() {
    let probabilities = BTreeMap::from([("testing".to_owned(), 9_000)]);
    let text = "make the board behave";
    let given = Probabilities { by_skill: &probabilities, load_from: None };
    let input = ScoreInput { text, probabilities: Some(given), ..ScoreInput::default() };
    let decision = decide(skills(), &input);
    assert_eq!(decision.outcome, load("testing"));
    assert_eq!((decision.ranked[0].intent, decision.ranked[0].score), (IntentValue::Probability(9_000), 81));
}

#[test]
fn a_skill_for_the_user_alone_is_no_candidate() {
    let alone = vec![Skill { explicit_only: true, ..skill("database", "database migrations") }];
    let decision = decide(alone, &ScoreInput { text: "database migrations", ..ScoreInput::default() });
    assert_eq!((decision.ranked, decision.excluded), (vec![], vec![]));
}

/// SC-08, SC-19: of many skills with a word in common the one that knows most words is first.
#[test]
fn the_best_of_many_skills_is_found() {
    let description = |number| if number < 100 { "database queries" } else { "reports" };
    let mut many: Vec<_> = (0..300).map(|number| skill(&format!("s{number}"), description(number))).collect();
    many.push(skill("z-last", "database queries and migrations"));
    let decision = decide(many, &ScoreInput { text: "database queries and migrations", ..ScoreInput::default() });
    let names: Vec<_> = decision.ranked.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!((decision.outcome, names.len(), names[0]), (load("z-last"), 5, "z-last"));
    assert_eq!(decision.ranked[0].matched, ["database", "queries", "migrations"]);
}

proptest::proptest! {
    /// SC-08, SC-09: any text has a decision, whose scores are at most 90 and in order.
    #[test]
    fn any_text_has_a_decision(text in ".{0,200}") {
        let decision = decide(skills(), &ScoreInput { text: &text, ..ScoreInput::default() });
        let scores: Vec<_> = decision.ranked.iter().map(|skill| skill.score).collect();
        proptest::prop_assert!(scores.is_sorted_by(|a, b| a >= b) && scores.iter().all(|score| *score <= 90));
        if let ScoreOutcome::Load(names) = decision.outcome {
            proptest::prop_assert!((1..=2).contains(&names.len()));
        }
    }
}
