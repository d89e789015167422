//! The response of the mock model, independent of the API in which it is written, and its generation from a request.

use serde_json::{Value, json};

use crate::{
    directive::Directives,
    parsed_request::{CacheUse, ParsedRequest, Tool},
    schema,
};

/// The text of a response to a message without a directive, as deltas.
pub(crate) const DEFAULT_TEXT: [&str; 4] = ["Hello", " from", " the", " mock."];

/// The text of every thinking block that the mock generates.
pub(crate) const THINKING_TEXT: &str = "Let me think about it.";

/// A generated response, independent of the API. Each API's `write` module converts it to JSON or to the events of a
/// stream.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// The number of the request, from which ids are derived.
    pub(crate) number: u64,
    /// The model that the request names.
    pub(crate) model: String,
    /// The content, in order.
    pub(crate) blocks: Vec<Block>,
    /// The reason why the model stopped.
    pub(crate) stop: StopReason,
    /// The token counts.
    pub(crate) usage: Usage,
}

/// A content block of the mock's response, independent of the API.
#[derive(Debug, Clone)]
pub(crate) enum Block {
    /// The text [`THINKING_TEXT`], signed with [`signature`].
    Thinking,
    /// A text, split into the deltas of a stream.
    Text(Vec<String>),
    /// A call of a tool that the request defines.
    ToolCall(ToolCall),
}

/// A tool call in a response that the mock generates.
#[derive(Debug, Clone)]
pub(crate) struct ToolCall {
    /// The id without the prefix of the API, unique among all calls.
    pub(crate) id: String,
    /// The called tool, as the request defines it.
    pub(crate) tool: Tool,
    /// The arguments as JSON.
    pub(crate) input: Value,
}

impl ToolCall {
    /// Returns the arguments as text: JSON, or the free text of a custom tool.
    pub(crate) fn arguments(&self) -> String {
        match &self.input {
            Value::String(text) if self.tool.custom => text.clone(),
            Value::Object(fields) if self.tool.custom => match fields.get("input") {
                Some(Value::String(text)) => text.clone(),
                _ => self.input.to_string(),
            },
            input => input.to_string(),
        }
    }
}

/// The reason why the generation of a response ended, independent of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// The text is complete.
    EndTurn,
    /// The response ends with tool calls.
    ToolUse,
    /// The text was truncated to the limit of output tokens.
    MaxTokens,
}

/// The token counts of a response that the mock generates; a token is four bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// All input tokens, including cached ones.
    pub(crate) input: u64,
    /// Input tokens read from the cache: half of the input if the conversation has an earlier response.
    pub(crate) cache_read: u64,
    /// Input tokens written to the cache: half of the input of a first request with cache markers.
    pub(crate) cache_written: u64,
    /// All output tokens, including thinking.
    pub(crate) output: u64,
    /// Output tokens of thinking blocks.
    pub(crate) thinking: u64,
}

/// Returns the signature of a model's thinking: `sig:` and the name of the model. The mock rejects other signatures.
pub(crate) fn signature(model: &str) -> String {
    format!("sig:{model}")
}

/// Returns the number of tokens of a text of this length in bytes: four bytes each, rounded up.
const fn tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

/// Generates the mock's response to a request: from its JSON schema, its tool results, or the directives in its last
/// message. Texts are cut at the request's limit of output tokens. `number` is the number of the request.
pub(crate) fn generate_response(request: ParsedRequest, number: u64) -> Answer {
    let (mut blocks, mut stop) = blocks(&request, number);
    if let Some(max_tokens) = request.max_output_tokens {
        truncate_text(&mut blocks, &mut stop, max_tokens);
    }
    let byte_length = |block: &Block| match block {
        Block::Thinking => THINKING_TEXT.len(),
        Block::Text(deltas) => deltas.iter().map(String::len).sum(),
        Block::ToolCall(call) => call.tool.name.len() + call.arguments().len(),
    };
    let thinking = blocks.iter().filter(|block| matches!(block, Block::Thinking)).map(byte_length).map(tokens).sum();
    let input = tokens(request.request_bytes);
    let usage = Usage {
        input,
        cache_read: if request.cache == CacheUse::Continued { input / 2 } else { 0 },
        cache_written: if request.cache == CacheUse::Marked { input / 2 } else { 0 },
        output: blocks.iter().map(byte_length).map(tokens).sum(),
        thinking,
    };
    Answer { number, model: request.model, blocks, stop, usage }
}

/// Returns the content blocks of the response to a request, before they are cut, and the stop reason.
fn blocks(request: &ParsedRequest, number: u64) -> (Vec<Block>, StopReason) {
    let directives = Directives::parse(&request.user_text);
    let mut blocks = Vec::new();
    if directives.thinking {
        blocks.push(Block::Thinking);
    }
    if let Some(schema) = &request.json_schema {
        blocks.push(Block::Text(split_into_deltas(&schema::example_value(schema).to_string())));
        return (blocks, StopReason::EndTurn);
    }
    if let Some(bytes) = request.result_bytes {
        return (vec![Block::Text(split_into_deltas(&format!("tool said {bytes} bytes")))], StopReason::EndTurn);
    }
    if let Some((skill, percent)) = directives.skill
        && request.user_text.contains("\"available_skills\"")
    {
        let reply = json!({
            "selected_skill": skill, "secondary_skills": [], "confidence": f64::from(percent) / 100.0,
            "reasoning": "The mock was told so.",
        });
        return (vec![Block::Text(split_into_deltas(&reply.to_string()))], StopReason::EndTurn);
    }
    if let Some(count) = directives.text_deltas {
        blocks.push(Block::Text((0..count).map(|delta| format!("word{delta} ")).collect()));
    }
    let mut stop = StopReason::EndTurn;
    for (index, (name, input)) in directives.calls.into_iter().enumerate() {
        match request.tools.iter().find(|tool| tool.name == name) {
            Some(tool) => {
                stop = StopReason::ToolUse;
                blocks.push(Block::ToolCall(ToolCall {
                    id: format!("{number:08}_{index}"),
                    tool: tool.clone(),
                    input,
                }));
            }
            None => blocks.push(Block::Text(vec!["There is no tool ".to_owned(), name])),
        }
    }
    if blocks.iter().all(|block| matches!(block, Block::Thinking)) {
        blocks.push(Block::Text(DEFAULT_TEXT.map(str::to_owned).to_vec()));
    }
    (blocks, stop)
}

/// Removes text deltas beyond `max_tokens` output tokens, and sets the stop reason to [`StopReason::MaxTokens`] if any
/// were removed. At least one delta of each text remains. Tool calls are never removed or shortened, because an
/// incomplete call is useless.
fn truncate_text(blocks: &mut [Block], stop: &mut StopReason, max_tokens: u64) {
    let mut remaining_tokens = max_tokens;
    for block in blocks {
        if let Block::Text(deltas) = block {
            let kept_deltas = deltas.iter().take_while(|delta| {
                let fits_limit = tokens(delta.len()) <= remaining_tokens;
                remaining_tokens = remaining_tokens.saturating_sub(tokens(delta.len()));
                fits_limit
            });
            let kept_deltas = kept_deltas.count();
            if kept_deltas < deltas.len() {
                // A response without text would be rejected in the next request.
                deltas.truncate(kept_deltas.max(1));
                *stop = StopReason::MaxTokens;
            }
        }
    }
}

/// Splits a text into deltas of twelve characters.
fn split_into_deltas(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(12).map(|delta| delta.iter().collect()).collect()
}
