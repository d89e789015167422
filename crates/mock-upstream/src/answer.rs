//! What is answered, before it takes the shape of an API.

use serde_json::Value;

use crate::{
    asked::{Asked, Cache, Tool},
    directive::Directive,
    schema,
};

/// The answer to whatever asks for nothing special.
pub(crate) const PIECES: [&str; 4] = ["Hello", " from", " the", " mock."];

/// What is thought before an answer.
pub(crate) const THOUGHT: &str = "Let me think about it.";

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// Counts the answers of this mock, so that names are made of it.
    pub(crate) number: u64,
    pub(crate) model: String,
    pub(crate) blocks: Vec<Block>,
    pub(crate) stop: Stop,
    pub(crate) usage: Usage,
}

/// A part of an answer.
#[derive(Debug, Clone)]
pub(crate) enum Block {
    /// A thought; its signature is `sig:` and the model.
    Thought,
    /// A text in pieces.
    Text(Vec<String>),
    Call(Call),
}

/// A call of a tool.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// Unlike that of any other call.
    pub(crate) id: String,
    pub(crate) tool: Tool,
    pub(crate) input: Value,
}

impl Call {
    /// What is given to the tool, as text: JSON, or what a custom tool takes.
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

/// Why an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    Said,
    Tools,
    Limit,
}

/// What is charged, in tokens; a token is four bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// All of the request, whether from the cache or not.
    pub(crate) input: u64,
    /// Of these, read from the cache: half, once an answer is part of the conversation.
    pub(crate) cached: u64,
    /// Of these, written to the cache: half of a first request that marks it.
    pub(crate) written: u64,
    /// All of the answer, thoughts included.
    pub(crate) output: u64,
    /// Of these, thoughts.
    pub(crate) thoughts: u64,
}

/// What may be shown to the model again only by itself.
pub(crate) fn signature(model: &str) -> String {
    format!("sig:{model}")
}

const fn tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

/// The answer to a request.
pub(crate) fn answer(asked: Asked, number: u64) -> Answer {
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

fn blocks(asked: &Asked, number: u64) -> (Vec<Block>, Stop) {
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

/// Leaves out the text for which there are no tokens. Calls stay whole: half of one is of no use to anybody.
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
                // An answer without any text would be refused when it comes back.
                pieces.truncate(fitting.max(1));
                *stop = Stop::Limit;
            }
        }
    }
}

/// A text in pieces of a dozen characters.
fn cut(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(12).map(|piece| piece.iter().collect()).collect()
}
