//! The mock's response, before it is written in the shape of an API.

use serde_json::Value;

use crate::{
    asked::{Cache, ParsedRequest, Tool},
    directive::Directive,
    schema,
};

/// The text of a response to a message without a directive.
pub(crate) const PIECES: [&str; 4] = ["Hello", " from", " the", " mock."];

/// The text of a thinking block.
pub(crate) const THOUGHT: &str = "Let me think about it.";

/// The response of the mock, independent of the API in which it is written.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// The number of the request, from which ids are made.
    pub(crate) number: u64,
    pub(crate) model: String,
    pub(crate) blocks: Vec<Block>,
    pub(crate) stop: Stop,
    pub(crate) usage: Usage,
}

/// A content block of a response.
#[derive(Debug, Clone)]
pub(crate) enum Block {
    /// Thinking; its signature is `sig:` and the model.
    Thought,
    /// A text, split into deltas.
    Text(Vec<String>),
    Call(Call),
}

/// A tool call in a response.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The id, unique among all calls.
    pub(crate) id: String,
    pub(crate) tool: Tool,
    pub(crate) input: Value,
}

impl Call {
    /// Returns the arguments: JSON, or the free text of a custom tool.
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

/// The reason why a response ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    Said,
    Tools,
    Limit,
}

/// The token counts of a response; a token is four bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Input tokens, cached or not.
    pub(crate) input: u64,
    /// Input tokens read from the cache: half, if the conversation has a response.
    pub(crate) cached: u64,
    /// Input tokens written to the cache: half of a first request that marks it for the cache.
    pub(crate) written: u64,
    /// Output tokens, with thinking.
    pub(crate) output: u64,
    /// Output tokens that are thinking.
    pub(crate) thoughts: u64,
}

/// The signature by which a model recognises its own thinking.
pub(crate) fn signature(model: &str) -> String {
    format!("sig:{model}")
}

const fn tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

/// Builds the response to a request from its directives; `number` is the number of the request.
pub(crate) fn answer(asked: ParsedRequest, number: u64) -> Answer {
    let (mut blocks, mut stop) = blocks(&asked, number);
    if let Some(limit) = asked.limit {
        shorten(&mut blocks, &mut stop, limit);
    }
    let length = |block: &Block| match block {
        Block::Thought => THOUGHT.len(),
        Block::Text(pieces) => pieces.iter().map(String::len).sum(),
        Block::Call(call) => call.tool.name.len() + call.arguments().len(),
    };
    let thoughts = blocks.iter().filter(|block| matches!(block, Block::Thought)).map(length).map(tokens).sum();
    let input = tokens(asked.length);
    let usage = Usage {
        input,
        cached: if asked.cache == Cache::Continued { input / 2 } else { 0 },
        written: if asked.cache == Cache::Marked { input / 2 } else { 0 },
        output: blocks.iter().map(length).map(tokens).sum(),
        thoughts,
    };
    Answer { number, model: asked.model, blocks, stop, usage }
}

fn blocks(asked: &ParsedRequest, number: u64) -> (Vec<Block>, Stop) {
    if let Some(schema) = &asked.schema {
        return (vec![Block::Text(cut(&schema::fitting(schema).to_string()))], Stop::Said);
    }
    if let Some(bytes) = asked.results {
        return (vec![Block::Text(cut(&format!("tool said {bytes} bytes")))], Stop::Said);
    }
    let directive = Directive::read(&asked.text);
    let mut blocks = Vec::new();
    if directive.think {
        blocks.push(Block::Thought);
    }
    if let Some(count) = directive.long {
        blocks.push(Block::Text((0..count).map(|piece| format!("word{piece} ")).collect()));
    }
    let mut stop = Stop::Said;
    for (place, (name, input)) in directive.calls.into_iter().enumerate() {
        match asked.tools.iter().find(|tool| tool.name == name) {
            Some(tool) => {
                stop = Stop::Tools;
                blocks.push(Block::Call(Call { id: format!("{number:08}_{place}"), tool: tool.clone(), input }));
            }
            None => blocks.push(Block::Text(vec!["There is no tool ".to_owned(), name])),
        }
    }
    if blocks.iter().all(|block| matches!(block, Block::Thought)) {
        blocks.push(Block::Text(PIECES.map(str::to_owned).to_vec()));
    }
    (blocks, stop)
}

/// Cuts text beyond the output limit, in tokens. Calls are never cut, because an incomplete call is useless.
fn shorten(blocks: &mut [Block], stop: &mut Stop, limit: u64) {
    let mut left = limit;
    for block in blocks {
        if let Block::Text(pieces) = block {
            let fitting = pieces.iter().take_while(|piece| {
                let fits = tokens(piece.len()) <= left;
                left = left.saturating_sub(tokens(piece.len()));
                fits
            });
            let fitting = fitting.count();
            if fitting < pieces.len() {
                // A response without text would be rejected in the next request.
                pieces.truncate(fitting.max(1));
                *stop = Stop::Limit;
            }
        }
    }
}

/// Splits a text into parts of twelve characters.
fn cut(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(12).map(|piece| piece.iter().collect()).collect()
}
