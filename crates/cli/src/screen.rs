//! Terminal output: styles, tables, progress bars.

use std::io::Write as _;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressStyle};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

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

/// Adds the escape sequences of a style to a text.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{}{text}{}", style.render(), style.render_reset())
}

/// Formats a number with its noun in singular or plural: `1 turn`, `2 turns`.
pub(crate) fn count_noun(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Prints a line on the standard output; a stream that is closed is not an error.
pub(crate) fn print_line(line: &str) {
    let _ = writeln!(anstream::stdout(), "{line}");
}

/// Prints a line on the standard error; a stream that is closed is not an error.
pub(crate) fn print_error_line(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
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

/// Returns the end of a text that fits into `columns` terminal columns, with `…` in place of the rest.
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

/// Breaks a text at spaces into lines of at most `columns` terminal columns; a longer word has a line of its own.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Returns a text with its control characters escaped, so that it cannot control the terminal.
pub(crate) fn printable(text: &str) -> String {
    let escape = |character: char| -> String {
        if character.is_control() { character.escape_default().collect() } else { character.to_string() }
    };
    text.chars().map(escape).collect()
}

/// Truncates or pads a text to exactly `columns` terminal columns.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    let text = truncate(text, columns);
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// A table. Columns whose title starts with `>` are aligned to the right.
#[derive(Debug, Default)]
pub(crate) struct Table {
    titles: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(titles: &[&'static str]) -> Self {
        Self { titles: titles.to_vec(), rows: Vec::new() }
    }

    /// Appends a row; missing cells are empty.
    pub(crate) fn add_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(crate) fn print(&self) {
        self.print_with_details(&[], FAINT);
    }

    /// Prints the table with a line of details below each row; missing lines are left out.
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
        anstream::println!("{}", styled(HEADING, &format_row(&|index| title(index).to_owned())));
        for (number, row) in self.rows.iter().enumerate() {
            anstream::println!("{}", format_row(&|index| row.get(index).cloned().unwrap_or_default()));
            if let Some(detail) = details.get(number) {
                anstream::println!("{}", styled(style, detail));
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

fn bar(length: u64, label: &'static str, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(length).with_prefix(label);
    // The templates are literals; the default style is used if one does not parse.
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style.progress_chars("=> "))
}
