//! [`Hex`], which formats bytes as hexadecimal digits.

use std::fmt;

/// Number of bytes that are converted per call of the formatter.
const AT_ONCE: usize = 32;

/// Formats bytes as hexadecimal digits in lower case without separators.
#[derive(Debug, Clone, Copy)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A call of the formatter for each byte would take twenty times as long.
        for part in self.0.chunks(AT_ONCE) {
            let mut digits = [0; 2 * AT_ONCE];
            for (pair, byte) in digits.chunks_exact_mut(2).zip(part) {
                pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
            }
            f.write_str(std::str::from_utf8(&digits[..2 * part.len()]).unwrap_or_default())?;
        }
        Ok(())
    }
}

/// Returns the lower-case hexadecimal digit of `value`, which must be below 16.
const fn digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_two_digits_however_many_there_are() {
        let all: Vec<u8> = (0..=u8::MAX).collect();
        let naive = all.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        for length in [0, 1, 16, 31, 32, 33, 64, 256] {
            assert_eq!(Hex(&all[..length]).to_string(), naive[..2 * length]);
        }
    }
}
