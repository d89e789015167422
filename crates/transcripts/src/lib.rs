//! Reads the session files that other clients record.
//!
//! [`claude_code`], [`codex`] and [`openai_log`] each read one format, on top of [`session_file`], into the neutral types
//! of [`observed`]. [`tool_call`] classifies a single tool call.

pub mod claude_code;
pub mod codex;
mod error_text;
pub mod observed;
pub mod openai_log;
pub mod session_file;
pub mod skills;
pub mod tool_call;

/// An invented session in the format of Claude Code, two days long, for demonstrations and tests.
pub const DEMO_SESSION: &str = include_str!("../demo/session.jsonl");
