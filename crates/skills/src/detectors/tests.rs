//! Tests of the detectors.

use contracts::{Criticality, KeywordMatch, KeywordOutcome, SkillOutcome, SkillSlot};
use event_core::{EventId, Timestamp};

use super::*;
use crate::{
    rate::Rate,
    routing_log::{TreeResult, samples::record},
};

/// The default limits.
const fn limits() -> DetectorThresholds {
    DetectorThresholds {
        table_days: 91,
        rephrased_within: 2,
        rephrased_percent: 50,
        ambiguous_percent: 30,
        pair_transfers: 2,
        budget_factor: 2,
        hint_tool_calls: 5,
        complex_files: 3,
        tools: 15,
        description_percent: 10,
        no_match_percent: 30,
        collision_percent: 10,
        min_tool_calls: 3,
        min_output_tokens: 500,
        overridden_within: 2,
        alert_tools: 15,
        block_tools: 20,
    }
}

/// Creates records with distinct texts of a session, the first `count` of them without a match.
fn records(total: u8, count: usize, change: fn(&mut RoutingRecord)) -> Vec<RoutingRecord> {
    let mut records: Vec<_> = (0..total).map(|number| record(number, SkillSlot::Keyword)).collect();
    records.iter_mut().take(count).for_each(change);
    records
}

/// Changes a record to one that matched nothing.
fn miss(record: &mut RoutingRecord) {
    (record.keyword, record.outcome) = (Some(KeywordOutcome::NoMatch), SkillOutcome::None);
}

/// Returns the numbers of the records that prove a detection.
fn numbers(detection: &Detection) -> Vec<u8> {
    detection.events.iter().map(|event| event.0[0]).collect()
}

/// SK-69, SK-70, SK-74, SK-76: the limits of the specifications are the defaults.
#[test]
fn the_defaults_are_those_of_the_specifications() {
    assert_eq!(DetectorThresholds::default(), limits());
}

/// SK-69: a request that matched only in other words is a hint.
#[test]
fn a_rephrased_request_is_a_hint() {
    let mut log = records(4, 0, miss);
    miss(&mut log[0]);
    log[0].summary = "the login button is broken".into();
    log[1].summary = "what time is it".into();
    log[2].summary = "debug the broken login button".into();
    let found = detect_keyword_tunnel(&log, None, &limits());
    assert_eq!(
        found,
        [Detection::new(AntiPattern::Ap01KeywordTunnel, Signal::Rephrased, vec![log[0].event, log[2].event])]
    );
    log.swap(2, 3);
    assert_eq!(detect_keyword_tunnel(&log, None, &limits()), []);
}

/// SK-69: equal requests with different skills, an old table and a skill named without a keyword are hints.
#[test]
fn the_other_hints_of_a_keyword_tunnel_are_found() {
    let mut log = records(3, 0, miss);
    log[0].summary = "Review the plan".into();
    log[1].summary = "review this plan!".into();
    log[1].outcome = SkillOutcome::load("adversary");
    log[2].slot = SkillSlot::Explicit;
    let age = |days: u64| {
        let changed = Timestamp::from_secs(1_771_684_200);
        Some(TableAge { changed, now: changed.plus_secs(days * 86_400) })
    };
    let signals = |table| {
        let found = detect_keyword_tunnel(&log, table, &limits());
        found.into_iter().map(|detection| detection.signal).collect::<Vec<_>>()
    };
    let named = Signal::NamedWithoutKeyword { skill: "database".into() };
    assert_eq!(signals(age(92)), [Signal::Inconsistent, Signal::OldTable { days: 92 }, named.clone()]);
    assert_eq!(signals(age(91)), [Signal::Inconsistent, named]);
    log[2].matched = vec![KeywordMatch { clause: 0, skill: "database".into(), keyword: "sql".into() }];
    log[1].outcome = SkillOutcome::load("database");
    assert_eq!(detect_keyword_tunnel(&log, age(91), &limits()), []);
}

/// SK-70: 31 of 100 decisions with several matching skills are a hint, 30 are not.
#[test]
fn too_many_ambiguous_decisions_are_a_hint() {
    let multi = |count| records(100, count, |record| record.keyword = Some(KeywordOutcome::Multi));
    let found = detect_ambiguity(&multi(31), &limits()).unwrap();
    assert_eq!((found.signal.clone(), numbers(&found).len()), (Signal::Ambiguous(Rate::new(31, 100)), 31));
    assert_eq!(detect_ambiguity(&multi(30), &limits()), None);
}

/// SK-71: summaries of 400, 300 and 150 characters along a chain are a hint, and more coordination than work is one.
#[test]
fn shrinking_handoffs_are_a_hint() {
    let chain = |lengths: &[u64]| -> Vec<HandoffRecord> {
        let handoff = |(number, chars): (u8, &u64)| HandoffRecord {
            event: EventId([number; 16]),
            findings_chars: *chars,
            coordination_tokens: 100,
            work_tokens: 100,
        };
        (0..).zip(lengths).map(handoff).collect()
    };
    let found = detect_handoff_loss(&chain(&[200, 400, 300, 150]));
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&found[0].signal, numbers(&found[0])),
        (&Signal::ShrinkingSummaries(vec![400, 300, 150]), vec![1, 2, 3])
    );
    assert_eq!(detect_handoff_loss(&chain(&[400, 300, 300])), []);
    assert_eq!(detect_handoff_loss(&[]), []);
    let mut costly = chain(&[400, 400]);
    costly[0].coordination_tokens = 101;
    let signal = Signal::Coordination { coordination_tokens: 201, work_tokens: 200 };
    assert_eq!(detect_handoff_loss(&costly)[0].signal, signal);
}

/// SK-72, SK-73: three transfers between two agents, more than twice the budget, and a plateau are hints.
#[test]
fn loops_are_hints() {
    let hop = |(number, (from, to)): (u8, &(&str, &str))| HopRecord {
        event: EventId([number; 16]),
        from: (*from).into(),
        to: (*to).into(),
    };
    let hops: Vec<_> = (0..).zip(&[("a", "b"), ("b", "a"), ("a", "c"), ("a", "b")]).map(hop).collect();
    let limits_of = IterationLimits::of(Criticality::C2);
    let found = detect_routing_loop(&hops, &RunTokens::default(), &limits_of, &limits());
    let pair = Signal::RepeatedPair { first: "a".into(), second: "b".into(), transfers: 3 };
    assert_eq!((found.len(), &found[0].signal, numbers(&found[0])), (1, &pair, vec![0, 1, 3]));
    assert_eq!(detect_routing_loop(&hops[..3], &RunTokens::default(), &limits_of, &limits()), []);
    let scores = [8_900, 9_000, 8_900, 9_000, 8_900].map(|score| (EventId([9; 16]), score)).to_vec();
    let run = RunTokens { used: 201, budget: Some(100), scores, ..RunTokens::default() };
    let signals: Vec<_> =
        detect_routing_loop(&[], &run, &limits_of, &limits()).into_iter().map(|one| one.signal).collect();
    let expected =
        [Signal::TokenBudget { used: 201, budget: 100 }, Signal::Iterations(IterationStop::Plateau { iteration: 5 })];
    assert_eq!(signals, expected);
    let within = RunTokens { used: 200, scores: Vec::new(), ..run };
    assert_eq!(detect_routing_loop(&[], &within, &limits_of, &limits()), []);
}

/// SK-74, HO-89: fewer than 5 tool calls are a hint; fewer than 3, or an output below 500 tokens, are a finding.
#[test]
fn small_tasks_of_specialists_are_found() {
    let invocation = |tool_calls, output_tokens| InvocationRecord {
        event: EventId([1; 16]),
        agent: "ps-researcher".into(),
        tool_calls,
        output_tokens,
    };
    let found = |invocation| {
        let found = detect_over_routing(&[invocation], &limits());
        found.iter().map(|detection| detection.pattern.number()).collect::<Vec<_>>()
    };
    assert_eq!(found(invocation(2, 600)), ["AP-05", "APD-05"]);
    assert_eq!(found(invocation(3, 600)), ["AP-05"]);
    assert_eq!(found(invocation(5, 600)), Vec::<&str>::new());
    assert_eq!(found(invocation(9, 499)), ["APD-05"]);
}

/// SK-75: a request with 4 files and no skill is a hint; one with a skill, or whose user wants none, is not.
#[test]
fn a_complex_request_without_skill_is_a_hint() {
    let mut log = records(4, 3, miss);
    for record in &mut log {
        record.files = 4;
    }
    log[1].files = 3;
    log[2].slot = SkillSlot::NoSkill;
    let found = detect_unrouted_complexity(&log, &limits());
    assert_eq!(found.iter().map(numbers).collect::<Vec<_>>(), [[0]]);
}

/// SK-75, HO-90: a skill named within two requests after a decision for another one is a finding, after three it is not.
#[test]
fn a_named_skill_after_another_decision_is_a_finding() {
    let with_named_at = |position: usize| {
        let mut log = records(5, 0, miss);
        for record in &mut log[1..] {
            record.outcome = SkillOutcome::None;
        }
        log[position].slot = SkillSlot::Explicit;
        log[position].outcome = SkillOutcome::load("testing");
        detect_overridden(&log, &limits())
    };
    let found = with_named_at(2);
    assert_eq!((found.len(), numbers(&found[0])), (1, vec![0, 2]));
    assert_eq!(found[0].signal, Signal::Overridden { loaded: vec!["database".into()], named: "testing".into() });
    assert_eq!(with_named_at(3), []);
    let mut confirmed = records(2, 0, miss);
    confirmed[1].slot = SkillSlot::Explicit;
    assert_eq!(detect_overridden(&confirmed, &limits()), []);
}

/// HO-85, HO-90: ordinary messages and changes of topic are no findings.
#[test]
fn ordinary_messages_and_changes_of_topic_are_no_findings() {
    let mut log = records(13, 4, miss);
    for record in &mut log[..4] {
        record.needed = Some(Vec::new());
    }
    assert_eq!(detect_no_match(&log, &limits()), []);
    log[0].needed = Some(vec!["testing".into()]);
    log.truncate(6);
    assert_eq!(detect_no_match(&log, &limits())[0].signal, Signal::NoMatch(Rate::new(1, 3)));

    let found = |earlier: &str, needed: Option<Vec<String>>, named: &str| {
        let mut log = records(2, 0, miss);
        (log[0].summary, log[0].needed) = (earlier.into(), needed);
        (log[1].slot, log[1].summary, log[1].outcome) =
            (SkillSlot::Explicit, named.into(), SkillOutcome::load("testing"));
        detect_overridden(&log, &limits()).len()
    };
    assert_eq!(found("shrink the orders table", None, "/testing the orders table"), 1);
    assert_eq!(found("shrink the orders table", None, "/testing the login page"), 0, "another topic");
    assert_eq!(found("shrink the orders table", Some(vec!["database".into()]), "/testing the orders table"), 0);
    assert_eq!(found("shrink the orders table", None, "/testing"), 1, "the earlier turn did not complete");
    assert_eq!(found("shrink the orders table", Some(Vec::new()), "/testing"), 0);
}

/// SK-76, TV-23, HO-91: 16 declared tools are a finding, 15 are not; 14 with 8 of MCP servers are blocked.
#[test]
fn too_many_tools_are_found() {
    let found = |declared, mcp| {
        let agent = AgentTools { agent: "a".into(), declared, mcp, ..AgentTools::default() };
        let found = detect_tool_overload(&agent, &limits());
        found.iter().map(|one| one.pattern.number()).collect::<Vec<_>>()
    };
    assert_eq!(found(16, 0), ["AP-07", "APD-07", "APD-10"]);
    assert_eq!((found(15, 0), found(14, 0)), (vec!["APD-10"], vec![]));
    assert_eq!(found(14, 8), ["AP-07", "APD-10"]);
    let level = |tools| {
        let agent = AgentTools { declared: tools, ..AgentTools::default() };
        detect_tool_overload(&agent, &limits()).into_iter().last().map(|one| one.signal)
    };
    assert!(matches!(level(19), Some(Signal::Tools { level: ToolLevel::Alert, .. })));
    assert!(matches!(level(20), Some(Signal::Tools { level: ToolLevel::Block, .. })));
}

/// SK-76: descriptions of more than 10 % of the context window, and servers without review, are hints.
#[test]
fn long_descriptions_and_unreviewed_servers_are_hints() {
    let agent = AgentTools {
        agent: "a".into(),
        description_tokens: 20_001,
        context_window: 200_000,
        unreviewed_servers: vec!["files".into()],
        ..AgentTools::default()
    };
    let signals: Vec<_> = detect_tool_overload(&agent, &limits()).into_iter().map(|one| one.signal).collect();
    let descriptions = Signal::ToolDescriptions { agent: "a".into(), share: Rate::new(20_001, 200_000) };
    assert_eq!(signals, [descriptions, Signal::UnreviewedServer { agent: "a".into(), server: "files".into() }]);
    let within = AgentTools { description_tokens: 20_000, unreviewed_servers: Vec::new(), ..agent };
    assert_eq!(detect_tool_overload(&within, &limits()), []);
}

/// SK-77: a request with files that was decided without the tree is a hint.
#[test]
fn ignored_files_are_a_hint() {
    let mut log = records(3, 0, miss);
    log[0].files = 2;
    (log[1].files, log[1].tree) = (2, Some(TreeResult::Resolved));
    assert_eq!(detect_ignored_files(&log).iter().map(numbers).collect::<Vec<_>>(), [[0]]);
}

/// SK-77, HO-92: a keyword that routes to another skill in the same context is a finding.
#[test]
fn an_inconsistent_keyword_is_a_finding() {
    let mut log = records(3, 0, miss);
    for (record, skill) in log.iter_mut().zip(["a", "b", "b"]) {
        record.outcome = SkillOutcome::load(skill);
        record.matched = vec![KeywordMatch { clause: 0, skill: skill.into(), keyword: "review".into() }];
        record.context = Some([1; 32]);
    }
    log[2].context = Some([2; 32]);
    let found = detect_inconsistent_keywords(&log);
    assert_eq!(found.iter().map(numbers).collect::<Vec<_>>(), [[0, 1]]);
    log[1].context = None;
    assert_eq!(detect_inconsistent_keywords(&log), []);
}

/// HO-85: 4 of 13 requests of a session without a match are a finding, 3 of 10 are not.
#[test]
fn too_many_requests_without_match_are_a_finding() {
    let found = detect_no_match(&records(13, 4, miss), &limits());
    assert_eq!((found.len(), numbers(&found[0])), (1, vec![0, 1, 2, 3]));
    assert_eq!(found[0].signal, Signal::NoMatch(Rate::new(4, 13)));
    assert_eq!(detect_no_match(&records(10, 3, miss), &limits()), []);
}

/// HO-86: 12 of 138 colliding keywords are no finding, 16 of 140 are.
#[test]
fn too_many_collisions_are_a_finding() {
    assert_eq!(detect_table_collisions(12, 138, &limits()), None);
    assert!(detect_table_collisions(16, 140, &limits()).is_some());
}

/// SK-69, SK-70, SK-75, SK-77: every detection in a log names events of that log.
#[test]
fn every_detection_names_events_of_the_log() {
    let mut log = records(12, 5, miss);
    for record in &mut log {
        record.files = 4;
    }
    log[8].slot = SkillSlot::Explicit;
    log[8].outcome = SkillOutcome::load("testing");
    let found = detect_in_log(&log, None, &limits());
    let patterns: Vec<_> = found.iter().map(|one| one.pattern).collect();
    assert!(patterns.is_sorted(), "{patterns:?}");
    let numbers: std::collections::BTreeSet<_> = patterns.iter().map(|pattern| pattern.number()).collect();
    assert_eq!(numbers.into_iter().collect::<Vec<_>>(), ["AP-01", "AP-06", "AP-08", "APD-01", "APD-06"]);
    let known = |event: &EventId| log.iter().any(|record| record.event == *event);
    assert!(found.iter().all(|one| !one.events.is_empty() && one.events.iter().all(known)));
}

/// SK-69, SK-76: a detection is a sentence with its evidence and the events that prove it.
#[test]
fn a_detection_is_a_sentence() {
    let mut log = records(12, 5, miss);
    for record in &mut log {
        record.files = 4;
    }
    (log[8].slot, log[8].outcome) = (SkillSlot::Explicit, SkillOutcome::load("testing"));
    let mut found = detect_in_log(&log, None, &limits());
    found.dedup_by_key(|one| one.pattern);
    let agent = AgentTools { agent: "a".into(), declared: 14, mcp: 8, ..AgentTools::default() };
    found.extend(detect_tool_overload(&agent, &limits()));
    insta::assert_snapshot!(found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
}
