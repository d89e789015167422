//! Turns of the same features, and what is known about each model in them.

mod saved;

use contracts::{Features, TurnId};
use event_core::EventId;
use serde::Deserialize;

use crate::{
    embedding::Embedding,
    levels::{LEVELS, levels_of},
    packed::Packed,
    row::Row,
    said::Kept,
    structure::Raw,
};

/// The identity of a set of features: the same on every machine.
pub(crate) type Key = u128;

/// All rows of one set of features.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "saved::Saved<'static>")]
pub(crate) struct Fingerprint {
    pub(crate) key: Key,
    /// What 004 compares.
    pub(crate) packed: Packed,
    /// The words of the message.
    pub(crate) sketch: Kept,
    /// The start of the hash of the message, where an embedder is set.
    pub(crate) text: Option<u64>,
    /// Its meaning, once it is known: most have none, and should not keep room for one.
    pub(crate) embedding: Option<Box<Embedding>>,
    /// Whether tools were used before.
    tool_history: bool,
    /// The number of its workload, from 1.
    workload: u8,
    /// Turns of these features, and the last of them.
    turns: u32,
    last: Option<TurnId>,
    /// By model id.
    pub(crate) rows: Vec<Row>,
}

impl Fingerprint {
    pub(crate) fn new(key: Key, packed: Packed, workload: u8, features: &Features) -> Self {
        Self {
            key,
            packed,
            sketch: Kept::from(&features.sketch),
            text: features.text,
            embedding: None,
            tool_history: features.tool_history,
            workload,
            turns: 0,
            last: None,
            rows: Vec::new(),
        }
    }

    /// Its structure, as it is counted.
    pub(crate) fn raw(&self) -> Raw {
        Raw { levels: self.levels(), sets: self.packed.masks, workload: self.workload, turns: self.turns }
    }

    fn levels(&self) -> [u8; LEVELS] {
        levels_of(self.sketch.shape(), self.packed.plain, self.tool_history)
    }

    /// Counts a turn, once however many models took part in it.
    pub(crate) fn count(&mut self, turn: TurnId) {
        if self.last.replace(turn) != Some(turn) {
            self.turns = self.turns.saturating_add(1);
        }
    }

    /// Turns of these features.
    pub(crate) const fn turns(&self) -> u32 {
        self.turns
    }

    pub(crate) fn row(&self, model: u32) -> Option<&Row> {
        self.rows.iter().find(|row| row.model == model)
    }

    pub(crate) fn row_mut(&mut self, model: u32) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.model == model)
    }
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
    let sketch = &features.sketch;
    let mut numbers = Vec::with_capacity(2 * (sketch.words.len() + sketch.pairs.len()));
    sketch.numbers().for_each(|number| numbers.extend_from_slice(&number.to_le_bytes()));
    let counts = [sketch.words.len() as u64, sketch.pairs.len() as u64].map(u64::to_le_bytes).concat();
    let workload = features.workload.as_deref().unwrap_or_default();
    let embedded = features.text.map(u64::to_le_bytes);
    let mut parts: Vec<&[u8]> = vec![&plain];
    for (list, length) in lists.iter().zip(&lengths) {
        parts.push(length);
        parts.extend(list);
    }
    let has = [u8::from(features.workload.is_some()), u8::from(embedded.is_some())];
    parts.extend([&counts, &numbers, &sketch.shape, &has[..], workload.as_bytes()]);
    parts.extend(embedded.as_ref().map(|text| &text[..]));
    Key::from_be_bytes(EventId::derive(&parts).0)
}
