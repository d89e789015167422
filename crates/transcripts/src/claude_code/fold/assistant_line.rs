//! Folds `assistant` lines: model calls and their tool calls.

use catalogue::estimate::count_characters;
use contracts::{Requirement, events::StopReason};
use event_core::EventId;
use serde_json::value::RawValue;

use super::{Fold, LineContext};
use crate::{
    claude_code::{
        content::{Block, Content},
        line::{Line, Message},
        thread::LastLine,
        usage,
    },
    observed::{ObservedCall, ObservedTool, Step},
    tool_call::classify_tool_call,
};

impl Fold {
    /// Reads an `assistant` line, which contains one block of a model's response: creates the model call or updates it,
    /// and records the tool calls in the block.
    pub(super) fn add_response_line(&mut self, context: &LineContext<'_>, line: &Line<'_>, message: &Message<'_>) {
        let at = context.at;
        let request = line.request_id.get();
        // A line without a message id is a call of its own.
        let message_id = message.id.get().unwrap_or(context.uuid);
        let id = EventId::derive(&[b"call", message_id.as_bytes(), request.unwrap_or_default().as_bytes()]);
        let raw_usage = message.usage.map(RawValue::get);
        let usage = raw_usage.and_then(client_formats::usage::parse_anthropic).unwrap_or_default();
        let thread = self.thread(&context.key);
        let (started_at, variant) = (thread.last_at, thread.variant);
        let blocks = message.content.blocks();
        let count = |kind: &str| u32::try_from(blocks.iter().filter(|block| block.kind.text() == kind).count());
        let (tool_calls, thinking_blocks) = (count("tool_use").unwrap_or(u32::MAX), count_thinking(blocks));
        let is_new_call = self.seen_calls.insert(id);
        if self.turn_for(context).is_none() {
            return;
        }
        let resumption = self.resumed(&context.key, context.uuid, at);
        let Some(open_turn) = self.running(&context.key) else { return };
        open_turn.turn.steps.extend(resumption);
        if let Some(call) = open_turn.call(id) {
            if call.usage.output <= usage.output {
                call.raw_usage = raw_usage.and_then(client_formats::usage::recordable_usage_text);
            }
            call.usage = usage::largest(&call.usage, &usage);
            call.at = call.at.max(at);
            call.tool_calls = call.tool_calls.saturating_add(tool_calls);
            call.thinking_blocks = call.thinking_blocks.saturating_add(thinking_blocks);
            call.stop_reason = stop_reason(message.stop_reason.get(), call.stop_reason, call.tool_calls);
        } else if is_new_call {
            // A call is sent after all tools have returned; the lines of missing results could not be read.
            open_turn.unanswered_calls.clear();
            open_turn.calls.push((id, open_turn.turn.steps.len()));
            open_turn.turn.steps.push(Step::Call(ObservedCall {
                id,
                message: message_id.to_owned(),
                request: request.map(str::to_owned),
                at,
                began_at: at,
                started_at,
                model: message.model.text().to_owned(),
                usage,
                raw_usage: raw_usage.and_then(client_formats::usage::recordable_usage_text),
                stop_reason: stop_reason(message.stop_reason.get(), StopReason::Unknown, tool_calls),
                tool_calls,
                thinking_blocks,
                variant,
                complete: true,
            }));
        }
        let text =
            matches!(message.content, Content::Text(_)) || blocks.iter().any(|block| block.kind.text() == "text");
        open_turn.record_last_line(LastLine::Answer { text }, at);
        open_turn.turn.end = None;
        let thread = self.thread(&context.key);
        thread.before.requires.extend((0 < thinking_blocks).then_some(Requirement::EarlierThinking));
        if is_new_call {
            thread.set_recorded_tokens(usage.input_total());
        }
        thread.model = Some(message.model.text().to_owned());
        thread.before.prompt.characters += count_characters(&message.content.joined_text());
        for block in blocks.iter().filter(|block| block.kind.text() == "tool_use") {
            self.add_tool_call(context, id, block);
        }
    }

    /// Records a tool call that the model made in the response `call`, from its `tool_use` block.
    fn add_tool_call(&mut self, context: &LineContext<'_>, call: EventId, block: &Block<'_>) {
        let name = block.name.text();
        let input = block.input.map_or("", RawValue::get);
        let workspace = self.session.as_ref().and_then(|session| session.workspace.clone());
        let class = classify_tool_call(name, input, workspace.as_deref());
        let state = &mut self.thread(&context.key).before;
        state.prompt.characters += count_characters(name) + count_characters(input);
        state.tool_calls += 1;
        state.tools.insert(name.to_owned());
        state.side_effects.insert(class.side_effect);
        state.extensions.extend(class.extensions.iter().cloned());
        state.directories.extend(class.directories.iter().cloned());
        if let Some(open_turn) = self.running(&context.key) {
            let id = block.id.text().to_owned();
            open_turn.unanswered_calls.insert(id.clone());
            open_turn.turn.steps.push(Step::ToolCalled(ObservedTool {
                id,
                call,
                at: context.at,
                name: name.to_owned(),
                class,
            }));
        }
    }
}

/// Returns the number of thinking blocks.
fn count_thinking(blocks: &[Block<'_>]) -> u32 {
    let thinking = blocks.iter().filter(|block| matches!(block.kind.text(), "thinking" | "redacted_thinking"));
    u32::try_from(thinking.count()).unwrap_or(u32::MAX)
}

/// Returns the stop reason of a model call: the recorded one, or else that of an earlier line of the call, or else
/// `ToolUse` if there are tool calls.
fn stop_reason(recorded: Option<&str>, earlier: StopReason, tool_calls: u32) -> StopReason {
    match recorded {
        Some("end_turn") => StopReason::EndTurn,
        Some("tool_use") => StopReason::ToolUse,
        Some("max_tokens" | "model_context_window_exceeded") => StopReason::MaxTokens,
        Some("stop_sequence") => StopReason::StopSequence,
        Some("refusal") => StopReason::Refusal,
        _ if earlier == StopReason::Unknown && 0 < tool_calls => StopReason::ToolUse,
        _ => earlier,
    }
}
