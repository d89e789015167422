//! Deserialises values leniently: a value of an unexpected JSON type becomes the default, so the rest of the line can
//! be used.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{self, IgnoredAny},
};

/// A text in a JSON line, borrowed from the line if it has no escapes; `None` for values of other JSON types.
#[derive(Debug, Default, Clone)]
pub(crate) struct Text<'a>(pub(crate) Option<Cow<'a, str>>);

impl Text<'_> {
    /// Returns the text; `None` if it is missing or empty.
    pub(crate) fn get(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }

    /// Returns the text; empty if it is missing.
    pub(crate) fn text(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

/// A boolean in a JSON line; false for values of other JSON types.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Flag(pub(crate) bool);

/// Defines the methods of a visitor of `$value` that returns the default for numbers and `null`. `$own` are its methods
/// for the other JSON types.
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
pub(crate) use lenient;

/// Reads a list to its end and discards it.
pub(crate) fn skip_list<'de, A: de::SeqAccess<'de>>(mut list: A) -> Result<(), A::Error> {
    while list.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

/// Reads an object to its end and discards it.
pub(crate) fn skip_object<'de, A: de::MapAccess<'de>>(mut object: A) -> Result<(), A::Error> {
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
