//! The TREE layer: a table of rows over four signals of the context, evaluated from top to bottom (000 Layer 2).
//!
//! The signals are the type of the task, its criticality, the skill loaded before, and the types of its files. The first
//! row that matches decides. Without one, and if file types and keywords name different skills, the next layer decides.

mod evaluate;
mod row;
mod task_types;

pub use evaluate::{DecisionTree, TreeInput, TreeNote, TreeOutcome};
pub use row::{TreeError, TreeRowSettings};
pub use task_types::{TaskTypeMatch, TaskTypeSettings, TaskTypes};
