//! Messages of the log put into numbers by the user's embedder. No turn waits for it: a decision reads what the log
//! already has.

mod pending;

use adapters::embedder::{EmbedError, Embedder, MOST_TEXTS};
use contracts::events::{TextBody, TurnEmbedded, TurnTextRecorded};
use event_core::{Event as _, NewEvent, Position};
use serde::Serialize;

use crate::{capture::Words, engine::Engine, error::EngineError};
use pending::{Pending, pending};

/// What embedding the log's messages brought. Messages that several turns share count once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Embedded {
    /// Who did it, once something was: its model and the number of dimensions it gave.
    pub embedder: Option<String>,
    /// Messages embedded now.
    pub embedded: u64,
    /// Messages that are empty, or whose text beside the log is gone.
    pub skipped: u64,
    /// Messages the embedder would not take, and those it was not asked for after it failed.
    pub failed: u64,
    /// Why, the last time.
    pub failure: Option<EmbedError>,
}

/// A message and its text.
struct Message {
    pending: Pending,
    text: String,
}

impl Engine {
    /// Embeds the messages of the log that this embedder has not embedded yet, oldest first, and records what it says of
    /// each, batch by batch: what was recorded stays when the rest fails. Nothing where the policy forgets words.
    ///
    /// `progress` is told how many messages are done, and how many there are.
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be read or written. What the embedder fails in is in the answer.
    pub async fn embed(
        &mut self,
        embedder: &dyn Embedder,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<Embedded, EngineError> {
        let mut result = Embedded::default();
        if self.words() == Words::Forgotten {
            return Ok(result);
        }
        self.commit()?;
        let all = pending(self.log().as_ref(), embedder.name())?;
        let (mut done, total) = (0, all.len() as u64);
        let mut rest = all.into_iter();
        loop {
            let batch: Vec<_> = rest.by_ref().take(MOST_TEXTS).collect();
            if batch.is_empty() {
                return Ok(result);
            }
            done += batch.len() as u64;
            let mut messages = Vec::new();
            for pending in batch {
                match self.text_of(pending.text)? {
                    Some(text) if !text.trim().is_empty() => messages.push(Message { pending, text }),
                    _ => result.skipped += 1,
                }
            }
            let goes_on = self.embed_batch(embedder, messages, &mut result).await?;
            self.commit()?;
            if !goes_on {
                result.failed += total - done;
                return Ok(result);
            }
            progress(done, total);
        }
    }

    /// Embeds some messages together, and each by itself when the embedder will not take them all; false when there is
    /// no use in going on.
    async fn embed_batch(
        &mut self,
        embedder: &dyn Embedder,
        messages: Vec<Message>,
        result: &mut Embedded,
    ) -> Result<bool, EngineError> {
        if messages.is_empty() {
            return Ok(true);
        }
        let (pending, texts): (Vec<_>, Vec<_>) =
            messages.into_iter().map(|message| (message.pending, message.text)).unzip();
        match embedder.embed(&texts).await {
            Ok(directions) => return self.record_directions(embedder, &pending, &directions, result).map(|()| true),
            Err(error) if !error.is_about_the_texts() || texts.len() == 1 => {
                let goes_on = error.is_about_the_texts();
                result.failed += texts.len() as u64;
                result.failure = Some(error);
                return Ok(goes_on);
            }
            Err(_) => {}
        }
        let mut left = texts.len() as u64;
        let mut taken = false;
        for (pending, text) in pending.into_iter().zip(texts) {
            left -= 1;
            match embedder.embed(std::slice::from_ref(&text)).await {
                Ok(directions) => {
                    self.record_directions(embedder, &[pending], &directions, result)?;
                    taken = true;
                }
                Err(error) => {
                    let goes_on = error.is_about_the_texts();
                    result.failed += 1;
                    result.failure = Some(error);
                    if !goes_on {
                        result.failed += left;
                        return Ok(false);
                    }
                }
            }
        }
        // Where no text is taken, something else is wrong.
        Ok(taken)
    }

    fn record_directions(
        &mut self,
        embedder: &dyn Embedder,
        pending: &[Pending],
        directions: &[Vec<f32>],
        result: &mut Embedded,
    ) -> Result<(), EngineError> {
        let now = self.now();
        let mut events = Vec::new();
        for (pending, direction) in pending.iter().zip(directions) {
            let name = format!("{}/{}", embedder.name(), direction.len());
            for (turn, id) in pending.events(&name) {
                let vector = patterns::project(direction);
                let event = TurnEmbedded { turn, text: pending.key, embedder: name.clone(), vector };
                let text = turn.0.then(TurnTextRecorded::KIND, 0);
                events.push(NewEvent::new(id, now, turn.0, &event)?.caused_by(text));
            }
            result.embedder = Some(name);
            result.embedded += 1;
        }
        self.recorder.record(events)
    }

    /// The text that an event holds or names; `None` when it was removed.
    fn text_of(&self, position: Position) -> Result<Option<String>, EngineError> {
        let Some(before) = position.0.checked_sub(1) else { return Ok(None) };
        let events = self.log().read_after(Position(before), 1)?;
        let Some(event) = events.first().filter(|event| event.purged.is_none()) else { return Ok(None) };
        match event.read::<TurnTextRecorded>()? {
            Some(TurnTextRecorded { text: TextBody::Inline(text), .. }) => Ok(Some(text)),
            Some(TurnTextRecorded { text: TextBody::Stored { hash, .. }, .. }) => Ok(self.texts.get(hash.0)?),
            None => Ok(None),
        }
    }
}
