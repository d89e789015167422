//! Reads a file line by line, with a limit on the length of a line.

use std::io::{self, BufRead, Read as _};

/// Maximum length of a line in bytes, to limit memory. Longer lines are reported and skipped.
pub const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;

/// Result of reading a line of a file: the line, the number of a line that was too long, or the end of the file.
pub(super) enum NextLine<'a> {
    /// A line without its line feed, and its number from 1.
    Bytes { number: u64, bytes: &'a [u8] },
    /// The number of a line that was too long and was skipped.
    TooLong { number: u64 },
    /// The end of the file.
    End,
}

/// Reads a file line by line, with a limit on the length of a line. Reuses one buffer.
#[derive(Debug)]
pub(super) struct Lines<R> {
    /// The file.
    source: R,
    /// The current line.
    buffer: Vec<u8>,
    /// Maximum length of a line in bytes.
    max_bytes: u64,
    /// Number of the last line that was read, from 1; 0 before the first.
    pub(super) number: u64,
    /// Number of bytes read so far.
    pub(super) bytes: u64,
}

impl<R: BufRead> Lines<R> {
    /// Creates a reader of the lines of `source`. Lines longer than `max_bytes` are skipped.
    pub(super) fn new(source: R, max_bytes: u64) -> Self {
        Self { source, buffer: Vec::new(), max_bytes, number: 0, bytes: 0 }
    }

    /// Reads the next line of the file, including a last one without a line feed.
    ///
    /// # Errors
    /// The error of `source`.
    pub(super) fn next(&mut self) -> io::Result<NextLine<'_>> {
        self.buffer.clear();
        let read = (&mut self.source).take(self.max_bytes.saturating_add(1)).read_until(b'\n', &mut self.buffer)?;
        if read == 0 {
            return Ok(NextLine::End);
        }
        self.number += 1;
        self.bytes += read as u64;
        if self.buffer.last() == Some(&b'\n') {
            self.buffer.pop();
        } else if self.max_bytes < read as u64 {
            self.skip_rest()?;
            return Ok(NextLine::TooLong { number: self.number });
        }
        Ok(NextLine::Bytes { number: self.number, bytes: &self.buffer })
    }

    /// Skips the rest of a line that is too long: reads to the next line feed and discards the bytes.
    fn skip_rest(&mut self) -> io::Result<()> {
        loop {
            let chunk = self.source.fill_buf()?;
            let (length, found) = match chunk.iter().position(|byte| *byte == b'\n') {
                Some(index) => (index + 1, true),
                None => (chunk.len(), chunk.is_empty()),
            };
            self.source.consume(length);
            self.bytes += length as u64;
            if found {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, NextLine};

    /// A line over the limit is skipped; the lines before and after it are read.
    #[test]
    fn a_line_that_is_too_long_costs_only_itself() {
        let text = b"one\nfar too long\n\nlast" as &[u8];
        let mut lines = Lines::new(std::io::BufReader::with_capacity(3, text), 5);
        let mut seen = Vec::new();
        loop {
            match lines.next().unwrap() {
                NextLine::Bytes { bytes: line, .. } => seen.push(String::from_utf8_lossy(line).into_owned()),
                NextLine::TooLong { .. } => seen.push("(too long)".to_owned()),
                NextLine::End => break,
            }
        }
        assert_eq!(seen, ["one", "(too long)", "", "last"]);
        assert_eq!((lines.number, lines.bytes), (4, text.len() as u64));
    }
}
