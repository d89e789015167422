//! Views of the log for people: the latest turns, and one turn with all its reasons.

mod board;
mod decision_summary;
mod row;
mod search;
mod skills;
mod why;

pub(crate) use board::{Board, BoardView, Sources};
pub(crate) use decision_summary::DecisionSummary;
pub(crate) use row::rfc3339;
pub(crate) use search::{TurnQuery, search_turns};
pub(crate) use skills::decision_json;
pub(crate) use why::turn_view;
