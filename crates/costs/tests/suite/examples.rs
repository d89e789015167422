//! Totals of small logs: sessions with workers, unknown prices, cancelled calls, days and overflow.

use std::fmt::Write as _;

use contracts::{CallRole, NanoUsd, SessionId, Thread, Usage};
use costs::{Costs, ThreadCosts};
use event_core::{Recorded, Timestamp};

use crate::log::{Call, cancelled, completed, fold, sub_agent, turn_started};

/// 2026-05-08T23:59:59Z.
const JUST_BEFORE_MIDNIGHT: Timestamp = Timestamp::from_secs(1_778_284_799);

/// Model of planners.
const OPUS: &str = "anthropic:claude-opus-4-7";
/// Model of workers.
const HAIKU: &str = "anthropic:claude-haiku-4-5";

/// Creates a call of 1,000 input and 10 output tokens just before midnight; `cost` is in hundredths of a cent.
fn call(thread: Thread, model: &'static str, cost: Option<u64>) -> Call {
    let usage = Usage { input: 1_000, output: 10, ..Usage::default() };
    Call { session: "sess_42", thread, model, cost, usage, at: JUST_BEFORE_MIDNIGHT }
}

/// The session of 004 §6.7: a planner of twelve turns and four workers.
fn delegating_session() -> Vec<Recorded> {
    let workers = [
        ("tu_01HZ_a", HAIKU, 1, 200),
        ("tu_01HZ_b", HAIKU, 2, 400),
        ("tu_01HZ_c", "openai:gpt-5-mini", 1, 300),
        ("tu_01HZ_d", HAIKU, 2, 400),
    ];
    let mut events = Vec::new();
    let mut add = |thread: Thread, model, turns: u64, cost: u64| {
        for turn in 0..turns {
            events.push(turn_started(events.len() as u64 + 1, "sess_42", thread.clone()));
            // The first turn of a thread costs a hundredth of a cent more when the cost does not divide.
            let cost = cost / turns + u64::from(turn < cost % turns);
            events.push(completed(events.len() as u64 + 1, &call(thread.clone(), model, Some(cost))));
        }
    };
    add(Thread::Main, OPUS, 12, 2_100);
    for (thread, model, turns, cost) in workers {
        add(sub_agent(thread), model, turns, cost);
    }
    events
}

/// Formats the costs of a session as in 004 §6.7.
fn display(costs: &Costs) -> String {
    let id = SessionId::try_from("sess_42").unwrap();
    let session = costs.session(&id).unwrap();
    let mut text = format!("Session {id} - total {}\n", session.total().cost);
    let describe = |costs: &ThreadCosts| {
        format!("({}): {}, {} turns", costs.main_model().unwrap(), costs.total().cost, costs.turns)
    };
    for (thread, costs) in session.threads() {
        match thread {
            Thread::Main => writeln!(text, "planner {}", describe(costs)),
            Thread::SubAgent(id) => writeln!(text, "  {id} {}", describe(costs)),
            Thread::Auxiliary(kind) => writeln!(text, "auxiliary {kind} {}", describe(costs)),
            Thread::SkillRouting => writeln!(text, "skill routing {}", describe(costs)),
        }
        .unwrap();
    }
    write!(text, "workers: {}", session.role(CallRole::Worker).cost).unwrap();
    text
}

#[test]
fn the_costs_of_a_session_are_split_into_main_thread_and_workers() {
    insta::assert_snapshot!(display(fold(&delegating_session()).state()), @"
    Session sess_42 - total $0.34
    planner (anthropic:claude-opus-4-7): $0.21, 12 turns
      tu_01HZ_a (anthropic:claude-haiku-4-5): $0.02, 1 turns
      tu_01HZ_b (anthropic:claude-haiku-4-5): $0.04, 2 turns
      tu_01HZ_c (openai:gpt-5-mini): $0.03, 1 turns
      tu_01HZ_d (anthropic:claude-haiku-4-5): $0.04, 2 turns
    workers: $0.13
    ");
}

#[test]
fn a_call_of_a_worker_is_counted_once() {
    let costs = fold(&delegating_session());
    let costs = costs.state();
    assert_eq!(costs.overall().cost, NanoUsd(340_000_000));
    assert_eq!(costs.spent_today(JUST_BEFORE_MIDNIGHT), NanoUsd(340_000_000));
    let planner = costs.role(CallRole::Planner).cost;
    assert_eq!(planner.plus(costs.role(CallRole::Worker).cost), costs.overall().cost);
}

#[test]
fn a_call_without_a_known_price_is_counted_separately_without_a_cost() {
    let costs = fold(&[
        completed(1, &call(Thread::Main, OPUS, Some(100))),
        completed(2, &call(Thread::Main, "ollama:qwen3", None)),
        completed(3, &call(Thread::Main, "ollama:llama3", Some(0))),
    ]);
    insta::assert_debug_snapshot!(costs.state().overall(), @"
    CostTotal {
        calls: 3,
        unpriced_calls: 1,
        usage: Usage {
            input: 3000,
            cache_read: 0,
            cache_write_5m: 0,
            cache_write_1h: 0,
            output: 30,
        },
        cost: NanoUsd(
            10000000,
        ),
    }
    ");
}

/// A failed call whose usage was reported counts as a completed one; without usage it is not counted.
#[test]
fn an_interrupted_call_counts_with_its_usage_and_one_without_usage_does_not() {
    let (priced, unpriced) = (call(Thread::Main, OPUS, Some(100)), call(Thread::Main, "ollama:qwen3", None));
    let broken = fold(&[cancelled(1, &priced, true), cancelled(2, &unpriced, true), cancelled(3, &priced, false)]);
    let answered = fold(&[completed(1, &priced), completed(2, &unpriced), turn_started(3, "sess_42", Thread::Main)]);
    let broken = broken.state();
    assert_eq!(broken.overall(), answered.state().overall());
    assert_eq!((broken.overall().calls, broken.overall().unpriced_calls), (2, 1));
    assert_eq!(broken.spent_today(JUST_BEFORE_MIDNIGHT), NanoUsd(10_000_000));
}

#[test]
fn the_day_ends_at_midnight_utc() {
    let midnight = JUST_BEFORE_MIDNIGHT.plus_secs(1);
    let costs = fold(&[
        completed(1, &call(Thread::Main, OPUS, Some(100))),
        completed(2, &Call { at: midnight, ..call(Thread::Main, OPUS, Some(7)) }),
    ]);
    let costs = costs.state();
    assert_eq!(costs.spent_today(JUST_BEFORE_MIDNIGHT), NanoUsd(10_000_000));
    assert_eq!(costs.spent_today(midnight), NanoUsd(700_000));
    assert_eq!(costs.spent_today(midnight.plus_secs(86_400)), NanoUsd(0));
    assert_eq!(costs.days().count(), 2);
}

/// The latest day has only its own calls, whatever the order of the events; `None` without calls.
#[test]
fn a_later_day_resets_the_latest_day_and_an_earlier_one_is_ignored() {
    let midnight = JUST_BEFORE_MIDNIGHT.plus_secs(1);
    let before = call(Thread::Main, OPUS, Some(100));
    let after = Call { at: midnight, ..call(sub_agent("tu_01HZ_a"), HAIKU, Some(7)) };
    for [first, second] in [[&before, &after], [&after, &before]] {
        let costs = fold(&[completed(1, first), completed(2, second)]);
        let latest = costs.state().latest_day().unwrap();
        assert_eq!(latest.day, midnight.utc_day());
        let models: Vec<_> = latest.models.iter().map(|(model, total)| (model.as_str(), total.cost)).collect();
        assert_eq!(models, [(HAIKU, NanoUsd(700_000))]);
        assert_eq!(latest.roles.keys().collect::<Vec<_>>(), [&CallRole::Worker]);
    }
    assert_eq!(fold(&[]).state().latest_day(), None);
}

#[test]
fn sums_saturate_at_the_largest_amount() {
    let dear = call(Thread::Main, OPUS, Some(u64::MAX));
    let costs = fold(&[completed(1, &dear), completed(2, &dear)]);
    assert_eq!(costs.state().overall().cost, NanoUsd(u64::MAX));
}

#[test]
fn turns_without_a_response_are_counted() {
    let costs = fold(&[turn_started(1, "sess_42", Thread::Main)]);
    let session = costs.state().session(&SessionId::try_from("sess_42").unwrap()).unwrap();
    assert_eq!(session.threads().map(|(_, costs)| costs.turns).collect::<Vec<_>>(), [1]);
    assert_eq!(session.total().calls, 0);
}
