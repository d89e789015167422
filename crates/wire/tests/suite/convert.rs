//! Conversion between the wire APIs: requests, whole answers, and streams in whatever pieces and order they come.

mod bodies;
mod client;
mod client_events;
mod hostile;
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
