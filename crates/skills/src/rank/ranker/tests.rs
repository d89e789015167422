//! Tests of the ranker: descriptions alone, labelled requests, abstention and determinism.

use super::*;

/// Creates an index of skills with these names and descriptions.
fn index(skills: &[(&str, &str)]) -> SkillIndex {
    let skill = |(name, description): &(&str, &str)| Skill {
        name: (*name).to_owned(),
        description: (*description).to_owned(),
        ..Skill::default()
    };
    SkillIndex::new(skills.iter().map(skill).collect())
}

/// Creates the skills that the tests rank.
fn travel() -> SkillIndex {
    index(&[
        ("database", "Writes migrations and queries for PostgreSQL."),
        ("testing", "Writes unit tests and Storybook stories."),
        ("ui-components", "Builds accessible components with a theme."),
    ])
}

/// Labelled requests whose words are not in the descriptions.
const REQUESTS: &[TrainingRequest<'_>] = &[
    TrainingRequest { text: "the table needs another column", skill: Some("database") },
    TrainingRequest { text: "drop the column and the table", skill: Some("database") },
    TrainingRequest { text: "why is the join slow", skill: Some("database") },
    TrainingRequest { text: "cover the parser with assertions", skill: Some("testing") },
    TrainingRequest { text: "mock the clock in the parser", skill: Some("testing") },
    TrainingRequest { text: "the assertions fail on friday", skill: Some("testing") },
    TrainingRequest { text: "the button has no contrast", skill: Some("ui-components") },
    TrainingRequest { text: "make the dialog dark", skill: Some("ui-components") },
    TrainingRequest { text: "what is the capital of france", skill: None },
    TrainingRequest { text: "tell me a joke", skill: None },
    TrainingRequest { text: "what is the largest planet", skill: None },
];

/// Returns the name of the most probable skill, and whether it is more probable than no skill.
fn first(ranker: &SkillRanker, text: &str) -> (String, bool) {
    let ranking = ranker.rank(text, 1);
    (ranking.skills[0].name.clone(), ranking.no_skill < ranking.skills[0].probability)
}

/// SC-10, C-42: the description alone decides without labelled requests.
#[test]
fn without_requests_the_best_description_is_first() {
    let ranker = SkillRanker::train(&travel(), &[]);
    assert_eq!(first(&ranker, "write a migration for postgres").0, "database");
    assert_eq!(first(&ranker, "add a story to storybook").0, "testing");
    assert_eq!(ranker.requests(), 0);
}

/// SC-02: only name, description and keywords of a skill are evidence, not the size or the hash of its file.
#[test]
fn the_body_of_a_skill_changes_no_probability() {
    let changed = travel().skills().iter().map(|skill| Skill { bytes: 9, hash: [7; 32], ..skill.clone() }).collect();
    let (before, after) =
        (SkillRanker::train(&travel(), REQUESTS), SkillRanker::train(&SkillIndex::new(changed), REQUESTS));
    assert_eq!(before, after);
}

/// C-42: labelled requests teach words that no description has, and which requests need no skill.
#[test]
fn requests_teach_words_and_requests_without_a_skill() {
    let ranker = SkillRanker::train(&travel(), REQUESTS);
    assert_eq!(first(&ranker, "the new column of the table"), ("database".to_owned(), true));
    assert_eq!(first(&ranker, "assertions for the parser"), ("testing".to_owned(), true));
    assert!(!first(&ranker, "what is the smallest planet").1);
    assert_eq!(ranker.requests(), REQUESTS.len());
}

/// SK-15: the same text and the same skills give the same ranking, and probabilities sum to 1.
#[test]
fn rankings_are_reproducible_distributions() {
    let ranker = SkillRanker::train(&travel(), REQUESTS);
    let ranking = ranker.rank("mock the database", 9);
    assert_eq!(ranking, SkillRanker::train(&travel(), REQUESTS).rank("mock the database", 9));
    let total: u32 = ranking.skills.iter().map(|skill| u32::from(skill.probability)).sum();
    assert!((9_990..=10_010).contains(&(total + u32::from(ranking.no_skill))), "{ranking:?}");
    assert!(ranking.skills.is_sorted_by_key(|skill| std::cmp::Reverse(skill.probability)));
}

/// SK-94: a keyword of a skill is evidence for it as a labelled request is.
#[test]
fn keywords_are_evidence() {
    let with_keyword = |keywords: &[&str]| {
        let keywords: Vec<String> = keywords.iter().map(ToString::to_string).collect();
        let travel = travel();
        let skills = travel.skills().iter().map(|skill| match skill.name.as_str() {
            "database" => Skill { keywords: keywords.clone(), ..skill.clone() },
            _ => skill.clone(),
        });
        SkillRanker::train(&SkillIndex::new(skills.collect()), &[]).rank("tune the optimiser", 3)
    };
    let probability = |ranking: SkillRanking| {
        let found = ranking.skills.into_iter().find(|skill| skill.name == "database");
        found.map(|skill| skill.probability)
    };
    assert!(probability(with_keyword(&[])) < probability(with_keyword(&["optimiser", "query plan"])));
}

#[test]
fn skills_for_users_only_and_requests_for_unknown_skills_are_ignored() {
    let travel = travel();
    let hidden = travel.skills().iter().map(|skill| Skill { explicit_only: skill.name == "testing", ..skill.clone() });
    let ranker = SkillRanker::train(&SkillIndex::new(hidden.collect()), REQUESTS);
    assert_eq!(ranker.requests(), REQUESTS.len() - 3);
    assert!(ranker.rank("assertions for the parser", 9).skills.iter().all(|skill| skill.name != "testing"));
    let unknown = [TrainingRequest { text: "any", skill: Some("absent") }];
    assert_eq!(SkillRanker::train(&travel, &unknown).requests(), 0);
}

#[test]
fn every_text_has_a_ranking() {
    let long = "Ж🦀 ".repeat(100_000);
    for ranker in [SkillRanker::train(&travel(), REQUESTS), SkillRanker::train(&SkillIndex::default(), &[])] {
        for text in ["", "\0", "ﬁ İ", &long] {
            let ranking = ranker.rank(text, 3);
            assert!(ranking.no_skill <= 10_000 && ranking.skills.len() <= 3, "{ranking:?}");
        }
    }
}

/// C-42: the probabilities of the ranker are the intent of the `SCORE` layer.
#[test]
fn probabilities_are_the_intent_of_scores() {
    let ranking = SkillRanker::train(&travel(), REQUESTS).rank("the new column of the table", 3);
    let probabilities = ranking.probabilities();
    assert_eq!(probabilities.get("database"), Some(&ranking.skills[0].probability));
    assert_eq!(probabilities.len(), 3);
}
