//! The simulated prompt cache: every rule by hand-computed examples, and what holds for all calls.

mod automatic;
mod base;
mod cancelled;
mod conversation;
mod from_events;
mod given;
mod identity;
mod properties;
mod rewritten;
mod split;
mod story;
mod switch;
mod table;
