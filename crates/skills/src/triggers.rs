//! Trigger tables: which words of a request select a skill (000 §2).

mod collisions;
mod compound;
mod preview;
mod row;
mod table;

pub use collisions::{Collision, CollisionKind, MAX_COLLISIONS, collisions, collisions_up_to};
pub use compound::{Compound, CompoundCondition, CompoundError};
pub use preview::{ChangedDecision, KeywordPreview, LabelledRequest, preview_keyword};
pub use row::{NegativeKeyword, TriggerRow, TriggerTable};
pub use table::parse_trigger_table;
