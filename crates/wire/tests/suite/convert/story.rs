//! The content of a response in no API's format, which is generated at random and compared before and after a
//! conversion.

use contracts::{Usage, WireApi};
use proptest::prelude::*;
use serde_json::Value;

/// A block of a response.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Said {
    /// A text.
    Text(String),
    /// Thinking of the model.
    Thinking(String),
    /// A call of a function.
    Call { id: String, name: String, arguments: Value },
}

/// The reason why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The turn is complete.
    EndTurn,
    /// The model waits for tool results.
    ToolUse,
    /// The output limit was reached.
    MaxTokens,
    /// The model refused to continue.
    Refused,
}

/// A complete response.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Story {
    /// The blocks, in order.
    pub(crate) said: Vec<Said>,
    /// The stop reason.
    pub(crate) stop: Stop,
    /// The token counts.
    pub(crate) usage: Usage,
    /// The number of output tokens that were thinking.
    pub(crate) thinking: u64,
}

/// Generates a text, which may contain server-sent events, escapes and characters outside ASCII.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z \n]{1,20}",
        "\\PC{1,12}",
        Just("data: [DONE]\n\nevent: error\ndata: {}\n\n".to_owned()),
        Just("\r\n\t\\\"{[🦀é\u{2028}".to_owned()),
    ]
}

/// Generates the arguments of a call.
fn arguments() -> impl Strategy<Value = Value> {
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    let value = value.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z}{\"]{1,4}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    prop::collection::btree_map("[a-z_]{1,6}", value, 0..4).prop_map(|map| Value::Object(map.into_iter().collect()))
}

/// Generates a block of a response: text, thinking or a call.
fn said() -> impl Strategy<Value = Said> {
    prop_oneof![
        text().prop_map(Said::Text),
        text().prop_map(Said::Thinking),
        ("[a-zA-Z0-9]{8}", "[a-z_]{1,8}", arguments()).prop_map(|(id, name, arguments)| Said::Call {
            id: format!("call_{id}"),
            name,
            arguments
        }),
    ]
}

/// Generates a response with up to five blocks.
pub(crate) fn story() -> impl Strategy<Value = Story> {
    let tokens = 0..100_000_u64;
    let usage = (prop::array::uniform5(tokens), 0..1_000_u64);
    (prop::collection::vec(said(), 0..6), 0..4_u8, usage).prop_map(|(mut said, stop, (buckets, thinking))| {
        // Ids are unique in an answer.
        for (place, said) in said.iter_mut().enumerate() {
            if let Said::Call { id, .. } = said {
                id.push_str(&place.to_string());
            }
        }
        let called = said.iter().any(|it| matches!(it, Said::Call { .. }));
        let stop = match stop {
            0 => Stop::MaxTokens,
            1 => Stop::Refused,
            _ if called => Stop::ToolUse,
            _ => Stop::EndTurn,
        };
        let [input, cache_read, cache_write_5m, cache_write_1h, output] = buckets;
        let usage = Usage { input, cache_read, cache_write_5m, cache_write_1h, output };
        Story { said, stop, usage, thinking: thinking.min(output) }
    })
}

impl Story {
    /// Returns the response without the details that an API does not report.
    pub(crate) fn told_in(&self, api: WireApi) -> Self {
        let mut story = self.clone();
        let usage = &mut story.usage;
        match api {
            WireApi::AnthropicMessages => story.thinking = 0,
            WireApi::OpenAiChat | WireApi::OpenAiResponses => {
                usage.cache_write_5m += std::mem::take(&mut usage.cache_write_1h);
            }
            WireApi::Gemini => {
                usage.input += std::mem::take(&mut usage.cache_write_5m) + std::mem::take(&mut usage.cache_write_1h);
            }
        }
        story
    }

    /// Returns the response as a client of an API receives it: without the details that the API does not report, and
    /// without thinking where it would need a signature.
    pub(crate) fn shown_in(&self, api: WireApi) -> Self {
        let mut story = self.told_in(api);
        if matches!(api, WireApi::AnthropicMessages | WireApi::OpenAiResponses) {
            story.said.retain(|said| !matches!(said, Said::Thinking(_)));
        }
        story
    }

    /// Merges consecutive texts and thoughts, because not every API separates them.
    pub(crate) fn flowing(&self) -> Self {
        let mut said: Vec<Said> = Vec::new();
        for next in &self.said {
            match (said.last_mut(), next) {
                (Some(Said::Text(last)), Said::Text(more)) | (Some(Said::Thinking(last)), Said::Thinking(more)) => {
                    last.push_str(more);
                }
                _ => said.push(next.clone()),
            }
        }
        Self { said, ..self.clone() }
    }

    /// Returns the response in the order of a chat completion that is not streamed: thinking, text, calls.
    pub(crate) fn sorted(&self) -> Self {
        let mut story = self.clone();
        story.said.sort_by_key(|said| match said {
            Said::Thinking(_) => 0,
            Said::Text(_) => 1,
            Said::Call { .. } => 2,
        });
        story.flowing()
    }
}
