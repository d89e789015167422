//! Decisions about the past see what was spent by that time (decision D40), compared with a naive reference.

use contracts::{InFlight, NanoUsd, Period, PeriodAmounts, events::TurnStarted};
use event_core::Timestamp;
use proptest::prelude::*;
use transcripts::observed::{ObservedSession, ObservedTurn, Step};

use crate::support::{
    Desk,
    desk::START,
    models::{HAIKU, OPUS, SONNET, model_id},
    recorded::{call, completed, recorded_session, recorded_turn},
};

/// A turn: session, start and duration in seconds, and the seconds after the start at which its calls end.
type Plan = (usize, u64, Vec<u64>);

const POLICY: &str = "rules: [{name: budget, when: {cost_today_exceeds_usd: 0.03}, use: haiku}]\nglobal_default: opus";

fn turn(number: usize, (session, start, calls): &Plan) -> (ObservedSession, ObservedTurn) {
    let session = format!("rec-{session}");
    let started = START.plus_secs(*start);
    let mut turn = recorded_turn(&session, &format!("m{number}"), "hello", started);
    let mut end = started;
    for (index, after) in calls.iter().enumerate() {
        end = end.max(started.plus_secs(*after));
        turn.steps.push(call(&format!("c{number}-{index}"), started.plus_secs(*after), OPUS));
    }
    (
        ObservedSession { workspace: Some(workspace(&session)), ..recorded_session(&session, START) },
        completed(turn, end),
    )
}

/// The workspace of a session: two sessions share one.
fn workspace(session: &str) -> String {
    let number: usize = session.trim_start_matches("rec-").parse().unwrap();
    format!("/home/dev/{}", number / 2)
}

fn observe(desk: &mut Desk, turns: &[(ObservedSession, ObservedTurn)]) {
    for (session, turn) in turns {
        desk.engine.observe_session(session).unwrap();
        desk.engine.observe_turn(session, turn).unwrap();
    }
    desk.engine.commit().unwrap();
}

/// Returns the cost of all calls of `turns` that ended before `at` on its day.
fn spent_by(desk: &Desk, turns: &[(ObservedSession, ObservedTurn)], at: Timestamp) -> NanoUsd {
    sum(desk, turns, at, Period::Day, |_| true)
}

/// The cost of the calls of the sessions for which `counts` is true that ended before `at` in its period.
fn sum(
    desk: &Desk,
    turns: &[(ObservedSession, ObservedTurn)],
    at: Timestamp,
    period: Period,
    counts: impl Fn(&ObservedSession) -> bool,
) -> NanoUsd {
    let prices = desk.models.registry.get(&model_id(OPUS)).unwrap().prices.unwrap();
    let calls = turns.iter().filter(|(session, _)| counts(session)).flat_map(|(_, turn)| turn.calls());
    let first = |at: Timestamp| period.first_day(at.utc_day());
    calls.filter(|call| call.at < at && first(call.at) == first(at)).map(|call| prices.cost(&call.usage)).sum()
}

#[test]
fn an_earlier_turn_of_a_later_session_does_not_see_money_that_was_not_yet_spent() {
    let mut desk = Desk::with(POLICY);
    let long = turn(0, &(1, 0, vec![36_000, 36_001, 36_002]));
    let late = turn(1, &(1, 37_000, vec![]));
    let early = turn(2, &(2, 3_600, vec![]));
    observe(&mut desk, &[long, late, early]);
    let spent: Vec<_> = desk.all::<TurnStarted>().into_iter().map(|turn| turn.spent_today.0).collect();
    assert_eq!(spent[0], 0);
    assert!(30_000_000 < spent[1], "{spent:?}");
    assert_eq!(spent[2], 0, "at that time nothing had been spent, although the log has the call already");
}

#[test]
fn a_log_that_was_reopened_knows_what_was_spent_by_a_time() {
    let mut desk = Desk::with(POLICY);
    let mut first = turn(0, &(1, 0, vec![100, 300]));
    first.1.steps.push(Step::Failed(transcripts::observed::ObservedFailure {
        id: "f".to_owned(),
        at: START.plus_secs(301),
        model: Some(SONNET.to_owned()),
        class: contracts::events::ErrorClass::Overloaded,
        status: None,
        attempt: None,
    }));
    observe(&mut desk, std::slice::from_ref(&first));
    let mut desk = desk.restarted();
    let second = turn(1, &(2, 200, vec![]));
    observe(&mut desk, std::slice::from_ref(&second));
    let expected = spent_by(&desk, &[first], START.plus_secs(200));
    assert_eq!(desk.all::<TurnStarted>()[1].spent_today, expected);
    assert!(0 < expected.0);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

    /// Turns that are imported in the order of their start, as `import` reads them, see exactly what a naive sum over all
    /// turns gives. Hence the order in which the sessions' files are named has no effect.
    #[test]
    fn imported_turns_see_what_a_naive_sum_gives(
        plans in prop::collection::vec((0_usize..4, 0_u64..200_000, prop::collection::vec(0_u64..90_000, 0..4)), 1..12)
    ) {
        let mut turns: Vec<_> = plans.iter().enumerate().map(|(number, plan)| turn(number, plan)).collect();
        turns.sort_by_key(|(_, turn)| turn.started_at);
        let mut desk = Desk::with(POLICY);
        observe(&mut desk, &turns);
        for started in desk.all::<TurnStarted>() {
            let (_, observed) = turns.iter().find(|(_, turn)| turn.id() == started.turn).unwrap();
            let at = observed.started_at;
            prop_assert_eq!(started.spent_today, spent_by(&desk, &turns, at));
            let periods = |counts: &dyn Fn(&ObservedSession) -> bool| {
                let [day, week, month] =
                    [Period::Day, Period::Week, Period::Month].map(|period| sum(&desk, &turns, at, period, counts));
                PeriodAmounts { day, week, month }
            };
            let (all, spending) = (periods(&|_| true), started.spending);
            prop_assert_eq!((spending.week, spending.month), (all.week, all.month));
            prop_assert_eq!(spending.client, all, "all sessions are of one client");
            let project = periods(&|session| session.workspace.as_deref() == Some(&workspace(observed.session.as_str())));
            prop_assert_eq!(spending.project, project);
            let of_session = |session: &ObservedSession| session.id == observed.session;
            prop_assert_eq!(spending.session, sum(&desk, &turns, at, Period::Session, of_session));
            prop_assert_eq!(spending.in_flight, InFlight::default());
        }
        for decided in desk.all::<contracts::events::RouteDecided>() {
            let (_, observed) = turns.iter().find(|(_, turn)| turn.id() == decided.turn).unwrap();
            let over = 30_000_000 < spent_by(&desk, &turns, observed.started_at).0;
            prop_assert_eq!(decided.decision.chosen, Some(model_id(if over { HAIKU } else { OPUS })));
        }
    }
}
