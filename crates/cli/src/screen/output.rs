//! Writes to the terminal. Everything that a command prints passes through here and is escaped; the escape sequences of
//! the own styles are added behind that.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use anstyle::{AnsiColor, Style};

use super::escape::{escape_json, escape_text};

/// The style of errors and negative results.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// The style of successes.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// The style of notes.
pub(crate) const NOTICE: Style = AnsiColor::Yellow.on_default();
/// The style of headings.
pub(crate) const HEADING: Style = Style::new().bold();
/// The style of details.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// The styles by the marker that [`styled`] puts before a text: noncharacters of Unicode, which no text contains.
const MARKERS: [(char, Style); 5] =
    [('\u{fdd0}', BAD), ('\u{fdd1}', GOOD), ('\u{fdd2}', NOTICE), ('\u{fdd3}', HEADING), ('\u{fdd4}', FAINT)];

/// The marker of the end of a style.
const END: char = '\u{fdd5}';

/// Whether a character is one of the markers.
fn is_marker(character: char) -> bool {
    character == END || MARKERS.iter().any(|(marker, _)| *marker == character)
}

/// Encloses a text in the markers of a style, which become escape sequences when it is printed. Markers inside of the text
/// are removed; an unknown style adds none.
pub(crate) fn styled(style: Style, text: &str) -> String {
    let text = text.replace(is_marker, "");
    match MARKERS.iter().find(|(_, known)| *known == style) {
        Some((marker, _)) => format!("{marker}{text}{END}"),
        None => text,
    }
}

/// Escapes a text and replaces the markers of styles by their escape sequences.
fn render(text: &str) -> String {
    let escaped = escape_text(text);
    let mut rendered = String::with_capacity(escaped.len());
    for character in escaped.chars() {
        match MARKERS.iter().find(|(marker, _)| *marker == character) {
            Some((_, style)) => rendered.push_str(&style.render().to_string()),
            None if character == END => rendered.push_str(&HEADING.render_reset().to_string()),
            None => rendered.push(character),
        }
    }
    rendered
}

/// Prints a text on the standard output, escaped. A stream that is closed is not an error.
pub(crate) fn print_text(text: &str) {
    let _ = write!(anstream::stdout(), "{}", render(text));
}

/// Prints a line on the standard output, escaped. A stream that is closed is not an error.
pub(crate) fn print_line(line: &str) {
    print_text(&format!("{line}\n"));
}

/// Prints a line on the standard error, escaped. A stream that is closed is not an error.
pub(crate) fn print_error_line(line: &str) {
    let _ = writeln!(anstream::stderr(), "{}", render(line));
}

/// Prints JSON on the standard output, with a line feed. A stream that is closed is not an error.
pub(crate) fn print_json(json: &str) {
    let _ = writeln!(io::stdout(), "{}", escape_json(json));
}

/// Redraws the screen of a terminal with escaped lines. Cursor home, then clear to the end of the screen: this does not
/// flicker. Without a final line feed, nothing scrolls.
///
/// # Errors
/// The error of writing to the standard output.
pub(crate) fn redraw(lines: &[String]) -> io::Result<()> {
    let lines: Vec<_> = lines.iter().map(|line| render(&super::escape::escape_line(line))).collect();
    let mut out = anstream::stdout().lock();
    write!(out, "\u{1b}[H\u{1b}[J{}", lines.join("\r\n"))?;
    out.flush()
}

/// Prints formatted text on the standard output, escaped; see [`print_text`].
macro_rules! out {
    ($($format:tt)*) => { $crate::screen::print_text(&format!($($format)*)) };
}

/// Prints a formatted line on the standard output, escaped; see [`print_line`].
macro_rules! outln {
    () => { $crate::screen::print_line("") };
    ($($format:tt)*) => { $crate::screen::print_line(&format!($($format)*)) };
}

pub(crate) use {out, outln};

/// Escapes JSON Lines that are written to `out`, line by line. Their values do not change.
#[derive(Debug)]
pub(crate) struct EscapedJsonLines<W> {
    out: W,
    /// The line that has not ended.
    line: Vec<u8>,
}

impl<W> EscapedJsonLines<W> {
    /// Creates a writer of lines to `out`.
    pub(crate) const fn new(out: W) -> Self {
        Self { out, line: Vec::new() }
    }
}

impl<W: Write> Write for EscapedJsonLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                self.out.write_all(escape_json(&String::from_utf8_lossy(&line)).as_bytes())?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Escapes what a log line contains, except the colours of the log lines themselves.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EscapedErrors {
    /// Whether the lines are JSON objects.
    pub(crate) json: bool,
}

impl Write for EscapedErrors {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let line = String::from_utf8_lossy(bytes);
        let escaped = if self.json { escape_json(&line) } else { escape_log_line(&line) };
        io::stderr().write_all(escaped.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Escapes a log line. Its values contain no escape character, which the formatter of log lines escapes.
fn escape_log_line(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return escape_text(line);
    }
    let parts: Vec<_> = line.split('\u{1b}').map(escape_text).collect();
    Cow::Owned(parts.join("\u{1b}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_styles_reach_the_terminal() {
        let rendered = render(&format!("{} \u{1b}[31mred\u{1b}]8;;x\u{7}", styled(GOOD, "ok\u{fdd0}\u{1b}[2J")));
        assert_eq!(rendered, "\u{1b}[32mok\\u{1b}[2J\u{1b}[0m \\u{1b}[31mred\\u{1b}]8;;x\\u{7}");
    }
}
