//! The structural features of a turn, by which the pattern store finds turns like it.

use serde::{Deserialize, Serialize};

/// What a message seems to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum IntentTag {
    /// Version control.
    Commit,
    /// Changing shape without changing behaviour.
    Refactor,
    /// Design.
    Architecture,
    /// Finding what is wrong.
    Debug,
    /// Writing documentation.
    Doc,
    /// Writing or running tests.
    Test,
}

impl IntentTag {
    /// All tags, in the order of their bits.
    pub const ALL: [Self; 6] = [Self::Commit, Self::Refactor, Self::Architecture, Self::Debug, Self::Doc, Self::Test];
}

/// A set of [`IntentTag`]s, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IntentTags(pub u8);

impl IntentTags {
    /// The set with one more tag.
    #[must_use]
    pub const fn with(self, tag: IntentTag) -> Self {
        Self(self.0 | (1 << tag as u8))
    }

    /// Whether a tag is in the set.
    pub const fn has(self, tag: IntentTag) -> bool {
        self.0 & (1 << tag as u8) != 0
    }
}

impl FromIterator<IntentTag> for IntentTags {
    fn from_iter<I: IntoIterator<Item = IntentTag>>(tags: I) -> Self {
        tags.into_iter().fold(Self::default(), Self::with)
    }
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum SideEffect {
    /// Nothing outside the conversation.
    None,
    /// Reads files.
    Read,
    /// Writes files.
    Write,
    /// Runs programs.
    Execute,
    /// Talks to the network.
    Network,
}

/// The size of a prompt, roughly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenBucket(pub u8);

impl TokenBucket {
    /// 0 below 1,000 tokens, 1 below 10,000, 2 below 100,000, 3 from there on.
    pub const fn of(tokens: u64) -> Self {
        Self(match tokens {
            0..1_000 => 0,
            1_000..10_000 => 1,
            10_000..100_000 => 2,
            _ => 3,
        })
    }
}

/// A text as the pattern store remembers it: its words as numbers, and its shape.
///
/// One way only: many words share a number, and neither order nor repetition is kept. It stays when the text
/// is purged, and is not taken where texts must not be recorded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Sketch {
    /// Numbers of words and of beginnings of words, sorted, each once.
    pub words: Vec<u16>,
    /// Numbers of pairs of words, sorted, each once; none that is in `words` as well.
    pub pairs: Vec<u16>,
    /// How long it is and what it is made of, in levels; empty when nothing is known of the text.
    pub shape: Vec<u8>,
}

impl Sketch {
    /// All its numbers: words first, then pairs.
    pub fn numbers(&self) -> impl Iterator<Item = u16> {
        self.words.iter().chain(&self.pairs).copied()
    }
}

/// What a message says about the answer before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Nothing.
    #[default]
    Plain,
    /// It was wrong, or is to be undone.
    Correction,
    /// It was right.
    Approval,
}

/// The features of a turn, known when it starts. Every list is sorted and without repetition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Features {
    /// Extensions of files touched, lower case, with the dot.
    pub extensions: Vec<String>,
    /// Top-level directories of files touched, inside the workspace.
    pub directories: Vec<String>,
    /// Names of tools used.
    pub tools: Vec<String>,
    /// What those tools do to the world.
    pub side_effects: Vec<SideEffect>,
    /// Images in the message.
    pub images: bool,
    /// Tool calls earlier in the session.
    pub tool_history: bool,
    /// The size of the prompt.
    pub tokens: TokenBucket,
    /// What the message asks for.
    pub intents: IntentTags,
    /// What kind of work the caller says it is.
    pub workload: Option<String>,
    /// The words of the message; empty where texts must not be recorded.
    pub sketch: Sketch,
    /// The start of the hash of the message, by which its embedding is found; only where an embedder is set.
    pub text: Option<u64>,
}
