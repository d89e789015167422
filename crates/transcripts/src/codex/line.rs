//! Layout of a line of a rollout. Fields that are not listed are skipped without being parsed.

use std::fmt;

use catalogue::estimate::characters;
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use super::usage::{Counts, Info};
use crate::session_file::{Part, Parts, Text, lenient, skip_list, skip_object};

/// A line: time, type, and the payload of that type.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Line<'a> {
    /// Time of the line in the format of RFC 3339.
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    /// Type of the line.
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    /// Type of a state record, which only old files have.
    #[serde(borrow)]
    pub(super) record_type: Text<'a>,
    /// Fields of the line's type; missing in old files.
    #[serde(borrow)]
    pub(super) payload: Option<Payload<'a>>,
}

/// Payload of any type. Contains the fields of all types that are read. Old files have them in the line itself.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Payload<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) session_id: Text<'a>,
    #[serde(borrow)]
    pub(super) parent_thread_id: Text<'a>,
    #[serde(borrow)]
    pub(super) forked_from_id: Text<'a>,
    pub(super) source: Source,
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow)]
    pub(super) model_provider: Text<'a>,
    #[serde(borrow)]
    pub(super) reason: Text<'a>,
    #[serde(borrow)]
    pub(super) cli_version: Text<'a>,
    #[serde(borrow)]
    pub(super) turn_id: Text<'a>,
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    #[serde(borrow)]
    pub(super) role: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Parts<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) namespace: Text<'a>,
    #[serde(borrow)]
    pub(super) call_id: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Text<'a>,
    #[serde(borrow)]
    pub(super) input: Text<'a>,
    #[serde(borrow)]
    pub(super) action: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) status: Text<'a>,
    pub(super) output: Output,
    #[serde(borrow)]
    pub(super) message: Text<'a>,
    pub(super) images: Length,
    pub(super) local_images: Length,
    pub(super) info: Option<Info>,
    pub(super) usage: Option<Counts>,
    pub(super) thread_token_usage: Option<Counts>,
    #[serde(borrow)]
    pub(super) response_id: Text<'a>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) codex_error_info: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) item: Item<'a>,
    #[serde(borrow)]
    pub(super) replacement_history: Option<Vec<Item<'a>>>,
}

/// Item of a compacted history or of an `item_completed` line.
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

/// Size, start and end of a tool result; the rest of the text is not kept.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// Length of the text in bytes.
    pub(super) bytes: u64,
    /// Number of characters in the text.
    pub(super) characters: u64,
    /// Number of images.
    pub(super) images: u64,
    /// First 160 bytes, from which the client's text about a failed tool is recognised.
    pub(super) beginning: String,
    /// Last 160 bytes.
    pub(super) end: String,
    /// Whether the tool succeeded, as recorded by old files.
    pub(super) success: Option<bool>,
}

impl Output {
    /// Number of bytes in `beginning` and in `end`.
    const KEPT: usize = 160;

    /// Adds the size of a text part; keeps start and end of the first one.
    fn add(&mut self, text: &str) {
        self.bytes = self.bytes.saturating_add(text.len() as u64);
        self.characters = self.characters.saturating_add(characters(text));
        if self.beginning.is_empty() {
            text[..text.floor_char_boundary(Self::KEPT)].clone_into(&mut self.beginning);
            text[text.ceil_char_boundary(text.len().saturating_sub(Self::KEPT))..].clone_into(&mut self.end);
        }
    }
}

/// Length of a list whose elements are skipped.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Length(pub(super) u64);

/// Source of a session, of which only the parent of a sub-agent is read.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Session id of the parent of a sub-agent.
    pub(super) parent: Option<String>,
}

/// Implements `Deserialize` for a type whose default replaces values of other JSON types.
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
                "success" => success = object.next_value::<Option<serde_json::Value>>()?.and_then(|yes| yes.as_bool()),
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
