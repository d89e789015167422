//! Folds `user` lines: messages, tool results, and notes of the client.

use catalogue::estimate::count_characters;
use client_formats::user_text::{UserText, classify};
use contracts::{
    CacheVariant,
    events::{ToolOutcome, TurnStatus},
};

use super::{Fold, LineContext};
use crate::{
    claude_code::{
        content::Block,
        line::{Line, Message},
        thread::{LastLine, OpenTurn},
    },
    observed::{ObservedResult, Step},
};

impl Fold {
    /// Reads a `user` line of the session file. Its content determines its kind: the summary of a compaction, tool
    /// results, a note of the client, an interruption, a command or a message. A message starts a turn. A command
    /// starts a turn if a call, a failure or an interruption follows.
    pub(super) fn fold_user_line(&mut self, context: &LineContext<'_>, line: &Line<'_>, message: &Message<'_>) {
        let content = &message.content;
        let results: Vec<&Block<'_>> =
            content.blocks().iter().filter(|block| block.kind.text() == "tool_result").collect();
        let text = content.joined_text();
        let images = content.images();
        let size = count_characters(&text);
        if line.is_compact_summary.0 {
            self.thread(&context.key).compact(size);
            return;
        }
        if !results.is_empty() {
            self.add_results(context, line, &results);
            if classify(&text, None) == UserText::Interruption {
                self.cancel_turn(context);
            }
            return;
        }
        if line.is_visible_in_transcript_only.0 || (size == 0 && images == 0) {
            return;
        }
        let describes_image = text.trim_start().starts_with("[Image");
        let mut kind = classify(&text, None);
        if line.is_meta.0 {
            // The text of a command or a skill, if it is not a note of the client.
            if kind != UserText::Injected && !describes_image {
                self.thread(&context.key).variant = CacheVariant::COMMAND;
            }
            kind = UserText::Injected;
        }
        if kind == UserText::Interruption {
            self.cancel_turn(context);
            return;
        }
        let thread = self.thread(&context.key);
        thread.add_text(size, images);
        let before = thread.before.clone();
        let turn = |text: String| {
            let (session, name) = (context.session.clone(), context.uuid.to_owned());
            OpenTurn::new(session, context.key.clone(), name, context.at, text, 0 < images, before.clone())
        };
        match kind {
            UserText::Typed(range) => {
                thread.candidate = None;
                thread.variant = CacheVariant::PLAIN;
                let turn = turn(text.get(range).unwrap_or_default().to_owned());
                self.start(turn);
            }
            UserText::Command(text) => {
                if is_exit_command(&text) {
                    thread.leave();
                }
                thread.candidate = Some(turn(text));
            }
            // Text before the first call is part of the prompt that was decided about.
            UserText::CommandOutput
            | UserText::Interruption
            | UserText::Notification
            | UserText::ExampleEnd
            | UserText::Injected => {
                if let Some(candidate) = &mut thread.candidate {
                    candidate.turn.before = before;
                } else if let Some(open) = self.running(&context.key)
                    && open.last_line == LastLine::Message
                {
                    open.turn.before = before;
                }
            }
        }
    }

    /// Marks the running turn as cancelled by the user. If a command waits for its first model call, its turn is
    /// started and cancelled.
    fn cancel_turn(&mut self, context: &LineContext<'_>) {
        if let Some(candidate) = self.thread(&context.key).candidate.take() {
            self.start(candidate);
        }
        let at = context.at;
        if let Some(open) = self.running(&context.key) {
            open.turn.end = Some((TurnStatus::Cancelled, at));
            open.record_last_line(LastLine::Other, at);
        }
    }

    /// Adds the tool results of a line to the prompt of the thread and to the running turn. The outcome of a tool that
    /// the user declined or interrupted is [`ToolOutcome::Interrupted`].
    fn add_results(&mut self, context: &LineContext<'_>, line: &Line<'_>, results: &[&Block<'_>]) {
        let at = context.at;
        for block in results {
            let size = &block.content;
            let thread = self.thread(&context.key);
            thread.add_text(size.characters, size.images);
            thread.before.extensions.extend(size.extensions.iter().cloned());
            let is_declined = ["The user doesn't want to", "User rejected tool use", "[Request interrupted by user"]
                .iter()
                .any(|start| size.beginning.trim_start_matches("Error: ").starts_with(start));
            let outcome = if line.tool_use_result.is_interrupted || (block.is_error.0 && is_declined) {
                ToolOutcome::Interrupted
            } else if block.is_error.0 {
                ToolOutcome::Failed
            } else {
                ToolOutcome::Succeeded
            };
            let id = block.tool_use_id.text().to_owned();
            let (output_bytes, extensions) = (size.bytes, size.extensions.clone());
            if let Some(open_turn) = self.running(&context.key) {
                open_turn.unanswered_calls.remove(&id);
                let result = ObservedResult { id, at, outcome, output_bytes, extensions };
                open_turn.turn.steps.push(Step::ToolFinished(result));
                open_turn.record_last_line(LastLine::Other, at);
            }
        }
    }
}

/// Returns whether a command of the client, such as `/exit`, ends the session.
fn is_exit_command(command: &str) -> bool {
    matches!(command.split_whitespace().next(), Some("/exit" | "/quit"))
}
