//! Orders the content blocks of a response: one block is open at a time, and indices have no gaps.
//!
//! Providers may interleave blocks, such as the deltas of two tool calls. Readers add deltas in the order of arrival;
//! the resulting events are valid for every client:
//!
//! - a response starts once, before everything else, and ends once, after everything else;
//! - one block is open at a time, indices count from 0 without gaps, and the kind of a block does not change;
//! - no text block is empty, no delta is empty, and a call without arguments has the arguments `{}`.
//!
//! A block stays open until it may end, and later blocks are buffered. Text and thinking may end when another block
//! follows, a tool call when its provider closes it or its object is complete.

use std::collections::VecDeque;

use super::{
    ConvertError,
    balance::BracketCounter,
    canonical::{
        response::{BlockKind, Event, Failure, Start, Stop},
        tokens::Tokens,
    },
    ids,
};

/// The maximum number of blocks in a response that is converted.
const MAX_BLOCKS: usize = 4_096;

/// The maximum size of the content of a response that is converted, in bytes. Clients of Responses receive the content
/// again in the last events; models write about one megabyte at most.
pub(crate) const MAX_CONTENT_BYTES: usize = 8 * 1024 * 1024;

/// Converts the content blocks and deltas of a provider's response into a sequence of events in which one block is open
/// at a time. The provider may interleave the blocks. Later blocks are buffered until the open one ends.
#[derive(Debug, Default)]
pub(crate) struct BlockSequencer {
    /// The events that were emitted and not yet removed by [`BlockSequencer::next_event`].
    ready_events: VecDeque<Event>,
    /// The stage of the response.
    stage: Stage,
    /// The open block, then the buffered ones.
    queue: VecDeque<Block>,
    /// The number of blocks that were removed from the front of the queue. The first block in the queue has it as
    /// its [`BlockHandle`].
    removed_blocks: usize,
    /// The number of blocks whose start was emitted, and so the index of the next block.
    started_blocks: usize,
    /// Whether any block is a tool call.
    has_tool_call: bool,
    /// The size of the content so far, in bytes.
    content_bytes: usize,
}

/// The progress of a response. Its start is emitted before all content blocks, its end after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Stage {
    /// No event was emitted.
    #[default]
    NotStarted,
    /// The start was emitted, the end was not.
    Running,
    /// The last event was emitted; further content is ignored.
    Ended,
}

/// A content block of a response that has not ended: the open one, or one that is buffered.
#[derive(Debug)]
struct Block {
    /// The kind of the block, with the id and name of a tool call.
    kind: BlockKind,
    /// Content that was not emitted yet.
    buffered: String,
    /// Whether its start event was emitted.
    has_started: bool,
    /// Whether its provider closed it.
    is_closed: bool,
    /// The brackets of a tool call's arguments, whose end also ends the block.
    brackets: BracketCounter,
}

impl Block {
    /// Returns whether the content of the block is a JSON object, as in a function call. The content of calls of custom
    /// tools is free text.
    const fn is_json(&self) -> bool {
        matches!(self.kind, BlockKind::Tool { custom: false, .. })
    }

    /// Returns whether the block may end when another one follows. Text and thinking always may; a tool call may if its
    /// provider closed it or its arguments are complete.
    const fn may_end(&self) -> bool {
        self.is_closed
            || !matches!(self.kind, BlockKind::Tool { .. })
            || (self.is_json() && self.brackets.is_complete())
    }
}

/// Identifies a content block of the response: its number, from 0, in the order in which blocks were opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BlockHandle(usize);

impl BlockSequencer {
    /// Removes and returns the next event of the converted response; `None` if none is ready.
    pub(crate) fn next_event(&mut self) -> Option<Event> {
        self.ready_events.pop_front()
    }

    /// Returns whether the last event of the response was emitted.
    pub(crate) fn has_ended(&self) -> bool {
        self.stage == Stage::Ended
    }

    /// Checks that the number of blocks and the size of their content do not exceed the limits.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the response is too large to be converted.
    pub(crate) fn check_size(&self) -> Result<(), ConvertError> {
        if MAX_BLOCKS < self.removed_blocks + self.queue.len() || MAX_CONTENT_BYTES < self.content_bytes {
            return Err(ConvertError::TOO_LARGE);
        }
        Ok(())
    }

    /// Emits the start of the response. Does nothing if it was emitted before.
    pub(crate) fn start(&mut self, start: Start) {
        if self.stage == Stage::NotStarted {
            self.stage = Stage::Running;
            self.ready_events.push_back(Event::Started(start));
        }
    }

    /// Adds a content block after all others and returns its handle. Starts the response if it has not started. The id
    /// of a tool call that not every API accepts is replaced by a derived one.
    pub(crate) fn open_block(&mut self, mut kind: BlockKind) -> BlockHandle {
        if let BlockKind::Tool { id, .. } = &mut kind {
            *id = ids::valid_call_id(std::mem::take(id));
        }
        self.start(Start::default());
        self.has_tool_call |= matches!(kind, BlockKind::Tool { .. });
        self.queue.push_back(Block {
            kind,
            buffered: String::new(),
            has_started: false,
            is_closed: false,
            brackets: BracketCounter::default(),
        });
        self.advance();
        BlockHandle(self.removed_blocks + self.queue.len() - 1)
    }

    /// Appends content to a block of the response. The content is emitted if the block is the open one, and buffered
    /// otherwise. Empty content, and content after the end of the response, is ignored.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the block has ended, if its JSON object is already complete, or if the response is
    /// too large with this content. White space after the end of the block is no error.
    pub(crate) fn append(&mut self, handle: BlockHandle, more: &str) -> Result<(), ConvertError> {
        const BLOCK_HAS_ENDED: ConvertError =
            ConvertError::malformed("the answer", "goes on with a block that had ended");
        if more.is_empty() || self.has_ended() {
            return Ok(());
        }
        // Before the content is copied.
        if MAX_CONTENT_BYTES < self.content_bytes.saturating_add(more.len()) {
            return Err(ConvertError::TOO_LARGE);
        }
        let position = handle.0.checked_sub(self.removed_blocks);
        let Some(block) = position.and_then(|position| self.queue.get_mut(position)) else {
            return if more.trim().is_empty() { Ok(()) } else { Err(BLOCK_HAS_ENDED) };
        };
        if block.is_closed || (block.is_json() && !block.brackets.feed(more)) {
            return Err(BLOCK_HAS_ENDED);
        }
        self.content_bytes += more.len();
        block.buffered.push_str(more);
        if position == Some(0) {
            self.emit_first();
        }
        Ok(())
    }

    /// Appends text or thinking to the response, for APIs that do not mark where blocks start and end. Opens a block
    /// unless the last one is open and of this kind.
    ///
    /// # Errors
    /// Those of [`BlockSequencer::append`].
    pub(crate) fn append_run(&mut self, kind: BlockKind, content: &str) -> Result<(), ConvertError> {
        if content.is_empty() || self.has_ended() {
            return Ok(());
        }
        let open_run = self.queue.back().filter(|open_run| open_run.kind == kind && !open_run.is_closed);
        let handle = match open_run {
            Some(_) => BlockHandle(self.removed_blocks + self.queue.len() - 1),
            None => self.open_block(kind),
        };
        self.append(handle, content)
    }

    /// Closes a content block: its provider sends no more content for it. Does nothing if the block has ended.
    pub(crate) fn close_block(&mut self, handle: BlockHandle) {
        let block = handle.0.checked_sub(self.removed_blocks).and_then(|position| self.queue.get_mut(position));
        if let Some(block) = block {
            block.is_closed = true;
            self.advance();
        }
    }

    /// Ends the response: closes all blocks and emits their content, then the stop reason and the token counts. Does
    /// nothing if the response has ended.
    ///
    /// Some providers send a stop reason that does not match the tool calls. Clients rely on it, so it is corrected:
    /// with tool calls, the end of the turn becomes tool use, and without any the reverse.
    pub(crate) fn finish(&mut self, stop: Stop, tokens: Tokens) {
        if self.has_ended() {
            return;
        }
        self.start(Start::default());
        self.queue.iter_mut().for_each(|block| block.is_closed = true);
        self.advance();
        let stop = match (stop, self.has_tool_call) {
            (Stop::EndTurn, true) => Stop::ToolUse,
            (Stop::ToolUse, false) => Stop::EndTurn,
            (stop, _) => stop,
        };
        self.stage = Stage::Ended;
        self.ready_events.push_back(Event::Finished { stop, tokens });
    }

    /// Ends the response with an error of the provider. The content of buffered blocks is not emitted. Does nothing if
    /// the response has ended.
    pub(crate) fn fail(&mut self, failure: Failure) {
        if !self.has_ended() {
            self.start(Start::default());
            self.stage = Stage::Ended;
            self.ready_events.push_back(Event::Failed(failure));
        }
    }

    /// Emits as many events of the response as possible: starts the first block of the queue, and while it may end,
    /// ends it and continues with the next one.
    fn advance(&mut self) {
        while let Some(first) = self.queue.front() {
            if !first.has_started && (matches!(first.kind, BlockKind::Tool { .. }) || !first.buffered.is_empty()) {
                self.emit_first();
                continue;
            }
            if !(first.is_closed || (self.queue.len() > 1 && first.may_end())) {
                return;
            }
            if first.is_json() && !first.brackets.has_begun() {
                self.ready_events.push_back(Event::Delta("{}".to_owned()));
            }
            if first.has_started {
                self.ready_events.push_back(Event::BlockStopped);
            }
            self.queue.pop_front();
            self.removed_blocks += 1;
        }
    }

    /// Emits the start of the first block of the queue, unless it was emitted before, and its buffered content.
    fn emit_first(&mut self) {
        let Some(first) = self.queue.front_mut() else { return };
        if !std::mem::replace(&mut first.has_started, true) {
            self.ready_events.push_back(Event::BlockStarted { index: self.started_blocks, kind: first.kind.clone() });
            self.started_blocks += 1;
        }
        if !first.buffered.is_empty() {
            self.ready_events.push_back(Event::Delta(std::mem::take(&mut first.buffered)));
        }
    }
}
