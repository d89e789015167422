//! [`SkillPoint`], a recorded skill decision with the message that it read.

use contracts::events::{SkillPromptRecorded, SkillRouted, TextBody, TurnTextRecorded};
use event_bus::{EventLog, TextStore};
use event_core::{EventType as _, Position, Recorded, Timestamp};

use crate::{error::WhatIfError, walk::read_text};

/// A recorded skill decision with the message that it read.
pub(crate) struct SkillPoint {
    /// The position of the decision.
    pub(crate) position: Position,
    /// The time of the decision.
    pub(crate) at: Timestamp,
    /// The event of the decision.
    pub(crate) routed: SkillRouted,
    /// The user's message; `None` if its text is gone or was not recorded.
    pub(crate) message: Option<String>,
}

impl SkillPoint {
    /// Reads the message of a decision from the log: the text of its turn, or that of the hook's prompt.
    ///
    /// # Errors
    /// [`WhatIfError`] if the log or the text store cannot be read.
    pub(crate) fn read(
        event: &Recorded,
        routed: SkillRouted,
        log: &dyn EventLog,
        texts: &dyn TextStore,
    ) -> Result<Self, WhatIfError> {
        let text = match routed.turn {
            Some(turn) => log
                .event_with_id(turn.0.then(TurnTextRecorded::KIND, 0))?
                .map(|event| event.read::<TurnTextRecorded>())
                .transpose()?
                .flatten()
                .map(|recorded| recorded.text),
            None => log
                .event_with_id(event.event.id.then(SkillPromptRecorded::KIND, 0))?
                .map(|event| event.read::<SkillPromptRecorded>())
                .transpose()?
                .flatten()
                .map(|recorded| recorded.text),
        };
        let message = text.map(|text: TextBody| read_text(&text, texts)).transpose()?.flatten();
        Ok(Self { position: event.position, at: event.event.at, routed, message })
    }
}
