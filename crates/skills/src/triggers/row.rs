//! [`TriggerTable`] and its rows.

use serde::{Deserialize, Serialize};

use super::compound::Compound;

/// The rows of the trigger tables of a file (000 §2.1).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriggerTable {
    /// The path of the file, relative to the workspace; empty if there is no table.
    pub path: String,
    /// The rows, in the order of the file. Each skill has one.
    pub rows: Vec<TriggerRow>,
}

/// A row of a trigger table: the words that select one skill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriggerRow {
    /// The name of the skill, without a slash.
    pub skill: String,
    /// The keywords that select the skill, as they are written.
    pub keywords: Vec<String>,
    /// The keywords that rule the skill out.
    pub negatives: Vec<NegativeKeyword>,
    /// The priority; 1 is the highest. The number of the row if the table has no such column.
    pub priority: u32,
    /// The compound trigger, as it is written and parsed; `None` if there is none.
    pub compound: Option<Compound>,
    /// The line of the row, from 1.
    pub line: u32,
}

/// A keyword that rules a skill out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NegativeKeyword {
    /// The keyword as it is written, without a qualifier.
    pub keyword: String,
    /// Whether it has an effect only if the skill has at most one keyword in the clause: `(standalone)` or `(when alone)`
    /// (C-11 in docs/spec).
    pub standalone: bool,
}
