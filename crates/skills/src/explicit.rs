//! The layers `EXPLICIT` and `NO_SKILL`: skills that the user names, and the request to load none.

mod mention;
mod slash;

pub(crate) use mention::{Mentions, NameAt, find_mentions};
pub(crate) use slash::{SlashCommands, parse_slash_commands};
