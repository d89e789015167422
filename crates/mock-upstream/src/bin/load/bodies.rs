//! What is sent: small requests, and one as large as an agent's.

use std::fmt::Write as _;

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::agent;

/// Where a number is written so that a request is unlike any other; twelve characters.
pub(crate) const SLOT: &str = "%NUMBER%####";

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Chat Completions, one sentence.
    SmallChat,
    /// Messages, one sentence.
    SmallMessages,
    /// Responses, one sentence.
    SmallResponses,
    /// Messages, 90 kB with 25 tools, streamed as agents do.
    AgentMessages,
    /// The same without streaming.
    AgentWhole,
    /// Chat Completions, one sentence, streamed.
    StreamChat,
    /// Messages, one sentence, streamed.
    StreamMessages,
}

impl Kind {
    /// What stands in the last event of a complete stream.
    pub(crate) const fn end(self) -> Option<&'static [u8]> {
        match self {
            Self::StreamChat => Some(b"[DONE]"),
            Self::StreamMessages | Self::AgentMessages => Some(b"message_stop"),
            Self::SmallChat | Self::SmallMessages | Self::SmallResponses | Self::AgentWhole => None,
        }
    }

    const fn is_openai(self) -> bool {
        matches!(self, Self::SmallChat | Self::StreamChat | Self::SmallResponses)
    }

    const fn path(self) -> &'static str {
        match self {
            Self::SmallChat | Self::StreamChat => "/v1/chat/completions",
            Self::SmallResponses => "/v1/responses",
            _ => "/v1/messages",
        }
    }
}

/// The text that the user says.
fn text() -> String {
    format!("What is the difference between a mutex and a semaphore? This is question {SLOT}.")
}

/// A body with the slot in the text of the user.
pub(crate) fn body(kind: Kind, model: Option<&str>) -> String {
    let model = model.unwrap_or(if kind.is_openai() { "gpt-5.5" } else { "claude-opus-4-8" });
    let messages = json!([{"role": "user", "content": text()}]);
    let body: Value = match kind {
        Kind::SmallChat => json!({"model": model, "messages": messages}),
        Kind::StreamChat => json!({"model": model, "messages": messages, "stream": true}),
        Kind::SmallResponses => json!({"model": model, "input": text()}),
        Kind::SmallMessages => json!({"model": model, "max_tokens": 1024, "messages": messages}),
        Kind::StreamMessages => json!({"model": model, "max_tokens": 1024, "messages": messages, "stream": true}),
        Kind::AgentMessages => agent::body(model, &text(), true),
        Kind::AgentWhole => agent::body(model, &text(), false),
    };
    body.to_string()
}

/// A request ready to be written, but for the number in it.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) bytes: Vec<u8>,
    /// Where the number goes, if it is to be written.
    pub(crate) slot: Option<usize>,
    pub(crate) end: Option<&'static [u8]>,
}

impl Request {
    pub(crate) fn new(kind: Kind, host: &str, body: &str, headers: &[String], distinct: bool) -> Self {
        let mut head = format!(
            "POST {} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
            kind.path(),
            body.len()
        );
        head.push_str(if kind.is_openai() {
            "authorization: Bearer load\r\n"
        } else {
            "x-api-key: load\r\nanthropic-version: 2023-06-01\r\nanthropic-beta: mid-conversation-system-2026-04-07\r\n"
        });
        for header in headers {
            // Writing to a `String` always succeeds.
            let _ = write!(head, "{header}\r\n");
        }
        head.push_str("\r\n");
        let slot = if distinct { body.find(SLOT).map(|place| head.len() + place) } else { None };
        Self { bytes: [head.as_bytes(), body.as_bytes()].concat(), slot, end: kind.end() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_has_a_slot_in_its_text() {
        for kind in Kind::value_variants() {
            let body = body(*kind, None);
            let request = Request::new(*kind, "localhost", &body, &[], true);
            let slot = request.slot.unwrap();
            assert_eq!(&request.bytes[slot..slot + SLOT.len()], SLOT.as_bytes(), "{kind:?}");
        }
    }

    #[test]
    fn an_agents_body_has_ninety_kilobytes_and_twenty_five_tools() {
        let body = body(Kind::AgentMessages, None);
        assert!((88_000..92_000).contains(&body.len()), "{}", body.len());
        let read: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(read["tools"].as_array().unwrap().len(), 25);
    }
}
