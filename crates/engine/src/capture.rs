//! Captures a turn at its start: builds the event that records it.
//!
//! A decision reads only this event and the text of the message, so it can be repeated from the log alone (decision
//! D14).

use std::collections::BTreeSet;

use catalogue::estimate::estimate_for_each_tokenizer;
use contracts::{
    ContentHash, Features, NanoUsd, Override, Sketch, Spending, TokenBucket, Tokenizer, TurnId, events::TurnStarted,
};
use evaluator::tone;
use patterns::features::{intent_tags, sketch};
use router_core::normalize_path;

use crate::{
    sessions::{History, Session},
    turn_input::TurnInput,
};

/// The maximum number of names of each kind in an event, which keeps it below 4 KiB.
const MAX_NAMES: usize = 24;
/// The longest name in an event, in bytes; longer ones are dropped.
const MAX_NAME_BYTES: usize = 40;
/// The maximum total size of the names of one kind in an event, in bytes. A turn has five such lists, a path and
/// several ids.
const MAX_LIST_BYTES: usize = 400;
/// The longest workspace path in an event, in bytes; a longer one is dropped.
pub(crate) const MAX_PATH_BYTES: usize = 1_000;

/// The part of a message that the log records, as the setting `privacy.record_text` of the policy determines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextRecording {
    /// Its text and its sketch, by which the pattern store compares messages.
    Full {
        /// Whether the turn also records the key of the message's embedding, because an embedder is configured.
        embedded: bool,
    },
    /// Neither text nor sketch; only its intents and tone, a few bits.
    FeaturesOnly,
}

/// The inputs for capturing a turn that come from the engine, not from the front end.
#[derive(Debug, Clone)]
pub(crate) struct CaptureContext<'a> {
    /// The id of the turn.
    pub(crate) turn: TurnId,
    /// The offset of the user's time zone from UTC, in minutes.
    pub(crate) offset_minutes: i16,
    /// The model that the mention selects; `None` without a mention.
    pub(crate) override_model: Option<Override>,
    /// The message without the mention.
    pub(crate) text: &'a str,
    /// The session's state in the log; `None` for a new session.
    pub(crate) session: Option<&'a Session>,
    /// The files and tools that the session has used.
    pub(crate) history: &'a History,
    /// The cost of all calls since UTC midnight.
    pub(crate) spent_today: NanoUsd,
    /// What was spent in other periods and scopes.
    pub(crate) spending: Spending,
    /// What the log records of the message.
    pub(crate) text_recording: TextRecording,
}

/// Builds the event that captures a turn at its start: everything that the decision about its model reads, except the
/// text of the message.
pub(crate) fn capture(input: &TurnInput, context: CaptureContext<'_>) -> TurnStarted {
    let CaptureContext {
        turn,
        offset_minutes,
        override_model,
        text,
        session,
        history,
        spent_today,
        spending,
        text_recording,
    } = context;
    let tokens = estimate_for_each_tokenizer(&input.prompt);
    let tool_calls_in_history = 0 < history.tool_calls;
    let workspace = input.workspace.as_deref().map(project_path).or_else(|| session?.workspace.clone());
    let features = Features {
        extensions: bounded_names(&history.extensions),
        directories: bounded_names(&history.directories),
        tools: bounded_names(&history.tools),
        side_effects: history.side_effects.iter().copied().collect(),
        images: input.images,
        tool_history: tool_calls_in_history,
        tokens: TokenBucket::from_tokens(tokens.for_tokenizer(Tokenizer::Generic)),
        intents: intent_tags(text),
        workload: input.workload.clone().filter(|name| name.len() <= MAX_NAME_BYTES),
        sketch: match text_recording {
            TextRecording::Full { .. } => sketch(text),
            TextRecording::FeaturesOnly => Sketch::default(),
        },
        text: match text_recording {
            TextRecording::Full { embedded: true } => Some(text_key(text)),
            TextRecording::Full { embedded: false } | TextRecording::FeaturesOnly => None,
        },
    };
    TurnStarted {
        turn,
        session: input.session.clone(),
        thread: input.thread.clone(),
        message_bytes: text.len() as u64,
        offset_minutes,
        override_model,
        sticky: session.filter(|_| input.is_of_conversation()).and_then(|session| session.next_sticky().cloned()),
        delegation: input.delegation,
        workspace: workspace.filter(|path| path.len() <= MAX_PATH_BYTES),
        needs: input.needs,
        message_has_images: input.images,
        tool_calls_in_history,
        tokens,
        extensions: features.extensions.clone(),
        skills: bounded_names(&input.skills),
        spent_today,
        spending,
        features,
        tone: tone(text),
        request: input.request.clone(),
    }
}

/// Returns the path by which a project is recorded, however its client writes it: without `.`, `..`, repeated and
/// trailing slashes. Paths that do not start with `/`, such as Windows paths, are returned unchanged.
pub(crate) fn project_path(path: &str) -> String {
    normalize_path(path, None).unwrap_or_else(|| path.to_owned())
}

/// Returns the key of a message's embedding: the first eight bytes of the hash of its text.
fn text_key(message: &str) -> u64 {
    hash_prefix(&ContentHash(*blake3::hash(message.as_bytes()).as_bytes()))
}

/// Returns the first eight bytes of a hash as a little-endian number.
pub(crate) fn hash_prefix(hash: &ContentHash) -> u64 {
    hash.0.iter().take(8).rev().fold(0, |key, byte| key << 8 | u64::from(*byte))
}

/// Returns the first names in alphabetical order, within the limits of number and length for an event.
pub(crate) fn bounded_names(names: &BTreeSet<String>) -> Vec<String> {
    let mut bytes = 0;
    let selected = names.iter().filter(|name| name.len() <= MAX_NAME_BYTES).take(MAX_NAMES).take_while(|name| {
        bytes += name.len();
        bytes <= MAX_LIST_BYTES
    });
    selected.cloned().collect()
}
