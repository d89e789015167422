//! Folds notes of the client: failed calls and compactions.

use contracts::events::CompactionTrigger;
use serde_json::value::RawValue;

use super::{Fold, LineContext};
use crate::{
    claude_code::{
        failure::{self, Failure},
        line::{CompactMetadata, Line, Message},
        thread::LastLine,
    },
    observed::{ObservedCompaction, ObservedFailure, Step},
};

impl Fold {
    /// Records a failed model call from an `assistant` line with `isApiErrorMessage`, which contains its error.
    pub(super) fn add_error_message(&mut self, context: &LineContext<'_>, line: &Line<'_>, message: &Message<'_>) {
        let name: Option<String> = line.error.and_then(|error| serde_json::from_str(error.get()).ok());
        let failure = failure::of_message(&message.content.joined_text(), name.as_deref());
        self.add_failure(context, failure, None);
    }

    /// Records a failed model call in the running turn. `attempt` is the number of the attempt, from 1, if the client
    /// retried it, and otherwise `None`.
    fn add_failure(&mut self, context: &LineContext<'_>, (class, status): Failure, attempt: Option<u32>) {
        let model = self.thread(&context.key).model.clone();
        let failure = ObservedFailure { id: context.uuid.to_owned(), at: context.at, model, class, status, attempt };
        if let Some(open) = self.turn_for(context) {
            open.turn.steps.push(Step::Failed(failure));
            open.record_last_line(if attempt.is_none() { LastLine::Failure } else { LastLine::Other }, context.at);
        }
    }

    /// Reads a `system` line of the session file: a failed attempt of a model call, or a compaction of the history.
    /// Lines of other subtypes are ignored.
    pub(super) fn fold_system_line(&mut self, context: &LineContext<'_>, line: &Line<'_>) {
        match line.subtype.text() {
            "api_error" => {
                let failure = failure::of_attempt(line.error.map(RawValue::get));
                self.add_failure(context, failure, Some(line.retry_attempt.unwrap_or(1)));
            }
            "compact_boundary" => {
                let is_manual = line.compact_metadata.as_ref().is_some_and(CompactMetadata::is_manual);
                let compaction = ObservedCompaction {
                    id: context.uuid.to_owned(),
                    at: context.at,
                    trigger: if is_manual { CompactionTrigger::Manual } else { CompactionTrigger::Automatic },
                    tokens_before: line.compact_metadata.as_ref().and_then(|metadata| metadata.pre_tokens),
                };
                // A compaction does not end a turn.
                match self.running(&context.key) {
                    Some(open) => open.turn.steps.push(Step::Compacted(compaction)),
                    None => self.thread(&context.key).early_compactions.push(compaction),
                }
            }
            _ => {}
        }
    }
}
