//! The state machine that every answer goes through: one block open at a time, indices without gaps.
//!
//! Providers may mix their blocks: two tool calls in turns, text between the pieces of a call. Readers say what they
//! read in whatever order it comes; what comes out is valid for every client:
//!
//! - an answer starts once, before everything else, and ends once, after everything else;
//! - one block is open at a time, indices count from 0 without gaps, and a block keeps the kind it started with;
//! - no block of text is empty, no delta is empty, and a call without arguments is a call with `{}`.
//!
//! A block that another one interrupts before it can be complete stays open, and the other one waits. What can be
//! complete: text and thinking whenever something follows, a call when its provider says so or its object is closed.

use std::collections::VecDeque;

use super::{
    ConvertError,
    balance::Balance,
    canonical::{
        response::{Event, Failure, Kind, Start, Stop},
        tokens::Tokens,
    },
    ids,
};

/// Orders what readers say into valid events.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    ready: VecDeque<Event>,
    stage: Stage,
    /// The first is the open one, or the next to open; the others wait.
    queue: VecDeque<Block>,
    /// How many blocks have left the queue, and so the [`Handle`] of its first.
    left: usize,
    /// How many blocks have started: the index of the next.
    started: usize,
    called: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Stage {
    #[default]
    Before,
    Running,
    Ended,
}

#[derive(Debug)]
struct Block {
    kind: Kind,
    waiting: String,
    /// Whether clients know of it.
    begun: bool,
    closed: bool,
    balance: Balance,
}

impl Block {
    const fn is_json(&self) -> bool {
        matches!(self.kind, Kind::Tool { custom: false, .. })
    }

    /// Whether it may end when something else follows.
    const fn may_end(&self) -> bool {
        self.closed || !matches!(self.kind, Kind::Tool { .. }) || (self.is_json() && self.balance.is_complete())
    }
}

/// What a reader calls a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Handle(usize);

impl Blocks {
    /// The next event for a writer.
    pub(crate) fn next(&mut self) -> Option<Event> {
        self.ready.pop_front()
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.stage == Stage::Ended
    }

    /// The answer begins. Only the first time counts.
    pub(crate) fn start(&mut self, start: Start) {
        if self.stage == Stage::Before {
            self.stage = Stage::Running;
            self.ready.push_back(Event::Started(start));
        }
    }

    /// A block begins, after those that are open.
    pub(crate) fn open(&mut self, mut kind: Kind) -> Handle {
        if let Kind::Tool { id, .. } = &mut kind {
            *id = ids::safe(std::mem::take(id));
        }
        self.start(Start::default());
        self.called |= matches!(kind, Kind::Tool { .. });
        self.queue.push_back(Block {
            kind,
            waiting: String::new(),
            begun: false,
            closed: false,
            balance: Balance::default(),
        });
        self.advance();
        Handle(self.left + self.queue.len() - 1)
    }

    /// More of a block.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] when the block had ended.
    pub(crate) fn delta(&mut self, handle: Handle, more: &str) -> Result<(), ConvertError> {
        const LATE: ConvertError = ConvertError::malformed("the answer", "goes on with a block that had ended");
        if more.is_empty() || self.has_ended() {
            return Ok(());
        }
        let place = handle.0.checked_sub(self.left);
        let Some(block) = place.and_then(|place| self.queue.get_mut(place)) else {
            return if more.trim().is_empty() { Ok(()) } else { Err(LATE) };
        };
        if block.closed || (block.is_json() && !block.balance.follow(more)) {
            return Err(LATE);
        }
        block.waiting.push_str(more);
        if place == Some(0) {
            self.show_first();
        }
        Ok(())
    }

    /// More text or thinking, from an API that does not say where one block ends and another begins.
    pub(crate) fn flow(&mut self, kind: Kind, more: &str) -> Result<(), ConvertError> {
        if more.is_empty() || self.has_ended() {
            return Ok(());
        }
        let last = self.queue.back().filter(|last| last.kind == kind && !last.closed);
        let handle = match last {
            Some(_) => Handle(self.left + self.queue.len() - 1),
            None => self.open(kind),
        };
        self.delta(handle, more)
    }

    /// Nothing more comes for a block.
    pub(crate) fn close(&mut self, handle: Handle) {
        let block = handle.0.checked_sub(self.left).and_then(|place| self.queue.get_mut(place));
        if let Some(block) = block {
            block.closed = true;
            self.advance();
        }
    }

    /// The answer ends. Only the first end counts.
    ///
    /// Some providers say that they stopped although they called a tool, and the other way round: clients believe the
    /// reason, so the calls decide.
    pub(crate) fn finish(&mut self, stop: Stop, tokens: Tokens) {
        if self.has_ended() {
            return;
        }
        self.start(Start::default());
        self.queue.iter_mut().for_each(|block| block.closed = true);
        self.advance();
        let stop = match (stop, self.called) {
            (Stop::EndTurn, true) => Stop::ToolUse,
            (Stop::ToolUse, false) => Stop::EndTurn,
            (stop, _) => stop,
        };
        self.stage = Stage::Ended;
        self.ready.push_back(Event::Finished { stop, tokens });
    }

    /// The answer ends with an error. What waits for an open block is not shown: the answer is void.
    pub(crate) fn fail(&mut self, failure: Failure) {
        if !self.has_ended() {
            self.start(Start::default());
            self.stage = Stage::Ended;
            self.ready.push_back(Event::Failed(failure));
        }
    }

    /// Ends what can end and begins what follows.
    fn advance(&mut self) {
        while let Some(first) = self.queue.front() {
            if !first.begun && (matches!(first.kind, Kind::Tool { .. }) || !first.waiting.is_empty()) {
                self.show_first();
                continue;
            }
            if !(first.closed || (self.queue.len() > 1 && first.may_end())) {
                return;
            }
            if first.is_json() && !first.balance.is_begun() {
                self.ready.push_back(Event::Delta("{}".to_owned()));
            }
            if first.begun {
                self.ready.push_back(Event::BlockStopped);
            }
            self.queue.pop_front();
            self.left += 1;
        }
    }

    /// Says what is known of the first block.
    fn show_first(&mut self) {
        let Some(first) = self.queue.front_mut() else { return };
        if !std::mem::replace(&mut first.begun, true) {
            self.ready.push_back(Event::BlockStarted { index: self.started, kind: first.kind.clone() });
            self.started += 1;
        }
        if !first.waiting.is_empty() {
            self.ready.push_back(Event::Delta(std::mem::take(&mut first.waiting)));
        }
    }
}
