//! One line of a session file, as far as it is read. What is not named here is skipped without being looked at.

use std::fmt;

use event_core::Timestamp;
use serde::{
    Deserialize, Deserializer,
    de::{self, IgnoredAny},
};
use serde_json::value::RawValue;

use super::content::Content;
use crate::session_file::{Flag, Text, in_text, lenient, skip_list};

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Line<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) subtype: Text<'a>,
    #[serde(borrow)]
    pub(super) uuid: Text<'a>,
    #[serde(borrow)]
    pub(super) parent_uuid: Text<'a>,
    #[serde(borrow)]
    pub(super) session_id: Text<'a>,
    #[serde(borrow)]
    pub(super) agent_id: Text<'a>,
    #[serde(borrow)]
    pub(super) request_id: Text<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow)]
    pub(super) version: Text<'a>,
    pub(super) is_sidechain: Flag,
    pub(super) is_meta: Flag,
    pub(super) is_compact_summary: Flag,
    pub(super) is_visible_in_transcript_only: Flag,
    pub(super) is_api_error_message: Flag,
    #[serde(borrow)]
    pub(super) message: Option<Message<'a>>,
    pub(super) tool_use_result: ToolUseResult,
    pub(super) compact_metadata: Option<CompactMetadata>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    pub(super) retry_attempt: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    #[serde(borrow)]
    pub(super) stop_reason: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct CompactMetadata {
    trigger: String,
    pub(super) pre_tokens: Option<u64>,
}

impl CompactMetadata {
    pub(super) fn is_manual(&self) -> bool {
        self.trigger == "manual"
    }
}

/// The type of a line whose shape is not the expected one.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Kind<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
}

impl Line<'_> {
    /// The time of the line, when it has one.
    pub(super) fn at(&self) -> Option<Timestamp> {
        in_text(self.timestamp.get()?)
    }
}

/// What the client keeps of a tool's result; only whether it was stopped is read.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct ToolUseResult {
    pub(super) interrupted: bool,
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
                            result.interrupted = object.next_value::<Flag>()?.0;
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
