//! Layout of a line of a rollout. Fields that are not listed are skipped without being parsed.

use std::{collections::BTreeSet, fmt};

use catalogue::estimate::count_characters;
use client_formats::file_paths::extensions_in_output;
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use super::usage::{Counts, Info};
use crate::session_file::{Part, Parts, Text, lenient, skip_list, skip_object};

/// A line of a Codex session file: its time, its type, and the fields of that type.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Line<'a> {
    /// Time of the line in the format of RFC 3339.
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    /// Type of the line, such as `response_item` or `event_msg`.
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    /// Type of a state record, which only old files have.
    #[serde(borrow)]
    pub(super) record_type: Text<'a>,
    /// Fields of the line's type; missing in old files.
    #[serde(borrow)]
    pub(super) payload: Option<Payload<'a>>,
}

/// Fields of a line of any type. Contains the fields of all types that are read; fields that a type does not have are
/// empty or `None`. Old files have them in the line itself.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Payload<'a> {
    /// Type of the event or item, such as `task_started` or `message`.
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    /// Start of the session, in `session_meta`.
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    /// Id of the session in `session_meta`, or of an item.
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    /// Id of the session that the file belongs to, in `session_meta`: for a sub-agent, that of its parent.
    #[serde(borrow)]
    pub(super) session_id: Text<'a>,
    /// Id of the parent of a sub-agent, in `session_meta`.
    #[serde(borrow)]
    pub(super) parent_thread_id: Text<'a>,
    /// Id of the session that this one is a fork of, in `session_meta`.
    #[serde(borrow)]
    pub(super) forked_from_id: Text<'a>,
    /// Source of the session, in `session_meta`.
    pub(super) source: Source,
    /// Working directory of the client, in `session_meta` and `turn_context`.
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    /// Provider of the model, in `session_meta`.
    #[serde(borrow)]
    pub(super) model_provider: Text<'a>,
    /// Reason of a `turn_aborted` event.
    #[serde(borrow)]
    pub(super) reason: Text<'a>,
    /// Version of the client, in `session_meta`.
    #[serde(borrow)]
    pub(super) cli_version: Text<'a>,
    /// The client's id of a turn.
    #[serde(borrow)]
    pub(super) turn_id: Text<'a>,
    /// Name of the model, in `turn_context`.
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    /// Role of a message: `user`, `assistant` or `developer`.
    #[serde(borrow)]
    pub(super) role: Text<'a>,
    /// Texts and images of a message.
    #[serde(borrow)]
    pub(super) content: Parts<'a>,
    /// Name of the tool in a tool call.
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    /// Namespace of the tool in a tool call; that of an MCP server starts with `mcp__`.
    #[serde(borrow)]
    pub(super) namespace: Text<'a>,
    /// The provider's id of a tool call, in the call and in its result.
    #[serde(borrow)]
    pub(super) call_id: Text<'a>,
    /// Arguments of a tool call, as JSON.
    #[serde(borrow)]
    pub(super) arguments: Text<'a>,
    /// Arguments of a custom tool call, as text.
    #[serde(borrow)]
    pub(super) input: Text<'a>,
    /// Arguments of a `local_shell_call`, unparsed.
    #[serde(borrow)]
    pub(super) action: Option<&'a RawValue>,
    /// Status of a tool call of the provider's own tools, such as `failed`.
    #[serde(borrow)]
    pub(super) status: Text<'a>,
    /// Size, start and end of a tool result.
    pub(super) output: Output,
    /// Text of a typed message, an error or a compaction.
    #[serde(borrow)]
    pub(super) message: Text<'a>,
    /// Number of images in a typed message.
    pub(super) images: Length,
    /// Number of images from files in a typed message.
    pub(super) local_images: Length,
    /// Usage in a `token_count` event; `None` if the event has none.
    pub(super) info: Option<Info>,
    /// Usage of one response, in `token_usage_record`.
    pub(super) usage: Option<Counts>,
    /// Usage of all responses of the thread so far, in `token_usage_record`.
    pub(super) thread_token_usage: Option<Counts>,
    /// The provider's id of the response, in `token_usage_record`.
    #[serde(borrow)]
    pub(super) response_id: Text<'a>,
    /// Error in the event that ends a task, unparsed; `null` if it succeeded.
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    /// The client's classification of an error, unparsed: a word or an object.
    #[serde(borrow)]
    pub(super) codex_error_info: Option<&'a RawValue>,
    /// Item of an `item_completed` event.
    #[serde(borrow)]
    pub(super) item: Item<'a>,
    /// Remaining history after a compaction; `None` if not recorded.
    #[serde(borrow)]
    pub(super) replacement_history: Option<Vec<Item<'a>>>,
}

/// An item of the conversation, in a compacted history or an `item_completed` line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Item<'a> {
    /// Type of the item.
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    /// Texts and images of a message.
    #[serde(borrow)]
    pub(super) content: Parts<'a>,
}

/// Size, start, end and file extensions of a tool result; the rest of the text is not stored.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// Length of the text in bytes.
    pub(super) bytes: u64,
    /// Number of characters in the text.
    pub(super) characters: u64,
    /// Number of images.
    pub(super) images: u64,
    /// First 160 bytes of the first text, from which the client's message about a failed tool is recognised.
    pub(super) beginning: String,
    /// Last 160 bytes of the first text.
    pub(super) end: String,
    /// Extensions of the files that the texts name.
    pub(super) extensions: BTreeSet<String>,
    /// Whether the tool succeeded, which only old files record; `None` otherwise.
    pub(super) success: Option<bool>,
}

impl Output {
    /// Maximum number of bytes in `beginning` and in `end`.
    const KEPT: usize = 160;

    /// Adds the size of a text part of the tool result, and stores start and end of the first part.
    fn add(&mut self, text: &str) {
        self.bytes = self.bytes.saturating_add(text.len() as u64);
        self.characters = self.characters.saturating_add(count_characters(text));
        self.extensions.append(&mut extensions_in_output(text));
        if self.beginning.is_empty() {
            text[..text.floor_char_boundary(Self::KEPT)].clone_into(&mut self.beginning);
            text[text.ceil_char_boundary(text.len().saturating_sub(Self::KEPT))..].clone_into(&mut self.end);
        }
    }
}

/// The length of a JSON list, whose elements are skipped; 0 for other JSON types.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Length(pub(super) u64);

/// Source of a session, of which only the parent of a sub-agent is read.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Session id of the parent of a sub-agent; `None` for other sessions.
    pub(super) parent: Option<String>,
}

/// Implements `Deserialize` for the type `$value` with a visitor `$name`. `$own` are the visitor's methods for texts,
/// lists and objects; values of other JSON types become the default.
macro_rules! lenient_value {
    ($name:ident, $life:lifetime, $value:ty, { $($own:tt)* }) => {
        impl<$life> Deserialize<$life> for $value {
            fn deserialize<D: Deserializer<$life>>(deserializer: D) -> Result<Self, D::Error> {
                struct $name;
                impl<$life> de::Visitor<$life> for $name {
                    lenient!($life, $value, {
                        fn visit_bool<E>(self, _: bool) -> Result<$value, E> {
                            Ok(<$value>::default())
                        }

                        $($own)*
                    });
                }
                deserializer.deserialize_any($name)
            }
        }
    };
}

lenient_value!(OutputVisitor, 'de, Output, {
    fn visit_str<E>(self, text: &str) -> Result<Output, E> {
        let mut output = Output::default();
        output.add(text);
        Ok(output)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Output, A::Error> {
        let mut output = Output::default();
        while let Some(part) = list.next_element::<Part<'de>>()? {
            output.add(part.text.text());
            output.images += u64::from(part.kind.text().contains("image"));
        }
        Ok(output)
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut object: A) -> Result<Output, A::Error> {
        let (mut output, mut success) = (Output::default(), None);
        while let Some(key) = object.next_key::<Text<'de>>()? {
            match key.text() {
                "content" => output = object.next_value()?,
                "success" => success = object.next_value::<Option<serde_json::Value>>()?.and_then(|value| value.as_bool()),
                _ => drop(object.next_value::<de::IgnoredAny>()?),
            }
        }
        Ok(Output { success, ..output })
    }
});

lenient_value!(LengthVisitor, 'de, Length, {
    fn visit_str<E>(self, _: &str) -> Result<Length, E> {
        Ok(Length::default())
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Length, A::Error> {
        let mut length = 0;
        while list.next_element::<de::IgnoredAny>()?.is_some() {
            length += 1;
        }
        Ok(Length(length))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, object: A) -> Result<Length, A::Error> {
        skip_object(object).map(|()| Length::default())
    }
});

lenient_value!(SourceVisitor, 'de, Source, {
    fn visit_str<E>(self, _: &str) -> Result<Source, E> {
        Ok(Source::default())
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, list: A) -> Result<Source, A::Error> {
        skip_list(list).map(|()| Source::default())
    }

    // `{"subagent": {"thread_spawn": {"parent_thread_id": …}}}`, at whatever depth.
    fn visit_map<A: de::MapAccess<'de>>(self, mut object: A) -> Result<Source, A::Error> {
        let mut source = Source::default();
        while let Some(key) = object.next_key::<Text<'de>>()? {
            let parent = match key.text() {
                "parent_thread_id" => object.next_value::<Text<'de>>()?.get().map(str::to_owned),
                "subagent" | "thread_spawn" => object.next_value::<Source>()?.parent,
                _ => object.next_value::<de::IgnoredAny>().map(|_| None)?,
            };
            source.parent = source.parent.or(parent);
        }
        Ok(source)
    }
});
