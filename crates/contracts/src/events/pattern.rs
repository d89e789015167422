//! Events about the pattern store: its size limits, cleared patterns, and embeddings of messages.

use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::{event, sample};
use crate::TurnId;

/// Event: a workspace's pattern store has exceeded its soft cap. Its oldest rows are evicted above the hard cap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternFilling {
    /// Path of the workspace; `None` for turns without a workspace.
    pub workspace: Option<String>,
    /// Number of rows in the store.
    pub rows: u32,
    /// Number of rows above which this event is recorded.
    pub soft_cap: u32,
    /// Number of rows above which the oldest are evicted.
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

/// Reason for an eviction from a pattern store: the age of rows or their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvictionReason {
    /// The rows had not changed for longer than the maximum age.
    Age,
    /// The store had more rows than its hard cap.
    Cap,
}

/// Event: rows are evicted from a workspace's pattern store. The projection evicts them when it folds this event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternEvicted {
    /// Path of the workspace; `None` for turns without a workspace.
    pub workspace: Option<String>,
    /// Reason for the eviction.
    pub reason: EvictionReason,
    /// Number of rows before the eviction.
    pub rows: u32,
    /// Number of evicted rows.
    pub evicted: u32,
    /// Rows that last changed before this time are evicted; `None` for no age limit.
    pub unchanged_since: Option<Timestamp>,
    /// Number of the remaining rows that are kept, the most recently changed first.
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

/// Event: the user cleared the pattern store, of one workspace or of all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternsCleared {
    /// Whether the patterns of all workspaces are cleared.
    pub all: bool,
    /// If `all` is false: path of the workspace; `None` for turns without a workspace.
    pub workspace: Option<String>,
    /// Number of removed rows.
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

/// Event: the embedder returned the embedding of a turn's message. The pattern store compares turns by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEmbedded {
    /// Id of the turn.
    pub turn: TurnId,
    /// First 64 bits of the hash of the message; equal messages share one embedding.
    pub text: u64,
    /// Name of the embedder: model and number of dimensions, as in `nomic-embed-text/768`.
    pub embedder: String,
    /// Quantised embedding, reduced to the number of dimensions that the store compares; each value is from -127 to
    /// 127.
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
