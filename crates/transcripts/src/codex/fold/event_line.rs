//! Folds `event_msg`, usage and compaction lines: start and end of a task, typed messages, failures, compactions and
//! token usage.

use catalogue::estimate::count_characters;
use client_formats::user_text::{UserText, classify};
use contracts::events::{CompactionTrigger, TurnStatus};
use event_core::Timestamp;
use serde_json::value::RawValue;

use super::{Fold, LineContext, Message};
use crate::{
    codex::{failure, line::Payload, response::Response, thread::LastLine, usage::Counts},
    observed::{ObservedCompaction, ObservedFailure, Step},
};

/// Types of events that are ignored, because they repeat items of the conversation or are only displayed.
const IGNORED_TYPES: [&str; 20] = [
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "exec_command_begin",
    "exec_command_end",
    "patch_apply_begin",
    "patch_apply_end",
    "mcp_tool_call_begin",
    "mcp_tool_call_end",
    "web_search_end",
    "image_generation_end",
    "view_image_tool_call",
    "entered_review_mode",
    "exited_review_mode",
    "thread_rolled_back",
    "thread_goal_updated",
    "thread_name_updated",
    "thread_settings_applied",
    "sub_agent_activity",
    "guardian_assessment",
];

impl Fold {
    /// Reads an `event_msg` line of the session file by the type of its event. Unknown types are counted as skipped.
    pub(super) fn fold_event(&mut self, context: &LineContext<'_>) {
        let (at, event) = (context.at, context.payload);
        match event.kind.text() {
            "task_started" | "turn_started" => self.begin_task(event.turn_id.get(), at, true),
            "user_message" => {
                let images = event.images.0 + event.local_images.0;
                self.typed_message(event.message.text(), images, at);
            }
            "item_completed" if event.item.kind.text() == "UserMessage" => {
                self.typed_message(&event.item.content.joined(), event.item.content.images, at);
            }
            "item_completed" => {}
            "task_complete" | "turn_complete" => self.complete_task(context),
            "turn_aborted" => {
                self.candidate = None;
                if let Some(open) = &mut self.running {
                    let is_end_of_review = event.reason.text() == "review_ended";
                    open.end(if is_end_of_review { TurnStatus::Completed } else { TurnStatus::Cancelled }, at);
                }
            }
            "token_count" => self.add_token_count(context),
            // The line of the compaction is more detailed and precedes its event.
            "context_compacted" if std::mem::take(&mut self.is_compaction_recorded) => {}
            "context_compacted" => self.add_compaction(context),
            "error" => self.add_failure(context, event.message.text(), event.codex_error_info, false),
            "stream_error" => self.add_failure(context, event.message.text(), event.codex_error_info, true),
            kind if IGNORED_TYPES.contains(&kind)
                || kind.starts_with("collab_")
                || kind.starts_with("dynamic_tool_call_") => {}
            kind => self.skipped.count_unknown(kind),
        }
    }

    /// Starts a turn with a message that the file marks as typed by the user. `images` is the number of its images.
    /// Texts that the client added are ignored.
    fn typed_message(&mut self, text: &str, images: u64, at: Timestamp) {
        let text = match classify(text, None) {
            UserText::Typed(typed) => text.get(typed).unwrap_or_default(),
            _ if text.is_empty() && images > 0 => text,
            _ => return,
        };
        self.has_message_marks = true;
        self.candidate = None;
        self.thread.last_input_at = Some(at);
        if self.unmarked_messages == 0 {
            self.thread.add_text(count_characters(text), images);
        }
        self.unmarked_messages = self.unmarked_messages.saturating_sub(1);
        self.start(Some(Message { text: text.to_owned(), images }), at);
    }

    /// Ends the running turn at the end of a task: as failed if the event contains an error, and otherwise as
    /// completed.
    fn complete_task(&mut self, context: &LineContext<'_>) {
        if let Some(error) = context.payload.error.filter(|error| error.get() != "null") {
            // An error of any layout means that the task failed.
            match serde_json::from_str::<Payload<'_>>(error.get()) {
                Ok(error) => self.add_failure(context, error.message.text(), error.codex_error_info, false),
                Err(_) => self.add_failure(context, error.get(), None, false),
            }
        }
        self.candidate = None;
        if let Some(open) = &mut self.running {
            let has_failed = open.last_line == LastLine::Failure;
            open.end(if has_failed { TurnStatus::Failed } else { TurnStatus::Completed }, context.at);
        }
    }

    /// Records a failed model call with the error `text` and the client's `info` about it. `is_retried` is whether
    /// another attempt follows. Ignored if the last line of the turn is a failure without a retry, which the end of the
    /// task repeats.
    fn add_failure(&mut self, context: &LineContext<'_>, text: &str, info: Option<&RawValue>, is_retried: bool) {
        let (class, status) = failure::classify_failure(text, info.map(RawValue::get));
        let (id, at) = (format!("{}:line {}", self.own_id.as_deref().unwrap_or_default(), self.line), context.at);
        let model = Some(self.thread.model_name());
        let Some(open) = self.turn_for(at) else { return };
        // The end of the task repeats the error that ended it.
        if open.last_line == LastLine::Failure {
            return;
        }
        let attempts = open.turn.steps.iter().rev().map_while(|step| match step {
            Step::Failed(failure) => failure.attempt,
            _ => None,
        });
        let attempt = is_retried.then(|| attempts.max().unwrap_or(0) + 1);
        open.finish_response(true);
        open.push(Step::Failed(ObservedFailure { id, at, model, class, status, attempt }));
        open.record_last_line(if is_retried { LastLine::Other } else { LastLine::Failure }, at);
    }

    /// Records a compaction of the history in the running turn, or in a new one without a message. The prompt of the
    /// thread becomes the remaining history. The trigger is assumed to be automatic.
    pub(super) fn add_compaction(&mut self, context: &LineContext<'_>) {
        let at = context.at;
        self.is_compaction_recorded = context.payload.kind.text() != "context_compacted";
        let id = format!("{}:line {}", self.own_id.as_deref().unwrap_or_default(), self.line);
        let tokens_before = self.thread.last_counts.map(|last| last.input_total());
        let Some(open) = self.turn_for(at) else { return };
        open.finish_response(true);
        let trigger = CompactionTrigger::Automatic;
        open.push(Step::Compacted(ObservedCompaction { id, at, trigger, tokens_before }));
        open.last_at = open.last_at.max(at);
        let history = context.payload.replacement_history.as_deref().unwrap_or_default();
        let mut size = history.iter().map(|item| item.content.characters()).sum();
        if history.is_empty() {
            size += count_characters(context.payload.message.text());
        }
        let images = history.iter().map(|item| item.content.images).sum();
        self.thread.compact(size, history.len().max(1) as u64, images);
        self.thread.last_input_at = Some(at);
    }

    /// Records the usage of one model call from a `token_usage_record` line, which newer versions write with the
    /// provider's id. Ignored if a `token_count` line has already reported the same total.
    pub(super) fn add_usage_record(&mut self, context: &LineContext<'_>) {
        let record = context.payload;
        let Some(counts) = record.usage else { return };
        let previous_total = self.thread.total_counts;
        if let (Some(total), Some(previous_total)) = (record.thread_token_usage, previous_total)
            && total.has_same_counts(&previous_total)
        {
            // A `token_count` line has already reported it.
            return;
        }
        // Without a total, compute it, so that the `token_count` that follows is recognised as already reported.
        self.thread.total_counts =
            record.thread_token_usage.or_else(|| Some(previous_total.unwrap_or_default().plus(&counts)));
        self.assign_usage(counts, record.response_id.get(), context.at);
    }

    /// Records the usage of one model call from a `token_count` line. These lines are often repeated, so a line with an
    /// unchanged total is ignored.
    fn add_token_count(&mut self, context: &LineContext<'_>) {
        let Some(info) = context.payload.info else { return };
        let call_counts = match (info.total_token_usage, info.last_token_usage) {
            (Some(total), last) => {
                let previous_total = self.thread.total_counts.replace(total);
                if previous_total.is_some_and(|previous_total| previous_total.has_same_counts(&total)) {
                    return;
                }
                last.or_else(|| Some(total.since(&previous_total.unwrap_or_default())))
            }
            (None, Some(last)) if self.thread.last_counts.is_some_and(|before| before.has_same_counts(&last)) => return,
            (None, last) => last,
        };
        if let Some(counts) = call_counts.filter(|counts| !counts.is_zero()) {
            self.assign_usage(counts, None, context.at);
        }
    }

    /// Assigns a usage report to the current response, or to a new one if there is none or it already has a report.
    /// `id` is the provider's id of the response.
    fn assign_usage(&mut self, counts: Counts, id: Option<&str>, at: Timestamp) {
        let (model, started_at) = (self.thread.model_name(), self.thread.last_input_at);
        let Some(open) = self.turn_for(at) else { return };
        let awaits_usage = open.response.as_ref().is_some_and(|response| response.counts.is_none());
        if !awaits_usage {
            open.finish_response(true);
            let response = Response { has_counts_first: true, ..Response::new(model, started_at, at) };
            open.response = Some(response);
            if open.last_line == LastLine::Message {
                open.record_last_line(LastLine::Answer { text: false }, at);
            }
        }
        if let Some(response) = &mut open.response {
            response.counts = Some(counts);
            response.id = id.map(str::to_owned);
        }
        if !awaits_usage {
            self.thread.begin_response();
        }
        self.thread.last_counts = Some(counts);
        self.thread.set_recorded_tokens(counts.input_total());
    }
}
