//! Properties that hold for all events in any order.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{AuxiliaryCall, CallRole, ModelId, NanoUsd, Thread, Usage};
use costs::CostTotal;
use event_core::{Position, Projected, Recorded, Timestamp};
use proptest::{option, prelude::*, sample::select};

use crate::log::{Call, cancelled, completed, fold, sub_agent, turn_started};

/// Kind of a random event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// A completed call.
    Answered,
    /// Cancelled during its response, with known usage.
    BrokenOff,
    /// Cancelled before any usage was known.
    NeverBegun,
    /// Not a call but the start of a turn of its thread.
    Turn,
}

/// A random event; for the start of a turn only session and thread of the call are read.
type Event = (Call, Fate);

impl Fate {
    /// Returns whether the provider bills the call.
    fn is_billed(self) -> bool {
        matches!(self, Self::Answered | Self::BrokenOff)
    }
}

/// Generates calls of three sessions, four threads, three models and four days; the price may be unknown or the cost
/// overflow.
fn call() -> impl Strategy<Value = Call> {
    let names = (
        select(&["s1", "s2", "s3"][..]),
        select(vec![Thread::Main, sub_agent("t1"), sub_agent("t2"), Thread::Auxiliary(AuxiliaryCall::Title)]),
        select(&["a:x", "a:y", "b:x"][..]),
    );
    let cost = option::of(prop_oneof![20 => 0..1_000_u64, 1 => Just(u64::MAX)]);
    (names, cost, [0..1_000_u64, 0..1_000, 0..1_000, 0..1_000, 0..1_000], 0..4_u64).prop_map(
        |((session, thread, model), cost, [input, cache_read, cache_write_5m, cache_write_1h, output], day)| {
            let usage = Usage { input, cache_read, cache_write_5m, cache_write_1h, output };
            Call { session, thread, model, cost, usage, at: Timestamp::from_secs(day * 86_400) }
        },
    )
}

/// Generates up to 39 events.
fn events() -> impl Strategy<Value = Vec<Event>> {
    let fate = select(&[Fate::Answered, Fate::Answered, Fate::BrokenOff, Fate::NeverBegun, Fate::Turn][..]);
    prop::collection::vec((call(), fate), 0..40)
}

/// Converts random events to a log.
fn log(events: &[Event]) -> Vec<Recorded> {
    let numbered = (1..).zip(events);
    let events = numbered.map(|(number, (call, fate))| match fate {
        Fate::Answered => completed(number, call),
        Fate::BrokenOff | Fate::NeverBegun => cancelled(number, call, fate.is_billed()),
        Fate::Turn => turn_started(number, call.session, call.thread.clone()),
    });
    events.collect()
}

/// Reference sum of the calls.
fn plain_sum<'a>(calls: impl Iterator<Item = &'a &'a Call>) -> CostTotal {
    calls.fold(CostTotal::default(), |sum, call| CostTotal {
        calls: sum.calls + 1,
        unpriced_calls: sum.unpriced_calls + u64::from(call.cost.is_none()),
        usage: sum.usage.plus(&call.usage),
        cost: NanoUsd(sum.cost.0.saturating_add(call.cost.unwrap_or(0).saturating_mul(100_000))),
    })
}

/// Returns the sum of totals.
fn sum<'a>(totals: impl Iterator<Item = &'a CostTotal>) -> CostTotal {
    totals.sum()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_events_does_not_matter((events, shuffled) in events().prop_flat_map(|events| {
        (Just(events.clone()), Just(events).prop_shuffle())
    })) {
        // A call counts for the project and the client of the turns before it, so turns come first in both.
        let turns_first = |mut events: Vec<Event>| {
            events.sort_by_key(|(_, fate)| *fate != Fate::Turn);
            events
        };
        prop_assert_eq!(fold(&log(&turns_first(events))), fold(&log(&turns_first(shuffled))));
    }

    #[test]
    fn every_breakdown_adds_up_to_the_same_total(events in events()) {
        let costs = fold(&log(&events));
        let costs = costs.state();
        let overall = costs.overall();
        prop_assert_eq!(sum(costs.models().map(|(_, total)| total)), overall);
        prop_assert_eq!(sum(costs.days().map(|(_, total)| total)), overall);
        let sessions: Vec<_> = costs.sessions().map(|(_, session)| session.total()).collect();
        prop_assert_eq!(sum(sessions.iter()), overall);
        let roles = CallRole::ALL;
        prop_assert_eq!(sum(roles.map(|role| costs.role(role)).iter()), overall);
        for (_, session) in costs.sessions() {
            prop_assert_eq!(sum(roles.map(|role| session.role(role)).iter()), session.total());
        }
    }

    #[test]
    fn totals_equal_the_sums_over_all_calls(events in events()) {
        let costs = fold(&log(&events));
        let calls: Vec<_> = events.iter().filter(|(_, fate)| fate.is_billed()).map(|(call, _)| call).collect();
        let overall = costs.state().overall();
        prop_assert_eq!(overall.calls, calls.len() as u64);
        prop_assert_eq!(overall.unpriced_calls, calls.iter().filter(|call| call.cost.is_none()).count() as u64);
        let nano = calls.iter().filter_map(|call| call.cost).map(|cost| NanoUsd(cost.saturating_mul(100_000)));
        prop_assert_eq!(overall.cost, nano.sum());
        for day in 0..4 {
            let on_day = calls.iter().filter(|call| call.at.utc_day() == day).filter_map(|call| call.cost);
            let nano = on_day.map(|cost| NanoUsd(cost.saturating_mul(100_000)));
            prop_assert_eq!(costs.state().spent_on_day(day), nano.sum());
        }
    }

    #[test]
    fn the_costs_of_sessions_equal_those_in_nested_maps(events in events()) {
        let costs = fold(&log(&events));
        let mut naive = BTreeMap::<_, BTreeMap<_, (u64, BTreeMap<_, Vec<&Call>>)>>::new();
        for (call, fate) in &events {
            if *fate == Fate::NeverBegun {
                continue;
            }
            let thread = naive.entry(call.session).or_default().entry(call.thread.clone()).or_default();
            if *fate == Fate::Turn {
                thread.0 += 1;
            } else {
                thread.1.entry(call.model).or_default().push(call);
            }
        }
        let found = costs.state().sessions().map(|(session, spent)| {
            let threads = spent.threads().map(|(thread, costs)| {
                let models: Vec<_> = costs.models().map(|(model, total)| (model.as_str(), *total)).collect();
                (thread.clone(), costs.turns, models)
            });
            (session.as_str(), threads.collect())
        });
        let found: Vec<(_, Vec<_>)> = found.collect();
        let expected = naive.into_iter().map(|(session, threads)| {
            let threads = threads.into_iter().map(|(thread, (turns, models))| {
                let models = models.into_iter().map(|(model, calls)| (model, plain_sum(calls.iter())));
                (thread, turns, models.collect())
            });
            (session, threads.collect())
        });
        prop_assert_eq!(found, expected.collect::<Vec<(_, Vec<_>)>>());
    }

    #[test]
    fn the_latest_day_equals_the_sums_over_its_calls(events in events()) {
        let costs = fold(&log(&events));
        let calls: Vec<_> = events.iter().filter(|(_, fate)| fate.is_billed()).map(|(call, _)| call).collect();
        let day = calls.iter().map(|call| call.at.utc_day()).max();
        let latest = costs.state().latest_day();
        prop_assert_eq!(latest.map(|latest| latest.day), day);
        let on_day: Vec<_> = calls.into_iter().filter(|call| Some(call.at.utc_day()) == day).collect();
        let models: BTreeSet<_> = on_day.iter().map(|call| call.model).collect();
        let roles: BTreeSet<_> = on_day.iter().map(|call| call.thread.role()).collect();
        let models: BTreeMap<_, _> = models
            .into_iter()
            .map(|model| (ModelId::try_from(model).unwrap(), plain_sum(on_day.iter().filter(|call| call.model == model))))
            .collect();
        let roles: BTreeMap<_, _> =
            roles.into_iter().map(|role| (role, plain_sum(on_day.iter().filter(|call| call.thread.role() == role)))).collect();
        let latest = latest.cloned().unwrap_or_default();
        prop_assert_eq!((latest.models, latest.roles), (models, roles));
    }

    #[test]
    fn a_state_resumed_from_any_checkpoint_equals_the_state_rebuilt(events in events(), cut in 0..40_usize) {
        let events = log(&events);
        let before = fold(&events[..cut.min(events.len())]);
        let saved = before.checkpoint().unwrap();
        let mut resumed = Projected::<costs::Costs>::resume(Some(&saved), Position(events.len() as u64));
        prop_assert_eq!(&resumed, &before);
        for event in &events {
            resumed.advance(event).unwrap();
        }
        prop_assert_eq!(resumed, fold(&events));
    }

    /// Of the days of events, Thursday 1970-01-01 to Sunday 1970-01-04, all are in the first week and the first month.
    #[test]
    fn d46_amounts_of_periods_are_the_sums_of_their_calls(events in events(), day in 0..6_u64, session in select(&["s1", "s2", "s3"][..])) {
        let starts = ["s1", "s2", "s3"].map(|session| {
            let any = Call { session, thread: Thread::Main, model: "a:x", cost: None, usage: Usage::default(), at: Timestamp::default() };
            (any, Fate::Turn)
        });
        let all: Vec<Event> = starts.into_iter().chain(events).collect();
        let costs = fold(&log(&all));
        let at = Timestamp::from_secs(day * 86_400 + 60);
        let id = contracts::SessionId::try_from(session).unwrap();
        let (project, client) = ("/home/dev/shop", "claude-code");
        let spending = costs.state().spending(&id, Some(project), Some(client), at);
        let billed: Vec<&Call> = all.iter().filter(|(_, fate)| fate.is_billed()).map(|(call, _)| call).collect();
        let sum_of = |counts: &dyn Fn(&Call) -> bool| {
            let calls: Vec<&Call> = billed.iter().copied().filter(|call| counts(call)).collect();
            plain_sum(calls.iter()).cost
        };
        let today = sum_of(&|call| call.at.utc_day() == day);
        // The week from Monday 1970-01-05 on has no calls.
        let week = sum_of(&|call| call.at.utc_day() <= day && (day < 4) == (call.at.utc_day() < 4));
        let month = sum_of(&|call| call.at.utc_day() <= day);
        prop_assert_eq!((spending.week, spending.month), (week, month));
        for amounts in [spending.project, spending.client] {
            prop_assert_eq!((amounts.day, amounts.week, amounts.month), (today, week, month));
        }
        prop_assert_eq!(spending.session, sum_of(&|call| call.session == session));
        let elsewhere = costs.state().spending(&id, Some("/elsewhere"), None, at);
        prop_assert_eq!((elsewhere.project, elsewhere.client), Default::default());
    }
}
