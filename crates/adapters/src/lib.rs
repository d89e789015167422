//! What comes from outside: the catalogue of models, estimates of tokens, the sessions other clients recorded, and
//! embeddings.
//!
//! [`catalogue`] says which models there are, what they take and what they charge; [`litellm`] reads the price list
//! that much of this ecosystem shares. [`estimate`] counts tokens without a tokenizer. [`claude_code`], [`codex`] and
//! [`openai_log`] read session files of other clients, by way of [`session_file`], into the neutral types of
//! [`observed`]; [`tool_call`] looks at a call of a tool by itself. [`embedder`] asks whom the user brings to put texts into numbers.

pub mod catalogue;
pub mod claude_code;
pub mod codex;
mod decimal;
pub mod embedder;
mod error_text;
pub mod estimate;
pub mod litellm;
pub mod observed;
pub mod openai_log;
pub mod session_file;
pub mod tool_call;

/// A session in the format of Claude Code's own files, invented for this project: two days in a small shop.
pub const DEMO_SESSION: &str = include_str!("../demo/session.jsonl");
