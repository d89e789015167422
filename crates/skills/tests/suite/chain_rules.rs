//! The rules by which the layers decide between skills and combine them.

use contracts::{
    KeywordEvidence, KeywordResolution, Score, SkillFailure, SkillOutcome, SkillReason, SkillSlot, Verdict,
};
use skills::{
    LlmAnswer, SkillIndex, SkillRequest, SkillRouter, SkillSettings, SkillSources, TriggerTable, confidence, decide,
    is_degraded, layer_reached,
};

use crate::chain_support::{keywords_only, outcome, route, router_of, rows, seed_router};

/// Returns a router with rows, in which only keywords decide.
fn router(lines: &[&str]) -> SkillRouter {
    router_of(rows(lines), keywords_only())
}

/// Returns the evidence of the keyword layer for a text.
fn evidence(router: &SkillRouter, text: &str) -> KeywordEvidence {
    match route(router, text).entry(SkillSlot::Keyword).map(|entry| entry.reason.clone()) {
        Some(SkillReason::Keywords(evidence)) => evidence,
        other => panic!("{other:?}"),
    }
}

/// SK-06: two skills of equal priority are ambiguous, so the next layer is evaluated; without one the user is asked.
#[test]
fn equal_priorities_are_ambiguous() {
    let router = router(&["alpha | -- | 5 | -- | `/a`", "beta | -- | 5 | -- | `/b`"]);
    let decision = route(&router, "alpha beta");
    let keyword = decision.entry(SkillSlot::Keyword).unwrap();
    assert_eq!(keyword.failure, Some(SkillFailure::TooClose { gap: 0, required: 2 }));
    assert!(decision.entry(SkillSlot::Tree).is_some());
    assert_eq!(decision.chosen, Some(SkillOutcome::Ask { skills: vec!["a".into(), "b".into()] }));
}

/// SK-25, SK-35, SK-36: a gap of two priorities decides, a smaller one does not.
#[test]
fn a_gap_of_two_priorities_decides() {
    for (first, second, expected) in [
        (1, 6, Some(KeywordResolution::Priority)),
        (5, 7, Some(KeywordResolution::Priority)),
        (5, 6, Some(KeywordResolution::Ambiguous)),
    ] {
        let (a, b) = (format!("alpha | -- | {first} | -- | `/a`"), format!("beta | -- | {second} | -- | `/b`"));
        let router = router(&[&a, &b]);
        assert_eq!(evidence(&router, "beta alpha").resolution, expected, "{first} {second}");
        assert_eq!(outcome(&router, "beta alpha"), "a");
    }
    let mut settings = keywords_only();
    settings.priority_gap = 1;
    let table = rows(&["alpha | -- | 5 | -- | `/a`", "beta | -- | 6 | -- | `/b`"]);
    assert_eq!(evidence(&router_of(table, settings), "alpha beta").resolution, Some(KeywordResolution::Priority));
}

/// SK-32: a single compound match takes precedence over the priority.
#[test]
fn one_compound_match_decides() {
    let text = "technical review of the workflow";
    assert_eq!(outcome(&seed_router(), text), "nasa-se");
    let evidence = evidence(&seed_router(), text);
    assert_eq!(evidence.resolution, Some(KeywordResolution::Compound));
    assert_eq!(evidence.secondary, ["orchestration"]);
}

/// SK-33: of several compound matches the priority decides; a skill without one is dropped.
#[test]
fn several_compound_matches_are_decided_by_priority() {
    let router = router(&[
        "alpha | -- | 5 | \"alpha\" AND \"beta\" | `/a`",
        "beta | -- | 7 | \"beta\" | `/b`",
        "gamma | -- | 1 | -- | `/c`",
    ]);
    let evidence = evidence(&router, "alpha beta gamma");
    assert_eq!(
        (outcome(&router, "alpha beta gamma"), evidence.resolution),
        ("a".into(), Some(KeywordResolution::Priority))
    );
    assert_eq!(evidence.secondary, ["c", "b"]);
}

/// SK-34: a single candidate is a clear match, also with a compound trigger.
#[test]
fn compound_triggers_are_not_consulted_for_one_candidate() {
    let router = router(&["alpha | -- | 5 | \"alpha\" AND \"beta\" | `/a`"]);
    let evidence = evidence(&router, "alpha beta");
    assert_eq!((evidence.outcome.name(), evidence.resolution), ("clear", Some(KeywordResolution::Single)));
}

/// SK-57, SK-58: skills of two clauses are combined; within one clause the other skill is only recorded.
#[test]
fn skills_of_two_clauses_are_combined() {
    let router = seed_router();
    assert_eq!(outcome(&router, "research and then design"), "problem-solving, then nasa-se");
    assert_eq!(outcome(&router, "design, then research"), "problem-solving, then nasa-se");
    assert_eq!(evidence(&router, "research and then design").resolution, Some(KeywordResolution::Combined));
    assert_eq!(evidence(&router, "Plan the workflow for this research project").secondary, ["problem-solving"]);
}

/// SK-59, C-06: of three skills in three clauses two are selected and one is the overflow; the user is asked, or if that is
/// impossible the two are loaded. A coordinator does not count.
#[test]
fn at_most_two_skills_are_combined() {
    let router = seed_router();
    let text = "research the options, then design the parts, then roast this code";
    let decision = route(&router, text);
    let keyword = decision.entry(SkillSlot::Keyword).unwrap();
    assert_eq!(keyword.failure, Some(SkillFailure::TooMany { matched: 3, max: 2 }));
    assert_eq!(keyword.candidate.as_ref().unwrap().loaded(), ["problem-solving", "nasa-se"]);
    assert_eq!(evidence(&router, text).overflow, ["saucer-boy"]);
    assert_eq!(decision.chosen.as_ref().unwrap().name(), "clarification");
    let silent = decide(&SkillRequest { text, ..SkillRequest::default() }, &router);
    assert_eq!(silent.chosen.as_ref().unwrap().loaded(), ["problem-solving", "nasa-se"]);
    assert!(is_degraded(&silent));
    let coordinated = "plan it, then research the options, then design the parts";
    assert_eq!(outcome(&router, coordinated), "orchestration coordinates problem-solving, then nasa-se");
}

/// SK-13: without the layers that could decide, the best result is used and marked as degraded.
#[test]
fn the_best_result_is_used_if_later_layers_are_unavailable() {
    let decision = route(&seed_router(), "Analyze the risk of this approach");
    let reason =
        SkillReason::BestEffort { layer: SkillSlot::Keyword, unavailable: vec![SkillSlot::Tree, SkillSlot::Llm] };
    assert_eq!(decision.winner().unwrap().reason, reason);
    assert!(is_degraded(&decision));
    assert_eq!(confidence(&decision, &SkillSettings::default().confidence), Score::ratio(1, 2));
}

/// SK-18: each layer is switched by its setting, and the chain lists it as switched off.
#[test]
fn layers_are_switched_by_settings() {
    let mut settings = keywords_only();
    let chain = |settings: &SkillSettings| {
        let decision = route(&router_of(rows(&["alpha | -- | 1 | -- | `/a`"]), settings.clone()), "nothing");
        let off = decision.chain.iter().filter(|entry| entry.reason == SkillReason::Disabled).map(|entry| entry.slot);
        off.collect::<Vec<_>>()
    };
    assert_eq!(chain(&settings), [SkillSlot::Tree, SkillSlot::Score, SkillSlot::Llm]);
    settings.layers = skills::SkillLayers { policy: false, keyword: false, tree: true, score: true, llm: true };
    assert_eq!(chain(&settings), [SkillSlot::Policy, SkillSlot::Keyword]);
}

/// SK-11, SK-40, SC-42: the reply of a model is used from the threshold on.
#[test]
fn a_reply_of_a_model_is_used_from_the_threshold_on() {
    let answer = |hundredths, settings: SkillSettings| {
        let table = rows(&["alpha | -- | 5 | -- | `/a`", "beta | -- | 5 | -- | `/b`"]);
        let confidence = Score::ratio(hundredths, 100);
        let llm = LlmAnswer::Skill { name: "b", secondary: &[], confidence, reasoning: "it fits" };
        let request = SkillRequest { text: "alpha beta", interactive: true, llm, ..SkillRequest::default() };
        decide(&request, &router_of(table, settings))
    };
    let mut settings = keywords_only();
    settings.layers.llm = true;
    let routed = answer(70, settings.clone());
    assert_eq!((routed.chosen.clone(), routed.winner().unwrap().slot), (Some(SkillOutcome::load("b")), SkillSlot::Llm));
    assert_eq!((confidence(&routed, &settings.confidence), layer_reached(&routed)), (Score::ratio(7, 10), 3));
    assert_eq!(answer(69, settings.clone()).chosen.unwrap().name(), "clarification");
    settings.llm.min_confidence = Score::ratio(8, 10);
    assert_eq!(answer(75, settings).chosen.unwrap().name(), "clarification");
}

/// SK-12: a model that calls the request ambiguous leads to a question, whatever its confidence.
#[test]
fn an_ambiguous_reply_leads_to_a_question() {
    let mut settings = keywords_only();
    settings.layers.llm = true;
    let table = rows(&["alpha | -- | 5 | -- | `/a`", "beta | -- | 6 | -- | `/b`"]);
    let llm = LlmAnswer::Ambiguous { confidence: Score::ratio(95, 100), reasoning: "both fit" };
    let request = SkillRequest { text: "alpha beta", interactive: true, llm, ..SkillRequest::default() };
    let decision = decide(&request, &router_of(table, settings));
    assert_eq!(decision.entry(SkillSlot::Llm).unwrap().failure, Some(SkillFailure::CalledAmbiguous));
    assert_eq!(decision.chosen, Some(SkillOutcome::Ask { skills: vec!["a".into(), "b".into()] }));
}

/// SK-13: a model that cannot be asked leads to the best result of the keywords.
#[test]
fn an_unavailable_model_leads_to_the_best_result() {
    let mut settings = keywords_only();
    settings.layers.llm = true;
    let table = rows(&["alpha | -- | 5 | -- | `/a`", "beta | -- | 6 | -- | `/b`"]);
    for llm in [LlmAnswer::Unavailable("timeout"), LlmAnswer::NotAsked] {
        let request = SkillRequest { text: "alpha beta", interactive: true, llm, ..SkillRequest::default() };
        let decision = decide(&request, &router_of(table.clone(), settings.clone()));
        assert_eq!(decision.chosen, Some(SkillOutcome::load("a")));
        assert_eq!(decision.entry(SkillSlot::Llm).unwrap().verdict, Verdict::NotApplicable);
    }
}

/// C-47: if every match is suppressed, the user is asked once; nobody is asked twice or without a terminal.
#[test]
fn suppressed_matches_lead_to_one_question() {
    let router = router(&["alpha | never | 5 | -- | `/a`"]);
    assert_eq!(outcome(&router, "alpha unless never"), "ask: a?");
    for (interactive, asked_before) in [(true, true), (false, false)] {
        let request = SkillRequest { text: "alpha unless never", interactive, asked_before, ..SkillRequest::default() };
        assert_eq!(decide(&request, &router).chosen, Some(SkillOutcome::None));
    }
}

/// SC-27: a skill that the settings switch off or that the user rejects is recorded and not loaded.
#[test]
fn excluded_skills_are_not_loaded() {
    let mut settings = keywords_only();
    settings.disabled.insert("a".into());
    let router = router_of(rows(&["alpha | -- | 5 | -- | `/a`", "beta | -- | 9 | -- | `/b`"]), settings);
    let decision = route(&router, "alpha beta");
    assert_eq!(decision.chosen, Some(SkillOutcome::load("b")));
    let attempts = &decision.entry(SkillSlot::Keyword).unwrap().attempts;
    assert_eq!((attempts[0].name.as_str(), &attempts[0].failure), ("a", &SkillFailure::Disabled));
    let text = "alpha beta, but do not use the b skill";
    assert_eq!(outcome(&router, text), "no skill");
    assert_eq!(outcome(&router, "/a alpha"), "a", "only its name loads it");
}

/// SK-08, SK-09, SK-10: the tree decides what keywords leave open; a conflict of files and keywords goes to the model.
#[test]
fn the_tree_decides_open_results() {
    let mut settings = keywords_only();
    settings.layers.tree = true;
    settings.tree = vec![
        skills::TreeRowSettings {
            task: vec!["transcription".into()],
            files: vec![".vtt".into()],
            route: vec!["transcript".into()],
            ..skills::TreeRowSettings::default()
        },
        skills::TreeRowSettings {
            task: vec!["review".into()],
            route: vec!["adversary".into()],
            ..skills::TreeRowSettings::default()
        },
    ];
    let table = rows(&["alpha | -- | 5 | -- | `/a`", "beta | -- | 6 | -- | `/b`"]);
    let router = router_of(table, settings);
    let decision = route(&router, "critique the plan");
    assert_eq!(
        (decision.chosen.clone(), decision.winner().unwrap().slot),
        (Some(SkillOutcome::load("adversary")), SkillSlot::Tree)
    );
    let files = ["meeting.vtt".to_owned()];
    let request = SkillRequest { text: "alpha beta", files: &files, interactive: true, ..SkillRequest::default() };
    let conflict = decide(&request, &router);
    assert_eq!(conflict.entry(SkillSlot::Tree).unwrap().failure, Some(SkillFailure::ConflictingSignals));
}

/// SC-16, SC-17, SC-18, SC-36: the scores decide only what no earlier layer decided.
#[test]
fn scores_are_the_last_deterministic_layer() {
    let skill = |name: &str, description: &str| skills::Skill {
        name: name.to_owned(),
        description: description.to_owned(),
        ..skills::Skill::default()
    };
    let index = SkillIndex::new(vec![
        skill("database", "Use for database migrations, queries and schema changes."),
        skill("testing", "Use when writing unit tests and component stories."),
    ]);
    let sources = SkillSources { index, triggers: TriggerTable::default(), ..SkillSources::default() };
    let router = SkillRouter::new(sources, SkillSettings::default()).unwrap();
    let decision = route(&router, "Write unit tests and stories for the component");
    assert_eq!(
        (decision.chosen.clone(), decision.winner().unwrap().slot),
        (Some(SkillOutcome::load("testing")), SkillSlot::Score)
    );
    assert_eq!(outcome(&router, "What is the weather?"), "no skill");
    let named = route(&router, "/database write unit tests");
    assert_eq!(named.entry(SkillSlot::Score), None);
}

/// SK-17: the question has the found skills first, its hash is the key of a cache, and the reply is a part of the chain.
#[test]
fn a_question_is_asked_and_its_reply_is_recorded() {
    let mut settings = keywords_only();
    settings.layers.llm = true;
    let skill = |name: &str, keyword: &str| skills::Skill {
        name: name.to_owned(),
        description: format!("Use for {name}."),
        keywords: vec![keyword.to_owned()],
        ..skills::Skill::default()
    };
    let index = SkillIndex::new(vec![skill("aa", "nothing"), skill("bb", "beta"), skill("cc", "gamma")]);
    let sources = SkillSources { index, ..SkillSources::default() };
    let router = SkillRouter::new(sources, settings).unwrap();
    let request = SkillRequest { text: "beta gamma", interactive: true, ..SkillRequest::default() };
    let open = decide(&request, &router);
    let question = skills::LlmQuestion::new(&request, &router, &open).unwrap();
    let names: Vec<_> = question.available_skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(names, ["bb", "cc", "aa"]);
    let other = SkillRequest { text: "gamma beta", ..request };
    let other_question = skills::LlmQuestion::new(&other, &router, &decide(&other, &router)).unwrap();
    assert_eq!(question.context_hash(), question.clone().context_hash());
    assert_ne!(question.context_hash(), other_question.context_hash());
    let reply = r#"{"skill": "cc", "secondary_skills": ["bb", "unknown"], "confidence": 0.9, "reasoning": "gamma"}"#;
    let reply = skills::parse_reply(reply).unwrap();
    let answered = SkillRequest { llm: reply.as_answer(), ..request };
    let decision = decide(&answered, &router);
    assert_eq!(decision.chosen.as_ref().unwrap().loaded(), ["cc", "bb"]);
    let expected = SkillReason::LlmReply { confidence: Score::ratio(9, 10), reasoning: "gamma".to_owned() };
    assert_eq!(decision.winner().unwrap().reason, expected);
    assert_eq!(skills::LlmQuestion::new(&answered, &router, &decision), None, "the decision waits for no reply");
}

/// C-17: a command without the name of the plugin selects the only skill of that name; with two such skills it is unknown.
#[test]
fn a_command_without_the_name_of_the_plugin_selects_the_only_skill() {
    let one = router(&["alpha | -- | 5 | -- | `/tools:review`", "beta | -- | 7 | -- | `/deploy`"]);
    assert_eq!(outcome(&one, "/review the diff"), "tools:review");
    assert_eq!(outcome(&one, "/tools:deploy now"), "deploy");
    let two = router(&["alpha | -- | 5 | -- | `/tools:review`", "beta | -- | 7 | -- | `/other:review`"]);
    assert_eq!(route(&two, "/review the diff").entry(SkillSlot::Explicit).unwrap().verdict, Verdict::NotApplicable);
}
