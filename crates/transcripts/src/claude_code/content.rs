//! What a message is made of: a text, or blocks.

use std::{borrow::Cow, fmt};

use catalogue::estimate::characters;
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use crate::session_file::{Flag, Text, lenient, skip_object};

/// The content of a message.
#[derive(Debug, Default)]
pub(super) enum Content<'a> {
    #[default]
    Nothing,
    Text(Cow<'a, str>),
    Blocks(Vec<Block<'a>>),
}

/// A block of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_use_id: Text<'a>,
    pub(super) is_error: Flag,
    pub(super) content: Size,
}

/// How large the result of a tool is, and how it begins.
#[derive(Debug, Default)]
pub(super) struct Size {
    pub(super) bytes: u64,
    pub(super) characters: u64,
    pub(super) images: u64,
    /// The first characters, enough to recognise a message of the client.
    pub(super) beginning: String,
}

impl Size {
    const BEGINNING: usize = 80;

    fn add(&mut self, text: &str) {
        self.bytes = self.bytes.saturating_add(text.len() as u64);
        self.characters = self.characters.saturating_add(characters(text));
        if self.beginning.is_empty() {
            self.beginning = text.chars().take(Self::BEGINNING).collect();
        }
    }
}

impl<'a> Content<'a> {
    /// The blocks; none for a plain text.
    pub(super) fn blocks(&self) -> &[Block<'a>] {
        match self {
            Self::Blocks(blocks) => blocks,
            _ => &[],
        }
    }

    /// All text, blocks joined by a line feed.
    pub(super) fn joined_text(&self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Text(text) => text.clone().into_owned(),
            Self::Blocks(blocks) => {
                let texts: Vec<&str> =
                    blocks.iter().filter(|block| block.kind.text() == "text").map(|block| block.text.text()).collect();
                texts.join("\n")
            }
        }
    }

    /// How many images it shows, those inside results of tools aside.
    pub(super) fn images(&self) -> u64 {
        self.blocks().iter().filter(|block| block.kind.text() == "image").count() as u64
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;
        impl<'de> de::Visitor<'de> for ContentVisitor {
            lenient!('de, Content<'de>, {
                fn visit_bool<E>(self, _: bool) -> Result<Content<'de>, E> {
                    Ok(Content::Nothing)
                }

                fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Content<'de>, E> {
                    Ok(Content::Text(Cow::Borrowed(text)))
                }

                fn visit_str<E>(self, text: &str) -> Result<Content<'de>, E> {
                    Ok(Content::Text(Cow::Owned(text.to_owned())))
                }

                fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Content<'de>, A::Error> {
                    let mut blocks = Vec::new();
                    while let Some(block) = list.next_element()? {
                        blocks.push(block);
                    }
                    Ok(Content::Blocks(blocks))
                }

                fn visit_map<A: de::MapAccess<'de>>(self, object: A) -> Result<Content<'de>, A::Error> {
                    skip_object(object).map(|()| Content::Nothing)
                }
            });
        }
        deserializer.deserialize_any(ContentVisitor)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SizeVisitor;
        impl<'de> de::Visitor<'de> for SizeVisitor {
            lenient!('de, Size, {
                fn visit_bool<E>(self, _: bool) -> Result<Size, E> {
                    Ok(Size::default())
                }

                fn visit_str<E>(self, text: &str) -> Result<Size, E> {
                    let mut size = Size::default();
                    size.add(text);
                    Ok(size)
                }

                fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Size, A::Error> {
                    let mut size = Size::default();
                    while let Some(part) = list.next_element::<Part<'de>>()? {
                        size.add(part.text.text());
                        size.images += u64::from(part.kind.text() == "image");
                    }
                    Ok(size)
                }

                fn visit_map<A: de::MapAccess<'de>>(self, object: A) -> Result<Size, A::Error> {
                    skip_object(object).map(|()| Size::default())
                }
            });
        }
        deserializer.deserialize_any(SizeVisitor)
    }
}

/// A part of a tool's result.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    text: Text<'a>,
}
