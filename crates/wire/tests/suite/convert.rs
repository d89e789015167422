//! Conversion between the wire APIs: requests, responses that are not streamed, and streams with any chunks and any
//! order of blocks.
//!
//! `story` is a response in no API's format. `provider` writes it as a provider of each API, and `client` reads it as a
//! client of each API, so a conversion is checked by comparing the story before and after it.

mod bodies;
mod client;
mod client_events;
mod hostile;
mod memory;
mod provider;
mod provider_chat;
mod quirks;
mod refusals;
mod requests;
mod round_trips;
mod story;
mod streams;
mod tool_calls;
mod whole;
