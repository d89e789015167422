//! The scored policy (003) through the whole chain, and the routing log of its decisions.

use contracts::{ChainSlot as _, Decision, SessionId, SkillChoice, SkillOutcome, SkillSlot, TurnId};
use event_core::{EventId, Timestamp};
use skills::{
    AgentsFile, AgentsFiles, AgentsMd, ConfidenceSettings, Deferral, FailurePatterns, FailureResponse, RetrySettings,
    Skill, SkillIndex, SkillRequest, SkillRouter, SkillSettings, SkillSources, decide,
    detectors::{DetectorThresholds, detect_in_log},
    routing_log::{RecordedRequest, RoutingRecord, routing_table, routing_yaml},
};

/// The AGENTS.md of the workspace.
const AGENTS: &str = "\
| Task | Load Skill |
|---|---|
| Building pages / layouts | `nextjs-app-router` |
| Writing tests / stories | `testing` |
";

/// Returns a router over the skills of a web project, three of which are found by their descriptions alone.
fn router() -> SkillRouter {
    let skill = |name: &str, description: &str| Skill {
        name: name.to_owned(),
        description: description.to_owned(),
        ..Skill::default()
    };
    let index = SkillIndex::new(vec![
        skill("database", "Schema changes, migrations, queries and row level security."),
        skill("nextjs-app-router", "Pages, layouts, routing and server actions."),
        skill("testing", "Unit tests and stories."),
        Skill { keywords: vec!["theme".to_owned()], ..skill("ui-components", "Components and accessibility.") },
    ]);
    let file = AgentsFile { path: "AGENTS.md".to_owned(), content: AgentsMd::parse(AGENTS) };
    let sources = SkillSources { index, agents: AgentsFiles::new(vec![file]), ..SkillSources::default() };
    SkillRouter::new(sources, SkillSettings::default()).unwrap()
}

/// Decides on a text without a user to ask.
fn route(text: &str) -> Decision<SkillChoice> {
    decide(&SkillRequest { text, ..SkillRequest::default() }, &router())
}

/// Returns the slot that decided and the loaded skills.
fn winner(decision: &Decision<SkillChoice>) -> (SkillSlot, Vec<String>) {
    let loaded = decision.chosen.as_ref().map(|outcome| outcome.loaded().to_vec()).unwrap_or_default();
    (decision.winner().unwrap().slot, loaded)
}

/// SC-01: intent, AGENTS.md, metadata and artifacts are evaluated in this order; failures come after the decision.
#[test]
fn inputs_are_evaluated_in_their_order() {
    let decision = route("write a migration for the schema");
    let slots: Vec<_> = decision.chain.iter().map(|entry| entry.slot.name()).collect();
    assert_eq!(slots, ["EXPLICIT", "NO_SKILL", "POLICY", "KEYWORD", "TREE", "SCORE"]);
    assert_eq!(winner(&decision), (SkillSlot::Score, vec!["database".to_owned()]));
}

/// SC-36, SC-51: a row of AGENTS.md or a named skill decides before any score is computed.
#[test]
fn hard_rules_precede_scores() {
    let by_row = route("write tests for the schema migration");
    assert_eq!(winner(&by_row), (SkillSlot::Policy, vec!["testing".to_owned()]));
    let named = route("use the database skill to write tests");
    assert_eq!(winner(&named), (SkillSlot::Explicit, vec!["database".to_owned()]));
    for decision in [by_row, named] {
        assert_eq!(decision.entry(SkillSlot::Score), None);
    }
}

/// SC-29, SC-30: a skill between the thresholds is deferred without a user to ask; a failure of its domain loads it once.
#[test]
fn a_deferred_skill_is_loaded_after_one_failure() {
    let decision = route("queries for the chart colours legend");
    assert_eq!(decision.chosen, Some(SkillOutcome::Defer { skill: "database".to_owned() }), "{decision:?}");
    let patterns = FailurePatterns::new(&RetrySettings::default()).unwrap();
    let respond = |activations| {
        let deferral = Deferral { deferred: Some("database".to_owned()), activations };
        patterns.respond("relation \"charts\" does not exist", &deferral, &router().sources().index)
    };
    assert!(matches!(respond(0), FailureResponse::Activate { skill, .. } if skill == "database"));
    assert!(matches!(respond(1), FailureResponse::Ignore(_)));
}

/// Returns the records of the decisions on texts, one minute apart.
fn records(texts: &[&str]) -> Vec<RoutingRecord> {
    let session = SessionId::try_from("s").unwrap();
    let record = |(number, text): (u8, &&str)| {
        let request = RecordedRequest {
            event: EventId([number; 16]),
            at: Timestamp::from_secs(1_771_684_200 + 60 * u64::from(number)),
            turn: Some(TurnId::derive(&session, &number.to_string())),
            session: session.clone(),
            text,
            tokens: Some(7),
            files: 0,
            context: None,
            routing_tokens: 0,
        };
        RoutingRecord::new(&request, &route(text), &ConfidenceSettings::default())
    };
    (0..).zip(texts).map(record).collect()
}

/// SK-86, SK-87, SK-90: the log of decisions by every layer has method, keywords, confidence and skill of each.
#[test]
fn the_log_of_decisions_has_a_row_for_each() {
    let records = records(&[
        "/testing the board",
        "no skills please, fix the query",
        "add a page",
        "change the theme",
        "write a migration for the schema",
        "queries for the chart colours legend",
        "hello",
    ]);
    insta::assert_snapshot!(routing_table(&records) + "\n" + &routing_yaml(&records[3..6]));
    let found = detect_in_log(&records, None, &DetectorThresholds::default());
    let known = |event: &EventId| records.iter().any(|record| record.event == *event);
    assert!(found.iter().all(|one| one.events.iter().all(known)), "{found:?}");
}
