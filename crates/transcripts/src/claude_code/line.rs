//! Layout of a line of a session file. Fields that are not listed are skipped without being parsed.

use std::fmt;

use event_core::Timestamp;
use serde::{
    Deserialize, Deserializer,
    de::{self, IgnoredAny},
};
use serde_json::value::RawValue;

use super::content::Content;
use crate::session_file::{Flag, Text, lenient, parse_rfc3339, skip_list};

/// A line of a session file, of any type. Contains the fields of all types that are read; fields that a type does not
/// have are empty, false or `None`.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Line<'a> {
    /// Type of the line: `assistant`, `user`, `system` or another.
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    /// Type of a `system` line.
    #[serde(borrow)]
    pub(super) subtype: Text<'a>,
    /// Id of the line.
    #[serde(borrow)]
    pub(super) uuid: Text<'a>,
    /// Id of the previous line of the conversation; empty for the first.
    #[serde(borrow)]
    pub(super) parent_uuid: Text<'a>,
    /// Id of the session.
    #[serde(borrow)]
    pub(super) session_id: Text<'a>,
    /// Id of the sub-agent; missing in old files.
    #[serde(borrow)]
    pub(super) agent_id: Text<'a>,
    /// The provider's id of the request that the line is a response to.
    #[serde(borrow)]
    pub(super) request_id: Text<'a>,
    /// Time of the line in the format of RFC 3339.
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    /// Working directory of the client.
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    /// Version of the client.
    #[serde(borrow)]
    pub(super) version: Text<'a>,
    /// Whether the line belongs to a sub-agent.
    pub(super) is_sidechain: Flag,
    /// Whether the client added the line, such as the text of a command.
    pub(super) is_meta: Flag,
    /// Whether the line is the summary of a compaction.
    pub(super) is_compact_summary: Flag,
    /// Whether the line is only displayed and not sent to the model.
    pub(super) is_visible_in_transcript_only: Flag,
    /// Whether the line reports a failed call.
    pub(super) is_api_error_message: Flag,
    /// Message of an `assistant` or `user` line.
    #[serde(borrow)]
    pub(super) message: Option<Message<'a>>,
    /// The client's record of a tool result.
    pub(super) tool_use_result: ToolUseResult,
    /// Details of a compaction.
    pub(super) compact_metadata: Option<CompactMetadata>,
    /// Error of a failed call: an object or a name.
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    /// Number of the failed attempt, from 1; `None` if not recorded.
    pub(super) retry_attempt: Option<u32>,
}

/// Message of an `assistant` or `user` line; model, stop reason and usage only for `assistant`.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Message<'a> {
    /// The provider's id of the response.
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    /// Model of the response; `<synthetic>` for texts of the client.
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    /// Reason why the response ended; missing in most lines.
    #[serde(borrow)]
    pub(super) stop_reason: Text<'a>,
    /// Text or blocks.
    #[serde(borrow)]
    pub(super) content: Content<'a>,
    /// Usage object of the provider, unparsed.
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
}

/// Details of a compaction in a `compact_boundary` line.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct CompactMetadata {
    /// `manual` or `auto`.
    trigger: String,
    /// Tokens of the history before the compaction; `None` if not recorded.
    pub(super) pre_tokens: Option<u64>,
}

impl CompactMetadata {
    /// Returns whether the user requested the compaction.
    pub(super) fn is_manual(&self) -> bool {
        self.trigger == "manual"
    }
}

/// The type of a line of a session file, for lines that do not match [`Line`].
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Kind<'a> {
    /// Type of the line.
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
}

impl Line<'_> {
    /// Returns the time of the line; `None` if it is missing or not in the format of RFC 3339.
    pub(super) fn at(&self) -> Option<Timestamp> {
        parse_rfc3339(self.timestamp.get()?)
    }
}

/// The client's record of a tool result, of which only the interruption is read.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct ToolUseResult {
    /// Whether the user interrupted the tool.
    pub(super) is_interrupted: bool,
}

impl<'de> Deserialize<'de> for ToolUseResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ResultVisitor;
        impl<'de> de::Visitor<'de> for ResultVisitor {
            lenient!('de, ToolUseResult, {
                fn visit_bool<E>(self, _: bool) -> Result<ToolUseResult, E> {
                    Ok(ToolUseResult::default())
                }

                fn visit_str<E>(self, _: &str) -> Result<ToolUseResult, E> {
                    Ok(ToolUseResult::default())
                }

                fn visit_seq<A: de::SeqAccess<'de>>(self, list: A) -> Result<ToolUseResult, A::Error> {
                    skip_list(list).map(|()| ToolUseResult::default())
                }

                fn visit_map<A: de::MapAccess<'de>>(self, mut object: A) -> Result<ToolUseResult, A::Error> {
                    let mut result = ToolUseResult::default();
                    while let Some(key) = object.next_key::<Text<'de>>()? {
                        if key.text() == "interrupted" {
                            result.is_interrupted = object.next_value::<Flag>()?.0;
                        } else {
                            object.next_value::<IgnoredAny>()?;
                        }
                    }
                    Ok(result)
                }
            });
        }
        deserializer.deserialize_any(ResultVisitor)
    }
}
