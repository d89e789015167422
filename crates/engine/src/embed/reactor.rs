//! [`EmbeddingReactor`]: embeds the messages of new turns while a bus runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use adapters::{
    HttpClient,
    embedder::{Embedder as _, MAX_TEXTS, OpenAiEmbedder, Timeouts},
};
use async_trait::async_trait;
use contracts::{
    TurnId,
    events::{TextBody, TurnStarted, TurnTextRecorded},
};
use event_bus::{Bus, Clock as _, LogError, Reactor, RetryAfter, SystemClock, TextStore};
use event_core::{NewEvent, Recorded};
use router_core::EmbeddingEndpoint;

use super::{
    NewEmbedding,
    batch::embed_batch,
    embedder_name,
    pending::{text_event_id, text_key},
};
use crate::{capture::TextRecording, engine::Engine};

/// The time for which messages are collected before they are embedded in one request.
const BATCH_DELAY: Duration = Duration::from_secs(1);

/// The default pause after a failed request.
const RETRY_DELAY: Duration = Duration::from_secs(30);

/// A reactor that embeds the messages of turns after they are recorded, with the endpoint that the active policy
/// configures.
///
/// It embeds the messages of turns that recorded the key of their text: all turns that start while an endpoint is
/// configured. Other turns, and messages that the endpoint refuses, are left to [`EmbeddingRun`](super::EmbeddingRun).
#[derive(Debug)]
pub struct EmbeddingReactor {
    /// The bus that is queried for the endpoint and the text store.
    bus: Bus<Engine>,
    /// The HTTP client for requests to the endpoint.
    client: HttpClient,
    /// The timeouts of these requests.
    timeouts: Timeouts,
    /// The pause after a failed request.
    retry_delay: Duration,
    /// Whether the last attempt failed. Only a change is written to the log output.
    has_failed: bool,
}

/// A text to embed, and the first turn that recorded it.
struct Message {
    /// The first turn that recorded the text.
    turn: TurnId,
    /// The first eight bytes of the text's hash.
    key: u64,
    /// The text; not blank.
    text: String,
}

impl EmbeddingReactor {
    /// Creates the reactor for the bus on which it will run.
    pub const fn new(bus: Bus<Engine>, client: HttpClient, timeouts: Timeouts) -> Self {
        Self { bus, client, timeouts, retry_delay: RETRY_DELAY, has_failed: false }
    }

    /// Replaces the pause after a failed request, 30 seconds by default.
    #[must_use]
    pub fn with_retry_delay(self, retry_delay: Duration) -> Self {
        Self { retry_delay, ..self }
    }

    /// Embeds the messages among the events of the log, and returns the events that record the embeddings; none if no
    /// endpoint is configured. A message that the endpoint refuses is left out, with a warning in the program's log.
    ///
    /// # Errors
    /// The cause, for the program's log, if the endpoint or the text store fails. The same events are then handled
    /// again.
    async fn embed(&self, events: &[Recorded]) -> Result<Vec<NewEvent>, String> {
        let recorded = keyed_texts(events);
        if recorded.is_empty() {
            return Ok(Vec::new());
        }
        // Queried for each attempt, since the policy may have changed.
        let settings = self.bus.query(|engine| (active_endpoint(engine), Arc::clone(engine.texts()))).await;
        let (Some(endpoint), texts) = settings.map_err(|error| error.to_string())? else { return Ok(Vec::new()) };
        let EmbeddingEndpoint { url, model, key_env } = &endpoint;
        let client = self.client.clone();
        let embedder = OpenAiEmbedder::with_key_env(url, model, key_env.as_deref(), client, self.timeouts)
            .map_err(|error| error.to_string())?;
        let messages = tokio::task::spawn_blocking(move || read_messages(recorded, texts.as_ref())).await;
        let messages = messages.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        let mut events = Vec::new();
        for batch in messages.chunks(MAX_TEXTS) {
            let texts: Vec<_> = batch.iter().map(|message| message.text.clone()).collect();
            let outcome = embed_batch(&embedder, &texts).await;
            if let Some(error) = outcome.failure {
                if !error.is_caused_by_texts() {
                    return Err(error.to_string());
                }
                tracing::warn!(%error, "a message was not embedded");
            }
            for (message, vector) in batch.iter().zip(outcome.vectors) {
                let Some(vector) = vector else { continue };
                let id = text_event_id(&embedder_name(embedder.name(), &vector), message.key);
                let embedding = NewEmbedding::new(id, message.turn, message.key, embedder.name(), &vector);
                events.push(embedding.into_event(SystemClock.now()).map_err(|error| error.to_string())?);
            }
        }
        Ok(events)
    }
}

#[async_trait]
impl Reactor for EmbeddingReactor {
    fn name(&self) -> &'static str {
        "embedding"
    }

    fn batch_delay(&self) -> Duration {
        BATCH_DELAY
    }

    async fn react(&mut self, events: &[Recorded]) -> Result<Vec<NewEvent>, RetryAfter> {
        match self.embed(events).await {
            Ok(embedded) => {
                if std::mem::take(&mut self.has_failed) {
                    tracing::warn!("messages are embedded again");
                }
                Ok(embedded)
            }
            Err(cause) => {
                if !std::mem::replace(&mut self.has_failed, true) {
                    tracing::warn!(cause, "messages cannot be embedded; they are embedded later");
                }
                Err(RetryAfter(self.retry_delay))
            }
        }
    }
}

/// Returns the endpoint for embeddings of the active policy; `None` if the policy configures none, or forbids recording
/// texts.
fn active_endpoint(engine: &Engine) -> Option<EmbeddingEndpoint> {
    match engine.text_recording() {
        TextRecording::FeaturesOnly => None,
        TextRecording::Full { .. } => engine.policy().policy.embedding().cloned(),
    }
}

/// Returns the events with texts of messages, without purged texts, and without texts of turns that recorded no key.
fn keyed_texts(events: &[Recorded]) -> Vec<TurnTextRecorded> {
    let mut unkeyed = BTreeSet::new();
    let mut recorded = Vec::new();
    for event in events.iter().filter(|event| event.purged.is_none()) {
        // An event that cannot be decoded is reported by the projections.
        if let Ok(Some(started)) = event.read::<TurnStarted>() {
            if started.features.text.is_none() {
                unkeyed.insert(started.turn);
            }
        } else if let Ok(Some(text)) = event.read::<TurnTextRecorded>() {
            recorded.push(text);
        }
    }
    recorded.retain(|text| !unkeyed.contains(&text.turn));
    recorded
}

/// Reads the texts of messages, in the order of their keys. Equal texts are returned once; blank and purged ones are
/// left out.
fn read_messages(recorded: Vec<TurnTextRecorded>, texts: &dyn TextStore) -> Result<Vec<Message>, LogError> {
    let mut messages = BTreeMap::new();
    for TurnTextRecorded { turn, text } in recorded {
        let key = text_key(&text);
        let text = match text {
            TextBody::Inline(text) => Some(text),
            TextBody::Stored { hash, .. } => texts.get(hash.0)?,
        };
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            messages.entry(key).or_insert(Message { turn, key, text });
        }
    }
    Ok(messages.into_values().collect())
}
