//! [`Attribution`], which folds events into billed calls with all properties by which their costs can be grouped.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{
    CallRole, ChainSlot as _, Decision, ModelId, SessionId, Thread, TurnId, Usage,
    events::{
        CostsRetained, DecisionMode, EvalCompleted, LlmCallCompleted, LlmCallFailed, RouteDecided, RouteFallback,
        SessionStarted, SkillModelAsked, TurnEnded, TurnStarted,
    },
};
use event_core::{CodecError, Recorded, Timestamp};

use crate::{
    CostTotal,
    turn_result::{TurnResult, is_rejected},
};

/// A billed model call, or the total of removed ones, with all properties by which its cost can be grouped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributedCall {
    /// Time at which the call ended.
    pub at: Timestamp,
    /// Turn of the call; `None` for the total of calls whose sessions were removed from the log, and for a question about
    /// skills.
    pub turn: Option<TurnId>,
    /// Session of the call; `None` for such a total.
    pub session: Option<SessionId>,
    /// Thread of the call; `None` for such a total.
    pub thread: Option<Thread>,
    /// Role of the call.
    pub role: CallRole,
    /// Model of the call.
    pub model: ModelId,
    /// Absolute path of the workspace; `None` if unknown.
    pub project: Option<String>,
    /// Name of the client, without its version; `None` if unknown.
    pub client: Option<String>,
    /// Source of the decision that selected the model of the call's turn.
    pub decided_by: DecidedBy,
    /// Result of the call's turn, as far as [`Attribution::set_results`] knows it.
    pub result: TurnResult,
    /// Usage and cost of the call.
    pub total: CostTotal,
}

/// Source of the decision that selected the model of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum DecidedBy {
    /// A rule of the policy, by its name.
    Rule(String),
    /// Another slot of the chain, by its name.
    Slot(&'static str),
    /// No decision of the router: the turn was imported, and ran on the model that its client requested.
    Imported,
    /// Turnwise asked the model which skill fits a message.
    SkillRouting,
    /// The log has no decision about the turn.
    #[default]
    Unknown,
}

/// Folds events in the order of the log, and returns an [`AttributedCall`] for each billed call. Memory grows with the
/// number of sessions and turns.
#[derive(Debug, Default)]
pub struct Attribution {
    /// Workspace and client of each session.
    sessions: BTreeMap<SessionId, Origin>,
    /// Workspace, client and decision of each turn.
    turns: BTreeMap<TurnId, (Origin, DecidedBy)>,
    /// How each turn ended.
    ended: BTreeMap<TurnId, TurnResult>,
    /// The turns whose result the user rejected, by the latest verdict, each with the scored model; `None` for the model
    /// that served the turn.
    rejected: BTreeSet<(TurnId, Option<ModelId>)>,
}

/// The workspace and the client that a session or a turn comes from.
#[derive(Debug, Clone, Default)]
struct Origin {
    /// Absolute path of the workspace; `None` if unknown.
    project: Option<String>,
    /// Name of the client, without its version; `None` if unknown.
    client: Option<String>,
}

impl Attribution {
    /// Folds one event. Returns the attributed call if the event ends a call that the provider bills: a completed call,
    /// a failed call whose usage was reported, or a question about skills. Otherwise `None`.
    ///
    /// # Errors
    /// [`CodecError`] if the event cannot be decoded.
    pub fn advance(&mut self, event: &Recorded) -> Result<Option<AttributedCall>, CodecError> {
        let at = event.event.at;
        if let Some(call) = event.read::<LlmCallCompleted>()? {
            let total = CostTotal::from_call(call.usage, call.cost);
            return Ok(Some(self.attribute(at, call.turn, call.session, call.thread, call.model, total)));
        }
        if let Some(call) = event.read::<LlmCallFailed>()? {
            let Some(usage) = call.usage else { return Ok(None) };
            let total = CostTotal::from_call(usage, call.cost);
            return Ok(Some(self.attribute(at, call.turn, call.session, call.thread, call.model, total)));
        }
        if let Some(asked) = event.read::<SkillModelAsked>()? {
            return Ok(asked.usage.map(|usage| self.attribute_question(at, asked, usage)));
        }
        if let Some(retained) = event.read::<CostsRetained>()? {
            return Ok(Some(attribute_retained(retained)));
        }
        if let Some(started) = event.read::<SessionStarted>()? {
            let client = started.client.as_deref().and_then(|client| client.split(' ').next()).map(str::to_owned);
            self.sessions.insert(started.session, Origin { project: started.workspace, client });
        } else if let Some(turn) = event.read::<TurnStarted>()? {
            let session = self.sessions.get(&turn.session).cloned().unwrap_or_default();
            let client = turn.request.and_then(|request| request.client).or(session.client);
            let origin = Origin { project: turn.workspace.or(session.project), client };
            self.turns.insert(turn.turn, (origin, DecidedBy::Unknown));
        } else if let Some(decided) = event.read::<RouteDecided>()? {
            let decided_by = match decided.mode {
                DecisionMode::Observed => DecidedBy::Imported,
                DecisionMode::Live => decided_by(&decided.decision),
            };
            self.turns.entry(decided.turn).or_default().1 = decided_by;
        } else if let Some(fallback) = event.read::<RouteFallback>()? {
            self.turns.entry(fallback.turn).or_default().1 = decided_by(&fallback.decision);
        } else if let Some(ended) = event.read::<TurnEnded>()? {
            self.ended.insert(ended.turn, TurnResult::of_status(ended.status));
        } else if let Some(verdict) = event.read::<EvalCompleted>()? {
            let is_rejected = is_rejected(&verdict);
            let scored_work = (verdict.turn, verdict.model);
            if is_rejected {
                self.rejected.insert(scored_work);
            } else {
                self.rejected.remove(&scored_work);
            }
        }
        Ok(None)
    }

    /// Creates the attributed call of a question about skills, from the origin of its session.
    fn attribute_question(&self, at: Timestamp, asked: SkillModelAsked, usage: Usage) -> AttributedCall {
        let Origin { project, client } = self.sessions.get(&asked.session).cloned().unwrap_or_default();
        AttributedCall {
            at,
            turn: None,
            session: Some(asked.session),
            thread: Some(Thread::SkillRouting),
            role: CallRole::SkillRouting,
            model: asked.model,
            project,
            client,
            decided_by: DecidedBy::SkillRouting,
            result: TurnResult::SkillRouting,
            total: CostTotal::from_call(usage, asked.cost),
        }
    }

    /// Sets the results of the turns of `calls`, which are known only after later events.
    pub fn set_results(&self, calls: &mut [AttributedCall]) {
        for call in calls {
            let Some(turn) = call.turn else { continue };
            let scored_works = [None, Some(call.model.clone())].map(|model| (turn, model));
            call.result = match self.ended.get(&turn).copied().unwrap_or_default() {
                TurnResult::Completed if scored_works.iter().any(|work| self.rejected.contains(work)) => {
                    TurnResult::Rejected
                }
                result => result,
            };
        }
    }

    /// Creates the attributed call from its own data, and from the origin and the decision of its turn. The origin of
    /// the session is used if the log has no turn of the call.
    fn attribute(
        &self,
        at: Timestamp,
        turn: TurnId,
        session: SessionId,
        thread: Thread,
        model: ModelId,
        total: CostTotal,
    ) -> AttributedCall {
        let (origin, decided_by) = match self.turns.get(&turn) {
            Some(turn) => turn.clone(),
            None => (self.sessions.get(&session).cloned().unwrap_or_default(), DecidedBy::Unknown),
        };
        let Origin { project, client } = origin;
        let role = thread.role();
        let (turn, session, thread) = (Some(turn), Some(session), Some(thread));
        let result = TurnResult::default();
        AttributedCall { at, turn, session, thread, role, model, project, client, decided_by, result, total }
    }
}

/// Converts the total of removed calls of one day, which count as calls at noon.
fn attribute_retained(retained: CostsRetained) -> AttributedCall {
    /// Seconds of a day.
    const DAY_SECS: u64 = 86_400;
    let total = CostTotal::from_retained(&retained);
    AttributedCall {
        at: Timestamp::from_secs(retained.day.saturating_mul(DAY_SECS).saturating_add(DAY_SECS / 2)),
        turn: None,
        session: None,
        thread: None,
        role: retained.role,
        model: retained.model,
        project: retained.project,
        client: retained.client,
        decided_by: retained.rule.map_or(DecidedBy::Unknown, DecidedBy::Rule),
        result: TurnResult::Removed,
        total,
    }
}

/// Returns the source of a decision about a live turn; [`DecidedBy::Unknown`] if the decision chose no model.
fn decided_by(decision: &Decision) -> DecidedBy {
    decision.winner().map_or(DecidedBy::Unknown, |winner| match winner.reason.rule() {
        Some(rule) => DecidedBy::Rule(rule.to_owned()),
        None => DecidedBy::Slot(winner.slot.name()),
    })
}
