//! Folds the client's events about a turn: its end, failures, compactions and usage.

use catalogue::estimate::characters;
use client_formats::user_text::{UserText, classify};
use contracts::events::{CompactionTrigger, TurnStatus};
use event_core::Timestamp;
use serde_json::value::RawValue;

use super::{Fold, Message, Place};
use crate::{
    codex::{failure, line::Payload, response::Response, thread::Last, usage::Counts},
    observed::{ObservedCompaction, ObservedFailure, Step},
};

/// Events that repeat items of the conversation or are only displayed.
const DROPPED: [&str; 20] = [
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
    /// Folds an `event_msg` line by the type of its event.
    pub(super) fn event(&mut self, place: &Place<'_>) {
        let (at, event) = (place.at, place.payload);
        match event.kind.text() {
            "task_started" | "turn_started" => self.begin_task(event.turn_id.get(), at, true),
            "user_message" => {
                let images = event.images.0 + event.local_images.0;
                self.typed(event.message.text(), images, at);
            }
            "item_completed" if event.item.kind.text() == "UserMessage" => {
                self.typed(&event.item.content.joined(), event.item.content.images, at);
            }
            "item_completed" => {}
            "task_complete" | "turn_complete" => self.completed(place),
            "turn_aborted" => {
                self.candidate = None;
                if let Some(open) = &mut self.running {
                    let reviewed = event.reason.text() == "review_ended";
                    open.end(if reviewed { TurnStatus::Completed } else { TurnStatus::Cancelled }, at);
                }
            }
            "token_count" => self.token_count(place),
            // The line of the compaction is more detailed and precedes its event.
            "context_compacted" if std::mem::take(&mut self.compacted) => {}
            "context_compacted" => self.compaction(place),
            "error" => self.failed(place, event.message.text(), event.codex_error_info, false),
            "stream_error" => self.failed(place, event.message.text(), event.codex_error_info, true),
            kind if DROPPED.contains(&kind)
                || kind.starts_with("collab_")
                || kind.starts_with("dynamic_tool_call_") => {}
            kind => self.skipped.count_unknown(kind),
        }
    }

    /// Starts a turn with a message that the file marks as typed. Injected texts are ignored.
    fn typed(&mut self, text: &str, images: u64, at: Timestamp) {
        let text = match classify(text, false) {
            UserText::Typed(typed) => text.get(typed).unwrap_or_default(),
            _ if text.is_empty() && images > 0 => text,
            _ => return,
        };
        self.marks_messages = true;
        self.candidate = None;
        self.thread.last_input_at = Some(at);
        if self.unmarked == 0 {
            self.thread.add_text(characters(text), images);
        }
        self.unmarked = self.unmarked.saturating_sub(1);
        self.start(Some(Message { text: text.to_owned(), images }), at);
    }

    /// Ends the running turn as completed, or as failed if the event contains an error.
    fn completed(&mut self, place: &Place<'_>) {
        if let Some(error) = place.payload.error.filter(|error| error.get() != "null") {
            // An error of any layout means that the task failed.
            match serde_json::from_str::<Payload<'_>>(error.get()) {
                Ok(error) => self.failed(place, error.message.text(), error.codex_error_info, false),
                Err(_) => self.failed(place, error.get(), None, false),
            }
        }
        self.candidate = None;
        if let Some(open) = &mut self.running {
            let failed = open.last == Last::Failure;
            open.end(if failed { TurnStatus::Failed } else { TurnStatus::Completed }, place.at);
        }
    }

    /// Adds a failed call; `again` if it is retried.
    fn failed(&mut self, place: &Place<'_>, text: &str, info: Option<&RawValue>, again: bool) {
        let (class, status) = failure::class_of(text, info.map(RawValue::get));
        let (id, at) = (format!("{}:line {}", self.own.as_deref().unwrap_or_default(), self.line), place.at);
        let model = Some(self.thread.model_name());
        let Some(open) = self.turn_for(at) else { return };
        // The end of the task repeats the error that ended it.
        if open.last == Last::Failure {
            return;
        }
        let attempts = open.turn.steps.iter().rev().map_while(|step| match step {
            Step::Failed(failure) => failure.attempt,
            _ => None,
        });
        let attempt = again.then(|| attempts.max().unwrap_or(0) + 1);
        open.settle(true);
        open.push(Step::Failed(ObservedFailure { id, at, model, class, status, attempt }));
        open.note(if again { Last::Other } else { Last::Failure }, at);
    }

    /// Adds a compaction, which is assumed to be automatic, and replaces the prompt by the remaining history.
    pub(super) fn compaction(&mut self, place: &Place<'_>) {
        let at = place.at;
        self.compacted = place.payload.kind.text() != "context_compacted";
        let id = format!("{}:line {}", self.own.as_deref().unwrap_or_default(), self.line);
        let tokens_before = self.thread.last.map(|last| last.input_total());
        let Some(open) = self.turn_for(at) else { return };
        open.settle(true);
        let trigger = CompactionTrigger::Automatic;
        open.push(Step::Compacted(ObservedCompaction { id, at, trigger, tokens_before }));
        open.last_at = open.last_at.max(at);
        let history = place.payload.replacement_history.as_deref().unwrap_or_default();
        let mut size = history.iter().map(|item| item.content.characters()).sum();
        if history.is_empty() {
            size += characters(place.payload.message.text());
        }
        let images = history.iter().map(|item| item.content.images).sum();
        self.thread.compact(size, history.len().max(1) as u64, images);
        self.thread.last_input_at = Some(at);
    }

    /// Adds the usage of one response, which newer versions record in a line of its own with the provider's id.
    pub(super) fn usage_record(&mut self, place: &Place<'_>) {
        let record = place.payload;
        let Some(counts) = record.usage else { return };
        let before = self.thread.total;
        if let (Some(total), Some(before)) = (record.thread_token_usage, before)
            && total.same(&before)
        {
            // A `token_count` line has already reported it.
            return;
        }
        // Without a total, compute it, so that the `token_count` that follows is recognised as already reported.
        self.thread.total = record.thread_token_usage.or_else(|| Some(before.unwrap_or_default().plus(&counts)));
        self.account(counts, record.response_id.get(), place.at);
    }

    /// Adds the usage of one response from the total of the thread, which is repeated often; unchanged totals are
    /// ignored.
    fn token_count(&mut self, place: &Place<'_>) {
        let Some(info) = place.payload.info else { return };
        let new = match (info.total_token_usage, info.last_token_usage) {
            (Some(total), last) => {
                let before = self.thread.total.replace(total);
                if before.is_some_and(|before| before.same(&total)) {
                    return;
                }
                last.or_else(|| Some(total.since(&before.unwrap_or_default())))
            }
            (None, Some(last)) if self.thread.last.is_some_and(|before| before.same(&last)) => return,
            (None, last) => last,
        };
        if let Some(counts) = new.filter(|counts| !counts.is_nothing()) {
            self.account(counts, None, place.at);
        }
    }

    /// Assigns a usage report to the current response, or to a new one if that has a report.
    fn account(&mut self, counts: Counts, id: Option<&str>, at: Timestamp) {
        let (model, started_at) = (self.thread.model_name(), self.thread.last_input_at);
        let Some(open) = self.turn_for(at) else { return };
        let waits = open.response.as_ref().is_some_and(|response| response.counts.is_none());
        if !waits {
            open.settle(true);
            let response = Response { counts_first: true, ..Response::new(model, started_at, at) };
            open.response = Some(response);
            if open.last == Last::Message {
                open.note(Last::Answer { text: false }, at);
            }
        }
        if let Some(response) = &mut open.response {
            response.counts = Some(counts);
            response.id = id.map(str::to_owned);
        }
        if !waits {
            self.thread.answer_begins();
        }
        self.thread.last = Some(counts);
        self.thread.restart_at(counts.input_total());
    }
}
