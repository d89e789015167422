//! One line of a session file, as far as it is read. What is not named here is skipped without being looked at.

use std::{borrow::Cow, fmt};

use event_core::Timestamp;
use serde::{
    Deserialize, Deserializer,
    de::{self, IgnoredAny},
};
use serde_json::value::RawValue;

use super::content::Content;

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
        let time: jiff::Timestamp = self.timestamp.get()?.parse().ok()?;
        u64::try_from(time.as_microsecond()).ok().map(Timestamp)
    }
}

/// A text that is borrowed where it can be; anything but a text counts as nothing.
#[derive(Debug, Default, Clone)]
pub(super) struct Text<'a>(pub(super) Option<Cow<'a, str>>);

impl Text<'_> {
    /// The text, unless it is missing or empty.
    pub(super) fn get(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }

    /// The text, empty when missing.
    pub(super) fn text(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

/// A yes or no; anything but `true` is no.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Flag(pub(super) bool);

/// What the client keeps of a tool's result; only whether it was stopped is read.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct ToolUseResult {
    pub(super) interrupted: bool,
}

/// Visits any value: what the visitor does not name in its own methods counts as the default.
macro_rules! lenient {
    ($life:lifetime, $value:ty, { $($own:tt)* }) => {
        type Value = $value;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any value")
        }

        fn visit_i64<E>(self, _: i64) -> Result<$value, E> {
            Ok(<$value>::default())
        }

        fn visit_u64<E>(self, _: u64) -> Result<$value, E> {
            Ok(<$value>::default())
        }

        fn visit_f64<E>(self, _: f64) -> Result<$value, E> {
            Ok(<$value>::default())
        }

        fn visit_unit<E>(self) -> Result<$value, E> {
            Ok(<$value>::default())
        }

        $($own)*
    };
}
pub(super) use lenient;

/// Skips a list.
pub(super) fn skip_list<'de, A: de::SeqAccess<'de>>(mut list: A) -> Result<(), A::Error> {
    while list.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

/// Skips an object.
pub(super) fn skip_object<'de, A: de::MapAccess<'de>>(mut object: A) -> Result<(), A::Error> {
    while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> de::Visitor<'de> for TextVisitor {
            lenient!('de, Text<'de>, {
                fn visit_bool<E>(self, _: bool) -> Result<Text<'de>, E> {
                    Ok(Text::default())
                }

                fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                    Ok(Text(Some(Cow::Borrowed(text))))
                }

                fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                    Ok(Text(Some(Cow::Owned(text.to_owned()))))
                }

                fn visit_seq<A: de::SeqAccess<'de>>(self, list: A) -> Result<Text<'de>, A::Error> {
                    skip_list(list).map(|()| Text::default())
                }

                fn visit_map<A: de::MapAccess<'de>>(self, object: A) -> Result<Text<'de>, A::Error> {
                    skip_object(object).map(|()| Text::default())
                }
            });
        }
        deserializer.deserialize_any(TextVisitor)
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FlagVisitor;
        impl<'de> de::Visitor<'de> for FlagVisitor {
            lenient!('de, Flag, {
                fn visit_bool<E>(self, yes: bool) -> Result<Flag, E> {
                    Ok(Flag(yes))
                }

                fn visit_str<E>(self, _: &str) -> Result<Flag, E> {
                    Ok(Flag(false))
                }

                fn visit_seq<A: de::SeqAccess<'de>>(self, list: A) -> Result<Flag, A::Error> {
                    skip_list(list).map(|()| Flag(false))
                }

                fn visit_map<A: de::MapAccess<'de>>(self, object: A) -> Result<Flag, A::Error> {
                    skip_object(object).map(|()| Flag(false))
                }
            });
        }
        deserializer.deserialize_any(FlagVisitor)
    }
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
