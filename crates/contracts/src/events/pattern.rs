//! Events about the pattern store: what it was told to forget, and embeddings brought to it.

use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::{event, sample};
use crate::TurnId;

/// The rows of a workspace's store have become many; the oldest will make room before long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternFilling {
    /// The path of the workspace; `None` for turns without one.
    pub workspace: Option<String>,
    /// Rows it has.
    pub rows: u32,
    /// Rows from which it counts as filling.
    pub soft_cap: u32,
    /// The most rows it may have.
    pub hard_cap: u32,
}

event!(
    PatternFilling,
    "pattern.filling",
    1,
    Internal,
    "A workspace's pattern store has passed its soft cap.",
    PatternFilling { workspace: Some("/home/dev/shop".to_owned()), rows: 5_001, soft_cap: 5_000, hard_cap: 10_000 }
);

/// Why rows were evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvictionReason {
    /// They had not changed for too long.
    Age,
    /// There were too many.
    Cap,
}

/// Rows of a workspace's store make room. Folding this event is what evicts them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternEvicted {
    /// The path of the workspace; `None` for turns without one.
    pub workspace: Option<String>,
    /// Why.
    pub reason: EvictionReason,
    /// Rows before.
    pub rows: u32,
    /// Rows that go.
    pub evicted: u32,
    /// Rows that last changed before then go.
    pub unchanged_since: Option<Timestamp>,
    /// Of the others so many stay: those that changed last.
    pub keep: u32,
}

event!(
    PatternEvicted,
    "pattern.evicted",
    1,
    Internal,
    "Rows of a workspace's pattern store made room.",
    PatternEvicted {
        workspace: Some("/home/dev/shop".to_owned()),
        reason: EvictionReason::Cap,
        rows: 10_001,
        evicted: 5_001,
        unchanged_since: None,
        keep: 5_000,
    }
);

/// What was learned before is forgotten, because the user said so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternsCleared {
    /// Whether it is everything, whatever the workspace.
    pub all: bool,
    /// Otherwise the path of the workspace; `None` for turns without one.
    pub workspace: Option<String>,
    /// Rows that go.
    pub rows: u32,
}

event!(
    PatternsCleared,
    "pattern.cleared",
    1,
    Internal,
    "What the pattern store had learned is forgotten.",
    PatternsCleared { all: false, workspace: Some("/home/dev/shop".to_owned()), rows: 412 }
);

/// An embedder put a message's meaning into numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEmbedded {
    /// The turn whose message it is.
    pub turn: TurnId,
    /// The start of the hash of the message: another turn with the same message has the same.
    pub text: u64,
    /// Which embedder: its model and the number of dimensions it gave.
    pub embedder: String,
    /// The direction, in as many dimensions as the store compares, each from -127 to 127.
    pub vector: Vec<i8>,
}

event!(
    TurnEmbedded,
    "turn.embedded",
    1,
    Internal,
    "A message was embedded.",
    TurnEmbedded {
        turn: sample::turn(),
        text: 0x5eed_cafe_5eed_cafe,
        embedder: "nomic-embed-text/768".to_owned(),
        vector: vec![127, -3, 0, 42],
    }
);
