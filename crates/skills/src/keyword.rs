//! The layer `KEYWORD`: the skills whose keywords occur in a request (000 §2.3, §2.4, §4).
//!
//! The keywords of the trigger table and of the skills are united. Per clause of the request: a negative keyword
//! suppresses the skill, then a compound trigger or a phrase decides, then the priority. Skills of different clauses are
//! combined (C-05 in docs/spec).

mod clause;
mod combine;
mod compound;
mod evaluate;
mod matches;
mod rows;

pub(crate) use evaluate::{KeywordResult, evaluate_keywords};
pub(crate) use rows::KeywordRows;
