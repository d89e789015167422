//! [`RoutingContext`], which stops a request that is passed from skill to skill without a result (000 §3).
//!
//! A *hop* is a transition between skills or agents at which the destination is chosen anew. An output ends the chain of
//! hops: only hops without one are limited (C-24 in docs/spec).

use contracts::Criticality;
use serde::{Deserialize, Serialize};

use crate::settings::{BreakerSettings, LoopRule};

/// The hops of a request since the last output. It is a part of the metadata of a handoff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutingContext {
    /// The id of the request of the user.
    pub request_id: String,
    /// The number of hops.
    pub routing_depth: u32,
    /// The maximum number of hops.
    pub max_depth: u32,
    /// The hops in their order.
    pub routing_history: Vec<RoutingHop>,
}

/// A hop of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutingHop {
    /// The number of the hop, from 1.
    pub hop: u32,
    /// The skill or agent before the hop; for the first hop the user.
    pub from: String,
    /// The skill or agent behind it.
    pub to: String,
    /// The way in which the destination was chosen, such as `keyword` or `handoff`.
    pub method: String,
    /// The time as text.
    pub timestamp: String,
}

/// A transition of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TransitionKind {
    /// From a skill to a skill; also from the user to the first one.
    Skill,
    /// From an agent to another of the same skill.
    Agent,
    /// To another skill or agent, because the agent reported that it is unable to serve the request.
    Reroute,
    /// To a critic and back for a revision. Not a hop.
    Revision,
    /// To a skill that the user names in correction. Not a hop; it starts a new chain.
    UserRedirect,
}

/// The limit that stopped a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Breaker {
    /// The number of hops without output.
    RoutingDepth,
    /// A skill or agent, or a pair of them, is reached again.
    Cycle,
}

/// A request that was stopped: no hop follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakerTrip {
    /// The limit.
    pub breaker: Breaker,
    /// The limit's number: hops, or how often a destination may be reached.
    pub threshold: u32,
    /// The number that would have been reached.
    pub observed: u32,
    /// All hops before.
    pub history: Vec<RoutingHop>,
    /// The destination that was refused.
    pub refused: String,
    /// The output of the last agent that had one; `None` if none did.
    pub best_result: Option<String>,
    /// Whether a human must decide how to continue: at criticality C3 and above. Below, the user is only asked.
    pub is_mandatory: bool,
}

/// A step after a trip, in the order of [`BreakerTrip::STEPS`] (000 §3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TripStep {
    /// No further routing.
    Halt,
    /// The trip is recorded with all hops.
    Record,
    /// The best result is presented.
    PresentBestResult,
    /// The user is informed that a limit was reached.
    Inform,
    /// The user is asked how to continue.
    AskForGuidance,
}

impl BreakerTrip {
    /// The steps after a trip.
    pub const STEPS: [TripStep; 5] =
        [TripStep::Halt, TripStep::Record, TripStep::PresentBestResult, TripStep::Inform, TripStep::AskForGuidance];
}

impl RoutingContext {
    /// Creates the context of a request before its first hop.
    pub fn new(request_id: &str, settings: &BreakerSettings) -> Self {
        let request_id = request_id.to_owned();
        Self { request_id, routing_depth: 0, max_depth: settings.max_depth, routing_history: Vec::new() }
    }

    /// Records a transition of this kind, in which `hop` has the destination; its number is replaced.
    ///
    /// # Errors
    /// [`BreakerTrip`] if the hop exceeds a limit; the context remains unchanged. The trip has no best result, and is
    /// mandatory from C3 on.
    pub fn advance(
        &mut self,
        kind: TransitionKind,
        hop: RoutingHop,
        criticality: Criticality,
        rule: LoopRule,
    ) -> Result<(), BreakerTrip> {
        match kind {
            TransitionKind::Revision => return Ok(()),
            TransitionKind::UserRedirect => {
                self.reset();
                return Ok(());
            }
            TransitionKind::Skill | TransitionKind::Agent | TransitionKind::Reroute => {}
        }
        let trip = |breaker, threshold, observed| BreakerTrip {
            breaker,
            threshold,
            observed,
            history: self.routing_history.clone(),
            refused: hop.to.clone(),
            best_result: None,
            is_mandatory: Criticality::C3 <= criticality,
        };
        let next = self.routing_depth.saturating_add(1);
        if self.max_depth < next {
            return Err(trip(Breaker::RoutingDepth, self.max_depth, next));
        }
        let is_repeated = self.routing_history.iter().any(|known| match rule {
            LoopRule::Agent => known.to == hop.to || known.from == hop.to,
            LoopRule::Pair => known.from == hop.from && known.to == hop.to,
        });
        if is_repeated {
            return Err(trip(Breaker::Cycle, 1, 2));
        }
        self.routing_depth = next;
        self.routing_history.push(RoutingHop { hop: next, ..hop });
        Ok(())
    }

    /// Ends the chain of hops: an agent produced output, or the user chose a skill.
    pub fn reset(&mut self) {
        self.routing_depth = 0;
        self.routing_history.clear();
    }
}

#[cfg(test)]
mod tests {
    use contracts::Criticality;

    use super::{Breaker, BreakerTrip, RoutingContext, RoutingHop, TransitionKind, TripStep};
    use crate::settings::{BreakerSettings, LoopRule};

    /// Returns a context with this maximum.
    fn context(max_depth: u32) -> RoutingContext {
        RoutingContext::new("req-20260221-001", &BreakerSettings { max_depth, ..BreakerSettings::default() })
    }

    /// Returns a hop.
    fn hop(from: &str, to: &str) -> RoutingHop {
        let (from, to) = (from.to_owned(), to.to_owned());
        RoutingHop { hop: 0, from, to, method: "keyword".to_owned(), timestamp: "2026-02-21T14:30:00Z".to_owned() }
    }

    /// Advances along `path` and returns the first trip with the number of hops before it.
    fn trip(context: &mut RoutingContext, path: &[&str], rule: LoopRule) -> Option<(usize, BreakerTrip)> {
        path.windows(2).enumerate().find_map(|(done, pair)| {
            let hop = hop(pair[0], pair[1]);
            context.advance(TransitionKind::Skill, hop, Criticality::C2, rule).err().map(|trip| (done, trip))
        })
    }

    /// SK-49, C-23: three hops run, the fourth one is refused.
    #[test]
    fn the_fourth_hop_without_output_is_refused() {
        let mut context = context(3);
        let (done, trip) = trip(&mut context, &["user", "a", "b", "c", "d"], LoopRule::Agent).unwrap();
        assert_eq!((done, trip.breaker, trip.threshold, trip.observed), (3, Breaker::RoutingDepth, 3, 4));
        assert_eq!((trip.history.len(), trip.refused.as_str(), context.routing_depth), (3, "d", 3));
        context.reset();
        context.advance(TransitionKind::Agent, hop("c", "d"), Criticality::C2, LoopRule::Agent).unwrap();
        assert_eq!(context.routing_depth, 1, "an output starts a new chain");
    }

    /// SK-50: each kind of hop increases the depth by one.
    #[test]
    fn each_hop_increases_the_depth() {
        let mut context = context(3);
        let hops = [
            (TransitionKind::Skill, hop("user", "a")),
            (TransitionKind::Agent, hop("a", "b")),
            (TransitionKind::Reroute, hop("b", "c")),
        ];
        for (depth, (kind, hop)) in (1..).zip(hops) {
            context.advance(kind, hop, Criticality::C2, LoopRule::Agent).unwrap();
            assert_eq!((context.routing_depth, context.routing_history.last().unwrap().hop), (depth, depth));
        }
    }

    /// SK-51: revisions do not count, and a redirection by the user starts again.
    #[test]
    fn revisions_and_redirections_are_not_hops() {
        let mut context = context(3);
        context.advance(TransitionKind::Skill, hop("user", "a"), Criticality::C2, LoopRule::Agent).unwrap();
        for _ in 0..5 {
            context.advance(TransitionKind::Revision, hop("a", "critic"), Criticality::C2, LoopRule::Agent).unwrap();
        }
        assert_eq!(context.routing_depth, 1);
        context.advance(TransitionKind::UserRedirect, hop("a", "nasa-se"), Criticality::C2, LoopRule::Agent).unwrap();
        assert_eq!((context.routing_depth, context.routing_history.len()), (0, 0));
    }

    /// SK-52: the printed context of 000 §3.2 is read and written without loss.
    #[test]
    fn the_printed_context_round_trips() {
        let printed = serde_json::json!({
            "request_id": "req-20260221-001",
            "routing_depth": 0,
            "max_depth": 3,
            "routing_history": [
                {"hop": 1, "from": "orchestrator", "to": "/problem-solving", "method": "keyword", "timestamp": "..."},
                {"hop": 2, "from": "ps-researcher", "to": "ps-analyst", "method": "handoff", "timestamp": "..."},
            ],
        });
        let context: RoutingContext = serde_json::from_value(printed.clone()).unwrap();
        assert_eq!(context.routing_history[1].to, "ps-analyst");
        assert_eq!(serde_json::to_value(&context).unwrap(), printed);
    }

    /// SK-53: the depth is a part of the metadata that a handoff passes on.
    #[test]
    fn the_depth_is_passed_on_with_the_context() {
        let mut first = context(3);
        first.advance(TransitionKind::Skill, hop("user", "a"), Criticality::C2, LoopRule::Agent).unwrap();
        let metadata = serde_json::to_string(&first).unwrap();
        let mut second: RoutingContext = serde_json::from_str(&metadata).unwrap();
        second.advance(TransitionKind::Agent, hop("a", "b"), Criticality::C2, LoopRule::Agent).unwrap();
        assert_eq!((first.routing_depth, second.routing_depth), (1, 2));
    }

    /// SK-54: a repeated pair trips whatever the number of hops; by default a repeated agent does.
    #[test]
    fn a_repeated_transition_trips() {
        let path = ["a", "b", "a", "b"];
        let (done, trip_of_pair) = trip(&mut context(10), &path, LoopRule::Pair).unwrap();
        assert_eq!((done, trip_of_pair.breaker), (2, Breaker::Cycle));
        let (done, trip_of_agent) = trip(&mut context(10), &path, LoopRule::default()).unwrap();
        assert_eq!((done, trip_of_agent.refused.as_str()), (1, "a"));
    }

    /// SK-55: the steps after a trip have the order of 000 §3.3, and the trip has the whole history.
    #[test]
    fn a_trip_has_its_steps_and_its_history() {
        use TripStep::{AskForGuidance, Halt, Inform, PresentBestResult, Record};
        assert_eq!(BreakerTrip::STEPS, [Halt, Record, PresentBestResult, Inform, AskForGuidance]);
        let (_, trip) = trip(&mut context(3), &["user", "a", "b", "c", "d"], LoopRule::Agent).unwrap();
        let trip = BreakerTrip { best_result: Some("work/draft.md".to_owned()), ..trip };
        assert_eq!(trip.history.iter().map(|hop| hop.to.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(serde_json::to_value(&trip).unwrap()["best_result"], "work/draft.md");
    }

    /// SK-56: from C3 on a human must decide.
    #[test]
    fn a_trip_is_mandatory_from_c3_on() {
        for (criticality, is_mandatory) in [(Criticality::C2, false), (Criticality::C3, true), (Criticality::C4, true)]
        {
            let mut context = context(0);
            let trip = context.advance(TransitionKind::Skill, hop("user", "a"), criticality, LoopRule::Agent);
            assert_eq!(trip.unwrap_err().is_mandatory, is_mandatory);
        }
    }
}
