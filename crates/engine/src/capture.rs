//! A turn captured at its start: the event that records it, and the turn that a decision reads from that event.
//!
//! A decision reads nothing but the event, so it can be made again from the log alone (decision D14).

use std::collections::BTreeSet;

use catalogue::estimate::{PromptShape, estimates};
use contracts::{
    ClientRequest, ContentHash, Delegation, Features, MessageText, ModelId, NanoUsd, Needs, Override, SessionId,
    SideEffect, Sketch, ThreadId, TokenBucket, Tokenizer, Turn, TurnId, events::TurnStarted,
};
use evaluator::tone;
use event_core::Timestamp;
use patterns::features::{intent_tags, sketch};

/// The most names of each kind that an event carries, so that it stays within its 4 KiB.
const MOST_NAMES: usize = 24;
/// The longest such name, in bytes; longer ones are dropped.
const LONGEST_NAME: usize = 40;
/// The most bytes of names of one kind. A turn has five such lists, beside its path and its ids.
const MOST_NAME_BYTES: usize = 400;
/// The longest path of a workspace that an event carries, in bytes.
pub(crate) const LONGEST_PATH: usize = 1_000;

/// What is known of a turn when it starts.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot<'a> {
    pub(crate) turn: TurnId,
    pub(crate) session: SessionId,
    pub(crate) thread: Option<ThreadId>,
    pub(crate) at: Timestamp,
    pub(crate) offset_minutes: i16,
    /// The message, without the override token.
    pub(crate) message: &'a str,
    pub(crate) override_model: Option<Override>,
    pub(crate) sticky: Option<ModelId>,
    pub(crate) delegation: Option<Delegation>,
    pub(crate) workspace: Option<String>,
    pub(crate) needs: Needs,
    pub(crate) images: bool,
    pub(crate) prompt: PromptShape,
    pub(crate) skills: BTreeSet<String>,
    pub(crate) spent_today: NanoUsd,
    pub(crate) seen: Seen<'a>,
    /// What kind of work the caller says it is.
    pub(crate) workload: Option<String>,
    /// The request it came in.
    pub(crate) request: Option<ClientRequest>,
}

/// What becomes of the words of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// They are recorded, and the pattern store compares them.
    Remembered {
        /// Whether someone may put them into numbers later: then the turn keeps by what these are found.
        embedded: bool,
    },
    /// Not even a sketch of them stays: only what they seem to ask for and their tone, a few bits.
    Forgotten,
}

/// What the session's tools have touched before the turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) tool_calls: bool,
    pub(crate) extensions: &'a BTreeSet<String>,
    pub(crate) directories: &'a BTreeSet<String>,
    pub(crate) tools: &'a BTreeSet<String>,
    pub(crate) side_effects: &'a BTreeSet<SideEffect>,
}

impl Snapshot<'_> {
    /// The event that the turn started.
    pub(crate) fn event(self, words: Words) -> TurnStarted {
        let tokens = estimates(&self.prompt);
        let features = Features {
            extensions: bounded(self.seen.extensions),
            directories: bounded(self.seen.directories),
            tools: bounded(self.seen.tools),
            side_effects: self.seen.side_effects.iter().copied().collect(),
            images: self.images,
            tool_history: self.seen.tool_calls,
            tokens: TokenBucket::of(tokens.of(Tokenizer::Generic)),
            intents: intent_tags(self.message),
            workload: self.workload.filter(|name| name.len() <= LONGEST_NAME),
            sketch: match words {
                Words::Remembered { .. } => sketch(self.message),
                Words::Forgotten => Sketch::default(),
            },
            text: match words {
                Words::Remembered { embedded: true } => Some(text_key(self.message)),
                Words::Remembered { embedded: false } | Words::Forgotten => None,
            },
        };
        TurnStarted {
            turn: self.turn,
            session: self.session,
            thread: self.thread,
            message_bytes: self.message.len() as u64,
            offset_minutes: self.offset_minutes,
            override_model: self.override_model,
            sticky: self.sticky,
            delegation: self.delegation,
            workspace: self.workspace.filter(|path| path.len() <= LONGEST_PATH),
            needs: self.needs,
            message_has_images: self.images,
            tool_calls_in_history: self.seen.tool_calls,
            tokens,
            extensions: features.extensions.clone(),
            skills: bounded(&self.skills),
            spent_today: self.spent_today,
            features,
            tone: tone(self.message),
            request: self.request,
        }
    }
}

/// By what the embedding of a message is found.
fn text_key(message: &str) -> u64 {
    start_of_hash(&ContentHash(*blake3::hash(message.as_bytes()).as_bytes()))
}

/// The first eight bytes of a hash, the lowest first.
pub(crate) fn start_of_hash(hash: &ContentHash) -> u64 {
    hash.0.iter().take(8).rev().fold(0, |key, byte| key << 8 | u64::from(*byte))
}

/// The turn a decision is made about, from the event that it started.
pub(crate) fn turn_of(event: &TurnStarted, at: Timestamp, message: MessageText) -> Turn {
    Turn {
        id: event.turn,
        session: event.session.clone(),
        at,
        offset_minutes: event.offset_minutes,
        message,
        override_model: event.override_model.clone(),
        sticky: event.sticky.clone(),
        delegation: event.delegation,
        workspace: event.workspace.clone(),
        needs: event.needs,
        message_has_images: event.message_has_images,
        tool_calls_in_history: event.tool_calls_in_history,
        tokens: event.tokens,
        extensions: event.extensions.iter().cloned().collect(),
        skills: event.skills.iter().cloned().collect(),
        spent_today: event.spent_today,
        features: event.features.clone(),
        request: event.request.clone(),
        failed: Vec::new(),
    }
}

/// The first names in order, as many and as long as an event carries.
pub(crate) fn bounded(names: &BTreeSet<String>) -> Vec<String> {
    let mut bytes = 0;
    let fitting = names.iter().filter(|name| name.len() <= LONGEST_NAME).take(MOST_NAMES).take_while(|name| {
        bytes += name.len();
        bytes <= MOST_NAME_BYTES
    });
    fitting.cloned().collect()
}
