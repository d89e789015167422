//! [`Hex`], which formats bytes as hexadecimal digits, and [`hex_bytes!`](crate::hex_bytes), a type of bytes with that text.

use std::fmt;

/// Number of bytes that are converted in each call of the formatter.
const CHUNK_BYTES: usize = 32;

/// Formats bytes as hexadecimal digits in lower case without separators.
#[derive(Debug, Clone, Copy)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A call of the formatter for each byte would take twenty times as long.
        for bytes in self.0.chunks(CHUNK_BYTES) {
            let mut digits = [0; 2 * CHUNK_BYTES];
            for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
                pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
            }
            f.write_str(std::str::from_utf8(&digits[..2 * bytes.len()]).unwrap_or_default())?;
        }
        Ok(())
    }
}

/// Returns the lower-case hexadecimal digit of `value`, which must be below 16.
const fn digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

/// Parses `2 * N` hexadecimal digits, in upper or lower case; `None` for any other text.
pub fn parse_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let high = char::from(pair[0]).to_digit(16)?;
        let low = char::from(pair[1]).to_digit(16)?;
        *byte = u8::try_from(high * 16 + low).ok()?;
    }
    Some(bytes)
}

/// Implements `Display`, `Debug`, `FromStr`, `Serialize` and `Deserialize` for a tuple struct around `[u8; N]`. Its text is
/// `2 * N` lower-case hexadecimal digits, in JSON too; a binary encoding has the bytes. The last argument is the error of
/// parsing, a tuple struct around the text.
///
/// ```
/// #[derive(Clone, Copy, PartialEq, Eq)]
/// struct Color([u8; 3]);
///
/// #[derive(Debug, thiserror::Error)]
/// #[error("`{0}` is not a color of 6 hexadecimal digits")]
/// struct ParseColorError(String);
///
/// event_core::hex_bytes!(Color, 3, ParseColorError);
/// assert_eq!(Color([255, 0, 16]).to_string(), "ff0010");
/// assert!("ff001".parse::<Color>().is_err());
/// ```
#[macro_export]
macro_rules! hex_bytes {
    ($name:ident, $length:literal, $error:ident) => {
        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::Hex(&self.0).fmt(f)
            }
        }

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl ::core::str::FromStr for $name {
            type Err = $error;

            fn from_str(text: &str) -> Result<Self, $error> {
                $crate::parse_hex(text).map(Self).ok_or_else(|| $error(text.to_owned()))
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if serializer.is_human_readable() {
                    serializer.collect_str(self)
                } else {
                    ::serde::Serialize::serialize(&self.0, serializer)
                }
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                if deserializer.is_human_readable() {
                    let text = <::std::borrow::Cow<'de, str> as ::serde::Deserialize>::deserialize(deserializer)?;
                    text.parse().map_err(<D::Error as ::serde::de::Error>::custom)
                } else {
                    <[u8; $length] as ::serde::Deserialize>::deserialize(deserializer).map(Self)
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_formatted_as_two_digits() {
        let all: Vec<u8> = (0..=u8::MAX).collect();
        let naive = all.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        for length in [0, 1, 16, 31, 32, 33, 64, 256] {
            assert_eq!(Hex(&all[..length]).to_string(), naive[..2 * length]);
        }
    }
    #[test]
    fn parsing_is_the_inverse_of_formatting_and_accepts_nothing_else() {
        let bytes = [0x00, 0x7f, 0xa5, 0xff];
        assert_eq!(parse_hex(&Hex(&bytes).to_string()), Some(bytes));
        assert_eq!(parse_hex("007FA5FF"), Some(bytes));
        for wrong in ["", "007fa5f", "007fa5ff0", "007fa5fg", "007fa5\u{e4}", "+07fa5ff"] {
            assert_eq!(parse_hex::<4>(wrong), None, "{wrong}");
        }
    }
}
