//! Fuzz target for the files and requests of skill routing.

use contracts::{SessionId, TurnId};
use event_core::{EventId, Timestamp};
use skills::{
    AgentsFile, AgentsFiles, AgentsMd, ConfidenceSettings, Skill, SkillIndex, SkillRequest, SkillRouter, SkillSettings,
    SkillSources, decide, parse_trigger_table,
    routing_log::{RecordedRequest, RoutingRecord, routing_table, routing_yaml},
};

/// The line between the markdown and the request of an input.
const SEPARATOR: &str = "\n===\n";

/// Parses the first part of the input as AGENTS.md and as a trigger table, and decides on the second part as a request.
/// Panics if a line is outside the text, if a decision has no outcome or differs when repeated, or if the routing log has
/// not one row for it.
pub fn check_skill_routing(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (markdown, request) = text.split_once(SEPARATOR).unwrap_or((&text, &text));
    let content = AgentsMd::parse(markdown);
    let (triggers, findings) = parse_trigger_table("rules.md", markdown);
    let lines = markdown.lines().count() + 1;
    let numbers = content.rows.iter().map(|row| row.line).chain(content.forbidden.iter().map(|row| row.line));
    for line in numbers.chain(findings.iter().filter_map(|finding| finding.line)) {
        assert!((1..=lines).contains(&(line as usize)), "line {line} of {lines}");
    }
    let names = content.rows.iter().map(|row| &row.skill).chain(triggers.rows.iter().map(|row| &row.skill));
    let skill = |name: &String| Skill { name: name.clone(), description: request.to_owned(), ..Skill::default() };
    let index = SkillIndex::new(names.map(skill).collect());
    let agents = AgentsFiles::new(vec![AgentsFile { path: "AGENTS.md".to_owned(), content }]);
    let mut settings = SkillSettings::default();
    settings.layers.tree = true;
    let Ok(router) = SkillRouter::new(SkillSources { index, triggers, agents, ..SkillSources::default() }, settings)
    else {
        return;
    };
    for interactive in [false, true] {
        check_decision(&SkillRequest { text: request, interactive, ..SkillRequest::default() }, &router);
    }
}

/// Decides on a request, and checks the decision and its row in the routing log.
fn check_decision(request: &SkillRequest<'_>, router: &SkillRouter) {
    let decision = decide(request, router);
    assert!(decision.chosen.is_some(), "the chain ends without an outcome: {decision:?}");
    assert_eq!(decision, decide(request, router));
    let session = SessionId::try_from("s").expect("the id is valid");
    let recorded = RecordedRequest {
        event: EventId::default(),
        at: Timestamp::default(),
        turn: Some(TurnId::default()),
        session,
        text: request.text,
        tokens: None,
        files: 0,
        context: None,
        routing_tokens: 0,
    };
    let records = [RoutingRecord::new(&recorded, &decision, &ConfidenceSettings::default())];
    assert_eq!(routing_table(&records).lines().count(), 5, "the table has one row");
    let yaml = routing_yaml(&records);
    assert!(
        !yaml.chars().any(|letter| letter.is_control() && letter != '\n'),
        "control characters are escaped: {yaml}"
    );
}
