//! Embeds the messages of the log with the embedder that the user configured, and records the vectors as events.
//!
//! [`EmbeddingRun`] embeds all messages of a log in batches; [`EmbeddingReactor`] embeds new ones while a bus runs. No
//! turn waits for either: decisions read the embeddings that are in the log.

mod batch;
mod pending;
mod reactor;

use std::sync::Arc;

use adapters::embedder::{EmbedError, Embedder, MAX_TEXTS};
use contracts::{
    TurnId,
    events::{TextBody, TurnEmbedded, TurnTextRecorded},
};
use event_bus::{EventLog, TextStore};
use event_core::{CodecError, EventId, EventType as _, NewEvent, Position, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{capture::TextRecording, engine::Engine, error::EngineError};
use batch::{BatchOutcome, embed_batch};
use pending::{PendingMessage, find_pending};
pub use reactor::EmbeddingReactor;

/// The result of embedding the messages of a log. Messages that several turns share count once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct EmbeddingSummary {
    /// The embedder's model and the number of dimensions it returns; `None` until it has embedded a message.
    pub embedder: Option<String>,
    /// Messages that this run has embedded.
    pub embedded: u64,
    /// Messages that are empty, or whose text is no longer in the text store.
    pub skipped: u64,
    /// Messages that the embedder refused, and messages that were not sent after it failed.
    pub failed: u64,
    /// The last failure; `None` if all messages were embedded or skipped.
    pub failure: Option<EmbedError>,
}

/// An embedding of a message, to be recorded. The id of its event is derived from the embedder and the message or turn,
/// so that recording it twice adds nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewEmbedding {
    /// The id of the event to append.
    pub id: EventId,
    /// The event with the projected vector.
    pub event: TurnEmbedded,
}

impl NewEmbedding {
    /// Creates the embedding of a message for a turn. `key` is the first eight bytes of the hash of the message's text,
    /// `vector` the embedder's result, which is projected to 64 dimensions.
    fn new(id: EventId, turn: TurnId, key: u64, model: &str, vector: &[f32]) -> Self {
        let embedder = embedder_name(model, vector);
        Self { id, event: TurnEmbedded { turn, text: key, embedder, vector: patterns::project_embedding(vector) } }
    }

    /// Creates the event to append, caused by the event with the text of the turn.
    fn into_event(self, at: Timestamp) -> Result<NewEvent, CodecError> {
        let Self { id, event } = self;
        let text = event.turn.0.then(TurnTextRecorded::KIND, 0);
        Ok(NewEvent::new(id, at, event.turn.0, &event)?.caused_by(text))
    }
}

/// Returns the name under which the embeddings of a model are recorded: `model/dimensions`, where `dimensions` is the
/// length of `vector`.
fn embedder_name(model: &str, vector: &[f32]) -> String {
    format!("{model}/{}", vector.len())
}

/// A message of the log with its text, which is embedded in the next batch.
struct Message {
    /// The message and the turns that need an event with its embedding.
    pending: PendingMessage,
    /// The text of the message; not blank.
    text: String,
}

/// Embeds the messages of a log that an embedder has not embedded yet, oldest first, batch by batch.
pub struct EmbeddingRun<'a> {
    /// The log that contains the messages.
    log: Arc<dyn EventLog>,
    /// The store for texts that are too long for an event.
    texts: Arc<dyn TextStore>,
    /// The embedder that the messages are sent to.
    embedder: &'a dyn Embedder,
    /// The messages of the following batches, oldest first.
    pending: std::vec::IntoIter<PendingMessage>,
    /// The number of messages to embed when the run was created.
    total: u64,
    /// The counts and the last failure so far.
    summary: EmbeddingSummary,
}

impl std::fmt::Debug for EmbeddingRun<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmbeddingRun").field("summary", &self.summary).finish_non_exhaustive()
    }
}

impl<'a> EmbeddingRun<'a> {
    /// Creates a run for the messages of a log that `embedder` has not embedded. Reads the log to find them.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read.
    pub fn new(
        log: Arc<dyn EventLog>,
        texts: Arc<dyn TextStore>,
        embedder: &'a dyn Embedder,
    ) -> Result<Self, EngineError> {
        let pending = find_pending(log.as_ref(), embedder.name())?;
        let total = pending.len() as u64;
        Ok(Self { log, texts, embedder, pending: pending.into_iter(), total, summary: EmbeddingSummary::default() })
    }

    /// Returns the number of messages to embed.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Returns the number of messages that were embedded, were skipped, or failed so far.
    pub const fn done(&self) -> u64 {
        self.summary.embedded + self.summary.skipped + self.summary.failed
    }

    /// Ends the run and returns its counts.
    pub fn into_summary(self) -> EmbeddingSummary {
        self.summary
    }

    /// Embeds up to [`MAX_TEXTS`] messages and returns the embeddings, which the caller records; `None` if no messages
    /// are left.
    ///
    /// A failure of the embedder is counted and is not an error. If it would also affect the next batch, as an
    /// unreachable endpoint does, all remaining messages are counted as failed.
    ///
    /// # Errors
    /// [`EngineError`] if the log or a text cannot be read.
    pub async fn next_batch(&mut self) -> Result<Option<Vec<NewEmbedding>>, EngineError> {
        let batch: Vec<_> = self.pending.by_ref().take(MAX_TEXTS).collect();
        if batch.is_empty() {
            return Ok(None);
        }
        let mut messages = Vec::new();
        for pending in batch {
            match self.text_at(pending.text)? {
                Some(text) if !text.trim().is_empty() => messages.push(Message { pending, text }),
                _ => self.summary.skipped += 1,
            }
        }
        let (pending, texts): (Vec<_>, Vec<_>) =
            messages.into_iter().map(|message| (message.pending, message.text)).unzip();
        let BatchOutcome { vectors, failure, may_continue } = embed_batch(self.embedder, &texts).await;
        let mut embeddings = Vec::new();
        for (pending, vector) in pending.iter().zip(vectors) {
            match vector {
                Some(vector) => self.add_embedding(pending, &vector, &mut embeddings),
                None => self.summary.failed += 1,
            }
        }
        self.summary.failure = failure.or(self.summary.failure.take());
        if !may_continue {
            self.summary.failed += self.pending.len() as u64;
            self.pending = Vec::new().into_iter();
        }
        Ok(Some(embeddings))
    }

    /// Adds the events that record the embedding of a message to `embeddings`: one for all turns that recorded the key
    /// of its text, and one for each turn without a recorded key.
    fn add_embedding(&mut self, pending: &PendingMessage, vector: &[f32], embeddings: &mut Vec<NewEmbedding>) {
        let (model, embedder) = (self.embedder.name(), embedder_name(self.embedder.name(), vector));
        let events = pending.events(&embedder);
        embeddings.extend(events.map(|(turn, id)| NewEmbedding::new(id, turn, pending.key, model, vector)));
        self.summary.embedder = Some(embedder);
        self.summary.embedded += 1;
    }

    /// Returns the text of the message whose event is at a position of the log; `None` if the text was purged or there
    /// is no such event.
    fn text_at(&self, position: Position) -> Result<Option<String>, EngineError> {
        let Some(event) = self.log.event_at(position)? else { return Ok(None) };
        match event.read::<TurnTextRecorded>()? {
            Some(TurnTextRecorded { text: TextBody::Inline(text), .. }) => Ok(Some(text)),
            Some(TurnTextRecorded { text: TextBody::Stored { hash, .. }, .. }) => Ok(self.texts.get(hash.0)?),
            None => Ok(None),
        }
    }
}

impl Engine {
    /// Records embeddings of messages. They are durable after [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError::TextForbidden`] if the policy has `privacy.record_text: never`; nothing is recorded in this case.
    /// Other errors if an embedding is invalid or the log cannot be written.
    pub fn record_embeddings(&mut self, embeddings: Vec<NewEmbedding>) -> Result<(), EngineError> {
        if self.text_recording() == TextRecording::FeaturesOnly {
            return Err(EngineError::TextForbidden);
        }
        let now = self.now();
        let mut events = Vec::with_capacity(embeddings.len());
        for embedding in embeddings {
            events.push(embedding.into_event(now)?);
        }
        self.recorder.record(events)
    }
}
