//! Terminal output: styles, tables, progress bars.

mod escape;
mod output;

use anstyle::Style;
use indicatif::{ProgressBar, ProgressStyle};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

pub(crate) use escape::escape_line;
pub(crate) use output::{
    BAD, EscapedErrors, EscapedJsonLines, FAINT, GOOD, HEADING, NOTICE, out, outln, print_error_line, print_json,
    print_line, print_text, redraw, styled,
};

/// Formats a number with its noun in singular or plural: `1 turn`, `2 turns`.
pub(crate) fn count_noun(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns the longest prefix of a text that fits into `columns` terminal columns.
pub(crate) fn truncate(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, character)| {
        used += character.width().unwrap_or_default();
        columns < used
    });
    end.map_or(text, |(index, _)| &text[..index])
}

/// Returns the end of a text that fits into `columns` terminal columns, with `…` in place of the part that is cut off.
pub(crate) fn truncate_start(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let kept = text.char_indices().rev().take_while(|(_, character)| {
        used += character.width().unwrap_or_default();
        used <= columns
    });
    let start = kept.last().map_or(text.len(), |(index, _)| index);
    format!("…{}", &text[start..])
}

/// Breaks a text at spaces into lines of at most `columns` terminal columns. A longer word, such as a path, starts a line
/// and is broken, after a `/` where possible.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.extend(break_word(word, columns)),
        }
    }
    lines
}

/// Breaks a word into parts of at most `columns` terminal columns, after the last `/` that fits if that is in the
/// second half of the part. A character wider than `columns` is a separate part.
fn break_word(word: &str, columns: usize) -> Vec<String> {
    let (mut parts, mut rest) = (Vec::new(), word);
    while columns < rest.width() {
        let fitting = truncate(rest, columns).len();
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let slash = rest[..fitting].rfind('/').map(|slash| slash + 1).filter(|end| fitting / 2 < *end);
        let (part, remaining) = rest.split_at(slash.unwrap_or(fitting).max(first));
        parts.push(part.to_owned());
        rest = remaining;
    }
    parts.push(rest.to_owned());
    parts
}

/// Escapes a text, and truncates or pads it to exactly `columns` terminal columns.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    let text = escape_line(text);
    let text = truncate(&text, columns);
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// A table for the terminal. Columns whose title starts with `>` are aligned to the right.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// The column titles.
    titles: Vec<&'static str>,
    /// The cells of each row, in the order of the columns.
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates an empty table with these column titles.
    pub(crate) fn new(titles: &[&'static str]) -> Self {
        Self { titles: titles.to_vec(), rows: Vec::new() }
    }

    /// Appends a row of escaped cells; missing cells are empty.
    pub(crate) fn add_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| escape_line(&cell).into_owned()).collect());
    }

    /// Prints the table.
    pub(crate) fn print(&self) {
        self.print_with_details(&[], FAINT);
    }

    /// Prints the table with a line of details below each row; rows without details have none.
    pub(crate) fn print_with_details(&self, details: &[String], style: Style) {
        let title = |index: usize| self.titles[index].trim_start_matches('>');
        let width = |index: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(index));
            cells.map(|cell| cell.width()).chain([title(index).width()]).max().unwrap_or_default()
        };
        let widths: Vec<_> = (0..self.titles.len()).map(width).collect();
        let format_row = |cell: &dyn Fn(usize) -> String| {
            let cells: Vec<_> = widths
                .iter()
                .enumerate()
                .map(|(index, &width)| {
                    let text = cell(index);
                    let gap = " ".repeat(width.saturating_sub(text.width()));
                    if self.titles[index].starts_with('>') { gap + &text } else { text + &gap }
                })
                .collect();
            cells.join("  ").trim_end().to_owned()
        };
        outln!("{}", styled(HEADING, &format_row(&|index| title(index).to_owned())));
        for (number, row) in self.rows.iter().enumerate() {
            outln!("{}", format_row(&|index| row.get(index).cloned().unwrap_or_default()));
            if let Some(detail) = details.get(number) {
                outln!("{}", styled(style, detail));
            }
        }
    }
}

/// Returns a progress bar for work measured in bytes, on the standard error if that is a terminal.
pub(crate) fn byte_bar(bytes: u64, label: &'static str) -> ProgressBar {
    let template = "{prefix} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec}, {eta} left";
    bar(bytes, label, template)
}

/// Returns a progress bar for work measured in events, on the standard error if that is a terminal.
pub(crate) fn event_bar(events: u64, label: &'static str) -> ProgressBar {
    bar(events, label, "{prefix} [{bar:30}] {pos}/{len} {per_sec}, {eta} left")
}

/// Creates a progress bar for `length` units of work, with a label in front and the layout of `template`.
fn bar(length: u64, label: &'static str, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(length).with_prefix(label);
    // The templates are literals; the default style is used if one does not parse.
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style.progress_chars("=> "))
}
