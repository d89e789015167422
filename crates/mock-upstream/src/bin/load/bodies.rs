//! The requests to send: small ones, and one of the size of a coding agent's.

use std::fmt::Write as _;

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::{agent, words};

/// The placeholder for the number of the request. Twelve digits, as many bytes as the placeholder has, replace it.
pub(crate) const NUMBER_PLACEHOLDER: &str = "%NUMBER%####";

/// The session header, with a placeholder for its number.
const SESSION: &str = "x-session-id: load-%SESSION%###\r\n";

/// The request that a load test sends: its API, its size, and whether its response is streamed.
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
    /// Messages, 90 kB with 25 tools, not streamed.
    AgentWhole,
    /// Chat Completions, one sentence, streamed.
    StreamChat,
    /// Chat Completions, one sentence, streamed with usage, as agents do.
    StreamChatUsage,
    /// Messages, one sentence, streamed.
    StreamMessages,
}

impl Kind {
    /// Returns bytes that only the last event of a complete stream has; `None` for a response that is not streamed.
    pub(crate) const fn stream_end(self) -> Option<&'static [u8]> {
        match self {
            Self::StreamChat | Self::StreamChatUsage => Some(b"[DONE]"),
            Self::StreamMessages | Self::AgentMessages => Some(b"message_stop"),
            Self::SmallChat | Self::SmallMessages | Self::SmallResponses | Self::AgentWhole => None,
        }
    }

    /// Returns whether the request uses one of `OpenAI`'s APIs, which determines headers and the default model.
    const fn is_openai(self) -> bool {
        matches!(self, Self::SmallChat | Self::StreamChat | Self::StreamChatUsage | Self::SmallResponses)
    }

    /// Returns the path of the endpoint.
    const fn path(self) -> &'static str {
        match self {
            Self::SmallChat | Self::StreamChat | Self::StreamChatUsage => "/v1/chat/completions",
            Self::SmallResponses => "/v1/responses",
            _ => "/v1/messages",
        }
    }
}

/// Returns the text of the user's message, with placeholders for a number and for words.
fn user_text() -> String {
    format!(
        "What is the difference between a mutex and a semaphore? This is question {NUMBER_PLACEHOLDER}: {}",
        words::PLACEHOLDER
    )
}

/// Returns the body of a request with placeholders in the user's text. `model` defaults to one of the API's provider.
pub(crate) fn request_body(kind: Kind, model: Option<&str>) -> String {
    let model = model.unwrap_or(if kind.is_openai() { "gpt-5.5" } else { "claude-opus-4-8" });
    let messages = json!([{"role": "user", "content": user_text()}]);
    let body: Value = match kind {
        Kind::SmallChat => json!({"model": model, "messages": messages}),
        Kind::StreamChat => json!({"model": model, "messages": messages, "stream": true}),
        Kind::StreamChatUsage => {
            let options = json!({"include_usage": true});
            json!({"model": model, "messages": messages, "stream": true, "stream_options": options})
        }
        Kind::SmallResponses => json!({"model": model, "input": user_text()}),
        Kind::SmallMessages => json!({"model": model, "max_tokens": 1024, "messages": messages}),
        Kind::StreamMessages => json!({"model": model, "max_tokens": 1024, "messages": messages, "stream": true}),
        Kind::AgentMessages => agent::agent_body(model, &user_text(), true),
        Kind::AgentWhole => agent::agent_body(model, &user_text(), false),
    };
    body.to_string()
}

/// An HTTP request of the load test as bytes, with placeholders for the numbers and words that make each request
/// distinct.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The head and the body of the request.
    pub(crate) bytes: Vec<u8>,
    /// The offset of the number in the user's text; `None` if requests are not distinct.
    number_offset: Option<usize>,
    /// The offset of the words in the user's text; `None` if requests are not distinct.
    words_offset: Option<usize>,
    /// The offset of the session number, and the number of successive requests of one session; `None` without sessions.
    session_offset: Option<(usize, u64)>,
    /// Bytes at the end of a complete stream; `None` for a response that is not streamed.
    pub(crate) stream_end: Option<&'static [u8]>,
}

impl Request {
    /// Serialises a request. With `distinct`, every request has a different text. `turns` is the number of successive
    /// requests on a connection that belong to one session; `None` for requests without a session.
    pub(crate) fn new(
        kind: Kind,
        host: &str,
        body: &str,
        headers: &[String],
        distinct: bool,
        turns: Option<u64>,
    ) -> Self {
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
        let session_offset = turns.map(|turns| {
            head.push_str(SESSION);
            (head.len() - "\r\n".len() - NUMBER_PLACEHOLDER.len(), turns.max(1))
        });
        head.push_str("\r\n");
        let find_placeholder = |slot| if distinct { body.find(slot).map(|offset| head.len() + offset) } else { None };
        let (number_offset, words_offset) =
            (find_placeholder(NUMBER_PLACEHOLDER), find_placeholder(words::PLACEHOLDER));
        Self {
            bytes: [head.as_bytes(), body.as_bytes()].concat(),
            number_offset,
            words_offset,
            session_offset,
            stream_end: kind.stream_end(),
        }
    }

    /// Writes the words and numbers that make a request distinct into `bytes`, a copy of the request. `request_index`
    /// counts the requests of the connection, and `number` those of all connections. The session number only changes
    /// with the first request of a session.
    pub(crate) fn write_numbers(&self, bytes: &mut [u8], request_index: u64, number: u64) {
        if let Some(slot) =
            self.words_offset.and_then(|offset| bytes.get_mut(offset..offset + words::PLACEHOLDER.len()))
        {
            words::write_words(slot, number);
        }
        // A session has the number of its first request.
        let session =
            self.session_offset.and_then(|(offset, turns)| request_index.is_multiple_of(turns).then_some(offset));
        for offset in self.number_offset.into_iter().chain(session) {
            if let Some(slot) = bytes.get_mut(offset..offset + NUMBER_PLACEHOLDER.len()) {
                slot.copy_from_slice(format!("{number:012}").as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_has_a_placeholder_in_its_text() {
        for kind in Kind::value_variants() {
            let body = request_body(*kind, None);
            let request = Request::new(*kind, "localhost", &body, &[], true, None);
            let slot = request.number_offset.unwrap();
            assert_eq!(
                &request.bytes[slot..slot + NUMBER_PLACEHOLDER.len()],
                NUMBER_PLACEHOLDER.as_bytes(),
                "{kind:?}"
            );
        }
    }

    /// `turns` successive requests have the session number of their first one.
    #[test]
    fn so_many_requests_in_a_row_are_of_one_session() {
        let request =
            Request::new(Kind::SmallChat, "localhost", &request_body(Kind::SmallChat, None), &[], true, Some(2));
        let mut bytes = request.bytes.clone();
        let mut sessions = Vec::new();
        for (request_index, number) in [(0, 7), (1, 9), (2, 12)] {
            request.write_numbers(&mut bytes, request_index, number);
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(text.contains(&format!("This is question {number:012}: ")), "{text}");
            let session = text.split("x-session-id: load-").nth(1).and_then(|rest| rest.split("\r\n").next());
            sessions.push(session.unwrap().to_owned());
        }
        assert_eq!(sessions, ["000000000007", "000000000007", "000000000012"]);
    }

    #[test]
    fn an_agents_body_has_ninety_kilobytes_and_twenty_five_tools() {
        let body = request_body(Kind::AgentMessages, None);
        assert!((88_000..92_000).contains(&body.len()), "{}", body.len());
        let read: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(read["tools"].as_array().unwrap().len(), 25);
    }
}
