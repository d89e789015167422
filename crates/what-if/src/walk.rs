//! A walk over the log that stops at every decision, with everything the decision was made from.

use std::collections::BTreeMap;

use contracts::{
    MessageText, Turn, TurnId,
    facts::{RouteDecided, TextBody, TurnEnded, TurnStarted, TurnTextRecorded},
};
use engine::{Known, captured_turn, facts};
use event_bus::{EventLog, TextStore};
use event_core::{Position, Projected, Recorded, Timestamp};

use crate::{error::WhatIfError, library::Library, range::Range};

/// A decision, and what it was made from.
pub(crate) struct Point<'w> {
    /// Where the decision stands.
    pub(crate) position: Position,
    /// When the turn started.
    pub(crate) at: Timestamp,
    /// The turn as it was captured.
    pub(crate) started: &'w TurnStarted,
    /// The message, unless its text is gone.
    pub(crate) message: Option<&'w str>,
    /// What was decided.
    pub(crate) decided: RouteDecided,
    /// What the log knew then.
    pub(crate) known: &'w Known,
}

impl Point<'_> {
    /// The turn as the policy of then saw it; without the text, by what had matched it (decision D9).
    pub(crate) fn turn(&self) -> Turn {
        let message = match self.message {
            Some(text) => MessageText::Present(text.to_owned()),
            None => MessageText::Matched(self.decided.matched.clone()),
        };
        captured_turn(self.started, self.at, message)
    }
}

/// What a walk tells.
pub(crate) trait Visitor {
    /// A decision within the range.
    fn decision(&mut self, point: Point<'_>, library: &mut Library<'_>) -> Result<(), WhatIfError>;

    /// A decision whose turn never started in this log: its start was lost, and a repair marks the place.
    fn without_start(&mut self, fact: &Recorded, decided: &RouteDecided);

    /// Any fact, after what it decides was told. False ends the walk.
    fn fact(&mut self, fact: &Recorded) -> Result<bool, WhatIfError>;
}

/// A turn that has started and not ended.
struct Open {
    at: Timestamp,
    started: TurnStarted,
    text: Option<TextBody>,
}

/// Walks the whole log once. Memory grows with what is open at a time, not with the log.
pub(crate) fn walk(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    range: &Range,
    visitor: &mut dyn Visitor,
) -> Result<(), WhatIfError> {
    let mut library = Library::new(texts);
    let mut state = Projected::<Known>::default();
    let mut open: BTreeMap<TurnId, Open> = BTreeMap::new();
    for fact in facts(log, Position::ORIGIN) {
        let fact = fact?;
        if let Some(decided) = fact.read::<RouteDecided>()? {
            match open.get(&decided.turn) {
                Some(turn) if range.holds(turn.at, &decided.session) => {
                    let text = turn.text.as_ref().map(|text| text_of(text, texts)).transpose()?.flatten();
                    let earlier;
                    let known = if decided.based_on == state.position() {
                        state.state()
                    } else {
                        // Others wrote between the decision and its record.
                        earlier = state_at(log, decided.based_on)?;
                        earlier.state()
                    };
                    let (position, at, message) = (fact.position, turn.at, text.as_deref());
                    let point = Point { position, at, started: &turn.started, message, decided, known };
                    visitor.decision(point, &mut library)?;
                }
                None if range.holds(fact.event.at, &decided.session) => visitor.without_start(&fact, &decided),
                Some(_) | None => {}
            }
        }
        if !visitor.fact(&fact)? {
            return Ok(());
        }
        if let Some(started) = fact.read::<TurnStarted>()? {
            open.insert(started.turn, Open { at: fact.event.at, started, text: None });
        } else if let Some(text) = fact.read::<TurnTextRecorded>()? {
            if let Some(open) = open.get_mut(&text.turn) {
                open.text = Some(text.text);
            }
        } else if let Some(ended) = fact.read::<TurnEnded>()? {
            open.remove(&ended.turn);
        }
        library.see(&fact)?;
        state.advance(&fact)?;
    }
    Ok(())
}

fn text_of(text: &TextBody, texts: &dyn TextStore) -> Result<Option<String>, WhatIfError> {
    match text {
        TextBody::Inline(text) => Ok(Some(text.clone())),
        TextBody::Stored { hash, .. } => Ok(texts.get(hash.0)?),
    }
}

/// The state at an earlier position, folded from the beginning.
fn state_at(log: &dyn EventLog, position: Position) -> Result<Projected<Known>, WhatIfError> {
    let mut state = Projected::default();
    for fact in facts(log, Position::ORIGIN) {
        let fact = fact?;
        if position < fact.position {
            break;
        }
        state.advance(&fact)?;
    }
    Ok(state)
}
