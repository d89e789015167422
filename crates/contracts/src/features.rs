//! Features of a turn, by which the pattern store finds similar turns.

use serde::{Deserialize, Serialize};

/// Kind of task that a message requests, recognised by keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum IntentTag {
    /// Version control operations.
    Commit,
    /// Changes of structure without changes of behaviour.
    Refactor,
    /// Software design.
    Architecture,
    /// Diagnosis of errors.
    Debug,
    /// Writing documentation.
    Doc,
    /// Writing or running tests.
    Test,
}

impl IntentTag {
    /// All tags, in the order of their bits in [`IntentTags`].
    pub const ALL: [Self; 6] = [Self::Commit, Self::Refactor, Self::Architecture, Self::Debug, Self::Doc, Self::Test];
}

/// A set of [`IntentTag`]s, the kinds of task that a message requests, with one bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IntentTags(pub u8);

impl IntentTags {
    /// Returns the set with `tag` added.
    #[must_use]
    pub const fn with(self, tag: IntentTag) -> Self {
        Self(self.0 | (1 << tag as u8))
    }

    /// Returns whether the set contains `tag`.
    pub const fn has(self, tag: IntentTag) -> bool {
        self.0 & (1 << tag as u8) != 0
    }
}

impl FromIterator<IntentTag> for IntentTags {
    fn from_iter<I: IntoIterator<Item = IntentTag>>(tags: I) -> Self {
        tags.into_iter().fold(Self::default(), Self::with)
    }
}

/// Kind of side effect of a tool, a feature by which the pattern store compares turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum SideEffect {
    /// No effect outside the conversation.
    None,
    /// Reads files.
    Read,
    /// Writes files.
    Write,
    /// Runs programs.
    Execute,
    /// Accesses the network.
    Network,
}

/// Order of magnitude of a prompt's size, from 0 to 3: a feature by which the pattern store compares turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenBucket(pub u8);

impl TokenBucket {
    /// Returns the order of magnitude of a number of tokens: 0 below 1,000, 1 below 10,000, 2 below 100,000, otherwise
    /// 3.
    pub const fn from_tokens(tokens: u64) -> Self {
        Self(match tokens {
            0..1_000 => 0,
            1_000..10_000 => 1,
            10_000..100_000 => 2,
            _ => 3,
        })
    }
}

/// Lossy representation of a message for similarity search: hashes of words, and surface features.
///
/// The text cannot be restored: many words share a hash, and neither order nor repetition is stored. A sketch remains
/// when the text is purged. It is not computed where texts must not be recorded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Sketch {
    /// 16-bit hashes of words and word prefixes, sorted, without duplicates.
    pub words: Vec<u16>,
    /// 16-bit hashes of pairs of words, sorted, without duplicates and without the hashes in `words`.
    pub pairs: Vec<u16>,
    /// Quantised surface features (length, ratios of character classes); empty if the text is unknown.
    pub shape: Vec<u8>,
}

impl Sketch {
    /// Returns all hashes of the sketch: those of words first, then those of pairs.
    pub fn numbers(&self) -> impl Iterator<Item = u16> {
        self.words.iter().chain(&self.pairs).copied()
    }
}

/// The user's reaction to the previous response, read from the next message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// The message contains no reaction.
    #[default]
    Plain,
    /// The response was wrong, or is to be undone.
    Correction,
    /// The response was right.
    Approval,
}

/// Features of a turn, computed when it starts and stored in `turn.started`. All lists are sorted and without
/// duplicates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Features {
    /// Extensions of the files that tools accessed, in lower case, with the dot.
    pub extensions: Vec<String>,
    /// Top-level directories of the accessed files, for files inside the workspace.
    pub directories: Vec<String>,
    /// Names of the tools used.
    pub tools: Vec<String>,
    /// Kinds of side effect of the tools used.
    pub side_effects: Vec<SideEffect>,
    /// Whether the message contains images.
    pub images: bool,
    /// Whether the session had tool calls before the turn.
    pub tool_history: bool,
    /// Order of magnitude of the prompt's size in tokens.
    pub tokens: TokenBucket,
    /// Kinds of task that the message requests.
    pub intents: IntentTags,
    /// Kind of work as declared by the caller; `None` if it declared none.
    pub workload: Option<String>,
    /// Sketch of the message; empty where texts must not be recorded.
    pub sketch: Sketch,
    /// First 64 bits of the hash of the message, the key of its embedding; `None` without an embedder.
    pub text: Option<u64>,
}
