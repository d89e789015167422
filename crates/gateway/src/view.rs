//! Views of the log for people: the latest turns, and one turn with all its reasons.

mod board;
mod chosen;
mod row;
mod why;

pub(crate) use board::{Board, BoardView, Sources};
pub(crate) use chosen::Chosen;
pub(crate) use row::rfc3339;
pub(crate) use why::turn_view;
