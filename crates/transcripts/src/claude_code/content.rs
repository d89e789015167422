//! Content of a message in a session file of Claude Code: text or a list of blocks.

use std::{borrow::Cow, collections::BTreeSet, fmt};

use catalogue::estimate::count_characters;
use client_formats::file_paths::extensions_in_output;
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use crate::session_file::{Flag, Text, lenient, skip_object};

/// Content of a message. Values of other JSON types are read as [`Content::Nothing`].
#[derive(Debug, Default)]
pub(super) enum Content<'a> {
    /// No content, or a value of an unexpected type.
    #[default]
    Nothing,
    /// Plain text.
    Text(Cow<'a, str>),
    /// A list of blocks.
    Blocks(Vec<Block<'a>>),
}

/// One content block of a message in a session file: a text, a tool call, a tool result or an image. Contains the
/// fields of all block types that are read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    /// Type of the block, such as `text` or `tool_use`.
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    /// Text of a `text` block.
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    /// Id of a `tool_use` block.
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    /// Tool of a `tool_use` block.
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    /// Arguments of a `tool_use` block, unparsed.
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    /// Id of the tool call that a `tool_result` block belongs to.
    #[serde(borrow)]
    pub(super) tool_use_id: Text<'a>,
    /// Whether a `tool_result` block reports an error.
    pub(super) is_error: Flag,
    /// Size of the content of a `tool_result` block.
    pub(super) content: Size,
}

/// Size, first characters and file extensions of a tool result in a session file; the rest of the text is not stored. Zero
/// for values that are neither a text nor a list of parts.
#[derive(Debug, Default)]
pub(super) struct Size {
    /// Length of the text in bytes.
    pub(super) bytes: u64,
    /// Number of characters in the text.
    pub(super) characters: u64,
    /// Number of images.
    pub(super) images: u64,
    /// First 80 characters of the first text, from which messages of the client are recognised.
    pub(super) beginning: String,
    /// Extensions of the files that the texts name.
    pub(super) extensions: BTreeSet<String>,
}

impl Size {
    /// Maximum number of characters in `beginning`.
    const BEGINNING: usize = 80;

    /// Adds the size of a text part of the tool result, and stores the first characters of the first part.
    fn add(&mut self, text: &str) {
        self.bytes = self.bytes.saturating_add(text.len() as u64);
        self.characters = self.characters.saturating_add(count_characters(text));
        self.extensions.append(&mut extensions_in_output(text));
        if self.beginning.is_empty() {
            self.beginning = text.chars().take(Self::BEGINNING).collect();
        }
    }
}

impl<'a> Content<'a> {
    /// Returns the content blocks of the message; none if its content is plain text.
    pub(super) fn blocks(&self) -> &[Block<'a>] {
        match self {
            Self::Blocks(blocks) => blocks,
            _ => &[],
        }
    }

    /// Returns the text of the message, or the texts of all its text blocks joined by line feeds; empty if there are
    /// none.
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

    /// Returns the number of image blocks. Images in tool results are not counted.
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

/// A part of a tool result: a text or an image.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    /// Type of the part.
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    /// Text of the part; empty for images.
    #[serde(borrow)]
    text: Text<'a>,
}
