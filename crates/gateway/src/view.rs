//! What people see of the log: the latest turns, kept up as events come in, and one turn with all its reasons.

mod board;
mod chosen;
mod row;
mod why;

pub(crate) use board::{Board, BoardView, Sources};
pub(crate) use chosen::Chosen;
pub(crate) use row::rfc3339;
pub(crate) use why::turn_view;
