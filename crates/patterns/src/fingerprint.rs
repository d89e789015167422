//! Turns of the same features, and what is known about each model in them.

use contracts::Features;
use event_core::EventId;
use serde::{Deserialize, Serialize};

use crate::row::Row;

/// The identity of a set of features: the same on every machine.
pub(crate) type Key = u128;

/// All rows of one set of features.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fingerprint {
    pub(crate) key: Key,
    /// By model id.
    pub(crate) rows: Vec<Row>,
}

/// The key of a turn's features. All of them take part, also those that similarity does not look at; the order
/// of values in a set and repetitions do not.
pub fn key(features: &Features) -> u128 {
    let lists = [&features.extensions, &features.directories, &features.tools].map(|list| {
        let mut list: Vec<&[u8]> = list.iter().map(String::as_bytes).collect();
        list.sort_unstable();
        list.dedup();
        list
    });
    let lengths = lists.each_ref().map(|list| (list.len() as u64).to_le_bytes());
    let effects = features.side_effects.iter().fold(0_u8, |bits, effect| bits | 1 << *effect as u8);
    let plain =
        [effects, u8::from(features.images), u8::from(features.tool_history), features.tokens.0, features.intents.0];
    let mut parts: Vec<&[u8]> = vec![&plain];
    for (list, length) in lists.iter().zip(&lengths) {
        parts.push(length);
        parts.extend(list);
    }
    Key::from_be_bytes(EventId::derive(&parts).0)
}
