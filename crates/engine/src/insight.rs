//! Looking decisions up again: "why this model?" for the last turn, or for any.

use contracts::{
    ModelId, TurnId,
    events::{RouteDecided, RouteFallback, TextBody, TurnTextRecorded},
};
use event_bus::{EventLog, TextStore};
use event_core::{EventType as _, Position, Recorded, Timestamp};
use router_core::{WhyHeader, why, why_step};

use crate::{engine::Engine, error::EngineError};

/// Events read from the log at once.
const CHUNK: usize = 1_024;

/// A decision as the log keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insight {
    /// Where it stands.
    pub position: Position,
    /// When the turn started.
    pub at: Timestamp,
    /// The decision.
    pub decided: RouteDecided,
    /// What was decided after models failed, and when, in order.
    pub steps: Vec<(Timestamp, RouteFallback)>,
}

/// The most steps of a turn that are looked for. A chain has fewer candidates.
const MOST_STEPS: u64 = 256;

impl Insight {
    /// The decision as one screen (004 §7.4), and each further step of the turn below it.
    pub fn text(&self) -> String {
        let RouteDecided { turn, session, decision, .. } = &self.decided;
        let mut text = why(Some(&WhyHeader { turn: *turn, session: session.clone(), at: self.at }), decision);
        for (at, step) in &self.steps {
            text.push('\n');
            text.push_str(&why_step(step, *at));
        }
        text
    }

    /// The model that has the turn after all its steps; none when it was refused, or nobody was left.
    pub fn model(&self) -> Option<&ModelId> {
        let last = self.steps.last().map_or(&self.decided.decision, |(_, step)| &step.decision);
        last.model.as_ref()
    }

    fn of(log: &dyn EventLog, event: &Recorded) -> Result<Option<Self>, EngineError> {
        let Some(decided) = event.read::<RouteDecided>()? else { return Ok(None) };
        let steps = steps(log, decided.turn)?;
        Ok(Some(Self { position: event.position, at: event.event.at, decided, steps }))
    }
}

/// What was decided in a turn after models failed.
fn steps(log: &dyn EventLog, turn: TurnId) -> Result<Vec<(Timestamp, RouteFallback)>, EngineError> {
    let mut steps = Vec::new();
    for number in 1..=MOST_STEPS {
        let Some(position) = log.find(turn.0.then(RouteFallback::KIND, number))? else { break };
        let events = log.read_after(Position(position.0.saturating_sub(1)), 1)?;
        let Some(event) = events.first() else { break };
        steps.extend(event.read::<RouteFallback>()?.map(|step| (event.event.at, step)));
    }
    Ok(steps)
}

/// Every event of a log in order, in constant memory.
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
        match log.read_after(cursor, CHUNK) {
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

/// The last decision of a log.
///
/// # Errors
/// [`EngineError::NothingDecided`] when there is none.
pub fn last_decision(log: &dyn EventLog) -> Result<Insight, EngineError> {
    // Backwards, a chunk at a time: the last decision is near the end.
    let mut end = log.head()?;
    while Position::ORIGIN < end {
        let start = Position(end.0.saturating_sub(CHUNK as u64));
        let count = usize::try_from(end.0 - start.0).unwrap_or(CHUNK);
        for event in log.read_after(start, count)?.iter().rev() {
            if let Some(insight) = Insight::of(log, event)? {
                return Ok(insight);
            }
        }
        end = start;
    }
    Err(EngineError::NothingDecided)
}

/// The decision of the turn whose id starts like this.
///
/// # Errors
/// [`EngineError::UnknownTurn`], or [`EngineError::AmbiguousTurn`] when several do.
pub fn decision_of(log: &dyn EventLog, turn: &str) -> Result<Insight, EngineError> {
    if let Ok(id) = turn.parse()
        && let Some(position) = log.find(TurnId(id).0.then("route.decided", 0))?
        && let Some(event) = log.read_after(Position(position.0 - 1), 1)?.first()
        && let Some(insight) = Insight::of(log, event)?
    {
        return Ok(insight);
    }
    let mut found = None;
    for event in events(log, Position::ORIGIN) {
        let event = event?;
        if let Some(decided) = event.read::<RouteDecided>()?
            && decided.turn.to_string().starts_with(turn)
            && found.replace(event).is_some()
        {
            return Err(EngineError::AmbiguousTurn(turn.to_owned()));
        }
    }
    let insight = found.map(|event| Insight::of(log, &event)).transpose()?.flatten();
    insight.ok_or_else(|| EngineError::UnknownTurn(turn.to_owned()))
}

/// The message of a turn, unless its text was never recorded or is gone.
///
/// # Errors
/// [`EngineError`] when the log or the text cannot be read.
pub fn message_of(log: &dyn EventLog, texts: &dyn TextStore, turn: TurnId) -> Result<Option<String>, EngineError> {
    let Some(position) = log.find(turn.0.then(TurnTextRecorded::KIND, 0))? else { return Ok(None) };
    let events = log.read_after(Position(position.0.saturating_sub(1)), 1)?;
    // A purged text leaves its place.
    let Some(recorded) = events.first().and_then(|event| event.read::<TurnTextRecorded>().ok().flatten()) else {
        return Ok(None);
    };
    match recorded.text {
        TextBody::Inline(text) => Ok(Some(text)),
        TextBody::Stored { hash, .. } => Ok(texts.get(hash.0)?),
    }
}

impl Engine {
    /// The decision of a turn.
    ///
    /// # Errors
    /// [`EngineError::UnknownTurn`].
    pub fn decided(&self, turn: TurnId) -> Result<RouteDecided, EngineError> {
        Ok(decision_of(self.log().as_ref(), &turn.to_string())?.decided)
    }
}
