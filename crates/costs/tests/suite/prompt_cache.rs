//! Tests of the simulated prompt cache: each rule R0 to R5 with splits computed by hand, and properties of all calls.

mod automatic;
mod base;
mod cancelled;
mod conversation;
mod from_events;
mod given;
mod identity;
mod properties;
mod rewritten;
mod script;
mod split;
mod switch;
mod table;
