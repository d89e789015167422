//! Message content that is either a text or a list of parts.

use std::fmt;

use catalogue::estimate::count_characters;
use serde::{Deserialize, Deserializer, de};

use super::lenient::{Text, lenient, skip_object};

/// Texts of a message, and its number of images. Deserialised from a text or a list of parts; empty for values of other
/// JSON types.
#[derive(Debug, Default)]
pub(crate) struct Parts<'a> {
    /// Texts, in order.
    pub(crate) texts: Vec<Text<'a>>,
    /// Number of images.
    pub(crate) images: u64,
}

impl Parts<'_> {
    /// Returns all texts, joined by line feeds.
    pub(crate) fn joined(&self) -> String {
        let texts: Vec<&str> = self.texts.iter().map(Text::text).collect();
        texts.join("\n")
    }

    /// Returns the number of characters in all texts.
    pub(crate) fn characters(&self) -> u64 {
        self.texts.iter().map(|text| count_characters(text.text())).sum()
    }
}

/// A part of a message in a session file: a text or an image.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Part<'a> {
    /// Type of the part; types that contain `image` are images.
    #[serde(rename = "type", borrow)]
    pub(crate) kind: Text<'a>,
    /// Text of the part; empty for images.
    #[serde(borrow)]
    pub(crate) text: Text<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Parts<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PartsVisitor;
        impl<'de> de::Visitor<'de> for PartsVisitor {
            lenient!('de, Parts<'de>, {
                fn visit_bool<E>(self, _: bool) -> Result<Parts<'de>, E> {
                    Ok(Parts::default())
                }

                fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Parts<'de>, E> {
                    Ok(Parts { texts: vec![Text(Some(text.into()))], images: 0 })
                }

                fn visit_str<E>(self, text: &str) -> Result<Parts<'de>, E> {
                    Ok(Parts { texts: vec![Text(Some(text.to_owned().into()))], images: 0 })
                }

                fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Parts<'de>, A::Error> {
                    let mut parts = Parts::default();
                    while let Some(part) = list.next_element::<Part<'de>>()? {
                        parts.images += u64::from(part.kind.text().to_ascii_lowercase().contains("image"));
                        if part.text.get().is_some() {
                            parts.texts.push(part.text);
                        }
                    }
                    Ok(parts)
                }

                fn visit_map<A: de::MapAccess<'de>>(self, object: A) -> Result<Parts<'de>, A::Error> {
                    skip_object(object).map(|()| Parts::default())
                }
            });
        }
        deserializer.deserialize_any(PartsVisitor)
    }
}
