//! Finds decisions and messages of turns in the log.

use std::fmt::Write as _;

use contracts::{
    MessageText, ModelId, Requirement, Thread, Turn, TurnId,
    events::{
        DecisionMode, LlmCallStarted, PolicyLoaded, RouteDecided, RouteFallback, SkillReused, SkillRouted, TextBody,
        TurnEnded, TurnStarted, TurnTextRecorded,
    },
};
use event_bus::{EventLog, TextStore};
use event_core::{EventType, Position, Recorded, Timestamp};
use router_core::{NoticeContext, TurnStage, WhyHeader, banners, why, why_fallback};

use crate::{engine::Engine, error::EngineError, recorded_policies::RecordedPolicies};

/// The number of events that are read from the log at once.
const EVENTS_PER_READ: usize = 1_024;

/// A recorded decision about the model of a turn, with the fallbacks of the turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedDecision {
    /// The position of the decision.
    pub position: Position,
    /// The time of the decision.
    pub at: Timestamp,
    /// The event of the decision.
    pub decided: RouteDecided,
    /// The model that an imported turn ran on, as the session file names it if it is not in the list of models. `None` for
    /// a live turn, and if the file shows no call.
    pub ran: Option<String>,
    /// The fallbacks of the turn, each with its time, in order.
    pub steps: Vec<(Timestamp, RouteFallback)>,
    /// The features of the request that were adapted to the model of the first call; empty for an imported turn.
    pub adapted: Vec<Requirement>,
    /// The event that captured the turn at its start, with its time; `None` if the log does not contain it.
    pub started: Option<(Timestamp, TurnStarted)>,
    /// Whether the turn has ended.
    pub has_ended: bool,
}

/// The maximum number of fallbacks of a turn that are read. A chain has fewer candidates.
const MAX_STEPS: u64 = 256;

impl RecordedDecision {
    /// Formats the decision and the fallbacks as the command `why` shows them (004 §7.4). `texts` contains the policies
    /// of recorded decisions, which some notices need.
    pub fn text(&self, texts: &dyn TextStore) -> String {
        let RouteDecided { turn, session, decision, .. } = &self.decided;
        let mut text = why(Some(&WhyHeader { turn: *turn, session: session.clone(), at: self.at }), decision);
        if self.is_imported() {
            let ran = self
                .ran
                .as_deref()
                .map_or("The session file shows no call".to_owned(), |ran| format!("It ran on {ran}"));
            text = format!("Imported turn. {ran}. What the policy would have chosen:\n\n{text}");
        }
        for (at, step) in &self.steps {
            text.push('\n');
            text.push_str(&why_fallback(step, *at));
        }
        let notices = self.notices(texts);
        if !notices.is_empty() {
            text.push_str("\nNotices:\n");
        }
        for notice in notices {
            let mut lines = notice.lines();
            let _ = writeln!(text, "  ! {}", lines.next().unwrap_or_default());
            lines.for_each(|line| {
                let _ = writeln!(text, "    {}", line.trim());
            });
        }
        if !self.adapted.is_empty() {
            let names: Vec<_> = self.adapted.iter().map(|feature| feature.name()).collect();
            text.push_str("\nAdapted to the model: ");
            text.push_str(&names.join(", "));
            text.push('\n');
        }
        text
    }

    /// Returns whether the turn was imported, so that the decision was not applied (decision D42).
    pub fn is_imported(&self) -> bool {
        self.decided.mode == DecisionMode::Observed
    }

    /// Returns the banners of the decision and of the fallbacks, each once; none for an imported turn, which the
    /// decision did not affect. `texts` contains the policies of recorded decisions; without them some banners are
    /// missing.
    pub fn notices(&self, texts: &dyn TextStore) -> Vec<String> {
        if self.is_imported() {
            return Vec::new();
        }
        let mut policies = RecordedPolicies::default();
        let RouteDecided { policy, catalogue, decision, .. } = &self.decided;
        let first = std::iter::once((*policy, *catalogue, decision));
        let steps = self.steps.iter().map(|(_, step)| (step.policy, step.catalogue, &step.decision));
        let no_text = MessageText::Matched(&[]);
        let captured = self.started.as_ref().map(|(at, started)| Turn::new(started, *at, no_text));
        let mut notices: Vec<String> = Vec::new();
        for (policy, catalogue, decision) in first.chain(steps) {
            let policy = policies.get(texts, policy, catalogue);
            let context = NoticeContext {
                policy: policy.as_deref(),
                spent_today: captured.map(|turn| turn.started.spent_today).unwrap_or_default(),
                turn: captured.as_ref(),
                stage: if self.has_ended { TurnStage::Ended } else { TurnStage::Running },
            };
            for banner in banners(decision, &context) {
                let notice = banner.to_string();
                if !notices.contains(&notice) {
                    notices.push(notice);
                }
            }
        }
        notices
    }

    /// Returns the model of the turn after all fallbacks, or for an imported turn the model that the policy would have
    /// chosen; `None` if the turn was refused or no model was left.
    pub fn model(&self) -> Option<&ModelId> {
        let last = self.steps.last().map_or(&self.decided.decision, |(_, step)| &step.decision);
        last.chosen.as_ref()
    }

    /// Reads the decision from an event, and the fallbacks of its turn from the log; `None` if the event is no
    /// decision.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read.
    fn read_from(log: &dyn EventLog, event: &Recorded) -> Result<Option<Self>, EngineError> {
        let Some(decided) = event.read::<RouteDecided>()? else { return Ok(None) };
        let steps = read_fallbacks(log, decided.turn)?;
        let called = read_event::<LlmCallStarted>(log, decided.turn, 0)?;
        let adapted = called.map(|(_, call)| call.adapted).unwrap_or_default();
        let started = read_event::<TurnStarted>(log, decided.turn, 0)?;
        let ran = started.as_ref().filter(|(_, started)| started.is_imported());
        let ran = ran.and_then(|(_, started)| ran_model(started));
        let has_ended = log.find(decided.turn.0.then(TurnEnded::KIND, 0))?.is_some();
        let (position, at) = (event.position, event.event.at);
        Ok(Some(Self { position, at, decided, ran, steps, adapted, started, has_ended }))
    }
}

/// Returns the model that an imported turn ran on; `None` if its session file shows no call.
fn ran_model(started: &TurnStarted) -> Option<String> {
    let request = started.request.as_ref()?;
    let named = request.named.as_ref().map(ToString::to_string);
    named.or_else(|| Some(request.model.clone())).filter(|model| !model.is_empty())
}

/// Reads the fallbacks of a turn from the log, each with its time, in order.
///
/// # Errors
/// [`EngineError`] if the log cannot be read.
fn read_fallbacks(log: &dyn EventLog, turn: TurnId) -> Result<Vec<(Timestamp, RouteFallback)>, EngineError> {
    let mut steps = Vec::new();
    for number in 1..=MAX_STEPS {
        let Some(step) = read_event(log, turn, number)? else { break };
        steps.push(step);
    }
    Ok(steps)
}

/// Reads the event of the kind `E` with a sequence number in a turn, with its time; `None` if the log does not contain
/// it.
///
/// # Errors
/// [`EngineError`] if the log cannot be read.
pub(crate) fn read_event<E: EventType>(
    log: &dyn EventLog,
    turn: TurnId,
    number: u64,
) -> Result<Option<(Timestamp, E)>, EngineError> {
    let Some(event) = log.event_with_id(turn.0.then(E::KIND, number))? else { return Ok(None) };
    Ok(event.read::<E>()?.map(|body| (event.event.at, body)))
}

/// Iterates over the events of a log after a position, in constant memory. Ends after the first error.
pub fn events(log: &dyn EventLog, after: Position) -> impl Iterator<Item = Result<Recorded, EngineError>> + '_ {
    let mut cursor = after;
    let mut chunk = Vec::new().into_iter();
    let mut failed = false;
    std::iter::from_fn(move || {
        if failed {
            return None;
        }
        if let Some(event) = chunk.next() {
            return Some(Ok(event));
        }
        match log.read_after(cursor, EVENTS_PER_READ) {
            Ok(events) => {
                cursor = events.last()?.position;
                chunk = events.into_iter();
                chunk.next().map(Ok)
            }
            Err(error) => {
                failed = true;
                Some(Err(error.into()))
            }
        }
    })
}

/// The number of events in which the last policy is searched.
const MAX_POLICY_EVENTS: u64 = 200_000;

/// Returns the text of the policy that a log recorded last; `None` if none was recorded in the latest 200,000 events, or if
/// its text is gone.
///
/// # Errors
/// [`EngineError`] if the log or the text cannot be read.
pub fn last_policy(log: &dyn EventLog, texts: &dyn TextStore) -> Result<Option<String>, EngineError> {
    let head = log.head()?;
    let (mut end, first) = (head.0, head.0.saturating_sub(MAX_POLICY_EVENTS));
    while first < end {
        let start = end.saturating_sub(EVENTS_PER_READ as u64).max(first);
        let count = usize::try_from(end - start).unwrap_or(EVENTS_PER_READ);
        for event in log.read_after(Position(start), count)?.iter().rev() {
            if let Some(loaded) = event.read::<PolicyLoaded>()? {
                return Ok(texts.get(loaded.hash.0)?);
            }
        }
        end = start;
    }
    Ok(None)
}

/// Returns the last decision of a log.
///
/// # Errors
/// [`EngineError::NothingDecided`] if there is none.
pub fn last_decision(log: &dyn EventLog) -> Result<RecordedDecision, EngineError> {
    last_decision_where(log, |_| Ok(true))
}

/// Returns the last decision about a message of the user. If the log has none, returns the last decision of any kind.
///
/// Sub-agents and auxiliary calls start turns of their own while a message is answered, so the last decision is often
/// not about the user's message.
///
/// # Errors
/// [`EngineError::NothingDecided`] if there is none.
pub fn last_main_decision(log: &dyn EventLog) -> Result<RecordedDecision, EngineError> {
    let is_main = |turn: TurnId| {
        let started = read_event::<TurnStarted>(log, turn, 0)?;
        Ok(started.is_some_and(|(_, started)| started.thread == Thread::Main))
    };
    match last_decision_where(log, is_main) {
        Err(EngineError::NothingDecided) => last_decision(log),
        found => found,
    }
}

/// Returns the last decision in the log about a turn for which `is_wanted` returns true.
///
/// # Errors
/// [`EngineError`] if the log cannot be read.
fn last_decision_where(
    log: &dyn EventLog,
    is_wanted: impl Fn(TurnId) -> Result<bool, EngineError>,
) -> Result<RecordedDecision, EngineError> {
    // Searches backwards in chunks: the last decision is near the end.
    let mut end = log.head()?;
    while Position::ORIGIN < end {
        let start = Position(end.0.saturating_sub(EVENTS_PER_READ as u64));
        let count = usize::try_from(end.0 - start.0).unwrap_or(EVENTS_PER_READ);
        for event in log.read_after(start, count)?.iter().rev() {
            let Some(decided) = event.read::<RouteDecided>()? else { continue };
            if is_wanted(decided.turn)?
                && let Some(recorded) = RecordedDecision::read_from(log, event)?
            {
                return Ok(recorded);
            }
        }
        end = start;
    }
    Err(EngineError::NothingDecided)
}

/// Returns the decision of the turn whose id starts with `turn`. A complete id is looked up in the index of the log; the
/// start of one is searched in the whole log.
///
/// # Errors
/// [`EngineError::UnknownTurn`] if there is none, [`EngineError::AmbiguousTurn`] if there are several.
pub fn find_decision(log: &dyn EventLog, turn: &str) -> Result<RecordedDecision, EngineError> {
    find_decision_after(log, turn, Position::ORIGIN)
}

/// Returns the decision about a turn as [`find_decision`] does, but searches the start of an id only in the latest
/// `events` events, so that no look-up takes longer in a longer log.
///
/// # Errors
/// Those of [`find_decision`].
pub fn find_recent_decision(log: &dyn EventLog, turn: &str, events: u64) -> Result<RecordedDecision, EngineError> {
    let after = Position(log.head()?.0.saturating_sub(events));
    find_decision_after(log, turn, after)
}

/// Returns the decision of the turn with the id `turn`. If that is only the start of an id, searches the events after
/// the position `after`.
fn find_decision_after(log: &dyn EventLog, turn: &str, after: Position) -> Result<RecordedDecision, EngineError> {
    let unknown = || EngineError::UnknownTurn(turn.to_owned());
    if let Ok(id) = turn.parse() {
        let event = log.event_with_id(TurnId(id).0.then(RouteDecided::KIND, 0))?.ok_or_else(unknown)?;
        return RecordedDecision::read_from(log, &event)?.ok_or_else(unknown);
    }
    let mut matching_event = None;
    for event in events(log, after) {
        let event = event?;
        if let Some(decided) = event.read::<RouteDecided>()?
            && decided.turn.to_string().starts_with(turn)
            && matching_event.replace(event).is_some()
        {
            return Err(EngineError::AmbiguousTurn(turn.to_owned()));
        }
    }
    let recorded = matching_event.map(|event| RecordedDecision::read_from(log, &event)).transpose()?.flatten();
    recorded.ok_or_else(unknown)
}

/// Returns the message of a turn; `None` if its text was not recorded or was purged.
///
/// # Errors
/// [`EngineError`] if the log or the text cannot be read.
pub fn find_message(log: &dyn EventLog, texts: &dyn TextStore, turn: TurnId) -> Result<Option<String>, EngineError> {
    let Some(event) = log.event_with_id(turn.0.then(TurnTextRecorded::KIND, 0))? else { return Ok(None) };
    // A purged text leaves an event without payload.
    let Ok(Some(recorded)) = event.read::<TurnTextRecorded>() else { return Ok(None) };
    match recorded.text {
        TextBody::Inline(text) => Ok(Some(text)),
        TextBody::Stored { hash, .. } => Ok(texts.get(hash.0)?),
    }
}

/// Returns the skill decision of a turn: its own one, or that of the hook that was asked about its message. `None` if it has
/// none, as an auxiliary call, or if its content was removed from the log.
///
/// # Errors
/// [`EngineError`] if the log cannot be read.
pub fn find_skill_decision(log: &dyn EventLog, turn: TurnId) -> Result<Option<SkillRouted>, EngineError> {
    if let Some(event) = log.event_with_id(turn.0.then(SkillRouted::KIND, 0))? {
        return Ok(event.read::<SkillRouted>()?);
    }
    let Some(event) = log.event_with_id(turn.0.then(SkillReused::KIND, 0))? else { return Ok(None) };
    let Some(reused) = event.read::<SkillReused>()? else { return Ok(None) };
    let Some(event) = log.event_with_id(reused.decision)? else { return Ok(None) };
    Ok(event.read::<SkillRouted>()?)
}

impl Engine {
    /// Returns the decision of a turn.
    ///
    /// # Errors
    /// [`EngineError::UnknownTurn`] if it has none.
    pub fn decision_of_turn(&self, turn: TurnId) -> Result<RouteDecided, EngineError> {
        Ok(find_decision(self.log().as_ref(), &turn.to_string())?.decided)
    }
}
