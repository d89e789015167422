//! Finds the messages of a log that an embedder has not embedded yet.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{
    ContentHash, TurnId,
    events::{TextBody, TurnEmbedded, TurnEnded, TurnStarted, TurnTextRecorded},
};
use event_bus::EventLog;
use event_core::{EventId, Position};

use crate::{capture::hash_prefix, error::EngineError, insight::events};

/// A message without an embedding, with the turns for which an event will record it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PendingMessage {
    /// The first eight bytes of the hash of the message, the key of its embedding.
    pub(super) key: u64,
    /// The position of the event with its text.
    pub(super) text: Position,
    /// A turn that recorded the key of its embedding. One event with the key serves all such turns; `None` if there are
    /// none.
    keyed: Option<TurnId>,
    /// Turns without a recorded key, from before an embedder was configured. Each needs an event of its own.
    unkeyed: Vec<TurnId>,
}

impl PendingMessage {
    /// Returns the turns for which an event records the embedding of the message, each with the id of its event.
    pub(super) fn events(&self, embedder: &str) -> impl Iterator<Item = (TurnId, EventId)> {
        let text_event = text_event_id(embedder, self.key);
        let turn_event = |turn: &TurnId| EventId::derive(&[b"turn.embedded of a turn", embedder.as_bytes(), &turn.0.0]);
        let unkeyed: Vec<_> = self.unkeyed.iter().map(|turn| (*turn, turn_event(turn))).collect();
        self.keyed.map(|turn| (turn, text_event)).into_iter().chain(unkeyed)
    }
}

/// Returns the id of the event with the embedding of a text. One event serves all turns that recorded the key of the
/// text. `embedder` is the recorded name, `model/dimensions`.
pub(super) fn text_event_id(embedder: &str, key: u64) -> EventId {
    EventId::derive(&[b"turn.embedded".as_slice(), embedder.as_bytes(), &key.to_le_bytes()])
}

/// Returns the key of a text: the first eight bytes of its hash.
pub(super) fn text_key(text: &TextBody) -> u64 {
    hash_prefix(&match text {
        TextBody::Inline(text) => ContentHash(*blake3::hash(text.as_bytes()).as_bytes()),
        TextBody::Stored { hash, .. } => *hash,
    })
}

/// A turn that has started and whose message may still need an embedding.
#[derive(Debug, Clone, Copy)]
struct StartedTurn {
    /// Whether the start of the turn recorded the key of its message's text.
    has_key: bool,
    /// The key of its message's text and the position of the event with the text; `None` until that event is read.
    text: Option<(u64, Position)>,
}

/// Reads the whole log and returns the messages that the embedding `model` has not embedded, in the order of the log.
///
/// A turn without a recorded key is included once it has ended, since the pattern store has no row for it before.
pub(super) fn find_pending(log: &dyn EventLog, model: &str) -> Result<Vec<PendingMessage>, EngineError> {
    let mut scan = PendingScan::default();
    for event in events(log, Position::ORIGIN) {
        let event = event?;
        if let Some(started) = event.read::<TurnStarted>()? {
            scan.open_turns.insert(started.turn, StartedTurn { has_key: started.features.text.is_some(), text: None });
        } else if event.purged.is_none()
            && let Some(recorded) = event.read::<TurnTextRecorded>()?
        {
            scan.add_text(recorded.turn, text_key(&recorded.text), event.position);
        } else if let Some(ended) = event.read::<TurnEnded>()? {
            scan.end_turn(ended.turn);
        } else if let Some(event) = event.read::<TurnEmbedded>()?
            && event.embedder.rsplit_once('/').is_some_and(|(embedder, _)| embedder == model)
        {
            scan.embedded_texts.insert(event.text);
            scan.embedded_turns.insert(event.turn);
        }
    }
    Ok(scan.into_pending())
}

/// The state of a scan of the log for messages that still need an embedding.
#[derive(Default)]
struct PendingScan {
    /// The turns that were read so far without their text or without their end.
    open_turns: BTreeMap<TurnId, StartedTurn>,
    /// The messages found so far, by the key of their text.
    messages: BTreeMap<u64, PendingMessage>,
    /// The keys of texts with a recorded embedding.
    embedded_texts: BTreeSet<u64>,
    /// The turns with a recorded embedding.
    embedded_turns: BTreeSet<TurnId>,
}

impl PendingScan {
    /// Returns the message with the key `key`; adds it if it is new. `text` is the position of the event with its text.
    fn message(&mut self, key: u64, text: Position) -> &mut PendingMessage {
        self.messages.entry(key).or_insert(PendingMessage { key, text, keyed: None, unkeyed: Vec::new() })
    }

    /// Records that the text of a turn's message is at `position`. If the turn has a recorded key, its message needs an
    /// embedding now, and otherwise once the turn has ended.
    fn add_text(&mut self, turn: TurnId, key: u64, position: Position) {
        match self.open_turns.get_mut(&turn) {
            Some(started) if started.has_key => {
                self.open_turns.remove(&turn);
                self.message(key, position).keyed.get_or_insert(turn);
            }
            Some(started) => started.text = Some((key, position)),
            None => {}
        }
    }

    /// Records that a turn without a key has ended: its message needs an embedding, if its text was recorded.
    fn end_turn(&mut self, turn: TurnId) {
        if let Some(StartedTurn { text: Some((key, position)), .. }) = self.open_turns.remove(&turn) {
            self.message(key, position).unkeyed.push(turn);
        }
    }

    /// Returns the messages that have no embedding, in the order of the events with their texts.
    fn into_pending(self) -> Vec<PendingMessage> {
        let Self { messages, embedded_texts, embedded_turns, .. } = self;
        let pending = messages.into_values().filter_map(|mut message| {
            message.keyed = message.keyed.filter(|_| !embedded_texts.contains(&message.key));
            message.unkeyed.retain(|turn| !embedded_turns.contains(turn));
            (message.keyed.is_some() || !message.unkeyed.is_empty()).then_some(message)
        });
        let mut pending: Vec<_> = pending.collect();
        pending.sort_by_key(|message| message.text);
        pending
    }
}
